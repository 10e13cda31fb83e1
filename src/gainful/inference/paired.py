"""Tests of whether the mean of paired differences is 0, or within a margin of it.

A difference is the score of a system minus that of its baseline on one query. Every test takes the
differences of all queries that were scored by both.
"""

from __future__ import annotations

from math import inf, nan
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from gainful.errors import ParameterError
from gainful.inference.design import Design, Floats, design_for, differences_of
from gainful.inference.resampling import TOLERANCE, all_flip_sums, check, flip_sums
from gainful.inference.student_t import cdf

Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES = ("two-sided", "greater", "less")

# With so many units all 2^units choices of signs are gone through, a million.
EXACT_UP_TO = 20
# With so many differences, none of them 0 or equal to another, Wilcoxon's statistic has a table.
_WILCOXON_TABLE_UP_TO = 50
# Absolute differences that are nearer than this, relative to the largest, are tied ranks.
_RANK_TOLERANCE = 1e-12


class TTest(NamedTuple):
    """A t test: its statistic, its degrees of freedom and its p-value."""

    statistic: float
    df: int
    p: float


class RandomisationTest(NamedTuple):
    """A randomisation test: its p-value, of how many resamples, and whether these were all."""

    p: float
    resamples: int
    exact: bool


class WilcoxonTest(NamedTuple):
    """Wilcoxon's test: its statistic, its p-value, and whether that is exact."""

    statistic: float
    p: float
    exact: bool


def paired_t(
    differences: npt.ArrayLike,
    design: Design | None = None,
    *,
    alternative: Alternative = "two-sided",
) -> TTest:
    """Return Student's paired t test of whether the mean difference is 0.

    Parameters
    ----------
    differences : array_like, shape (n,)
        The differences; finite.
    design : Design, optional
        Weights, clusters and strata; plain queries without.
    alternative : {"two-sided", "greater", "less"}
        Whether the mean may differ from 0 either way, only exceed it, or only fall below it.

    Returns
    -------
    TTest
        ``statistic`` is the mean divided by its standard error (`Design.standard_error`), with
        ``df`` = units - strata. If all differences are 0 it is 0 with p = 1; if all are the same
        number it is infinite. Both are NaN where there is no standard error: a single query.

    Raises
    ------
    ParameterError
        If there is no difference, one is not finite, or ``alternative`` is unknown.

    Notes
    -----
    For n plain queries, t = mean / (s / sqrt(n)) with n - 1 degrees of freedom. Student (W. S.
    Gosset): The probable error of a mean. Biometrika 6(1), 1908.

    Examples
    --------
    >>> found = paired_t([0.1, 0.3, 0.0, 0.2])
    >>> round(found.statistic, 4), found.df, round(found.p, 4)
    (2.3238, 3, 0.1027)
    """
    array = differences_of(differences, "paired_t")
    design = design_for(array, design)
    _check_alternative(alternative)
    return t_about(array, design, 0.0, alternative)


def t_about(differences: Floats, design: Design, centre: float, alternative: Alternative) -> TTest:
    """Return the t test of whether the mean is ``centre``."""
    offset = design.mean(differences) - centre
    error = design.standard_error(differences)
    if design.df < 1 or error != error:
        return TTest(nan, design.df, nan)
    if error > 0.0:
        statistic = offset / error
    else:
        statistic = 0.0 if offset == 0.0 else (inf if offset > 0.0 else -inf)
    if alternative == "two-sided":
        p = min(2.0 * cdf(-abs(statistic), design.df), 1.0)
    else:
        p = cdf(-statistic if alternative == "greater" else statistic, design.df)
    return TTest(statistic, design.df, p)


