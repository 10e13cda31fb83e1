"""What a system risks: losses beside a baseline that weigh more than wins."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np

from gainful.errors import ParameterError
from gainful.inference.risk import geo_risk, t_risk, u_risk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.comparison.pair import Pair
    from gainful.comparison.result import Comparison
    from gainful.measures import Measure

__all__ = ["Risk", "risks"]

#: Beyond it a loss weighs so much more than a win that its sums lose their digits.
_MOST = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """What a system risks beside a baseline, losses counting 1 + aversion times.

    Attributes
    ----------
    system, baseline, measure : str
        Their names.
    aversion : float
        By how much more a loss counts than a win.
    u_risk : float
        The mean difference in which losses count more; below 0 the losses outweigh.
    t_risk : float or None
        The same over its standard error. Below -2 the risk is real, above 2 the system is better
        with it reckoned in.
    geo_risk : float or None
        Of the system among all that are compared: the more, the better. None where systems do not
        have values for the same queries, or values are below 0.
    losses : int
        Queries on which it is worse by more than the tie margin.
    worst : str or None
        The query that it loses most on.
    worst_difference : float
        How much it loses there; 0 where it loses nowhere.
    """

    system: str
    baseline: str
    measure: str
    aversion: float
    u_risk: float
    t_risk: float | None
    geo_risk: float | None
    losses: int
    worst: str | None
    worst_difference: float


def risks(comparison: Comparison, measure: Measure, aversion: float) -> tuple[Risk, ...]:
    """Return a `Risk` for each pair of a measure, on all queries.

    Raises
    ------
    ParameterError
        For an aversion below 0, or above a million.
    """
    if not isinstance(aversion, Real) or not 0 <= aversion <= _MOST:
        raise ParameterError(
            where="aversion", found=repr(aversion), expected=f"a number from 0 to {_MOST:,}"
        )
    geometric = _geometric(comparison, measure, aversion)
    return tuple(
        _risk(comparison, pair, geometric.get(pair.system), aversion)
        for pair in comparison.pairs
        if pair.measure == repr(measure)
    )


def _risk(comparison: Comparison, pair: Pair, geometric: float | None, aversion: float) -> Risk:
    rows, one, two = comparison._beside(pair)
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


def _geometric(comparison: Comparison, measure: Measure, aversion: float) -> dict[str, float]:
    scores = comparison.scores
    values = scores.values[comparison.measures.index(measure)]
    values = values[~np.isnan(values).all(axis=1)]
    if np.isnan(values).any() or (values < 0).any():
        return {}
    found = geo_risk(values, aversion)
    return {system: float(each) for system, each in zip(comparison.systems, found, strict=True)}
