"""The measures of a gate: verdicts, their bounds and their sentences."""

from __future__ import annotations

from math import ceil, inf, log, log2
from typing import NamedTuple

from gainful.errors import ParameterError
from gainful.formats.numbers import digits, with_sign
from gainful.gates.snapshot import VERDICTS
from gainful.inference.paired import count_differing, one_sided_tests
from gainful.records import Interval, Record, derived, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from gainful.inference.design import Design, Floats
    from gainful.inference.prediction_powered import PredictedMean

__all__ = ["Bounds", "GatedMeasure", "advice", "bounds_of", "verdict_of", "worst_losses"]


#: The most queries to name; others are counted.
_NAMED = 5
#: From this number of looks on, the notes recommend new queries: at alpha .05 one wrong pass is
#: expected if each run is worse by the margin.
MANY_LOOKS = 20


def sentence(measure: GatedMeasure) -> str:
    """Return the result for a measure as a sentence."""
    name, margin = describe_pair(measure), _margin(measure.margin)
    share = measure.alpha_high if measure.verdict == "fail" else measure.alpha_low
    confidence = f"with {percent(1 - share)} confidence"
    if not measure.changed and measure.verdict == "pass":
        return f"{name} passes: the value of no query changed."
    if not measure.alpha_low:
        return f"{name} is inconclusive: the budget of looks is used up."
    low, high = measure.gain_bounds
    if measure.verdict == "fail":
        if high < -measure.margin:
            return f"{name} fails: {confidence} it is worse by more than the margin {margin}."
        return f"{name} fails: {confidence} it is worse."
    if measure.verdict == "pass":
        if low > 0:
            return f"{name} passes: {confidence} it is better."
        more = ", though worse" if high < 0 else ""
        return f"{name} passes: {confidence} it is not worse by the margin {margin} or more{more}."
    if not measure.margin:
        return f"{name} is inconclusive: it may or may not be worse."
    if high < 0:
        return f"{name} is inconclusive: {confidence} it is worse, perhaps by more than {margin}."
    return f"{name} is inconclusive: it may or may not be worse by more than the margin {margin}."


def describe_pair(measure: GatedMeasure) -> str:
    return (
        measure.measure if measure.reference == "snapshot" else f"{measure.measure} vs. the anchor"
    )


def _margin(margin: float) -> str:
    """Return the margin as tables print it, or in full if that would round it.

    Examples
    --------
    >>> _margin(0.05), _margin(0.0), _margin(1e-9), _margin(0.00125)
    ('.0500', '.0000', '1e-09', '0.00125')
    """
    text = digits(margin)
    return text if float(text) == margin and margin < 1000 else f"{margin:.6g}"


def advice(measure: GatedMeasure) -> list[str]:
    """Return the number of queries needed for a verdict, if known."""
    if measure.needed is None:
        return []
    name = describe_pair(measure)
    if measure.needed <= measure.n:
        return [f"{name}: there are enough queries, but the difference is near the margin."]
    return [
        f"{name}: with {measure.needed:,} queries like these, an unchanged system would pass"
        " (80% power)."
    ]


def few(queries: Sequence[str]) -> str:
    """Return the number of queries and the names of the first.

    Examples
    --------
    >>> few(["q7"]), few([f"q{n}" for n in range(9)])
    ('1 query (q7)', '9 queries (q0, q1, q2, q3, q4, ...)')
    """
    named = ", ".join(queries[:_NAMED]) + (", ..." if len(queries) > _NAMED else "")
    return f"{number_of(len(queries))} ({named})"


def number_of(count: int, noun: str = "query") -> str:
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {'queries' if noun == 'query' else f'{noun}s'}"


def percent(share: float) -> str:
    """Return a share in percent.

    Examples
    --------
    >>> percent(0.95), percent(1 - 0.05 / 20)
    ('95%', '99.75%')
    """
    return f"{100 * share:.6g}%"


class Bounds(NamedTuple):
    """One-sided confidence bounds of a mean difference.

    `method` is ``t``, ``extended-t`` if few units changed, or ``none`` if nothing changed, no error
    rate is left, or the units are too few. `changed` is the number of changed units: queries,
    or clusters of queries.
    """

    low: float
    high: float
    method: str
    changed: int