def randomisation_test(
    differences: npt.ArrayLike,
    design: Design | None = None,
    *,
    alternative: Alternative = "two-sided",
    resamples: int = 100_000,
    seed: int = 0,
    threads: int | None = None,
) -> RandomisationTest:
    """Return Fisher's randomisation test of whether the two systems may be exchanged.

    If it did not matter which of the two systems gave which result, each difference (of a cluster:
    its sum) could as well have had the other sign. The p-value is the share of choices of signs
    whose mean is as far from 0 as the observed one.

    Parameters
    ----------
    differences : array_like, shape (n,)
        The differences; finite.
    design : Design, optional
        Weights, clusters and strata; plain queries without.
    alternative : {"two-sided", "greater", "less"}
        Which way the mean has to be as far.
    resamples : int, default 100,000
        How many choices of signs are drawn. Not used where all are gone through.
    seed : int, default 0
        Which ones: the same seed draws the same, whatever the number of threads.
    threads : int, optional
        As everywhere.

    Returns
    -------
    RandomisationTest
        ``exact`` where at most 20 units have a contribution other than 0: then all choices of
        their signs are gone through, and p is their share. Elsewhere p = (b + 1) / (resamples + 1)
        with b of the drawn as far out, so that it is never 0. If all differences are 0, p = 1.

    Raises
    ------
    ParameterError
        If there is no difference, one is not finite, or another argument has an illegal value.

    Notes
    -----
    Sums that differ from the observed one by 1e-12 of the sum of the absolute contributions, which
    is what the order of additions can change, count as far out as it. R. A. Fisher: The Design of
    Experiments, 1935, section 21; M. D. Smucker, J. Allan, B. Carterette: A comparison of
    statistical significance tests for information retrieval evaluation. CIKM 2007.

    Examples
    --------
    Four differences of one sign: of the 16 choices of signs, two are as far out.

    >>> randomisation_test([0.1, 0.3, 0.2, 0.2])
    RandomisationTest(p=0.125, resamples=16, exact=True)
    """
    array = differences_of(differences, "randomisation_test")
    _check_alternative(alternative)
    check(resamples, seed)
    contributions = design_for(array, design).contributions(array)[:, 0]
    contributions = contributions[contributions != 0.0]
    exact = len(contributions) <= EXACT_UP_TO
    if exact:
        sums = all_flip_sums(contributions)
    else:
        sums = flip_sums(contributions, resamples=resamples, seed=seed, threads=threads)
    observed = float(contributions.sum())
    tolerance = TOLERANCE * float(abs(contributions).sum())
    if alternative == "two-sided":
        far = abs(sums) >= abs(observed) - tolerance
    elif alternative == "greater":
        far = sums >= observed - tolerance
    else:
        far = sums <= observed + tolerance
    count = int(np.count_nonzero(far))
    if exact:
        return RandomisationTest(count / len(sums), len(sums), True)
    return RandomisationTest((count + 1) / (resamples + 1), resamples, False)


def randomisation_bound(
    differences: npt.ArrayLike,
    design: Design | None = None,
    *,
    side: Literal["lower", "upper"] = "lower",
    level: float = 0.95,
    resamples: int = 100_000,
    seed: int = 0,
    threads: int | None = None,
) -> float:
    """Return a one-sided bound for the mean difference, from the randomisation test.

    The lower bound is the least number that could be taken away from all differences with the
    test, for a mean greater than 0, still not rejecting at 1 - ``level``.

    Parameters
    ----------
    differences, design, resamples, seed, threads
        As in `randomisation_test`; all signs are gone through for up to 20 units.
    side : {"lower", "upper"}
        Which bound.
    level : float, default 0.95
        The share of samples of queries whose bound lies on the right side of the mean of all.

    Returns
    -------
    float
        The bound; infinite where so few units cannot reject anything.

    Raises
    ------
    ParameterError
        As `randomisation_test`; if ``side`` is unknown or ``level`` is not between 0 and 1.

    Notes
    -----
    With F the units whose sign is changed, the sum is as far out under a shift by s exactly if s is
    at least the mean over F. So the bound is an order statistic of means of random subsets. J. A.
    Hartigan: Using subsample values as typical values. JASA 64(328), 1969.

    Examples
    --------
    With five queries, of 32 choices of signs, at most one may be as far out: the bound is the
    least mean of a subset, and that is the least difference.

    >>> round(randomisation_bound([0.1, 0.3, 0.2, 0.2, 0.4]), 12)
    0.1
    >>> randomisation_bound([0.1, 0.3, 0.2])
    -inf
    """
    array = differences_of(differences, "randomisation_bound")
    check(resamples, seed)
    if side not in ("lower", "upper"):
        raise ParameterError(where="side", found=repr(side), expected="lower or upper")
    alpha = significance(level)
    if side == "upper":
        array = -array
    design = design_for(array, design)
    contributions, shares = design.contributions(array)[:, 0], design.unit_shares()
    if design.units <= EXACT_UP_TO:
        # The first choice changes no sign, and is always as far out.
        sums, counts = all_flip_sums(contributions)[1:], all_flip_sums(shares)[1:]
        allowed = threshold(alpha, len(sums) + 1)
    else:
        sums = flip_sums(contributions, resamples=resamples, seed=seed, threads=threads)
        counts = flip_sums(shares, resamples=resamples, seed=seed, threads=threads)
        allowed = threshold(alpha, resamples + 1)
    if allowed == 0:
        return -inf if side == "lower" else inf
    changed = float(shares.sum()) - counts
    with np.errstate(divide="ignore", invalid="ignore"):
        means = (float(contributions.sum()) - sums) / changed
    # Where no sign is changed, the sum is as far out under any shift.
    means[changed < TOLERANCE] = -inf
    bound = float(np.partition(means, allowed - 1)[allowed - 1])
    # A mean of a subset lies between the least and the greatest, but for rounding.
    bound = bound if bound == -inf else min(max(bound, float(array.min())), float(array.max()))
    return bound if side == "lower" else -bound


