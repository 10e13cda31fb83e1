"""Confidence intervals, and Student's t distribution."""

from __future__ import annotations

from functools import lru_cache
from math import exp, expm1, inf, log, log1p, nan, pi, sqrt

from gainful.errors import ParameterError
from gainful.keywords import suggest_keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy import float64
    from numpy.typing import ArrayLike, NDArray


# Below this t^2 the series needs fewer terms than the fraction.
_SERIES_UP_TO = 2.0
# The square of a larger t exceeds 64-bit floats.
_LARGE = 1e150
_EPSILON = 2.0**-53
# The coefficients of 1/a^8 ... 1/a^0 in Gamma(a + 1/2) / (Gamma(a) sqrt(a)).
_RATIO = (
    -334477 / 2147483648,
    39325 / 33554432,
    869 / 4194304,
    -399 / 262144,
    -21 / 32768,
    5 / 1024,
    1 / 128,
    -1 / 8,
    1.0,
)


def cdf(t: float, df: float) -> float:
    """Return P(T <= t).

    Examples
    --------
    >>> cdf(0.0, 5), round(cdf(2.0, 10), 12)
    (0.5, 0.963305982615)
    """
    _check_df(df)
    if t != t:
        return nan
    size = abs(t)
    if size * size < _SERIES_UP_TO:
        middle = _middle(size, df)
        return 0.5 + middle if t > 0 else 0.5 - middle
    tail = exp(_log_tail(size, df)) if size < inf else 0.0
    return 1.0 - tail if t > 0 else tail


# Gates and simulations ask for the same quantiles again and again.
@lru_cache
def quantile(p: float, df: float) -> float:
    """Return the t with P(T <= t) = p.

    Examples
    --------
    >>> round(quantile(0.975, 10), 12)
    2.228138851986
    """
    _check_df(df)
    if not 0.0 <= p <= 1.0:
        raise ParameterError(found=f"p={p!r}", expected="a probability from 0 to 1")
    # Each difference is exact in the branch that uses it.
    offset, tail = abs(p - 0.5), (p if p < 0.5 else 1.0 - p)
    if offset == 0.0:
        return 0.0
    if tail == 0.0:
        return inf if p > 0.5 else -inf
    # Solve for the middle where the series is used, otherwise for the tail, which may be tiny.
    in_middle = offset <= _middle(sqrt(_SERIES_UP_TO), df)
    size = _search_middle(offset, df) if in_middle else _search_tail(tail, df)
    return size if p > 0.5 else -size


def _check_df(df: float) -> None:
    if not 1.0 <= df < inf:
        raise ParameterError(found=f"df={df!r}", expected="finite degrees of freedom, 1 or more")


@lru_cache
def _gamma_ratio(a: float) -> float:
    """Return Gamma(a + 1/2) / Gamma(a).

    Uses the asymptotic expansion for large a, where the difference of two values of lgamma would
    lose half of its digits.
    """
    factor = 1.0
    while a < 30.0:
        factor *= a / (a + 0.5)
        a += 1.0
    series = 0.0
    for coefficient in _RATIO:
        series = series / a + coefficient
    return factor * sqrt(a) * series


def _log_x(t: float, df: float) -> float:
    """Return log(df / (df + t^2))."""
    return -log1p(t * t / df) if t < _LARGE else log(df) - 2.0 * log(t)


def _density(t: float, df: float) -> float:
    return _gamma_ratio(df / 2) / sqrt(df * pi) * exp((df + 1) / 2 * _log_x(t, df))


def _log_density(t: float, df: float) -> float:
    """Return the logarithm of the density, which itself underflows for large t."""
    return log(_gamma_ratio(df / 2) / sqrt(df * pi)) + (df + 1) / 2 * _log_x(t, df)


def _middle(t: float, df: float) -> float:
    """Return P(0 < T < t) by the series; all of its terms are positive."""
    y = t * t / (df + t * t)
    term = total = 1.0
    k = 1
    while term > _EPSILON * total * (1.0 - y):
        term *= y * (df - 1 + 2 * k) / (2 * k + 1)
        total += term
        k += 1
    return t * _density(t, df) * total


