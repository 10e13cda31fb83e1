"""Student's t distribution.

The relative error of both functions is about 1e-13, for 1 to 10^7 degrees of freedom and tail
probabilities of at least 1e-10.

With nu degrees of freedom and density f, the middle P(0 < T < t) is the series

    t f(t) * (1 + sum over n >= 1 of product over k = 1..n of y (nu - 1 + 2k) / (2k + 1)),

with y = t^2 / (nu + t^2). The tail P(T > t) is half the regularized incomplete beta function
I_x(nu/2, 1/2) at x = 1 - y, by the continued fraction of A. DiDonato, A. Morris: Significant digit
computation of the incomplete beta function ratios, ACM TOMS 18(3), 1992. Unlike the more common
fraction, it does not subtract nearly equal numbers if nu is large.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, expm1, inf, log, log1p, nan, pi, sqrt

from gainful.errors import ParameterError

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

    Parameters
    ----------
    t : float
        Any number, infinities included; NaN gives NaN.
    df : float
        Degrees of freedom, 1 or more.

    Raises
    ------
    ParameterError
        If ``df`` is not a finite number of 1 or more.

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

    Parameters
    ----------
    p : float
        A probability; 0 and 1 give infinities.
    df : float
        Degrees of freedom, 1 or more.

    Raises
    ------
    ParameterError
        If ``p`` is not between 0 and 1, or ``df`` not a finite number of 1 or more.

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
        found = _log_tail(t, df)
        if found > target:
            low = t
        else:
            high = t
        # d log(tail) / d log(t)
        slope = -exp(log(t) + _log_density(t, df) - found)
        step = (target - found) / slope
        following = t * exp(step)
        if not low <= following <= high:
            following = sqrt(low) * sqrt(high) if high < inf else 2 * t
        if abs(following - t) <= 4 * _EPSILON * t:
            return following
        t = following
    return t
