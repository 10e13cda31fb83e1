"""Summarize the estimates of queries: their mean, its interval, and its bias."""

from __future__ import annotations

from math import sqrt

from gainful.inference import mean_interval
from gainful.records import Interval
from gainful.sampled.result import SampleEstimate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gainful.sampled.documents import QueryEstimate
    from gainful.sampled.plans import Plan

__all__ = ["summarize"]

#: How many documents with the largest possible term are added to the sample for the upper end of
#: intervals. Chosen by simulation (docs/evidence).
_PSEUDO = 0.5


def summarize(
    plan: Plan,
    system: str,
    queries: Iterable[QueryEstimate],
    *,
    rate: float = 0.0,
    sampling_error: float | None = None,
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
    sampling_error : float, optional
        The standard error over samples, for a ratio.
    """
    every = list(queries)
    known = [each for each in every if each.point.value is not None]
    found = [each.point for each in known]
    values = [each.point.value for each in known if each.point.value is not None]
    lowest = [min(each.bounds[0], own) for each, own in zip(known, values, strict=True)]
    highest = [max(each.bounds[1], own) for each, own in zip(known, values, strict=True)]
    n = len(values)
    mean = sum(values) / n if n else float("nan")
    most, largest = plan.most, max(estimate.largest for estimate in every)
    intervals = [_interval(column, most) for column in (lowest, values, highest)]
    intervals.append(_upper_interval(highest, largest, most))
    if rate:
        # The largest sum minus each estimate, whose upper end is the lower end of the estimates.
        mirrored = _upper_interval(
            [most - value for value in lowest], rate * largest, most, added=0.0
        )
        intervals.append(mirrored and (most - mirrored[1], most - mirrored[0]))
    ends = [interval for interval in intervals if interval is not None]
    # A query without a relevant document in its sample has no estimate of its error.
    biases = [estimate.bias for estimate in found if estimate.bottom > 0.0]
    if not plan.is_ratio:
        variances = [estimate.variance for estimate in found if estimate.variance is not None]
        sampling_error = sqrt(sum(variances)) / n if n and len(variances) == n else None
    return SampleEstimate(
        system=system,
        measure=repr(plan.measure),
        n=n,
        mean=mean,
        interval=Interval(min(ends)[0], max(high for _, high in ends)) if ends else None,
        standard_error=_deviation(values) / sqrt(n) if n > 1 else None,
        sampling_error=sampling_error,
        bias=None if not n or None in biases else sum(filter(None, biases)) / n,
        lowest=sum(lowest) / n if n else float("nan"),
        highest=sum(highest) / n if n else float("nan"),
        outside=sum(estimate.outside for estimate in every),
        without_relevant=sum(not estimate.bottom > 0.0 for estimate in found),
    )


def _interval(values: Sequence[float], most: float) -> tuple[float, float] | None:
    """Return the interval of a mean from 0 to `most`, which the estimates can exceed."""
    n = len(values)
    if n < 2:
        return None
    return mean_interval(_mean_in_range(values, most), _deviation(values), n, low=0.0, high=most)


def _upper_interval(
    values: Sequence[float], largest: float, most: float, added: float = _PSEUDO
) -> tuple[float, float] | None:
    """Return an interval that allows for a large term that the sample happens to lack."""
    n = len(values)
    if n < 2:
        return None
    mean = _mean_in_range(values, most)
    squares = (n - 1) * _deviation(values) ** 2 + _PSEUDO * largest**2
    interval = mean_interval(mean + added * largest / n, sqrt(squares / n), n)
    return interval and (mean, min(interval[1], most))


def _mean_in_range(values: Sequence[float], most: float) -> float:
    return min(max(sum(values) / len(values), 0.0), most)


def _deviation(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return sqrt(sum((each - mean) ** 2 for each in values) / (len(values) - 1))
