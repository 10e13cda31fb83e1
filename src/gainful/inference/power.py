"""Power analysis: required number of queries, minimum detectable difference.

For the two-sided paired t test, exact, from the noncentral t distribution. The tests of `compare`
have nearly the same power, if the `cost` of their correction is taken into account
(docs/evidence). Do not pass an observed difference to these functions: the power for it is only a
transformation of the p-value.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf, sqrt

import numpy as np

from gainful import _kernel
from gainful.errors import ParameterError
from gainful.inference.normal import cdf
from gainful.inference.student_t import quantile

#: The number of queries that the correction of several comparisons for skewness costs, by the
#: correction for their number. Chosen by simulation (docs/evidence).
COSTS = {"max-t": 4.0, "holm": 1.0, "tukey": 1.0}
# The maximum number of queries in a plan; a difference that needs more is an error.
_MOST = 10**12


def achieved_power(
    n: int, difference: float, deviation: float, alpha: float = 0.05, *, cost: float = 0.0
) -> float:
    """Return the power of a test with n queries.

    Parameters
    ----------
    n : int
        The number of queries.
    difference : float
        The true mean difference.
    deviation : float
        The standard deviation of the differences over queries.
    alpha : float, default 0.05
        The two-sided level of the paired t test.
    cost : float, default 0
        The number of queries that a correction of the test costs: the variance is multiplied by
        1 + cost / n. 0 for a paired t test, `COSTS` for the tests of several pairs.

    Returns
    -------
    float
        From alpha, for a difference of 0, to 1; 0 for fewer than two queries.

    Raises
    ------
    ParameterError
        If the deviation is negative, alpha is not between 0 and 1, or a number is not finite.

    Notes
    -----
    P(abs(T) > t), with t the 1 - alpha/2 quantile of Student's t distribution with n - 1 degrees of
    freedom, and T noncentral t with noncentrality sqrt(n) difference / deviation. T. Sakai:
    Statistical significance, power, and sample sizes: a systematic review of SIGIR and TOIS,
    2006-2015. SIGIR 2016; T. Sakai: Topic set size design. Information Retrieval Journal 19, 2016.

    Examples
    --------
    >>> round(achieved_power(50, 0.05, 0.12), 4)
    0.8233
    """
    _check(alpha=alpha, deviation=deviation)
    if not -inf < difference < inf:
        raise ParameterError(found=f"difference={difference!r}", expected="a finite number")
    if n < 2:
        return 0.0
    if difference == 0.0:
        return alpha
    if deviation == 0.0:
        return 1.0
    shift = n * abs(difference) / (sqrt(n + cost) * deviation)
    bound = quantile(1.0 - alpha / 2, n - 1)
    # To miss, the sample's deviation would have to be ten times the population's.
    if shift > 10.0 * bound + 9.0:
        return 1.0
    found = (_over_deviations if shift <= max(8.0, n**0.5) else _over_means)(n - 1, shift, bound)
    return min(max(found, 0.0), 1.0)


def _over_deviations(df: int, shift: float, bound: float) -> float:
    """Return P(|Z + shift| > bound S), S^2 = chi^2 / df, as an integral over log S.

    The trapezoidal rule is exact to rounding for a smooth integrand that vanishes on both sides.
    SciPy's noncentral t is not used because it returns NaN for 50 queries and a shift of 14.
    """
    half_range = sqrt(37.0 / df)
    # Past an imaginary part of pi/4 the integrand grows: a step of .12 is exact to 1e-17.
    step = min(0.12, 0.5 / sqrt(2.0 * df), 0.5 / max(shift, 1.0))
    logs = np.arange(-37.0 / df - half_range, half_range + step, step)
    weights = np.exp(df * (logs - 0.5 * np.expm1(2.0 * logs)))
    scaled = bound * np.exp(logs)
    beyond = [cdf(shift - limit) + cdf(-shift - limit) for limit in scaled.tolist()]
    return float(weights @ beyond / weights.sum())


def _over_means(df: int, shift: float, bound: float) -> float:
    """Return the same as an integral over Z, for integrands over log S with a sharp edge.

    The edge of this integrand, at Z = -shift, must be outside the range of integration.
    """
    step = 0.5 * min(1.0, bound / sqrt(2.0 * df))
    z = np.arange(-9.0, 9.0 + step, step)
    weights = np.exp(-0.5 * z * z)
    halves = 0.5 * df * ((z + shift) / bound) ** 2
    beyond = [_kernel.lower_gamma(0.5 * df, half) for half in halves.tolist()]
    return float(weights @ beyond / weights.sum())


def detectable_difference(
    n: int, deviation: float, *, power: float = 0.8, alpha: float = 0.05, cost: float = 0.0
) -> float:
    """Return the minimum detectable difference of n queries for a given power.

    Parameters
    ----------
    n : int
        The number of queries.
    deviation : float
        The standard deviation of the differences over queries.
    power : float, default 0.8
        The chance to find it; above alpha and below 1.
    alpha : float, default 0.05
        The two-sided level of the paired t test.
    cost : float, default 0
        The number of queries that a correction of the test costs: the variance is multiplied by
        1 + cost / n. 0 for a paired t test, `COSTS` for the tests of several pairs.

    Returns
    -------
    float
        The minimum detectable difference; 0 if the deviation is 0, infinite for fewer than two
        queries.

    Raises
    ------
    ParameterError
        If the deviation is negative, or power or alpha is out of range.

    Notes
    -----
    The difference for which `achieved_power` is ``power``: approximately
    (t(1 - alpha/2) + t(power)) deviation / sqrt(n).

    Examples
    --------
    >>> round(detectable_difference(50, 0.12), 4)
    0.0485
    """
    _check(alpha=alpha, deviation=deviation, power=power)
    if n < 2:
        return inf
    if deviation == 0.0:
        return 0.0
    return _detectable_effect(n, power, alpha) * deviation * sqrt(1.0 + cost / n)


# The pairs of a comparison share the number of queries.
@lru_cache(maxsize=256)
def _detectable_effect(n: int, power: float, alpha: float) -> float:
    """Return the detectable difference for a deviation of 1, to which others are proportional."""
    low, high = 0.0, 1.0 / sqrt(n)
    while achieved_power(n, high, 1.0, alpha) < power:
        low, high = high, 2.0 * high
    while True:
        middle = 0.5 * (low + high)
        if not low < middle < high or high - low < 1e-13 * high:
            return high
        if achieved_power(n, middle, 1.0, alpha) < power:
            low = middle
        else:
            high = middle


def queries_needed(
    difference: float,
    deviation: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    cost: float = 0.0,
) -> int:
    """Return the number of queries needed to detect a difference with a given power.

    Parameters
    ----------
    difference : float
        The smallest difference of practical importance, not the observed one; not 0.
    deviation : float
        The standard deviation of the differences over queries.
    power : float, default 0.8
        The chance to find it; above alpha and below 1.
    alpha : float, default 0.05
        The two-sided level of the paired t test.
    cost : float, default 0
        The number of queries that a correction of the test costs: the variance is multiplied by
        1 + cost / n. 0 for a paired t test, `COSTS` for the tests of several pairs.

    Returns
    -------
    int
        2 or more.

    Raises
    ------
    ParameterError
        If the difference is 0 or needs more than 10^12 queries, or as for
        `detectable_difference`.

    Notes
    -----
    The smallest n for which `achieved_power` is at least ``power``.

    Examples
    --------
    >>> queries_needed(0.05, 0.12)
    48
    """
    _check(alpha=alpha, deviation=deviation, power=power)
    if difference == 0.0:
        raise ParameterError(found="difference=0.0", expected="a difference other than 0")
    if achieved_power(2, difference, deviation, alpha, cost=cost) >= power:
        return 2
    low, high = 2, 4
    while achieved_power(high, difference, deviation, alpha, cost=cost) < power:
        low, high = high, 2 * high
        if high > _MOST:
            raise ParameterError(
                found=f"difference={difference!r} with deviation={deviation!r}",
                expected="a difference that 10^12 queries could detect",
            )
    while high - low > 1:
        middle = (low + high) // 2
        if achieved_power(middle, difference, deviation, alpha, cost=cost) < power:
            low = middle
        else:
            high = middle
    return high


def _check(*, alpha: float, deviation: float, power: float | None = None) -> None:
    if not 0.0 < alpha < 1.0:
        raise ParameterError(found=f"alpha={alpha!r}", expected="a number between 0 and 1")
    if not 0.0 <= deviation < inf:
        raise ParameterError(found=f"deviation={deviation!r}", expected="a number of 0 or more")
    if power is not None and not alpha < power < 1.0:
        raise ParameterError(found=f"power={power!r}", expected="a number between alpha and 1")
