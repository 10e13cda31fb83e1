"""Effect sizes, the tests of signs and signed ranks, and effects over collections."""

from __future__ import annotations

from functools import lru_cache
from math import inf, sqrt
from statistics import fmean, variance
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gainful.errors import ParameterError
from gainful.inference import proportions
from gainful.inference.design import Design, Floats, design_for, differences_of
from gainful.inference.interval import check_level, quantile
from gainful.inference.paired import Alternative, check_alternative
from gainful.inference.proportions import normal_cdf, normal_quantile
from gainful.inference.randomization import EXACT_UP_TO, randomization_test
from gainful.keywords import suggest_keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


__all__ = ["RandomEffects", "random_effects"]


class Dominance(NamedTuple):
    """Wins, ties and losses, and (wins - losses) / n."""

    wins: int
    ties: int
    losses: int
    dominance: float


@suggest_keywords
def hedges_g(differences: npt.ArrayLike, design: Design | None = None) -> float | None:
    """Return the standardized mean difference of pairs, d_z, with Hedges' correction.

    Parameters
    ----------
    differences : array_like, shape (n,)
        The differences; finite.
    design : Design, optional
        Weights, clusters and strata. Default: equal weights, independent queries.

    Returns
    -------
    float or None
        (1 - 3 / (4 df - 1)) * mean / s. ``None`` if s is 0 or there are fewer than two degrees of
        freedom, for which there is no unbiased correction.

    Raises
    ------
    ParameterError
        If there is no difference, or one is not finite.

    Notes
    -----
    s is `Design.deviation`, the standard deviation of the differences over queries. Clusters affect
    df but not s: an effect size describes queries, independent of how they were sampled. L. V.
    Hedges: Distribution theory for Glass's estimator of effect size and related estimators. Journal
    of Educational Statistics 6(2), 1981.

    Examples
    --------
    >>> round(hedges_g([0.1, 0.3, 0.0, 0.2]), 4)
    0.845
    """
    array = differences_of(differences, "hedges_g")
    design = design_for(array, design)
    return standardized(design.mean(array), design.deviation(array), design.df)


def standardized(mean: float, deviation: float, df: int) -> float | None:
    """Return `hedges_g` of differences with this mean and deviation."""
    if df < 2 or not deviation > 0.0:
        return None
    return (1.0 - 3.0 / (4.0 * df - 1.0)) * mean / deviation


@suggest_keywords
def hedges_g_interval(
    differences: npt.ArrayLike, design: Design | None = None, *, level: float = 0.95
) -> tuple[float, float] | None:
    """Return the confidence interval of the standardized mean difference of pairs.

    Parameters
    ----------
    differences : array_like, shape (n,)
        The differences; finite.
    design : Design, optional
        Weights, clusters and strata. Default: equal weights, independent queries.
    level : float, default 0.95
        The confidence level, between 0 and 1.

    Returns
    -------
    tuple of float or None
        Lower and upper end; ``None`` if all differences or the means of all clusters are equal, or
        there are fewer than two degrees of freedom.

    Raises
    ------
    ParameterError
        As `hedges_g`, or if ``level`` is not between 0 and 1.

    Notes
    -----
    With t and df of `paired_t`, and z the (1 + level) / 2 quantile of the standard normal
    distribution, the ends are (1 - 1 / (4 df)) t -/+ z sqrt(1 + t^2 / (2 df)), times mean / (s t),
    which is 1 / sqrt(n) without a design. These are the means of the noncentral t distributions
    that have t as a quantile, by the approximation of N. L. Johnson, B. L. Welch: Applications of
    the non-central t-distribution. Biometrika 31(3/4), 1940. The interval is exact for normal
    differences but for this approximation, and excludes 0 if the paired t test rejects, but for
    rounding. `docs/evidence.md` has the coverage for real differences.

    Examples
    --------
    >>> low, high = hedges_g_interval([0.1, 0.3, 0.0, 0.2])
    >>> round(low, 4), round(high, 4)
    (-0.2857, 2.4159)
    """
    array = differences_of(differences, "hedges_g_interval")
    design = design_for(array, design)
    check_level(level)
    error, df = design.standard_error(array), design.degrees_of_freedom(array)
    return standardized_interval(design.mean(array), design.deviation(array), error, df, level)


def standardized_interval(
    mean: float, deviation: float, error: float, df: float, level: float
) -> tuple[float, float] | None:
    """Return `hedges_g_interval` of differences with this mean, deviation and standard error."""
    if df < 2 or not deviation > 0.0 or not error > 0.0:
        return None
    t = mean / error
    centre = (1.0 - 1.0 / (4.0 * df)) * t
    half = -normal_quantile((1.0 - level) / 2.0) * (1.0 + t * t / (2.0 * df)) ** 0.5
    scale = error / deviation
    return (centre - half) * scale, (centre + half) * scale


@suggest_keywords
def dominance(differences: npt.ArrayLike, margin: float = 0.0) -> Dominance:
    """Return the wins, ties and losses, and the paired dominance.

    Parameters
    ----------
    differences : array_like, shape (n,)
        The differences; finite.
    margin : float, default 0
        Absolute differences up to the margin are ties.

    Returns
    -------
    Dominance
        ``wins``, ``ties``, ``losses`` and ``dominance`` = (wins - losses) / n, from -1 to 1.

    Raises
    ------
    ParameterError
        If there is no difference, one is not finite, or the margin is negative.

    Notes
    -----
    N. Cliff: Dominance statistics: ordinal analyses to answer ordinal questions. Psychological
    Bulletin 114(3), 1993, for pairs.

    Examples
    --------
    >>> dominance([0.1, 0.3, -0.02, 0.0], margin=0.05)
    Dominance(wins=2, ties=2, losses=0, dominance=0.5)
    """
    array = differences_of(differences, "dominance")
    if not 0.0 <= margin < inf:
        raise ParameterError(where="margin", found=repr(margin), expected="a number of 0 or more")
    return dominances(array[:, None], margin)[0]


