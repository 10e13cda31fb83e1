"""The result of a gate for one measure."""

from __future__ import annotations

from math import ceil, log2

from gainful.errors import ParameterError
from gainful.formats.numbers import with_sign
from gainful.gates.sentences import sentence
from gainful.gates.snapshot import VERDICTS
from gainful.records import Interval, Record, derived, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from gainful.inference.design import Design, Floats
    from gainful.inference.prediction_powered import PredictedMean

__all__ = ["GatedMeasure", "Loss", "worst_losses"]

#: The power for which `GatedMeasure.needed` is computed.
_POWER = 0.8

_COUNT = {"minimum": 0}
_BOUND = {"type": ["number", "null"]}


class Loss(Record):
    """The loss of a query."""

    query_id: str
    """The query."""
    difference: float
    """The run's value minus the snapshot's."""


class GatedMeasure(Record):
    """The result of a gate for one measure."""

    measure: str = field(tables="gate anchored")
    """The measure as requested."""
    reference: str = field(tables="anchored", label="vs.", json={"enum": ["snapshot", "anchor"]})
    """What the run is compared with."""
    margin: float = field(json=_COUNT)
    """The non-inferiority margin of the comparison."""
    verdict: str = field(
        tables="gate anchored", fit="whole", order=99, json={"enum": list(VERDICTS)}
    )
    """``pass``, ``fail`` or ``inconclusive``."""
    mean: float = field(tables="gate anchored", label="now")
    """The run's mean over the queries with a value on both sides; weighted if weights were given.
    """
    snapshot_mean: float = field(tables="gate anchored", label="before", order=3)
    """The mean of the snapshot, or of the anchor if that is the reference."""
    difference: float = field(tables="gate anchored")
    """The difference of the means."""
    low: float = field(tables="gate anchored", label="lower", show=with_sign, json=_BOUND)
    """One-sided lower confidence bound of the difference; infinite (null in JSON) if not defined.
    """
    high: float = field(tables="gate anchored", label="upper", show=with_sign, json=_BOUND)
    """One-sided upper confidence bound of the difference; infinite (null in JSON) if not defined.
    """
    method: str = field(json={"enum": ["t", "extended-t", "none"]})
    """The method of the bounds: ``t``, ``extended-t`` (few queries changed, so another is assumed),
    or ``none`` (nothing changed, the budget of looks is used up, or the units are too few)."""
    n: int = field(json={"minimum": 1})
    """The number of compared queries, those with a value on both sides."""
    left_out: int = field(json=_COUNT)
    """The number of queries with a value on one side only."""
    wins: int = field(json=_COUNT)
    """The number of queries with a better value than in the snapshot."""
    losses: int = field(json=_COUNT)
    """The number of queries with a worse value than in the snapshot."""
    changed_units: int = field(json=_COUNT)
    """The number of queries, or of clusters if given, with a difference other than 0."""
    clustered: bool
    """Whether clusters were given."""
    effective: float | None = field(json={"minimum": 1})
    """The effective number of queries or clusters, 1 / the sum of their squared shares of the
    weight; None if all have the same share."""
    needed: int | None = field(json={"minimum": 1})
    """If inconclusive, the number of queries like these with which an unchanged system would pass
    with 80% power. It depends on the variance of the differences, not on their mean."""
    people_difference: float | None = field(
        default=None, tables="gate anchored", label="people only", show=with_sign, if_any=True
    )
    """With predictions of a model, the difference by people only. `difference` and its bounds are
    then the combined estimate, and `mean` is `snapshot_mean`, by people, plus the difference."""
    model_difference: float | None = field(
        default=None, tables="gate anchored", label="model only", show=with_sign, if_any=True
    )
    """With predictions, the difference over all queries by the model only."""
    worth: float | None = field(
        default=None, tables="gate anchored", show=lambda worth: f"{worth:.0f}", if_any=True
    )
    """With predictions, the number of human-judged queries that would give the same precision
    without the model."""
    worth_interval: Interval | None = None
    """The 95% confidence interval of `worth`; None if the model is not used."""
    reason: str | None = field(
        default=None, json={"enum": ["", "few-errors", "few-values", "no-gain", None]}
    )
    """With predictions, why only people are used; empty if the model is, too."""
    p_random: float | None = None
    """With predictions, the p-value of a test that the human-judged queries are a random sample."""
    changed: int = derived(
        lambda measure: measure.wins + measure.losses,
        tables="gate anchored",
        cell=lambda measure: (measure.changed, measure.n),
        show=lambda counts: f"{counts[0]}/{counts[1]}",
        json=_COUNT,
    )
    """The number of queries whose value differs from the snapshot's."""
    text: str = derived(sentence)
    """The result as a sentence."""
    worst: tuple[Loss, ...] | None = field(default=None, optional=True)
    """The queries with the largest losses, at most five; absent for the anchor."""
    direction: int = field(default=1, key="")
    """1 if a higher value is better, else -1."""
    alpha_low: float = field(key="")
    """The error rate of the lower bound."""
    alpha_high: float = field(key="")
    """The error rate of the upper bound."""

    @property
    def gain_bounds(self) -> tuple[float, float]:
        """The bounds of the gain: those of the difference if higher values are better."""
        return (self.low, self.high) if self.direction > 0 else (-self.high, -self.low)

    @classmethod
    def of(
        cls,
        measure: str,
        values: Mapping[str, tuple[float, float]],
        *,
        direction: int = 1,
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
        gains = direction * differences
        wins, losses = int((gains > 0).sum()), int((gains < 0).sum())
        before_mean, after_mean = _mean(before, design), _mean(after, design)
        if predicted is not None:
            differences, design = predicted.values, predicted.design
            after_mean = before_mean + predicted.mean
        bounds = bounds_of(direction * differences, design, alpha_low, alpha_high)
        ends = (bounds.low, bounds.high) if direction > 0 else (-bounds.high, -bounds.low)
        verdict = verdict_of(bounds, margin, fail_on)
        if predicted is not None and not bounds.changed and predicted.model_mean:
            # People saw no change in their queries, but the model did in others.
            verdict = "inconclusive"
        interval = predicted and predicted.effective_interval()
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
            low=ends[0],
            high=ends[1],
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
            worth_interval=Interval(*interval) if interval else None,
            reason=None if predicted is None else predicted.reason,
            p_random=None if predicted is None else predicted.p_random,
            worst=worst_losses(values, direction=direction) if reference == "snapshot" else None,
            direction=direction,
            alpha_low=alpha_low,
            alpha_high=alpha_high,
        )


def worst_losses(
    values: Mapping[str, tuple[float, float]], k: int = 5, *, direction: int = 1
) -> tuple[Loss, ...]:
    """Return the queries with the largest losses."""
    gains = sorted((direction * (new - old), query) for query, (old, new) in values.items())
    return tuple(
        Loss(query_id=query, difference=direction * gain) for gain, query in gains[:k] if gain < 0
    )


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
