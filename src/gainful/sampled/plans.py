"""How each measure is estimated from a sample: gains, weights of ranks, ideal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import accumulate

from gainful.conventions import get
from gainful.errors import ConventionError, MeasureError
from gainful.evaluation.call import evaluate_runs
from gainful.policies import POLICIES
from gainful.sampled.estimators import average_precision, ratio, total

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gainful.conventions import Convention
    from gainful.measures import Measure
    from gainful.sampled.estimators import Estimated

__all__ = ["UNBIASED", "Plan", "check_convention", "plan_measure", "usual_measures"]

#: The measures that are sums over documents, so that their estimates have no bias.
UNBIASED = ("DCG", "CG", "P")
_RATIOS = ("nDCG", "R")
#: The parameters that change what is estimated, with the supported value.
_FIXED = {
    "ideal": "judged",
    "norm": "relevant",
    "judged_only": False,
    "to_depth": False,
    "capped": False,
    "listed": False,
}


@dataclass(frozen=True, slots=True)
class Plan:
    """How a measure is estimated.

    Attributes
    ----------
    measure, resolved : Measure
        The measure as requested, and with its parameters under the convention.
    cutoff : int
        The number of ranks.
    gains : dict of float to float
        The gain by grade.
    weights : list of float
        The weight of each rank, from the first.
    estimate : callable
        From the strata of a query to its estimate; with ``has_bias=False`` only to its value.
    """

    measure: Measure
    resolved: Measure
    cutoff: int
    gains: Mapping[float, float]
    weights: Sequence[float]
    estimate: Callable[..., Estimated]

    @property
    def is_ratio(self) -> bool:
        """Whether it divides by an estimate, and so has a bias."""
        return self.measure.family not in UNBIASED

    @property
    def most(self) -> float:
        """The largest possible value."""
        high = self.measure.range()[1]
        return max(self.gains.values()) * sum(self.weights) if high is None else high


def usual_measures(depth: int) -> tuple[str, ...]:
    """Return the default measures of a sample of the first documents down to a depth.

    Examples
    --------
    >>> usual_measures(100)
    ('DCG@10', 'P@10', 'nDCG@10', 'AP@100', 'R@100')
    """
    k = min(10, depth)
    return f"DCG@{k}", f"P@{k}", f"nDCG@{k}", f"AP@{depth}", f"R@{depth}"


def check_convention(convention: Convention) -> None:
    """Refuse policies other than those of gainful-1, except a value without relevant documents.

    Raises
    ------
    ConventionError
        For other policies.
    """
    usual = get("gainful-1")
    for name in (policy.name for policy in POLICIES):
        value = getattr(convention, name)
        if name == "no_relevant":
            if value not in (0, 1, "skip"):
                raise ConventionError(
                    found=f"no_relevant={value}",
                    expected="0, 1 or skip for estimates from a sample",
                )
        elif value != getattr(usual, name):
            raise ConventionError(
                found=f"{name}={value}",
                expected=f"{name}={getattr(usual, name)}, as a sample needs",
            )


def plan_measure(
    measure: Measure, convention: Convention, depth: int, grades: Iterable[float]
) -> Plan:
    """Return how a measure is estimated.

    Raises
    ------
    MeasureError
        For a measure without an estimate, or a cutoff below the depth of the pool.
    """
    resolved = measure.resolve(convention)
    family = measure.family
    if family not in (*UNBIASED, *_RATIOS, "AP"):
        raise MeasureError(
            "a sample has no estimate of it",
            where=repr(measure),
            hint=f"estimated are {', '.join((*UNBIASED, *_RATIOS, 'AP'))}",
        )
    params = {each.name: resolved.params.get(each.name) for each in measure.declaration.parameters}
    for name, only in _FIXED.items():
        if name in params and params[name] not in (None, only):
            raise MeasureError(
                f"{name}={params[name]} has no estimate from a sample", where=repr(measure)
            )
    k = resolved.cutoff
    if k is None or k > depth:
        raise MeasureError(
            f"found {'no cutoff' if k is None else f'the cutoff {k}'}, expected at most {depth},"
            " the depth of the sample",
            where=repr(measure),
            hint=f"use {family}@{depth}, or draw a sample with a larger depth",
        )
    neutral = convention.replace(no_relevant=0)
    binary = family in ("P", "R", "AP")
    gains = _gains(measure, params, neutral, binary, grades)
    nothing = None if convention.no_relevant == "skip" else float(convention.no_relevant)
    estimate: Callable[..., Estimated]
    if binary or family == "CG":
        weights = [1.0 / k if family == "P" else 1.0] * k
    else:
        weights = _discounts(params, k, neutral)
    if family == "AP":
        estimate = partial(average_precision, nothing=nothing)
    elif family == "R":
        estimate = partial(ratio, ideal=_count, nothing=nothing)
    elif family == "nDCG":
        sums = [0.0, *accumulate(weights)]
        estimate = partial(ratio, ideal=partial(_ideal, sums, weights), nothing=nothing)
    else:
        estimate = total
    return Plan(measure, resolved, k, gains, weights, estimate)


def _gains(
    measure: Measure,
    params: Mapping[str, object],
    convention: Convention,
    binary: bool,
    grades: Iterable[float],
) -> dict[float, float]:
    """Return the gain of each grade, as the kernel computes it."""
    from gainful.measures import Measure as AnyMeasure

    if params.get("gain") in ("judged", "exponential+1"):
        raise MeasureError(
            f"gain={params['gain']} has no estimate from a sample, since unjudged and judged"
            " documents that are not relevant differ",
            where=repr(measure),
        )
    one = (
        AnyMeasure("P", {"rel": params["rel"]}, 1)
        if binary
        else AnyMeasure("CG", {"gain": params["gain"]}, 1)
    )
    listed = sorted({0.0, *grades})
    judged = {str(at): {"d": grade} for at, grade in enumerate(listed)}
    found = evaluate_runs(judged, {"run": {query: {"d": 1.0} for query in judged}}, one, convention)
    values = found.per_query(one)
    gains = {grade: values[str(at)] for at, grade in enumerate(listed)}
    if min(gains.values()) < 0.0:
        raise MeasureError("a negative gain has no estimate from a sample", where=repr(measure))
    return gains


def _discounts(params: Mapping[str, object], k: int, convention: Convention) -> list[float]:
    """Return the discount of each rank, as the kernel computes it."""
    from gainful.measures import Measure as AnyMeasure

    chosen = {name: params[name] for name in ("discount", "base") if params.get(name) is not None}
    one = AnyMeasure("DCG", {"gain": "linear", **chosen}, k)
    ranking = {f"d{rank}": float(-rank) for rank in range(1, k + 1)}
    judged = {str(rank): {f"d{rank}": 1} for rank in range(1, k + 1)}
    found = evaluate_runs(judged, {"run": dict.fromkeys(judged, ranking)}, one, convention)
    values = found.per_query(one)
    return [values[str(rank)] for rank in range(1, k + 1)]


def _count(counts: Mapping[float, float]) -> float:
    return sum(counts.values())


def _ideal(sums: Sequence[float], weights: Sequence[float], counts: Mapping[float, float]) -> float:
    """Return the DCG of the ideal order of a fractional number of documents per gain."""
    ideal, before, place = 0.0, 0.0, 0.0
    for gain in sorted(counts, reverse=True):
        place = min(place + counts[gain], float(len(weights)))
        whole = int(place)
        rest = place - whole
        upto = sums[whole] + (rest * weights[whole] if rest else 0.0)
        ideal += gain * (upto - before)
        before = upto
    return ideal
