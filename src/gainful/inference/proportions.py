"""Intervals of proportions, ratios and bounded means, and the normal distribution."""

from __future__ import annotations

from math import erfc, exp, inf, lgamma, log, log1p, pi, sqrt

import numpy as np
import numpy.typing as npt

from gainful.errors import ParameterError
from gainful.inference.interval import check_level, quantile, values_within
from gainful.keywords import suggest_keywords

__all__ = [
    "always_valid_alpha",
    "always_valid_bound",
    "at_least",
    "binomial_interval",
    "cdf",
    "confidence_sequence",
    "density",
    "normal_cdf",
    "normal_quantile",
    "ratio_interval",
]


# log(n!) - log(sqrt(2 pi n) (n / e)^n): exact below 16, then 1/12n - 1/360n^3 + ...
_STIRLING = tuple(lgamma(n + 1) - 0.5 * log(2 * pi * n) - n * log(n) + n for n in range(1, 16))
_SERIES = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)
_EPSILON = 2.0**-53
_ROOT_OF_HALF = sqrt(0.5)


def normal_cdf(z: float) -> float:
    """Return P(Z <= z) for a standard normal Z.

    Examples
    --------
    >>> normal_cdf(0.0), round(normal_cdf(-10.0) * 1e24, 6)
    (0.5, 7.619853)
    """
    return 0.5 * erfc(-_ROOT_OF_HALF * z)


def normal_quantile(p: float) -> float:
    """Return the z with P(Z <= z) = p.

    Examples
    --------
    >>> round(normal_quantile(0.975), 12)
    1.95996398454
    """
    from statistics import NormalDist

    return NormalDist().inv_cdf(p)


def density(k: int, n: int, p: float) -> float:
    """Return the probability of k successes in n trials.

    Examples
    --------
    >>> round(density(2, 4, 0.5), 12)
    0.375
    """
    return _density(k, n, p, 1.0 - p)


def cdf(k: int, n: int, p: float) -> float:
    """Return the probability of at most k successes in n trials.

    Examples
    --------
    >>> cdf(0, 5, 0.5), cdf(5, 5, 0.5)
    (0.03125, 1.0)
    """
    return _at_most(k, n, p, 1.0 - p)


def at_least(k: int, n: int, p: float) -> float:
    """Return the probability of at least k successes in n trials, with all digits if it is small.

    Examples
    --------
    >>> round(at_least(1, 10, 1e-20) * 1e19, 12)
    1.0
    """
    return _at_most(n - k, n, 1.0 - p, p)


def _at_most(k: int, n: int, p: float, q: float) -> float:
    if k < 0:
        return 0.0
    if k >= n:
        return 1.0
    # Sum the side whose terms decrease.
    if k > n * p:
        return 1.0 - _at_most(n - k - 1, n, q, p)
    term = total = _density(k, n, p, q)
    while k > 0 and term > _EPSILON * total:
        term *= k / (n - k + 1) * (q / p)
        total += term
        k -= 1
    return min(total, 1.0)


def _density(k: int, n: int, p: float, q: float) -> float:
    if p == 0.0 or q == 0.0:
        return float(k == n * p)
    if k == 0:
        return exp(n * (log(q) if q < p else log1p(-p)))
    if k == n:
        return exp(n * (log(p) if p < q else log1p(-q)))
    logarithm = _remainder(n) - _remainder(k) - _remainder(n - k)
    logarithm -= _deviance(k, n * p) + _deviance(n - k, n * q)
    return exp(logarithm) * sqrt(n / (2 * pi * k * (n - k)))


def _remainder(n: int) -> float:
    """Return log(n!) minus Stirling's approximation."""
    if n <= len(_STIRLING):
        return _STIRLING[n - 1]
    return sum(term / float(n) ** (2 * power + 1) for power, term in enumerate(_SERIES))


def _deviance(x: float, mean: float) -> float:
    """Return x log(x / mean) + mean - x, without cancellation where x is close to the mean."""
    if abs(x - mean) >= 0.1 * (x + mean):
        return x * log(x / mean) + mean - x
    ratio = (x - mean) / (x + mean)
    total, term, j = (x - mean) * ratio, 2 * x * ratio, 0
    while True:
        j += 1
        term *= ratio * ratio
        following = total + term / (2 * j + 1)
        if following == total:
            return total
        total = following


