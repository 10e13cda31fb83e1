"""How a measure predicts an outcome: correlation, regression with errors, prediction."""

from __future__ import annotations

from math import atanh, hypot, sqrt, tanh
from typing import NamedTuple

from gainful.errors import ParameterError
from gainful.inference.interval import check_level, quantile
from gainful.inference.rank_correlation import check_lengths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Slope",
    "Spearman",
    "errors_in_variables",
    "least_correlation",
    "prediction_interval",
    "spearman",
]


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


#: Below this reliability, the errors of ``x`` are too large to estimate a slope.
LEAST_RELIABILITY = 0.25
# A point with the leverage 1 determines the slope alone, and its deviation is 0.
_LEAST_REST = 1e-9


class Slope(NamedTuple):
    """A slope corrected for measurement errors.

    Attributes
    ----------
    slope, low, high : float or None
        The slope in units of y per unit of x, and the ends of its interval; ``None`` if
        `reliability` is below a quarter, which is too low to estimate a slope.
    uncorrected : float
        The slope of ordinary least squares, which errors in x bias towards 0.
    reliability : float
        The share of the variance of x that its errors do not explain, at most 1; 0 or less if they
        would explain all of it.
    """

    slope: float | None
    low: float | None
    high: float | None
    uncorrected: float
    reliability: float


def errors_in_variables(
    x: Sequence[float],
    y: Sequence[float],
    x_errors: Sequence[float],
    *,
    level: float = 0.95,
) -> Slope | None:
    """Return the slope of y over x, corrected for errors of known size in each x.

    Ordinary least squares assumes that x is exact, and errors in x flatten the slope. This
    estimator first subtracts the variance that the errors explain. The points may scatter about the
    line by any amount, and y may have errors, if both are independent of the errors of x.

    Parameters
    ----------
    x, y : sequence of float
        The two values of each of n items.
    x_errors : sequence of float
        The standard error of each x, 0 or more.
    level : float, default 0.95
        The confidence level, between 0 and 1.

    Returns
    -------
    Slope or None
        ``None`` for fewer than 3 items, or if all x are equal.

    Raises
    ------
    ParameterError
        If the three lengths differ, an error is negative, or ``level`` is not between 0 and 1.

    Notes
    -----
    slope = S_xy / (S_xx - mean of the squared errors), with n - 1 in the denominator of S: the
    method of moments of W. A. Fuller: Measurement error models, Wiley 1987, section 3.1, for errors
    that differ between points and scatter about the line as in M. G. Akritas, M. A. Bershady:
    Linear regression for astronomical data with measurement errors and intrinsic scatter, ApJ 470,
    1996. As there, the variance of the slope is the sum of the squared deviations from their mean
    of u = (x - mean x) * ((y - mean y) - slope (x - mean x)) + slope * error^2 over the n points,
    divided by the square of n - 1 times the denominator. Points far from the mean of x pull the
    line towards themselves, so each deviation is divided by 1 - h, with the leverage
    h = 1 / n + (x - mean x)^2 / sum((x - mean x)^2), as in HC3: J. G. MacKinnon, H. White: Some
    heteroskedasticity-consistent covariance matrix estimators with improved finite sample
    properties. Journal of Econometrics 29(3), 1985. The interval uses Student's t with n - 2
    degrees of freedom. `docs/evidence.md` has its coverage.

    Examples
    --------
    >>> x, y = [0.01, 0.03, -0.01, 0.04, 0.02], [0.3, 0.6, -0.1, 0.7, 0.5]
    >>> found = errors_in_variables(x, y, [0.005] * 5)
    >>> round(found.uncorrected, 2), round(found.slope, 2), round(found.reliability, 3)
    (16.22, 17.39, 0.932)
    """
    n = len(x)
    if not n == len(y) == len(x_errors):
        raise ParameterError(
            where="errors_in_variables",
            found=f"{n}, {len(y)} and {len(x_errors)} values",
            expected="equal numbers of x, y and x_errors",
        )
    if any(error < 0.0 for error in x_errors):
        raise ParameterError(
            where="x_errors", found=f"{min(x_errors)!r}", expected="standard errors of 0 or more"
        )
    check_level(level)
    if n < 3:
        return None
    mean_x, mean_y = sum(x) / n, sum(y) / n
    pairs = [(a - mean_x, b - mean_y) for a, b in zip(x, y, strict=True)]
    spread = sum(a * a for a, _ in pairs) / (n - 1)
    if not spread > 0.0:
        return None
    shared = sum(a * b for a, b in pairs) / (n - 1)
    errors = sum(error * error for error in x_errors) / n
    reliability = 1.0 - errors / spread
    if reliability < LEAST_RELIABILITY:
        return Slope(None, None, None, shared / spread, reliability)
    slope = shared / (spread - errors)
    terms = [
        a * (b - slope * a) + slope * error * error
        for (a, b), error in zip(pairs, x_errors, strict=True)
    ]
    middle = sum(terms) / n
    leverages = [1.0 / n + a * a / (spread * (n - 1)) for a, _ in pairs]
    error = hypot(
        *(
            (term - middle) / max(1.0 - leverage, _LEAST_REST)
            for term, leverage in zip(terms, leverages, strict=True)
        )
    ) / ((n - 1) * (spread - errors))
    half = -quantile((1.0 - level) / 2, n - 2) * error
    return Slope(slope, slope - half, slope + half, shared / spread, reliability)


