"""Risk measures: losses vs. a baseline that count more than wins."""

from __future__ import annotations

from numbers import Real

import numpy as np

from gainful.errors import ParameterError
from gainful.formats.numbers import digits, with_sign
from gainful.inference.risk import geo_risk, t_risk, u_risk
from gainful.records import Record, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.comparison.pair import Pair
    from gainful.comparison.result import Comparison
    from gainful.measures import Measure

__all__ = ["Risk", "compute_risks"]

#: Above this, losses outweigh wins so far that sums lose their precision.
_MOST = 1_000_000


class Risk(Record):
    """The risk of a system vs. a baseline, with losses counting 1 + aversion times."""

    system: str = field(tables="risk")
    """The system."""
    baseline: str = field(tables="risk", label="vs.")
    """The system that it is compared with."""
    measure: str
    """The measure."""
    aversion: float
    """How much more a loss counts than a win."""
    u_risk: float = field(tables="risk", label="URisk", show=with_sign)
    """The mean difference with weighted losses; below 0 the losses outweigh the wins."""
    t_risk: float | None = field(
        tables="risk", label="TRisk", show=lambda value: with_sign(value, 2)
    )
    """The same over its standard error: below -2 the risk is significant, above 2 the improvement
    is, even with weighted losses."""
    geo_risk: float | None = field(tables="risk", label="GeoRisk", show=digits)
    """The risk of the system among all compared systems; higher is better. None if systems have
    values for different queries, or negative values."""
    losses: int = field(tables="risk", show=str)
    """Number of queries with a loss above the tie margin."""
    worst: str | None = field(tables="risk", label="worst query")
    """The query with the largest loss."""
    worst_difference: float = field(tables="risk", label="difference", show=with_sign)
    """The difference on that query; 0 without losses."""


def compute_risks(comparison: Comparison, measure: Measure, aversion: float) -> tuple[Risk, ...]:
    """Return a `Risk` for each pair of a measure, on all queries.

    Raises
    ------
    ParameterError
        If the aversion is below 0 or above a million.
    """
    if not isinstance(aversion, Real) or not 0 <= aversion <= _MOST:
        raise ParameterError(
            where="aversion", found=repr(aversion), expected=f"a number from 0 to {_MOST:,}"
        )
    geometric = _geo_risks(comparison, measure, aversion)
    return tuple(
        _risk(comparison, pair, geometric.get(pair.system), aversion)
        for pair in comparison.pairs
        if pair.measure == repr(measure)
    )


def _risk(comparison: Comparison, pair: Pair, geometric: float | None, aversion: float) -> Risk:
    rows, one, two = comparison._common_values(pair, scaled=True)
    design, values = comparison.scores.design(rows), one - two
    worst = comparison.worst(pair, 1)
    return Risk(
        system=pair.system,
        baseline=pair.baseline,
        measure=pair.measure,
        aversion=aversion,
        u_risk=u_risk(values, aversion, design),
        t_risk=t_risk(values, aversion, design),
        geo_risk=geometric,
        losses=pair.losses,
        worst=worst[0][0] if worst else None,
        worst_difference=worst[0][1] - worst[0][2] if worst else 0.0,
    )


def _geo_risks(comparison: Comparison, measure: Measure, aversion: float) -> dict[str, float]:
    scores = comparison.scores
    index = comparison.measures.index(measure)
    values = scores.values[index][scores.has_values(index).any(axis=1)]
    if np.isnan(values).any() or (values < 0).any():
        return {}
    risks = geo_risk(values, aversion)
    return {system: float(risk) for system, risk in zip(comparison.systems, risks, strict=True)}
