"""Differences and improvements of an original experiment and its rerun, with intervals."""

from __future__ import annotations

from collections.abc import Callable
from math import hypot, nan

import numpy as np
import numpy.typing as npt

from gainful.inference.design import Design
from gainful.inference.interval import cdf
from gainful.inference.paired import FEW, OneSided, count_differing, paired_t
from gainful.records import Interval
from gainful.reproduction.result import Estimate

Floats = npt.NDArray[np.float64]

__all__ = [
    "delta_relative_improvement",
    "difference",
    "effect_ratio",
    "has_few_changes",
    "rmse",
]

#: The most steps of a search for the end of an interval.
_STEPS = 40


def difference(original: Floats, rerun: Floats, *, paired: bool, level: float) -> Estimate:
    """Return the mean of the rerun minus that of the original, with a t test.

    Examples
    --------
    >>> one, two = np.array([0.2, 0.4, 0.9]), np.array([0.3, 0.4, 0.8])
    >>> found = difference(one, two, paired=True, level=0.95)
    >>> round(abs(found.value), 4), found.p
    (0.0, 1.0)
    """
    test = _test(original, rerun, 1.0, paired=paired)
    if paired:
        p = paired_t(rerun - original).p
    elif test.error:
        p = 2 * cdf(-abs(test.mean) / test.error, test.df) if test.df else nan
    else:
        p = float(test.mean == 0)
    return _estimate(test, level, p)


def has_few_changes(original: Floats, rerun: Floats, *, paired: bool) -> bool:
    """Return whether too few queries differ to show that the means are equivalent.

    Of two collections, the smaller one counts, because all queries differ. No difference at all is
    not an estimate.
    """
    if not paired:
        return min(len(original), len(rerun)) < FEW
    return 0 < int(count_differing(rerun - original, Design(len(rerun)))) < FEW


def effect_ratio(original: Floats, rerun: Floats, *, paired: bool, level: float) -> Estimate | None:
    """Return the mean improvement of the rerun divided by that of the original.

    Parameters
    ----------
    original, rerun : array, shape (n,)
        System minus baseline, for each query.
    paired : bool
        Whether both are of the same queries.
    level : float
        The confidence level of the interval: the ratios r for which neither one-sided test of the
        mean of rerun - r × original is significant, Fieller's interval corrected for skewness.

    Returns
    -------
    Estimate or None
        None if the original has no improvement. Without an interval if its improvement is not
        significant.
    """
    mean = float(original.mean())
    if mean == 0:
        return None
    ratio, alpha = float(rerun.mean()) / mean, (1 - level) / 2
    if min(len(original), len(rerun)) < 2:
        return Estimate(value=ratio, interval=None)
    step = _test(original, rerun, ratio, paired=paired).error / abs(mean) or 1.0

    def find_end(side: float) -> float | None:
        bound = OneSided.upper if side * mean > 0 else OneSided.lower
        return _find_root(
            lambda value: bound(_test(original, rerun, value, paired=paired), alpha),
            ratio,
            side * step,
        )

    low, high = find_end(-1.0), find_end(1.0)
    interval = None if low is None or high is None else Interval(low, high)
    return Estimate(value=ratio, interval=interval)


def _find_root(function: Callable[[float], float], start: float, step: float) -> float | None:
    """Return the first root of a function from the start on, if there is one.

    The interval is doubled until it contains the root. Then the Illinois variant of regula falsi
    finds it.
    """
    one, other = start, start + step
    at_one, at_other = function(one), function(other)
    for _ in range(_STEPS):
        if at_one * at_other <= 0:
            break
        step *= 2
        one, at_one, other = other, at_other, other + step
        at_other = function(other)
    else:
        return None
    for _ in range(_STEPS):
        if at_other == at_one or abs(other - one) <= 1e-13 * abs(step):
            break
        middle = other - at_other * (other - one) / (at_other - at_one)
        at_middle = function(middle)
        if at_middle * at_other < 0:
            one, at_one = other, at_other
        else:
            at_one /= 2
        other, at_other = middle, at_middle
        if not at_other:
            break
    return other


def delta_relative_improvement(
    original: tuple[Floats, Floats], rerun: tuple[Floats, Floats], *, paired: bool, level: float
) -> Estimate | None:
    """Return the relative improvement of the original minus that of the rerun.

    Parameters
    ----------
    original, rerun : pair of arrays, shape (n,)
        The scores of the system and of its baseline.
    paired : bool
        Whether both are of the same queries.
    level : float
        The confidence level of the interval, from Student's t with the linearized variance,
        corrected for skewness.

    Returns
    -------
    Estimate or None
        None if a baseline has the mean 0.
    """
    if not original[1].mean() or not rerun[1].mean():
        return None
    (first, first_terms), (second, second_terms) = _relative(*original), _relative(*rerun)
    test = _test(second_terms, first_terms, 1.0, paired=paired)
    return _estimate(test._replace(mean=first - second), level)


def rmse(original: Floats, rerun: Floats) -> float:
    """Return the root of the mean squared difference over queries.

    Examples
    --------
    >>> round(rmse(np.array([0.2, 0.4]), np.array([0.3, 0.3])), 4)
    0.1
    """
    return float(np.sqrt(np.square(rerun - original).mean()))


def _relative(system: Floats, baseline: Floats) -> tuple[float, Floats]:
    """Return the relative improvement and the term that each query contributes to its error."""
    ratio = float(system.mean() / baseline.mean())
    return ratio - 1, (system - ratio * baseline) / baseline.mean()


def _test(original: Floats, rerun: Floats, factor: float, *, paired: bool) -> OneSided:
    """Return the tests of the mean of rerun - factor × original; Welch's of two collections."""
    if paired:
        return OneSided.of(rerun - factor * original, Design(len(rerun)))
    first, second = (
        OneSided.of(values, Design(len(values))) for values in (factor * original, rerun)
    )
    error = hypot(first.error, second.error)
    # Welch and Satterthwaite.
    least = min(first.df, second.df)
    parts = first.error**4 / first.df + second.error**4 / second.df if least else 0.0
    df = error**4 / parts if parts else least
    cubes = second.skewness * second.error**3 - first.skewness * first.error**3
    return OneSided(
        mean=second.mean - first.mean,
        error=error,
        df=df,
        conservative=df,
        skewness=cubes / error**3 if error else 0.0,
    )


def _estimate(test: OneSided, level: float, p: float = nan) -> Estimate:
    known = None if p != p else p
    if test.df < 1 or test.error != test.error:
        return Estimate(value=test.mean, interval=None, p=known)
    alpha = (1 - level) / 2
    interval = Interval(test.lower(alpha), test.upper(alpha))
    return Estimate(value=test.mean, interval=interval, p=known)
