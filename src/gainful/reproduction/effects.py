"""Differences and improvements of an original experiment and its rerun, with intervals."""

from __future__ import annotations

from math import nan, sqrt

import numpy as np
import numpy.typing as npt

from gainful.inference.paired import paired_t
from gainful.inference.ratio import independent_ratio_interval, ratio_interval
from gainful.inference.student_t import cdf, quantile
from gainful.reproduction.result import Estimate

Floats = npt.NDArray[np.float64]

__all__ = ["delta_relative_improvement", "difference", "effect_ratio", "rmse"]


def difference(original: Floats, rerun: Floats, *, paired: bool, level: float) -> Estimate:
    """Return the mean of the rerun minus that of the original, with a t test.

    Examples
    --------
    >>> one, two = np.array([0.2, 0.4, 0.9]), np.array([0.3, 0.4, 0.8])
    >>> found = difference(one, two, paired=True, level=0.95)
    >>> round(abs(found.value), 4), found.p
    (0.0, 1.0)
    """
    value = float(rerun.mean() - original.mean())
    if paired:
        changes = rerun - original
        error, df = _error(changes), float(len(changes) - 1)
        p = paired_t(changes).p
    else:
        first, second = _error(original) ** 2, _error(rerun) ** 2
        error = sqrt(first + second)
        df = _welch(first, len(original), second, len(rerun))
        p = nan if not df else (2 * cdf(-abs(value) / error, df) if error else float(value == 0))
    return _estimate(value, error, df, level, p)


def effect_ratio(original: Floats, rerun: Floats, *, paired: bool, level: float) -> Estimate | None:
    """Return the mean improvement of the rerun divided by that of the original.

    Parameters
    ----------
    original, rerun : array, shape (n,)
        System minus baseline, for each query.
    paired : bool
        Whether both are of the same queries.
    level : float
        The confidence level of Fieller's interval.

    Returns
    -------
    Estimate or None
        None if the original has no improvement. Without ends if its improvement is not significant.
    """
    mean = float(original.mean())
    if mean == 0:
        return None
    interval = ratio_interval if paired else independent_ratio_interval
    ends = interval(rerun, original, level=level)
    low, high = ends or (None, None)
    return Estimate(float(rerun.mean()) / mean, low, high)


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
        The confidence level of the interval, from Student's t with the linearized variance.

    Returns
    -------
    Estimate or None
        None if a baseline has the mean 0.
    """
    if not original[1].mean() or not rerun[1].mean():
        return None
    (first, first_terms), (second, second_terms) = _relative(*original), _relative(*rerun)
    if paired:
        error, df = _error(first_terms - second_terms), float(len(first_terms) - 1)
    else:
        one, two = _error(first_terms) ** 2, _error(second_terms) ** 2
        error, df = sqrt(one + two), _welch(one, len(first_terms), two, len(second_terms))
    return _estimate(first - second, error, df, level)


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


def _error(values: Floats) -> float:
    return float(values.std(ddof=1) / sqrt(len(values))) if len(values) > 1 else nan


def _welch(first: float, n: int, second: float, m: int) -> float:
    """Return the degrees of freedom of Welch and Satterthwaite."""
    total = first * first / (n - 1) + second * second / (m - 1) if min(n, m) > 1 else 0.0
    return (first + second) ** 2 / total if total else float(max(min(n, m) - 1, 0))


def _estimate(value: float, error: float, df: float, level: float, p: float = nan) -> Estimate:
    known = None if p != p else p
    if df < 1 or error != error:
        return Estimate(value, None, None, known)
    reach = quantile((1 + level) / 2, df) * error
    return Estimate(value, value - reach, value + reach, known)