def bounds_of(differences: Floats, design: Design, alpha_low: float, alpha_high: float) -> Bounds:
    """Return the lower bound at 1 - `alpha_low` and the upper bound at 1 - `alpha_high`.

    The bounds of `one_sided_tests`, Student's t corrected for skewed differences and for few
    changed queries. An error rate of 0 has no finite bound.

    Examples
    --------
    >>> import numpy as np
    >>> from gainful.inference.design import Design
    >>> changes = np.array([0.1, -0.2, 0.3, 0.1, 0.2, 0.1, -0.1, 0.2, 0.1, 0.2])
    >>> low, high, method, changed = bounds_of(changes, Design(10), 0.05, 0.05)
    >>> round(low, 4), round(high, 4), method
    (-0.0098, 0.1864, 't')
    >>> bounds_of(np.array([0.0, 0.5, 0.0]), Design(3), 0.05, 0.05)
    Bounds(low=-inf, high=inf, method='none', changed=1)
    """
    changed = count_differing(differences, design)
    if not changed:
        return Bounds(0.0, 0.0, "none", 0)
    if alpha_low <= 0.0 or alpha_high <= 0.0:
        return Bounds(-inf, inf, "none", changed)
    above, below = one_sided_tests(differences, design)
    # Of fewer units, not even equal changes are rarer than alpha by random signs.
    if above.error != above.error or 2.0**-design.units > min(alpha_low, alpha_high):
        return Bounds(-inf, inf, "none", changed)
    method = "t" if above is below else "extended-t"
    return Bounds(above.lower(alpha_low), below.upper(alpha_high), method, changed)


def growing_bounds(
    differences: Floats, reach: float, alpha_low: float, alpha_high: float
) -> Bounds:
    """Return bounds that may be computed again as queries are added, of values within +-reach.

    Examples
    --------
    >>> import numpy as np
    >>> bounds = growing_bounds(np.array([0.1, -0.2, 0.3] * 40), 1.0, 0.05, 0.05)
    >>> round(bounds.low, 4), round(bounds.high, 4), bounds.method
    (-0.0003, 0.1288, 'betting')
    """
    import numpy as np

    from gainful.inference import always_valid_bound

    changed = int(np.count_nonzero(differences))
    if not changed:
        return Bounds(0.0, 0.0, "none", 0)
    if alpha_low <= 0.0 or alpha_high <= 0.0:
        return Bounds(-inf, inf, "none", changed)
    low = always_valid_bound(differences, -reach, reach, alpha=alpha_low)
    high = -always_valid_bound(-differences, -reach, reach, alpha=alpha_high)
    return Bounds(low, high, "betting", changed)