def _log_tail(t: float, df: float) -> float:
    """Return log P(T > t) by the continued fraction."""
    a = df / 2
    log_x = _log_x(t, df)
    x, y = exp(log_x), -expm1(log_x)
    # a - (a + 1/2) x, without the subtraction.
    shift = 0.5 * df * (1 - 1 / (t * t)) / (1 + df / (t * t)) if t < _LARGE else a
    # The fraction b0 + a1 / (b1 + a2 / (b2 + ...)), by Lentz's method.
    fraction = c = a * (shift + 1) / (a + 1)
    d = 0.0
    for n in range(1, 10_000):
        two = a + 2 * n - 1
        numerator = (a + n - 1) * (a + n - 0.5) * n * (0.5 - n) * x * x / (two * two)
        b = n + n * (0.5 - n) * x / two + (a + n) * (shift + 1 + n * (1 + y)) / (two + 2)
        d = 1 / (b + numerator * d)
        c = b + numerator / c
        step = c * d
        fraction *= step
        if abs(step - 1) < 2 * _EPSILON:
            break
    # I_x = x^a y^(1/2) / (B(a, 1/2) * fraction), with B = sqrt(pi) / ratio.
    return log(0.5 * sqrt(y / pi) * _gamma_ratio(a) / fraction) + a * log_x


def _search_middle(offset: float, df: float) -> float:
    """Solve P(0 < T < t) = offset by Newton's method.

    The middle grows ever more slowly with t, so the steps approach the solution from below and
    never pass it.
    """
    t = offset / _density(0.0, df)
    while True:
        step = (offset - _middle(t, df)) / _density(t, df)
        if step <= 4 * _EPSILON * t:
            return t + step
        t += step


def _search_tail(tail: float, df: float) -> float:
    """Solve P(T > t) = tail by Newton's method on logarithms, kept between bounds.

    On a logarithmic scale, the tail is nearly a straight line for few degrees of freedom and
    slightly curved for many.
    """
    target = log(tail)
    low, high = sqrt(_SERIES_UP_TO) * 0.999, inf
    # Start near the quantile of the normal distribution, stretched for few degrees of freedom.
    z = sqrt(-2 * target)
    t = max(sqrt(df * expm1(min(z * z / df, 700.0))), low)
    for _ in range(200):
        log_value = _log_tail(t, df)
        if log_value > target:
            low = t
        else:
            high = t
        # d log(tail) / d log(t)
        slope = -exp(log(t) + _log_density(t, df) - log_value)
        step = (target - log_value) / slope
        following = t * exp(step)
        if not low <= following <= high:
            following = sqrt(low) * sqrt(high) if high < inf else 2 * t
        if abs(following - t) <= 4 * _EPSILON * t:
            return following
        t = following
    return t


# The last level and degrees of freedom with their quantile, because the measures of one evaluation
# share them. A single tuple, so that replacing it is atomic for other threads.
_last: tuple[float, float, float] = (0.0, 0.0, 0.0)

#: The number of queries that an unknown variance is worth: so many queries with the largest
#: possible variance are added to the estimate. Chosen by simulation.
_PRIOR = 5.0
# A mean this close to an end of its range, as a share of the range, is at that end.
_ROUNDING = 1e-9
# The value that replaces 0 in a geometric mean, as in trec_eval.
_LEAST = 0.00001


