"""One measure of a gate: a run's values beside the snapshot's, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2

from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from gainful.inference.design import Design, Floats

__all__ = ["GatedMeasure"]

#: With which a run that is no different would pass, in `GatedMeasure.needed`.
_POWER = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class GatedMeasure:
    """What the gate found for one measure.

    Attributes
    ----------
    measure : str
        As it was asked for.
    verdict : str
        ``pass``, ``fail`` or ``inconclusive``.
    mean, snapshot_mean, difference : float
        Over the queries that both have a value for; weighted, if there are weights.
    low, high : float
        One-sided bounds of the difference; infinite where none can be had.
    method : str
        How: ``t``, ``randomisation`` (fewer than 10 queries changed), or ``none`` (nothing changed,
        or the budget of looks is spent).
    n, left_out : int
        Queries that both have a value for, and queries that only one has a value for.
    wins, losses : int
        Queries whose value is higher and lower than the snapshot's.
    changed_units : int
        Queries, or clusters of them if there are some, whose difference is not 0.
    clustered : bool
        Whether there are clusters.
    needed : int or None
        Of an inconclusive measure, the number of queries like these with which a run that is no
        different would pass with power .8. It depends on how much the differences vary, and not on
        their mean.
    """

    measure: str
    verdict: str
    mean: float
    snapshot_mean: float
    difference: float
    low: float
    high: float
    method: str
    n: int
    left_out: int
    wins: int
    losses: int
    changed_units: int
    clustered: bool
    needed: int | None

    @property
    def changed(self) -> int:
        """Queries whose value is not the snapshot's."""
        return self.wins + self.losses

    @classmethod
    def of(
        cls,
        measure: str,
        values: Mapping[str, tuple[float, float]],
        *,
        left_out: int,
        margin: float,
        fail_on: str,
        alpha_low: float,
        alpha_high: float,
        weights: Mapping[str, float] | None = None,
        clusters: Mapping[str, Hashable] | None = None,
    ) -> GatedMeasure:
        """Judge the values of queries, each the snapshot's and the run's."""
        import numpy as np

        from gainful.gates.bounds import bounds_of, verdict_of

        before, after = np.array(list(values.values()), np.float64).T
        differences = after - before
        design = _design(list(values), weights, clusters)
        bounds = bounds_of(differences, design, alpha_low, alpha_high)
        wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
        verdict = verdict_of(bounds, margin, fail_on)
        needed = None
        if verdict == "inconclusive" and margin > 0 and alpha_low > 0:
            needed = _needed(differences, design, margin, alpha_low)
        return cls(
            measure=measure,
            verdict=verdict,
            mean=_mean(after, design),
            snapshot_mean=_mean(before, design),
            difference=design.mean(differences),
            low=bounds.low,
            high=bounds.high,
            method=bounds.method,
            n=len(values),
            left_out=left_out,
            wins=wins,
            losses=losses,
            changed_units=bounds.changed,
            clustered=clusters is not None,
            needed=needed,
        )

    def to_dict(self) -> dict[str, object]:
        """Return the fields; a bound that cannot be had is None."""
        fields: dict[str, object] = {name: getattr(self, name) for name in self.__slots__}
        for name in ("low", "high"):
            if abs(getattr(self, name)) == float("inf"):
                fields[name] = None
        return {**fields, "changed": self.changed}


def _mean(values: Floats, design: Design) -> float:
    if not design.plain:
        return float(design.mean(values))
    # One after the other, as `evaluate` adds them: the same mean to the last digit.
    total = 0.0
    for value in values.tolist():
        total += value
    return total / len(values)


def _design(
    queries: list[str],
    weights: Mapping[str, float] | None,
    clusters: Mapping[str, Hashable] | None,
) -> Design:
    from gainful.inference.design import Design

    for what, given in (("weights", weights), ("clusters", clusters)):
        for query in queries:
            if given is not None and query not in given:
                raise ParameterError(
                    where=what, query=query, found="nothing", expected="one for each query"
                )
    return Design(
        len(queries),
        weights=None if weights is None else [weights[query] for query in queries],
        clusters=None if clusters is None else [clusters[query] for query in queries],
    )


def _needed(differences: object, design: Design, margin: float, alpha: float) -> int | None:
    from gainful.inference.power import queries_needed

    error = float(design.standard_error(differences))  # type: ignore[arg-type]
    if not error > 0.0:
        return None
    # What counts is how many units there are, and how much each of them varies. One side at alpha
    # is, but for what is negligible, two sides at twice that.
    deviation = error * design.units**0.5
    try:
        units = queries_needed(margin, deviation, power=_POWER, alpha=2 * alpha)
    except ParameterError:
        # A margin so narrow that no number of queries that anybody has would do, or an alpha at
        # which there is nothing to plan.
        return None
    # With fewer no choice of signs is rare enough, and there is no bound where few queries change.
    units = max(units, ceil(-log2(alpha)))
    return ceil(units * design.queries / design.units)