@suggest_keywords
def binomial_interval(successes: int, n: int, *, level: float = 0.95) -> tuple[float, float]:
    """Return the exact interval for the probability of a success.

    The coverage is at least ``level`` for every probability, and higher for few trials.

    Parameters
    ----------
    successes, n : int
        Number of successes, and of trials.
    level : float, default 0.95
        The confidence level, between 0 and 1.

    Returns
    -------
    tuple of float
        Lower and upper end, from 0 to 1; (0, 1) for no trials.

    Raises
    ------
    ParameterError
        If there are more successes than trials or fewer than 0, or ``level`` is out of range.

    Notes
    -----
    The quantiles of Beta(k, n - k + 1) at (1 - level) / 2 and of Beta(k + 1, n - k) at (1 + level)
    / 2. C. J. Clopper, E. S. Pearson: The use of confidence or fiducial limits illustrated in the
    case of the binomial. Biometrika 26(4), 1934.

    Examples
    --------
    >>> low, high = binomial_interval(12, 15)
    >>> round(low, 4), round(high, 4)
    (0.5191, 0.9567)
    """
    if not 0 <= successes <= n:
        raise ParameterError(
            where="binomial_interval",
            found=f"{successes} successes in {n} trials",
            expected="from 0 to the number of trials",
        )
    check_level(level)
    tail = (1.0 - level) / 2.0
    return _lower_end(successes, n, tail), 1.0 - _lower_end(n - successes, n, tail)


def _lower_end(successes: int, n: int, tail: float) -> float:
    """Return the p for which at least as many successes have the probability ``tail``.

    Newton's method on the logarithm of that probability, by the log odds, kept between bounds.
    """
    if not successes:
        return 0.0
    low, high = 0.0, 1.0
    p = successes / (n + 1)
    for _ in range(200):
        bound = at_least(successes, n, p)
        if bound < tail:
            low = p
        else:
            high = p
        slope = n * p * (1.0 - p) * density(successes - 1, n - 1, p)
        step = bound * log(tail / bound) / slope if bound > 0.0 and slope > 0.0 else inf
        odds = exp(min(max(step, -50.0), 50.0)) * p / (1.0 - p)
        following = odds / (1.0 + odds)
        if not low < following < high:
            following = 0.5 * (low + high)
        if abs(following - p) <= 4e-16 * p:
            return following
        p = following
    return p


#: The number of means that are tested; ends are rounded outward to the next one.
_MEANS = 4_000
#: The largest share of the wealth in a bet.
_SHARE = 0.75

Floats = npt.NDArray[np.float64]


@suggest_keywords
def confidence_sequence(
    values: npt.ArrayLike, low: float = -1.0, high: float = 1.0, *, level: float = 0.95
) -> tuple[Floats, Floats]:
    """Return confidence intervals of a mean after each value, valid for all at once.

    You can look after every value and stop whenever you like: the probability that any of the
    intervals misses the mean is at most 1 - ``level``. Intervals for a fixed number of values, such
    as Student's t, are wrong much more often if you stop because of what they say.

    Parameters
    ----------
    values : array_like, shape (n,)
        The values in the order in which they came in, such as the differences of two systems on
        queries that were drawn at random one after another.
    low, high : float, default -1 and 1
        The lowest and the highest possible value.
    level : float, default 0.95
        The confidence level, between 0 and 1.

    Returns
    -------
    low, high : ndarray of shape (n,)
        The ends of the interval after each value. Intervals never become wider.

    Raises
    ------
    ParameterError
        If there is no value, one is outside the limits, or ``level`` is not between 0 and 1.

    Notes
    -----
    The hedged betting sequence of I. Waudby-Smith, A. Ramdas: Estimating means of bounded random
    variables by betting. Journal of the Royal Statistical Society B 86(1), 2024, with their
    predictable plug-in bets of at most 3/4 of the wealth. It needs no assumption but that each
    value has the same mean given those before it. `docs/evidence.md` has coverage and width.

    Examples
    --------
    >>> differences = [0.3, 0.1, 0.4, 0.0, 0.2] * 12
    >>> low, high = confidence_sequence(differences)
    >>> low[[9, 29, 59]].round(2).tolist(), high[[9, 29, 59]].round(2).tolist()
    ([-0.25, 0.02, 0.1], [0.5, 0.33, 0.27])
    """
    check_level(level)
    sample = (values_within(values, low, high, "confidence_sequence") - low) / (high - low)
    alpha = 1.0 - level
    means = np.arange(1, _MEANS) / _MEANS
    # The logarithms of the wealth of bets that the mean is higher, and lower.
    wealth = np.zeros((2, len(means)))
    limit = log(2.0 / alpha)
    first, last = 0, len(means)
    ends = np.empty((2, len(sample)))
    total, squares = 0.5, 0.25
    for n, value in enumerate(sample.tolist(), 1):
        # An excluded mean stays excluded.
        possible, part = means[first:last], wealth[:, first:last]
        bet = sqrt(2.0 * limit / (squares * log(n + 1.0)))
        part[0] += np.log1p(np.minimum(bet, _SHARE / possible) * (value - possible))
        part[1] += np.log1p(np.minimum(bet, _SHARE / (1.0 - possible)) * (possible - value))
        total += value
        squares += (value - total / (n + 1)) ** 2
        inside = np.flatnonzero(part.max(axis=0) < limit)
        if len(inside):
            first, last = first + int(inside[0]), first + int(inside[-1]) + 1
        # The ends are the next means that are not possible.
        ends[:, n - 1] = first, last + 1
    lower, upper = low + (high - low) * ends / _MEANS
    return lower, upper