def significance(level: float) -> float:
    """Return 1 - level, as the number that was meant: .05 for .95."""
    if not 0.0 < level < 1.0:
        raise ParameterError(where="level", found=repr(level), expected="a number between 0 and 1")
    return round(1.0 - level, 12)


def threshold(alpha: float, choices: int) -> int:
    """Return how many of the choices, the observed one included, may be as far out."""
    # .07 * 100 is a little more than 7, and .29 * 100 a little less than 29.
    return int(alpha * choices + 1e-9)


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
        ``statistic`` is the sum of the ranks of the positive differences. ``exact`` for up to 50
        differences without ties and up to 20 with them, elsewhere by the normal approximation,
        corrected for ties. If all differences are 0, p = 1.

    Raises
    ------
    ParameterError
        If there is no difference, one is not finite, or ``alternative`` is unknown.

    Notes
    -----
    It is not a test of the mean: differences of mean 0 that are skewed are rejected, the more
    often the more queries there are. Differences nearer to each other than 1e-12 of the largest are
    ties. F. Wilcoxon: Individual comparisons by ranking methods. Biometrics Bulletin 1(6), 1945.

    Examples
    --------
    >>> wilcoxon_test([0.1, 0.3, -0.05, 0.2, 0.4])
    WilcoxonTest(statistic=14.0, p=0.125, exact=True)
    """
    array = differences_of(differences, "wilcoxon_test")
    _check_alternative(alternative)
    sizes = abs(array)
    largest = float(sizes.max())
    # Rounded, so that .3 - .2 and .2 - .1 have one rank.
    sizes = np.round(sizes / (largest or 1.0) / _RANK_TOLERANCE)
    signs, sizes = np.sign(array)[sizes > 0.0], sizes[sizes > 0.0]
    if not len(sizes):
        return WilcoxonTest(0.0, 1.0, True)
    from scipy import stats

    ranks = stats.rankdata(sizes)
    statistic = float(ranks[signs > 0.0].sum())
    tied = len(np.unique(sizes)) < len(sizes)
    if tied and len(sizes) <= EXACT_UP_TO:
        p = randomisation_test(signs * ranks, alternative=alternative).p
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
        Differences up to it, either way, are ties, which are left out.

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
    from gainful.inference.effects import dominance

    wins, _, losses, _ = dominance(differences, margin)
    if wins == losses:
        return 1.0
    from scipy.special import bdtr

    return min(2.0 * float(bdtr(min(wins, losses), wins + losses, 0.5)), 1.0)


def tost(differences: npt.ArrayLike, margin: float, design: Design | None = None) -> float:
    """Return the p-value of two one-sided t tests, of whether the mean is within a margin of 0.

    Parameters
    ----------
    differences : array_like, shape (n,)
        The differences; finite.
    margin : float
        Above 0. The two systems are equivalent if the mean lies between -margin and margin.
    design : Design, optional
        Weights, clusters and strata; plain queries without.

    Returns
    -------
    float
        The larger of the two: below alpha, the systems are equivalent. NaN for a single query.

    Raises
    ------
    ParameterError
        If there is no difference, one is not finite, or the margin is not above 0.

    Notes
    -----
    D. J. Schuirmann: A comparison of the two one-sided tests procedure and the power approach for
    assessing the equivalence of average bioavailability. Journal of Pharmacokinetics and
    Biopharmaceutics 15, 1987.

    Examples
    --------
    >>> round(tost([0.01, -0.02, 0.0, 0.02, -0.01], 0.05), 4)
    0.0011
    """
    array = differences_of(differences, "tost")
    if not 0.0 < margin < inf:
        raise ParameterError(where="margin", found=repr(margin), expected="a number above 0")
    design = design_for(array, design)
    above = t_about(array, design, -margin, "greater").p
    below = t_about(array, design, margin, "less").p
    return max(above, below) if above == above else nan


def _check_alternative(alternative: str) -> None:
    if alternative not in ALTERNATIVES:
        raise ParameterError(
            where="alternative", found=repr(alternative), expected=", ".join(ALTERNATIVES)
        )