def verdict_of(bounds: Bounds, margin: float, fail_on: str) -> str:
    """Return ``pass``, ``fail`` or ``inconclusive``.

    Examples
    --------
    >>> several = [(-0.04, 0.03), (-0.04, -0.01), (-0.09, -0.06), (-0.06, 0.01)]
    >>> [verdict_of(Bounds(*each, "t", 12), 0.05, "margin") for each in several]
    ['pass', 'pass', 'fail', 'inconclusive']
    >>> verdict_of(Bounds(-0.04, -0.01, "t", 12), 0.05, "decrease")
    'fail'
    """
    if not bounds.changed:
        return "pass"
    if bounds.high < (0.0 if fail_on == "decrease" else -margin):
        return "fail"
    return "pass" if bounds.low > -margin else "inconclusive"


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

    COLUMNS = {
        "anchored": (
            "measure reference snapshot_mean mean difference low high people_difference "
            "model_difference worth changed verdict"
        ),
        "gate": (
            "measure snapshot_mean mean difference low high people_difference model_difference "
            "worth changed verdict"
        ),
    }

    measure: str
    """The measure as requested."""
    reference: str = field(label="vs.", json={"enum": ["snapshot", "anchor"]})
    """What the run is compared with."""
    margin: float = field(json=_COUNT)
    """The non-inferiority margin of the comparison."""
    verdict: str = field(fit="whole", json={"enum": list(VERDICTS)})
    """``pass``, ``fail`` or ``inconclusive``."""
    mean: float = field(label="now")
    """The run's mean over the queries with a value on both sides; weighted if weights were given.
    """
    snapshot_mean: float = field(label="before")
    """The mean of the snapshot, or of the anchor if that is the reference."""
    difference: float
    """The difference of the means."""
    low: float = field(label="lower", show=with_sign, json=_BOUND)
    """One-sided lower confidence bound of the difference; infinite (null in JSON) if not defined.
    """
    high: float = field(label="upper", show=with_sign, json=_BOUND)
    """One-sided upper confidence bound of the difference; infinite (null in JSON) if not defined.
    """
    method: str = field(json={"enum": ["t", "extended-t", "betting", "none"]})
    """The method of the bounds: ``t``, ``extended-t`` (few queries changed, so another is assumed),
    ``betting`` (growing queries), or ``none`` (nothing changed, the budget of looks is used
    up, or the units are too few)."""
    n: int = field(json={"minimum": 1})
    """The number of compared queries, those with a value on both sides."""
    left_out: int
    """The number of queries with a value on one side only."""
    wins: int
    """The number of queries with a better value than in the snapshot."""
    losses: int
    """The number of queries with a worse value than in the snapshot."""
    changed_units: int
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
        default=None, label="people only", show=with_sign, if_any=True
    )
    """With predictions of a model, the difference by people only. `difference` and its bounds are
    then the combined estimate, and `mean` is `snapshot_mean`, by people, plus the difference."""
    model_difference: float | None = field(
        default=None, label="model only", show=with_sign, if_any=True
    )
    """With predictions, the difference over all queries by the model only."""
    worth: float | None = field(default=None, show=lambda worth: f"{worth:.0f}", if_any=True)
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
        cell=lambda measure: (measure.changed, measure.n),
        show=lambda counts: f"{counts[0]}/{counts[1]}",
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
        growing: bool = False,
        limits: tuple[float | None, float | None] = (None, None),
        weights: Mapping[str, float] | None = None,
        clusters: Mapping[str, Hashable] | None = None,
        predicted: PredictedMean | None = None,
    ) -> GatedMeasure:
        """Test the pairs of values of the queries: the snapshot's and the run's.

        The limits are those of the values. With the estimate of the difference from people and a
        model, that is tested.
        """
        import numpy as np

        before, after = np.array(list(values.values()), np.float64).T
        differences = after - before
        design = _design(list(values), weights, clusters)
        gains = direction * differences
        wins, losses = int((gains > 0).sum()), int((gains < 0).sum())
        before_mean, after_mean = _mean(before, design), _mean(after, design)
        if predicted is not None:
            differences, design = predicted.values, predicted.design
            after_mean = before_mean + predicted.mean
        low, high = limits
        reach = None
        if growing and design.plain and predicted is None and low is not None and high is not None:
            reach = high - low
        elif growing:
            alpha_low, alpha_high = (
                _always_valid(rate, design) for rate in (alpha_low, alpha_high)
            )
        if reach is None:
            bounds = bounds_of(direction * differences, design, alpha_low, alpha_high)
        else:
            bounds = growing_bounds(direction * differences, reach, alpha_low, alpha_high)
        ends = (bounds.low, bounds.high) if direction > 0 else (-bounds.high, -bounds.low)
        verdict = verdict_of(bounds, margin, fail_on)
        if predicted is not None and not bounds.changed and predicted.model_mean:
            # People saw no change in their queries, but the model did in others.
            verdict = "inconclusive"
        interval = predicted and predicted.effective_interval()
        needed = None
        if verdict == "inconclusive" and margin > 0 and alpha_low > 0:
            if reach is None:
                needed = _needed(differences, design, margin, alpha_low)
            else:
                needed = _needed_growing(differences, reach, margin, alpha_low)
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


def _always_valid(alpha: float, design: Design) -> float:
    """Return the rate of a one-sided test that may be repeated as queries are added."""
    from gainful.inference import always_valid_alpha

    return always_valid_alpha(max(design.effective, 2.0), 2 * alpha) / 2 if alpha else 0.0


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

    for what, option in (("weights", weights), ("clusters", clusters)):
        for query in queries:
            if option is not None and query not in option:
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


def _needed_growing(differences: Floats, reach: float, margin: float, alpha: float) -> int | None:
    """Return after how many queries the wealth of the best bet suffices, if nothing has changed."""
    import numpy as np

    from gainful.inference.proportions import BETS, normal_quantile

    if margin >= reach:
        return None
    unchanged = np.clip(differences - differences.mean(), -reach, reach)
    growth = np.log1p(BETS * ((unchanged + reach) / (reach - margin) - 1.0)[:, np.newaxis])
    mean, spread = growth.mean(axis=0), growth.std(axis=0) * normal_quantile(_POWER)
    winning = mean > 0.0
    if not winning.any():
        return None
    mean, spread = mean[winning], spread[winning]
    # The neighbors of the best bet share its wealth.
    sought = log(len(BETS) / 2 / alpha)
    return ceil(
        float(((spread + np.sqrt(spread**2 + 4.0 * mean * sought)) / (2.0 * mean)).min()) ** 2
    )