#: The variance of the normal mixture: at alpha .05, intervals are tightest at 100 values.
_MIXTURE = 0.09


def bets_win(sample: Floats, mean: float, alpha: float) -> bool:
    """Return whether bets that values from 0 to 1 have a higher mean multiplied by 1 / alpha."""
    logs = np.log1p(BETS * (sample[:, np.newaxis] / mean - 1.0)).sum(axis=0)
    return float(np.logaddexp.reduce(logs)) >= log(len(BETS) / alpha)


#: The shares of the wealth that `always_valid_bound` bets.
BETS = np.geomspace(0.005, 0.98, 20)


@suggest_keywords
def always_valid_bound(
    values: npt.ArrayLike, low: float = -1.0, high: float = 1.0, *, alpha: float = 0.05
) -> float:
    """Return a lower bound of a mean that may be computed repeatedly as values are added.

    The probability that any of these bounds exceeds the mean is at most ``alpha``, whatever the
    distribution: unlike with `always_valid_alpha`, rare values may be missing in the first samples.
    Unlike in `confidence_sequence`, the order of the values does not matter.

    Parameters
    ----------
    values : array_like, shape (n,)
        A random sample. For an upper bound negate the values, the limits and the result.
    low, high : float, default -1 and 1
        The lowest and the highest possible value.
    alpha : float, default 0.05
        The error rate of all bounds together, between 0 and 1.

    Returns
    -------
    float
        At least ``low``.

    Raises
    ------
    ParameterError
        If there is no value, one is outside the limits, or ``alpha`` is not between 0 and 1.

    Notes
    -----
    The largest m with mean_c prod_i (1 - c + c (x_i - low) / (m - low)) >= 1 / alpha: the wealth of
    bets that the mean is higher than m, each with a constant share c of the wealth, 20 from .005 to
    .98. Ville's inequality bounds it. I. Waudby-Smith, A. Ramdas: Estimating means of bounded
    random variables by betting. Journal of the Royal Statistical Society B 86(1), 2024.

    Examples
    --------
    >>> differences = [0.3, 0.1, 0.4, 0.0, 0.2] * 12
    >>> [round(always_valid_bound(differences[:n]), 2) for n in (10, 30, 60)]
    [-0.32, -0.01, 0.08]
    """
    check_level(1.0 - alpha)
    sample = (values_within(values, low, high, "always_valid_bound") - low) / (high - low)
    first, last = 0.0, 1.0
    for _ in range(50):
        mean = (first + last) / 2
        if bets_win(sample, mean, alpha):
            first = mean
        else:
            last = mean
    return low + (high - low) * first


