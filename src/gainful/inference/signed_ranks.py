"""Tests of paired differences by their signs and ranks: Wilcoxon's and the sign test."""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gainful.inference import binomial
from gainful.inference.design import differences_of
from gainful.inference.effects import dominance
from gainful.inference.normal import cdf
from gainful.inference.paired import Alternative, check_alternative
from gainful.inference.randomization import EXACT_UP_TO, randomization_test

# Up to this number of nonzero differences without ties, Wilcoxon's statistic is tabulated.
_WILCOXON_TABLE_UP_TO = 50
# Closer absolute differences, relative to the largest, have tied ranks.
_RANK_TOLERANCE = 1e-12


class WilcoxonTest(NamedTuple):
    """Wilcoxon's test: its statistic, its p-value, and whether that is exact."""

    statistic: float
    p: float
    exact: bool


def wilcoxon_test(
    differences: npt.ArrayLike, *, alternative: Alternative = "two-sided"
) -> WilcoxonTest:
    """Return Wilcoxon's signed-rank test of whether the differences are symmetric about 0.

    Parameters
    ----------
    differences : array_like, shape (n,)
        The differences; finite. Those that are 0 are left out.
    alternative : {"two-sided", "greater", "less"}
        As in `paired_t`.

    Returns
    -------
    WilcoxonTest
        ``statistic`` is the sum of the ranks of the positive differences. The p-value is exact for
        up to 50 differences without ties and up to 20 with ties; otherwise it is from the normal
        approximation, corrected for ties. If all differences are 0, p = 1.

    Raises
    ------
    ParameterError
        If there is no difference, one is not finite, or ``alternative`` is unknown.

    Notes
    -----
    It is not a test of the mean: it rejects skewed differences with mean 0, more often the more
    queries there are. Differences within 1e-12 of each other, relative to the largest, are ties. F.
    Wilcoxon: Individual comparisons by ranking methods. Biometrics Bulletin 1(6), 1945.

    Examples
    --------
    >>> wilcoxon_test([0.1, 0.3, -0.05, 0.2, 0.4])
    WilcoxonTest(statistic=14.0, p=0.125, exact=True)
    """
    array = differences_of(differences, "wilcoxon_test")
    check_alternative(alternative)
    sizes = abs(array)
    largest = float(sizes.max())
    # Round, so that .3 - .2 and .2 - .1 get the same rank.
    sizes = np.round(sizes / (largest or 1.0) / _RANK_TOLERANCE)
    signs, sizes = np.sign(array)[sizes > 0.0], sizes[sizes > 0.0]
    if not len(sizes):
        return WilcoxonTest(0.0, 1.0, True)
    distinct, places, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    # Tied sizes get the mean of their ranks.
    ranks = (np.cumsum(counts) - 0.5 * (counts - 1))[places]
    statistic = float(ranks[signs > 0.0].sum())
    n = len(sizes)
    tied = len(distinct) < n
    if tied and n <= EXACT_UP_TO:
        p = randomization_test(signs * ranks, alternative=alternative).p
        return WilcoxonTest(statistic, p, True)
    exact = not tied and n <= _WILCOXON_TABLE_UP_TO
    if exact:
        below, above = _rank_sum_tails(n, int(statistic))
    else:
        variance = n * (n + 1) * (2 * n + 1) / 24 - float((counts**3 - counts).sum()) / 48
        z = (statistic - n * (n + 1) / 4) / sqrt(variance)
        below, above = cdf(z), cdf(-z)
    p = {"greater": above, "less": below, "two-sided": min(2.0 * min(below, above), 1.0)}[
        alternative
    ]
    return WilcoxonTest(statistic, p, exact)


@lru_cache
def _rank_sum_tails(n: int, total: int) -> tuple[float, float]:
    """Return P(S <= total) and P(S >= total), S a sum of ranks, each in it with probability 1/2."""
    ways = [1] + [0] * (n * (n + 1) // 2)
    for rank in range(1, n + 1):
        for at in range(len(ways) - 1, rank - 1, -1):
            ways[at] += ways[at - rank]
    return sum(ways[: total + 1]) / 2**n, sum(ways[total:]) / 2**n


def sign_test(differences: npt.ArrayLike, *, margin: float = 0.0) -> float:
    """Return the p-value of the sign test, of whether wins are as likely as losses.

    Parameters
    ----------
    differences : array_like, shape (n,)
        The differences; finite.
    margin : float, default 0
        Absolute differences up to the margin are ties, which are left out.

    Returns
    -------
    float
        Two-sided and exact, from the binomial distribution; 1 if there are only ties.

    Raises
    ------
    ParameterError
        If there is no difference, one is not finite, or the margin is negative.

    Examples
    --------
    Five wins of five: 2 / 2^5.

    >>> sign_test([0.1, 0.3, 0.05, 0.2, 0.4, 0.0])
    0.0625
    """
    wins, _, losses, _ = dominance(differences, margin)
    if wins == losses:
        return 1.0
    return min(2.0 * binomial.cdf(min(wins, losses), wins + losses, 0.5), 1.0)
