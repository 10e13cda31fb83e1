"""Spearman's rank correlation, with a confidence interval for few pairs."""

from __future__ import annotations

from math import atanh, sqrt, tanh
from typing import NamedTuple

from gainful.inference.interval import check_level
from gainful.inference.rank_correlation import check_lengths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Spearman", "least_correlation", "spearman"]


class Spearman(NamedTuple):
    """Spearman's rank correlation.

    Attributes
    ----------
    rho : float
        From -1 to 1.
    low, high : float or None
        The ends of its interval; ``None`` for fewer than 5 pairs.
    """

    rho: float
    low: float | None
    high: float | None


def spearman(
    first: Sequence[float], second: Sequence[float], *, level: float = 0.95
) -> Spearman | None:
    """Return Spearman's rank correlation of two series, with its interval.

    Parameters
    ----------
    first, second : sequence of float
        The values of the same n items, in the same order; tied values get the mean of their ranks.
    level : float, default 0.95
        The confidence level, between 0 and 1.

    Returns
    -------
    Spearman or None
        ``None`` if not defined: for fewer than two items, if all values of one side are equal, or
        if any value is NaN.

    Raises
    ------
    ParameterError
        If the lengths differ, or ``level`` is not between 0 and 1.

    Notes
    -----
    The interval is tanh(atanh(rho) -/+ z * sqrt((1 + rho^2 / 2) / (n - 3))), z the normal quantile:
    D. G. Bonett, T. A. Wright: Sample size requirements for estimating Pearson, Kendall and
    Spearman correlations. Psychometrika 65(1), 2000. For two identical orders this interval would
    have width 0. Instead, its lower end is that of the next smaller possible value,
    1 - 12 / (n^3 - n), and its upper end is 1. Reverse orders are treated symmetrically.

    Examples
    --------
    >>> found = spearman([1, 2, 3, 4, 5, 6], [2, 1, 3, 5, 4, 6])
    >>> round(found.rho, 4), round(found.low, 4), round(found.high, 4)
    (0.8857, 0.0664, 0.9916)
    """
    check_lengths("spearman", first, second)
    check_level(level)
    n = len(first)
    if n < 2 or any(value != value for value in (*first, *second)):
        return None
    one, two = _ranks(first), _ranks(second)
    middle = (n + 1) / 2.0
    spread_one = sum((rank - middle) ** 2 for rank in one)
    spread_two = sum((rank - middle) ** 2 for rank in two)
    if not spread_one or not spread_two:
        return None
    shared = sum((a - middle) * (b - middle) for a, b in zip(one, two, strict=True))
    rho = shared / (spread_one if spread_one == spread_two else sqrt(spread_one * spread_two))
    if n < 5:
        return Spearman(rho, None, None)
    nearest = 1.0 - 12.0 / (n**3 - n)
    low, high = _interval(max(-nearest, min(nearest, rho)), n, level)
    return Spearman(rho, -1.0 if rho <= -nearest else low, 1.0 if rho >= nearest else high)


def least_correlation(n: int, *, level: float = 0.95) -> float | None:
    """Return the smallest correlation of n pairs whose interval excludes 0.

    ``None`` if there is no such value below 1, as for 5 pairs or fewer at the level .95.

    Examples
    --------
    >>> round(least_correlation(15), 3), least_correlation(5)
    (0.541, None)
    """
    if n < 5:
        return None
    low, high = 0.0, 1.0 - 1e-15
    if _interval(high, n, level)[0] <= 0.0 or _interval(1.0 - 12.0 / (n**3 - n), n, level)[0] <= 0:
        return None
    while high - low > 1e-12:
        middle = (low + high) / 2.0
        if _interval(middle, n, level)[0] > 0.0:
            high = middle
        else:
            low = middle
    return high


def _interval(rho: float, n: int, level: float) -> tuple[float, float]:
    from statistics import NormalDist

    z = NormalDist().inv_cdf((1.0 + level) / 2.0)
    half = z * sqrt((1.0 + rho * rho / 2.0) / (n - 3))
    return tanh(atanh(rho) - half), tanh(atanh(rho) + half)


def _ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value from the smallest; ties have their mean rank."""
    ordered = sorted(values)
    first: dict[float, int] = {}
    count: dict[float, int] = {}
    for rank, value in enumerate(ordered, 1):
        first.setdefault(value, rank)
        count[value] = count.get(value, 0) + 1
    return [first[value] + (count[value] - 1) / 2.0 for value in values]