@suggest_keywords
def mean_interval(
    mean: float,
    standard_deviation: float,
    n: float,
    level: float = 0.95,
    low: float | None = None,
    high: float | None = None,
    *,
    df: float | None = None,
) -> tuple[float, float] | None:
    """Return the confidence interval of a mean over queries.

    If the n queries are a random sample, then a share ``level`` of such samples have an interval
    that contains the mean over the whole population of queries. Do not compare two systems on the
    same queries by whether their intervals overlap; test their per-query differences instead.

    Parameters
    ----------
    mean : float
        The mean over queries.
    standard_deviation : float
        The sample standard deviation over queries, with n - 1 in the denominator.
    n : float
        The number of queries, or their effective number if they have weights or clusters.
    level : float, default 0.95
        The confidence level, between 0 and 1.
    low, high : float, optional
        The lowest and highest value of the measure. With both, the interval is adjusted for values
        that are often equal to one of them. It is clipped to the range, and always contains the
        mean.
    df : float, optional
        The degrees of freedom of the standard deviation. Default: n - 1.

    Returns
    -------
    tuple of float or None
        Lower and upper end; ``None`` for fewer than two queries, if the mean or the standard
        deviation is not finite, or if all values are equal and a limit is missing: other queries
        may have any other value.

    Raises
    ------
    ParameterError
        If ``level`` is not between 0 and 1, or the standard deviation is negative.

    Notes
    -----
    Student's t interval is mean -/+ t * standard_deviation / sqrt(n), with t the (1 + level) / 2
    quantile of Student's t distribution with df degrees of freedom (Student, Biometrika 6(1),
    1908). It is used for measures without a lower or upper limit.

    It is too short if most values are equal, as those of Success and RR often are, and has no width
    if all are. So for a measure from 0 to 1 with mean m, two values are added before the interval
    is computed: m + f (1 - m) and m - f m. f is the variance as a share of m (1 - m), the largest
    that a mean of m allows. Since a few values different from 0 or 1 are not enough to estimate it,
    it is averaged with 1: f = (k v / (m (1 - m)) + 5) / (k + 5), with v the variance with n in the
    denominator. k is the number of values different from 0 or 1, whichever is smaller, estimated as
    the smaller of n m^2 / (m^2 + v) and n (1 - m)^2 / ((1 - m)^2 + v).

    For a measure that is 0 or 1, f = 1, and one success and one failure are added, much as in A.
    Agresti, B. A. Coull: Approximate is better than "exact" for interval estimation of binomial
    proportions. The American Statistician 52(2), 1998. For many values that vary little, f is
    small, and the interval is Student's. `docs/evidence.md` has the coverage, which is too low if
    rare values far from all others decide the mean; then use `gaffke_interval`.

    Examples
    --------
    >>> low, high = mean_interval(0.5, 0.25, 54, low=0.0, high=1.0)
    >>> round(low, 4), round(high, 4)
    (0.4337, 0.5663)

    All of 25 queries are successes:

    >>> low, high = mean_interval(1.0, 0.0, 25, low=0.0, high=1.0)
    >>> round(low, 4), high
    (0.8865, 1.0)

    A measure without an upper limit:

    >>> low, high = mean_interval(0.5, 0.25, 54, low=0.0)
    >>> round(low, 4), round(high, 4)
    (0.4318, 0.5682)
    >>> mean_interval(0.5, 0.0, 1) is None
    True
    """
    ends = unclipped_interval(mean, standard_deviation, n, level, low, high, df=df)
    return None if ends is None else clip_interval(ends, mean, low, high)


def unclipped_interval(
    mean: float,
    standard_deviation: float,
    n: float,
    level: float = 0.95,
    low: float | None = None,
    high: float | None = None,
    *,
    df: float | None = None,
    share_of: Callable[[float, float, float], float] | None = None,
) -> tuple[float, float] | None:
    """Return `mean_interval` before it is clipped to the range.

    The two added values are at a share of the way to the ends of the range, by default that of
    `mean_interval`.
    """
    check_level(level)
    if standard_deviation < 0.0:
        raise ParameterError(
            found=f"standard_deviation={standard_deviation!r}", expected="a number of 0 or more"
        )
    df = n - 1.0 if df is None else df
    # x - x is 0 only for finite x.
    if not df >= 1.0 or mean - mean != 0.0 or standard_deviation - standard_deviation != 0.0:
        return None
    centre, error = mean, standard_deviation / n**0.5
    if low is not None and high is not None and high > low:
        width = high - low
        place, variance = (mean - low) / width, (n - 1.0) / n * (standard_deviation / width) ** 2
        if -_ROUNDING <= place <= 1.0 + _ROUNDING:
            share = (share_of or _share_of_variance)(place, variance, n)
            up, down = share * (1.0 - place), -share * place
            shift = (up + down) / (n + 2.0)
            squares = n * variance + up * up + down * down - (n + 2.0) * shift * shift
            centre = mean + shift * width
            error = width * (squares / (n + 1.0) / (n + 2.0)) ** 0.5
    half = _t(level, df) * error
    if half <= _ROUNDING * abs(mean) and (low is None or high is None):
        return None
    return min(centre - half, mean), max(centre + half, mean)