def dominances(columns: Floats, margin: float) -> list[Dominance]:
    """Return `dominance` of each column of finite differences, (n, k)."""
    # In floating point .4 - .3 exceeds .1, but it is on the margin.
    bound, n = margin * (1.0 + 1e-9), len(columns)
    wins = np.count_nonzero(columns > bound, axis=0).tolist()
    losses = np.count_nonzero(columns < -bound, axis=0).tolist()
    return [
        Dominance(won, n - won - lost, lost, (won - lost) / n)
        for won, lost in zip(wins, losses, strict=True)
    ]


# Up to this number of nonzero differences without ties, Wilcoxon's statistic is tabulated.
_WILCOXON_TABLE_UP_TO = 50

# Closer absolute differences, relative to the largest, have tied ranks.
_RANK_TOLERANCE = 1e-12


class WilcoxonTest(NamedTuple):
    """Wilcoxon's test: its statistic, its p-value, and whether that is exact."""

    statistic: float
    p: float
    exact: bool


@suggest_keywords
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
        below, above = normal_cdf(z), normal_cdf(-z)
    p = {"greater": above, "less": below, "two-sided": min(2.0 * min(below, above), 1.0)}[
        alternative
    ]
    return WilcoxonTest(statistic, p, exact)


@lru_cache
def _rank_sum_tails(n: int, total: int) -> tuple[float, float]:
    """Return P(S <= total) and P(S >= total), S a sum of ranks, each in it with probability 1/2."""
    ways = [1] + [0] * (n * (n + 1) // 2)
    for rank in range(1, n + 1):
        for index in range(len(ways) - 1, rank - 1, -1):
            ways[index] += ways[index - rank]
    return sum(ways[: total + 1]) / 2**n, sum(ways[total:]) / 2**n


@suggest_keywords
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
    return min(2.0 * proportions.cdf(min(wins, losses), wins + losses, 0.5), 1.0)


#: With fewer effects, their spread is practically unknown.
FEWEST_EFFECTS = 3


class RandomEffects(NamedTuple):
    """The mean of effects, the spread of the true ones, and the range of a new one."""

    mean: float
    low: float
    high: float
    tau: float
    prediction_low: float
    prediction_high: float


@suggest_keywords
def random_effects(
    effects: Sequence[float], standard_errors: Sequence[float], *, level: float = 0.95
) -> RandomEffects | None:
    """Return the mean effect over collections like these, and the effect in a new one.

    Parameters
    ----------
    effects : sequence of float
        The estimated effect in each of k collections, such as the mean difference of two systems.
    standard_errors : sequence of float
        Their standard errors, which only `tau` depends on.
    level : float, default 0.95
        The confidence level of both intervals, between 0 and 1.

    Returns
    -------
    RandomEffects or None
        The mean with its confidence interval, the standard deviation `tau` of the true effects
        between collections, and the prediction interval. None for fewer than three effects, or if
        all are equal.

    Raises
    ------
    ParameterError
        If the lengths differ, or ``level`` is not between 0 and 1.

    Notes
    -----
    Collections are a random sample. Their effects have equal weights, as in a macro-average. With
    s^2 the variance of the effects, the confidence interval is mean -/+ t s / sqrt(k), and the
    prediction interval mean -/+ t s sqrt(1 + 1 / k), with t the quantile of Student's t
    distribution with k - 1 degrees of freedom. Effects may have different standard errors: at level
    .95 the confidence interval then covers at least as often as with equal ones. The prediction
    interval includes the sampling error of an effect, so it covers the true effect in a new
    collection more often than stated. R. Ibragimov, U. K. Mueller: t-statistic based correlation
    and heterogeneity robust inference. Journal of Business and Economic Statistics 28(4), 2010.

    tau^2 is s^2 minus the mean squared standard error, or 0. L. V. Hedges, I. Olkin: Statistical
    Methods for Meta-Analysis. Academic Press 1985, chapter 9.

    Weights of inverse variances, as in the interval of Hartung and Knapp, would cover less: a
    collection in which few queries change has both a small effect and a small standard error.
    `docs/evidence.md` compares them.

    Examples
    --------
    >>> effects = random_effects([0.05, 0.02, 0.06, 0.03], [0.01, 0.02, 0.01, 0.01])
    >>> [round(value, 3) for value in effects]
    [0.04, 0.011, 0.069, 0.013, -0.025, 0.105]
    """
    k = len(effects)
    if k != len(standard_errors):
        raise ParameterError(
            where="random_effects",
            found=f"{k} effects and {len(standard_errors)} standard errors",
            expected="equal numbers of both",
        )
    check_level(level)
    if k < FEWEST_EFFECTS or min(effects) == max(effects):
        return None
    mean, between = fmean(effects), variance(effects)
    within = fmean(error * error for error in standard_errors)
    t = -quantile((1.0 - level) / 2, k - 1)
    half, reach = t * sqrt(between / k), t * sqrt(between * (1.0 + 1.0 / k))
    tau = sqrt(max(between - within, 0.0))
    return RandomEffects(mean, mean - half, mean + half, tau, mean - reach, mean + reach)
