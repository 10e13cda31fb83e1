"""The result of a gate for one measure."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2

from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping
    from typing import Any

    from gainful.inference.design import Design, Floats
    from gainful.inference.prediction_powered import PredictedMean

__all__ = ["GatedMeasure"]

#: The power for which `GatedMeasure.needed` is computed.
_POWER = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class GatedMeasure:
    """The result of a gate for one measure.

    Attributes
    ----------
    measure : str
        The measure as requested.
    reference : str
        What the run is compared with: ``snapshot`` or ``anchor``.
    margin : float
        The non-inferiority margin of the comparison.
    verdict : str
        ``pass``, ``fail`` or ``inconclusive``.
    mean, snapshot_mean, difference : float
        Means over the queries with a value on both sides; weighted if weights were given. If the
        anchor is the reference, snapshot_mean is the anchor's.
    low, high : float
        One-sided confidence bounds of the difference; infinite if not defined.
    method : str
        The method of the bounds: ``t``, ``extended-t`` (few queries changed, so another is
        assumed), or ``none`` (nothing changed, the budget of looks is used up, or the units are too
        few).
    n, left_out : int
        Number of queries with a value on both sides, and with a value on one side only.
    wins, losses : int
        Number of queries with a higher and with a lower value than in the snapshot.
    changed_units : int
        Number of queries, or of clusters if given, with a difference other than 0.
    clustered : bool
        Whether clusters were given.
    effective : float or None
        The effective number of queries or clusters, if their weights differ.
    needed : int or None
        If inconclusive, the number of queries like these with which an unchanged system would pass
        with 80% power. It depends on the variance of the differences, not on their mean.
    reason, p_random
        With predictions, as in `PredictedMean`.
    people_difference, model_difference, worth : float or None
        With predictions, the difference by people only, that over all queries by the model only,
        and the number of human-judged queries that would give the same precision without the model.
        `difference` and its bounds are then the combined estimate, and mean is snapshot_mean, by
        people, plus the difference.
    worth_low, worth_high : float or None
        The 95% confidence interval of `worth`; None if the model is not used.
    """

    measure: str
    reference: str
    margin: float
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
    effective: float | None
    needed: int | None
    people_difference: float | None = None
    model_difference: float | None = None
    worth: float | None = None
    worth_low: float | None = None
    worth_high: float | None = None
    reason: str | None = None
    p_random: float | None = None

    @property
    def changed(self) -> int:
        """The number of queries whose value differs from the snapshot's."""
        return self.wins + self.losses

    @classmethod
    def of(
        cls,
        measure: str,
        values: Mapping[str, tuple[float, float]],
        *,
        reference: str = "snapshot",
        left_out: int,
        margin: float,
        fail_on: str,
        alpha_low: float,
        alpha_high: float,
        weights: Mapping[str, float] | None = None,
        clusters: Mapping[str, Hashable] | None = None,
        predicted: PredictedMean | None = None,
    ) -> GatedMeasure:
        """Test the pairs of values of the queries: the snapshot's and the run's.

        With the estimate of the difference from people and a model, that is tested.
        """
        import numpy as np

        from gainful.gates.bounds import bounds_of, verdict_of

        before, after = np.array(list(values.values()), np.float64).T
        differences = after - before
        design = _design(list(values), weights, clusters)
        wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
        before_mean, after_mean = _mean(before, design), _mean(after, design)
        if predicted is not None:
            differences, design = predicted.values, predicted.design
            after_mean = before_mean + predicted.mean
        bounds = bounds_of(differences, design, alpha_low, alpha_high)
        verdict = verdict_of(bounds, margin, fail_on)
        if predicted is not None and not bounds.changed and predicted.model_mean:
            # People saw no change in their queries, but the model did in others.
            verdict = "inconclusive"
        worth_interval = (predicted and predicted.effective_interval()) or (None, None)
        needed = None
        if verdict == "inconclusive" and margin > 0 and alpha_low > 0:
            needed = _needed(differences, design, margin, alpha_low)
        return cls(
            measure=measure,
            reference=reference,
            margin=margin,
            verdict=verdict,
            mean=after_mean,
            snapshot_mean=before_mean,
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
            effective=design.effective if design.unequal else None,
            needed=needed,
            people_difference=None if predicted is None else predicted.people_mean,
            model_difference=None if predicted is None else predicted.model_mean,
            worth=None if predicted is None else predicted.effective,
            worth_low=worth_interval[0],
            worth_high=worth_interval[1],
            reason=None if predicted is None else predicted.reason,
            p_random=None if predicted is None else predicted.p_random,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON; an infinite bound is None."""
        fields: dict[str, object] = {name: getattr(self, name) for name in self.__slots__}
        for name in ("low", "high"):
            if abs(getattr(self, name)) == float("inf"):
                fields[name] = None
        return {**fields, "changed": self.changed}


def _mean(values: Floats, design: Design) -> float:
    if not design.plain:
        return float(design.mean(values))
    # Add one value at a time, as `evaluate` does: the same mean to the last digit.
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
                    where=what, query=query, found="no value", expected="one for each query"
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
    # Plan with the number of units and the deviation of a unit. A one-sided test at alpha is nearly
    # a two-sided test at twice alpha.
    deviation = error * design.units**0.5
    try:
        units = queries_needed(margin, deviation, power=_POWER, alpha=2 * alpha)
    except ParameterError:
        # The margin is so narrow that no feasible number of queries suffices, or nothing can be
        # planned at this alpha.
        return None
    units = max(units, ceil(-log2(alpha)))
    return ceil(units * design.queries / design.units)
