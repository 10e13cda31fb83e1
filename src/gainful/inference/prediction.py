"""Prediction intervals of a linear regression."""

from __future__ import annotations

from typing import NamedTuple

from gainful.errors import ParameterError
from gainful.inference.interval import check_level
from gainful.inference.student_t import quantile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Prediction", "prediction_interval"]


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