@suggest_keywords
def always_valid_alpha(n: float, alpha: float = 0.05, *, comparisons: int = 1) -> float:
    """Return the error rate of a test of n values that may be repeated as values are added.

    Test at this rate after any number of values, as often as you like: the probability that any of
    these two-sided tests rejects a true hypothesis is at most ``alpha``, approximately. The order
    of the values does not matter, nor do limits of the values, unlike in `confidence_sequence`.

    Parameters
    ----------
    n : float
        The number of values, or of clusters, 2 or more.
    alpha : float, default 0.05
        The error rate of all tests together, between 0 and 1.
    comparisons : int, default 1
        The number of comparisons that are corrected together. The rate is that of the family.

    Returns
    -------
    float
        The error rate of a two-sided test. A one-sided test at alpha has half the rate of a
        two-sided one at twice alpha.

    Raises
    ------
    ParameterError
        If an argument is out of range.

    Notes
    -----
    With k comparisons the rate is 2 k (1 - F(z)), F the normal distribution function and z^2 =
    2 (1 + 1 / r) log(1 + k sqrt(1 + r) / alpha), with r = .09 n: one-sided bounds of I.
    Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy, A. Ramdas: Time-uniform central limit theory
    and asymptotic confidence sequences. Annals of Statistics 52(6), 2024. They are tightest at
    about 100 values, and approximate: rare values that the first samples lack are not allowed for.
    `docs/evidence.md` has error rates.

    Examples
    --------
    >>> [round(always_valid_alpha(n), 4) for n in (10, 100, 1_000)]
    [0.0002, 0.0024, 0.0011]
    """
    check_level(1.0 - alpha)
    if not n >= 2 or comparisons < 1:
        raise ParameterError(
            where="always_valid_alpha",
            found=f"n={n!r}, comparisons={comparisons!r}",
            expected="2 or more values, and 1 or more comparisons",
        )
    r = _MIXTURE * n
    z = sqrt(2.0 * (1.0 + 1.0 / r) * log1p(comparisons * sqrt(1.0 + r) / alpha))
    return min(2.0 * comparisons * normal_cdf(-z), alpha)


@suggest_keywords
def ratio_interval(
    numerators: npt.ArrayLike, denominators: npt.ArrayLike, *, level: float = 0.95
) -> tuple[float, float] | None:
    """Return Fieller's interval for mean(numerators) / mean(denominators).

    Parameters
    ----------
    numerators, denominators : array_like, shape (n,)
        The two values of each query; finite.
    level : float, default 0.95
        The confidence level, between 0 and 1.

    Returns
    -------
    tuple of float or None
        Lower and upper end; ``None`` for fewer than two queries, or if the mean of the denominators
        is not significantly different from 0, so that the ratio is unbounded.

    Raises
    ------
    ParameterError
        If the lengths differ, a value is not finite, or `level` is not between 0 and 1.

    Notes
    -----
    The interval contains every ratio r for which Student's t test of the mean of
    numerators - r × denominators is not significant at 1 - level: the r between the two roots of
    (y² - t² v) r² - 2 (x y - t² c) r + (x² - t² u), with x and y the means, u and v their squared
    standard errors, c the covariance of the two, and t the (1 + level) / 2 quantile of Student's t
    with n - 1 degrees of freedom. E. C. Fieller: Some problems in interval estimation. JRSS B
    16(2), 1954.

    Examples
    --------
    >>> low, high = ratio_interval([0.2, 0.5, 0.4, 0.3], [0.9, 1.0, 1.0, 0.8])
    >>> round(low, 3), round(high, 3)
    (0.175, 0.553)
    >>> ratio_interval([0.2, 0.5], [0.1, -0.1]) is None
    True
    """
    check_level(level)
    above, below = np.asarray(numerators, np.float64), np.asarray(denominators, np.float64)
    if above.ndim != 1 or above.shape != below.shape or not np.isfinite([above, below]).all():
        raise ParameterError(
            where="ratio_interval",
            found=f"values of the shapes {above.shape} and {below.shape}, or not finite",
            expected="two finite numbers for each query",
        )
    n = len(above)
    if n < 2:
        return None
    (u, c), (_, v) = (np.cov(above, below) / n).tolist()
    x, y, squared = float(above.mean()), float(below.mean()), quantile((1 + level) / 2, n - 1) ** 2
    first, middle, last = y * y - squared * v, x * y - squared * c, x * x - squared * u
    # A mean of 0 may be computed as a rounding error.
    if first <= 1e-12 * y * y or not first > 0:
        return None
    root = max(middle * middle - first * last, 0.0) ** 0.5
    return (middle - root) / first, (middle + root) / first
