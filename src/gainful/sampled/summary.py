"""Summarize the estimates of queries: their mean, its interval, and its bias."""

from __future__ import annotations

from math import sqrt

from gainful.inference import mean_interval
from gainful.inference.interval import interval_method
from gainful.sampled.result import SampleEstimate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gainful.sampled.documents import QueryEstimate
    from gainful.sampled.plans import Plan

__all__ = ["summarize"]

#: How many times the square of the largest possible term is added for the upper end of intervals.
#: Chosen by simulation (docs/evidence).
_PSEUDO = 0.5


def summarize(
    plan: Plan, system: str, queries: Iterable[QueryEstimate], *, rate: float = 0.0
) -> SampleEstimate:
    """Return the estimated mean of a system.

    Parameters
    ----------
    plan : Plan
        How the measure is estimated.
    system : str
        The name of the system.
    queries : iterable of QueryEstimate
        The estimates of all queries.
    rate : float
        How much of a model's labels is subtracted: a large term that the sample lacks can be
        negative by that much.
    """
    every = list(queries)
    known = [each for each in every if each.point.value is not None]
    found = [each.point for each in known]
    values = [each.point.value for each in known if each.point.value is not None]
    lowest = [min(each.bounds[0], own) for each, own in zip(known, values, strict=True)]
    highest = [max(each.bounds[1], own) for each, own in zip(known, values, strict=True)]
    n = len(values)
    mean = sum(values) / n if n else float("nan")
    least, most = plan.measure.range()
    fits = (
        least is not None
        and most is not None
        and all(least <= each <= most for each in (*lowest, *values, *highest))
    )
    ends = (least, most) if fits else (None, None)
    intervals = [_interval(each, *ends) for each in (lowest, values, highest)]
    largest = max(each.largest for each in every)
    intervals.append(_upper_interval(highest, largest, most))
    if rate:
        mirrored = _upper_interval([-each for each in lowest], rate * largest, -(least or 0.0))
        intervals.append(None if mirrored is None else (-mirrored[1], -mirrored[0]))
    low_end = high_end = None
    if all(each is not None for each in intervals):
        low_end = min(each[0] for each in intervals if each)
        high_end = max(each[1] for each in intervals if each)
    # A query without a relevant document in its sample has no estimate of its error.
    biases = [each.bias or 0.0 for each in found]
    variances = [each.variance for each in found]
    return SampleEstimate(
        system=system,
        measure=repr(plan.measure),
        n=n,
        mean=mean,
        low=low_end,
        high=high_end,
        method=interval_method(*ends),
        standard_error=_deviation(values) / sqrt(n) if n > 1 else None,
        sampling_error=None
        if not n or (any(each is None for each in variances) and not plan.is_ratio)
        else sqrt(sum(each or 0.0 for each in variances)) / n,
        bias=sum(biases) / n if n and plan.is_ratio else (0.0 if n else None),
        lowest=sum(lowest) / n if n else float("nan"),
        highest=sum(highest) / n if n else float("nan"),
        outside=sum(each.outside for each in every),
        without_relevant=sum(each.bias is None and each.variance is None for each in found)
        if plan.is_ratio
        else 0,
    )


def _interval(
    values: Sequence[float], low: float | None, high: float | None
) -> tuple[float, float] | None:
    if len(values) < 2:
        return None
    mean = sum(values) / len(values)
    return mean_interval(mean, _deviation(values), len(values), low=low, high=high)


def _upper_interval(
    values: Sequence[float], largest: float, most: float | None
) -> tuple[float, float] | None:
    """Return an interval that allows for a large term that the sample happens to lack."""
    n = len(values)
    if n < 2:
        return None
    mean = sum(values) / n
    squares = (n - 1) * _deviation(values) ** 2 + _PSEUDO * largest**2
    found = mean_interval(mean, sqrt(squares / n), n)
    if found is None:
        return None
    return mean, found[1] if most is None else max(mean, min(found[1], most))


def _deviation(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return sqrt(sum((each - mean) ** 2 for each in values) / (len(values) - 1))