class Prediction(NamedTuple):
    """A predicted value with its prediction interval."""

    value: float
    low: float
    high: float


def prediction_interval(
    x: Sequence[float], y: Sequence[float], new: float, *, level: float = 0.95
) -> Prediction | None:
    """Return the prediction interval for the y of a new item, given its x.

    Use it even if x has errors, as long as the x of the new item has errors of the same size: the
    slope of ordinary least squares is then the right one to predict with.

    Parameters
    ----------
    x, y : sequence of float
        The two values of each of n items.
    new : float
        The x of the new item.
    level : float, default 0.95
        The probability that the interval contains the new y, between 0 and 1.

    Returns
    -------
    Prediction or None
        ``None`` for fewer than 3 items, or if all x are equal.

    Raises
    ------
    ParameterError
        If the lengths differ, or ``level`` is not between 0 and 1.

    Notes
    -----
    With the least-squares line and s^2 the sum of squared residuals / (n - 2), the interval is
    line(new) -/+ t s sqrt(1 + 1 / n + (new - mean x)^2 / sum((x - mean x)^2)), t the quantile of
    Student's t distribution with n - 2 degrees of freedom. It assumes that residuals are normal
    with equal variance. N. R. Draper, H. Smith: Applied Regression Analysis, 3rd edition, Wiley
    1998, section 3.1.

    Examples
    --------
    >>> found = prediction_interval([1, 2, 3, 4, 5], [1.1, 1.9, 3.2, 3.9, 5.1], 6)
    >>> [round(each, 2) for each in found]
    [6.04, 5.33, 6.75]
    """
    n = len(x)
    if n != len(y):
        raise ParameterError(
            where="prediction_interval",
            found=f"{n} and {len(y)} values",
            expected="equal numbers of x and y",
        )
    check_level(level)
    if n < 3:
        return None
    mean_x, mean_y = sum(x) / n, sum(y) / n
    spread = sum((each - mean_x) ** 2 for each in x)
    if not spread > 0.0:
        return None
    pairs = [(a - mean_x, b - mean_y) for a, b in zip(x, y, strict=True)]
    slope = sum(a * b for a, b in pairs) / spread
    rest = sum((b - slope * a) ** 2 for a, b in pairs) / (n - 2)
    value = mean_y + slope * (new - mean_x)
    error = (rest * (1.0 + 1.0 / n + (new - mean_x) ** 2 / spread)) ** 0.5
    half = -quantile((1.0 - level) / 2, n - 2) * error
    return Prediction(value, value - half, value + half)
