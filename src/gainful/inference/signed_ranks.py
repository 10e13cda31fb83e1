"""Tests of paired differences by their signs and ranks: Wilcoxon's and the sign test."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gainful.inference.design import differences_of
from gainful.inference.effects import dominance
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
    from scipy import stats

    ranks = stats.rankdata(sizes)
    statistic = float(ranks[signs > 0.0].sum())
    tied = len(np.unique(sizes)) < len(sizes)
    if tied and len(sizes) <= EXACT_UP_TO:
        p = randomization_test(signs * ranks, alternative=alternative).p
        return WilcoxonTest(statistic, p, True)
    exact = not tied and len(sizes) <= _WILCOXON_TABLE_UP_TO
    found = stats.wilcoxon(
        signs * ranks,
        correction=False,
        alternative=alternative,
        method="exact" if exact else "approx",
    )
    return WilcoxonTest(statistic, float(found.pvalue), exact)


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
    from scipy.special import bdtr

    return min(2.0 * float(bdtr(min(wins, losses), wins + losses, 0.5)), 1.0)
