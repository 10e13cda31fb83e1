"""Power analysis: required number of queries, minimum detectable difference.

For the two-sided paired t test, exact, from the noncentral t distribution. The tests of `compare`
have nearly the same power, if the `cost` of their correction is taken into account
(docs/evidence). Do not pass an observed difference to these functions: the power for it is only a
transformation of the p-value.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from gainful import _kernel
from gainful.errors import ParameterError
from gainful.inference.interval import quantile
from gainful.inference.proportions import normal_cdf
from gainful.keywords import suggest_keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

__all__ = [
    "COSTS",
    "ResidualVariance",
    "achieved_power",
    "detectable_difference",
    "pair_deviations",
    "pooled",
    "queries_needed",
    "residual_variance",
]


#: The number of queries that the correction of several comparisons for skewness costs, by the
#: correction for their number. Chosen by simulation (docs/evidence).
COSTS = {"max-t": 4.0, "holm": 1.0, "tukey": 1.0}
# The maximum number of queries in a plan; a difference that needs more is an error.
_MOST = 10**12


@suggest_keywords
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
    power_over = (_over_deviations if shift <= max(8.0, n**0.5) else _over_means)(
        n - 1, shift, bound
    )
    return min(max(power_over, 0.0), 1.0)


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
    beyond = [normal_cdf(shift - limit) + normal_cdf(-shift - limit) for limit in scaled.tolist()]
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


@suggest_keywords
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


@suggest_keywords
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


#: With fewer queries, the variance of the estimate is unknown.
_LEAST = 5


class ResidualVariance(NamedTuple):
    """The residual variance of the values of systems on queries.

    Attributes
    ----------
    variance : float
        The residual variance V_E2 of one system's value on one query.
    df : int
        The degrees of freedom of the estimate, (queries - 1) * (systems - 1).
    effective_df : float or None
        The degrees of freedom that account for heavy tails, at most `df`; None for fewer than 5
        queries or a variance of 0.
    """

    variance: float
    df: int
    effective_df: float | None = None

    @property
    def deviation(self) -> float:
        """The standard deviation of the per-query difference between two systems."""
        return float((2.0 * self.variance) ** 0.5)

    def upper_deviation(self, level: float = 0.95) -> float | None:
        """Return the one-sided upper confidence limit of `deviation`; None if unknown.

        Notes
        -----
        deviation * sqrt(f / q), with f the `effective_df` and q the 1 - level quantile of the
        chi-square distribution with f degrees of freedom.

        Examples
        --------
        >>> found = residual_variance([[0.2, 0.3], [0.5, 0.4], [0.6, 0.9], [0.1, 0.3], [0.4, 0.4]])
        >>> round(found.deviation, 4), round(found.upper_deviation(), 4)
        (0.1581, 0.9557)
        """
        if self.effective_df is None:
            return None
        quantile = 2.0 * _kernel.gamma_quantile(0.5 * self.effective_df, level)
        return float(self.deviation * (self.effective_df / quantile) ** 0.5)


def residual_variance(values: ArrayLike) -> ResidualVariance:
    """Return the residual variance of a two-way analysis of variance without replication.

    Parameters
    ----------
    values : array of shape (n, m)
        The finite values of m systems on n queries; at least 2 of each.

    Returns
    -------
    ResidualVariance
        Twice the variance is the mean, over all pairs of systems, of the variance of their
        per-query differences.

    Raises
    ------
    ParameterError
        For fewer than two queries or systems, or values that are not finite.

    Notes
    -----
    V_E2 = sum over queries and systems of (x - mean of the query - mean of the system + mean of
    all)^2 / ((n - 1) (m - 1)). T. Sakai: Topic set size design. Information Retrieval Journal
    19(3), 2016, doi 10.1007/s10791-015-9273-z. The effective degrees of freedom are
    2 n mean(s)^2 / var(s), at most (n - 1) (m - 1), with s the sums of squares by query: those of a
    chi-square distribution with the estimated variance of V_E2. The factor (n + 3) / (n + 15)
    corrects for the error of that estimate.

    Examples
    --------
    >>> found = residual_variance([[0.2, 0.3], [0.5, 0.4], [0.6, 0.9]])
    >>> round(found.variance, 4), found.df, round(found.deviation, 4)
    (0.02, 2, 0.2)
    """
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.ndim != 2 or min(matrix.shape) < 2:
        raise ParameterError(
            where="residual_variance",
            found=f"values of shape {matrix.shape}",
            expected="at least 2 queries and 2 systems",
        )
    if not np.isfinite(matrix).all():
        raise ParameterError(
            where="residual_variance", found="a value that is not finite", expected="finite ones"
        )
    n, m = matrix.shape
    df = (n - 1) * (m - 1)
    squares = (_residuals(matrix) ** 2).sum(axis=1)
    effective = None
    if squares.any() and n >= _LEAST:
        spread = float(squares.var(ddof=1))
        ratio = 2.0 * n * float(squares.mean()) ** 2 / spread if spread > 0.0 else df
        effective = min(ratio, df) * (n + 3) / (n + 15)
    return ResidualVariance(float(squares.sum()) / df, df, effective)


def pair_deviations(values: ArrayLike) -> list[float]:
    """Return the standard deviation of the differences of each pair of systems, ascending.

    Examples
    --------
    >>> [round(each, 4) for each in pair_deviations([[0.2, 0.3, 0.3], [0.5, 0.4, 0.4]])]
    [0.0, 0.1414, 0.1414]
    """
    matrix = np.asarray(values, dtype=np.float64)
    deviations: list[float] = []
    for system in range(matrix.shape[1] - 1):
        differences = matrix[:, system + 1 :] - matrix[:, system : system + 1]
        deviations.extend(differences.std(axis=0, ddof=1).tolist())
    return sorted(deviations)


def pooled(estimates: Iterable[ResidualVariance]) -> ResidualVariance:
    """Pool several estimates, weighted by their degrees of freedom.

    Raises
    ------
    ParameterError
        If there are no estimates.

    Examples
    --------
    >>> found = pooled([ResidualVariance(0.02, 30), ResidualVariance(0.05, 10)])
    >>> round(found.variance, 4), found.df
    (0.0275, 40)
    """
    known = list(estimates)
    df = sum(deviation.df for deviation in known)
    if not df:
        raise ParameterError(where="pooled", found="no estimate", expected="at least one")
    variance = sum(deviation.df * deviation.variance for deviation in known) / df
    # Variances of the estimates, whose weighted sum is that of the pooled estimate.
    variances = [
        2.0 * (deviation.df / df * deviation.variance) ** 2 / deviation.effective_df
        for deviation in known
        if deviation.effective_df is not None
    ]
    effective = 2.0 * variance**2 / sum(variances) if any(variances) else None
    return ResidualVariance(variance, df, effective)


def _residuals(matrix: np.ndarray) -> np.ndarray:
    # Subtract the first system's values, since a large query effect would cost precision.
    shifted = matrix - matrix[:, :1]
    by_query = shifted.mean(axis=1, keepdims=True)
    by_system = shifted.mean(axis=0, keepdims=True)
    rest: np.ndarray = shifted - by_query - by_system + shifted.mean()
    return rest
