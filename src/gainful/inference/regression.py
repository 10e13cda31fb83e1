"""How a measure predicts an outcome: regression with errors in the predictor, prediction."""

from __future__ import annotations

from math import hypot
from typing import NamedTuple

from gainful.errors import ParameterError
from gainful.inference.interval import check_level, quantile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Slope",
    "errors_in_variables",
    "prediction_interval",
]


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
    spread = sum((value - mean_x) ** 2 for value in x)
    if not spread > 0.0:
        return None
    pairs = [(a - mean_x, b - mean_y) for a, b in zip(x, y, strict=True)]
    slope = sum(a * b for a, b in pairs) / spread
    rest = sum((b - slope * a) ** 2 for a, b in pairs) / (n - 2)
    value = mean_y + slope * (new - mean_x)
    error = (rest * (1.0 + 1.0 / n + (new - mean_x) ** 2 / spread)) ** 0.5
    half = -quantile((1.0 - level) / 2, n - 2) * error
    return Prediction(value, value - half, value + half)