def clip_interval(
    ends: tuple[float, float], mean: float, low: float | None, high: float | None
) -> tuple[float, float]:
    """Return an interval within the range that contains the mean."""
    lower, upper = ends
    if low is not None and lower < low:
        lower = min(low, mean)
    if high is not None and upper > high:
        upper = max(high, mean)
    return lower, upper


@suggest_keywords
def gaffke_interval(
    values: ArrayLike,
    low: float = 0.0,
    high: float = 1.0,
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> tuple[float, float]:
    """Return Gaffke's confidence interval of the mean of values within limits.

    It allows for rare values that the sample lacks. If a few queries can have values far from all
    others, and decide the mean, `mean_interval` is too short, and this interval is not. For other
    values it is wider.

    Parameters
    ----------
    values : array_like, shape (n,)
        The values of the queries, all of equal weight.
    low, high : float, default 0 and 1
        The lowest and the highest possible value.
    level : float, default 0.95
        The confidence level, between 0 and 1.
    resamples : int, default 10,000
        The number of random weights.
    seed : int, default 0
        Random seed.

    Returns
    -------
    tuple of float
        Lower and upper end.

    Raises
    ------
    ParameterError
        If there is no value, one is outside the limits, ``level`` is not between 0 and 1, or
        ``resamples`` or ``seed`` is out of range.

    Notes
    -----
    The lower end is the (1 - level) / 2 quantile of the mean of the n values and ``low`` with
    random weights, uniform among all that sum to 1; the upper end likewise with ``high``. N.
    Gaffke: Three test statistics for a nonparametric one-sided hypothesis on the mean of a
    nonnegative variable. Mathematical Methods of Statistics 14(4), 2005. E. Learned-Miller, P. S.
    Thomas: A new confidence interval for the mean of a bounded random variable, arXiv 1905.06208,
    conjecture that it contains the mean with at least the probability ``level``, for all values
    within the limits. For values of 0 and 1 it is `binomial_interval`, but for the randomness of
    the weights. `docs/evidence.md` has coverage and width.

    Examples
    --------
    >>> values = [0.95, 0.97, 0.98, 0.99, 1.0] * 5
    >>> [round(end, 2) for end in gaffke_interval(values)]
    [0.84, 0.99]
    """
    import numpy as np

    from gainful.inference.design import check

    check(resamples, seed)
    sample = values_within(values, low, high, "gaffke_interval")
    check_level(level)
    random = np.random.default_rng(seed)
    # One value is at a limit: its weight, and the weighted sum of the others.
    selected = np.zeros((len(sample) + 1, 2))
    selected[:-1, 0], selected[-1, 1] = sample, 1.0
    block = max(1, 1_000_000 // len(selected))
    means, rest = np.concatenate(
        [
            random.dirichlet(np.ones(len(selected)), min(block, resamples - first)) @ selected
            for first in range(0, resamples, block)
        ]
    ).T
    tail = (1.0 - level) / 2.0
    return (
        float(np.quantile(means + rest * low, tail)),
        float(np.quantile(means + rest * high, 1.0 - tail)),
    )


def values_within(values: ArrayLike, low: float, high: float, where: str) -> NDArray[float64]:
    """Return values as an array; raise a `ParameterError` for none or one outside the limits."""
    import numpy as np

    sample = np.asarray(values, dtype=np.float64)
    slack = _ROUNDING * (high - low)
    inside = (low - slack <= sample) & (sample <= high + slack)
    if sample.ndim != 1 or not sample.size or not inside.all():
        raise ParameterError(
            where=where,
            found="no values, or one outside the limits",
            expected=f"a list of numbers from {low:g} to {high:g}",
        )
    return sample


def check_level(level: float) -> None:
    """Raise a `ParameterError` unless the level is between 0 and 1."""
    if not 0.0 < level < 1.0:
        raise ParameterError(found=f"level={level!r}", expected="a number between 0 and 1")


def logarithm(value: float) -> float:
    """Return the logarithm of a value for a geometric mean, of 0.00001 for lower values.

    Examples
    --------
    >>> logarithm(1.0), round(logarithm(0.0), 4)
    (0.0, -11.5129)
    """
    from math import log

    return log(max(value, _LEAST))


@suggest_keywords
def interval_method(low: float | None, high: float | None) -> str:
    """Return the method of `mean_interval` for a measure with this range.

    Returns
    -------
    str
        ``bounded-t``: Student's t, adjusted for the range of the measure; ``t``: Student's t, for a
        measure without a lower or an upper limit.

    Examples
    --------
    >>> interval_method(0.0, 1.0), interval_method(0.0, None)
    ('bounded-t', 't')
    """
    return "t" if low is None or high is None else "bounded-t"


def _share_of_variance(mean: float, variance: float, n: float) -> float:
    """Return the variance as a share of the largest that the mean allows, averaged with 1."""
    rest = 1.0 - mean
    if not _ROUNDING < mean < 1.0 - _ROUNDING:
        return 1.0
    nonzero = n * mean * mean / (mean * mean + variance)
    below_one = n * rest * rest / (rest * rest + variance)
    known = min(nonzero, below_one)
    return min((known * variance / (mean * rest) + _PRIOR) / (known + _PRIOR), 1.0)


@suggest_keywords
def geometric_interval(
    mean: float,
    deviation: float,
    n: float,
    level: float = 0.95,
    low: float | None = None,
    high: float | None = None,
    *,
    df: float | None = None,
) -> tuple[float, float] | None:
    """Return the confidence interval of a geometric mean, computed on logarithms.

    Parameters
    ----------
    mean : float
        The geometric mean over queries, above 0.
    deviation : float
        The sample standard deviation of the logarithms, with n - 1 in the denominator.
    n, level, df
        As in `mean_interval`.
    low, high : float, optional
        The lowest and highest value of the measure. Values below 0.00001 count as 0.00001.

    Returns
    -------
    tuple of float or None
        Lower and upper end, above 0; ``None`` as for `mean_interval`.

    Raises
    ------
    ParameterError
        As `mean_interval`.

    Notes
    -----
    The interval of the mean of the logarithms, like that of `mean_interval` but with f = 1. On this
    scale a single query without relevant results is far from all others, and a sample without such
    a query says little about the variance.

    Examples
    --------
    >>> low, high = geometric_interval(0.01, 0.5, 20, low=0.0, high=1.0)
    >>> round(low, 5), round(high, 5)
    (0.00391, 0.02075)
    """
    from math import exp, log

    if not mean > 0.0:
        return None
    centre = log(mean)
    low, high = (None if end is None else logarithm(end) for end in (low, high))
    ends = unclipped_interval(
        centre, deviation, n, level, low, high, df=df, share_of=lambda *_: 1.0
    )
    if ends is None:
        return None
    # A larger number exceeds 64-bit floats.
    lower, upper = (exp(min(end, 700.0)) for end in clip_interval(ends, centre, low, high))
    return min(lower, mean), max(upper, mean)


def _t(level: float, df: float) -> float:
    global _last
    last_level, last_df, value = _last
    if (last_level, last_df) != (level, df):
        # Use the lower quantile, since (1 - level) / 2 stays precise for levels near 1.
        value = -quantile((1.0 - level) / 2, df)
        _last = level, df, value
    return value
