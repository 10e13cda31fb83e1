"""Regression slopes corrected for measurement errors of known size."""

from __future__ import annotations

from typing import NamedTuple

from gainful.errors import ParameterError
from gainful.inference.student_t import quantile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["LEAST_RELIABILITY", "Slope", "errors_in_variables"]

#: Below it the errors of ``x`` drown what its slope would be made of.
LEAST_RELIABILITY = 0.25


class Slope(NamedTuple):
    """A slope corrected for measurement errors.

    Attributes
    ----------
    slope, low, high : float or None
        In units of y by units of x, and the ends of its interval; ``None`` where `reliability` is
        below a quarter: a slope is not to be had from such measurements.
    uncorrected : float
        The slope of ordinary least squares, which errors in x pull towards 0.
    reliability : float
        The share of the variance of x that its errors do not explain, at most 1; of 0 or less where
        they would explain all of it.
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
    """Return the slope of y over x where each x has an error of its own, of known size.

    Least squares take x for exact, and errors in it flatten their slope. Here the variance that the
    errors explain is taken out first. The points need not lie on a line but for their errors: what
    scatters them besides may be of any size, and so may the errors of y, as long as neither depends
    on the errors of x.

    Parameters
    ----------
    x, y : sequence of float
        What was measured of each of n things.
    x_errors : sequence of float
        The standard error of each x, 0 or more.
    level : float, default 0.95
        The confidence level, between 0 and 1.

    Returns
    -------
    Slope or None
        ``None`` for fewer than 3 things, and where all x are equal.

    Raises
    ------
    ParameterError
        If the three are not of the same length, an error is negative, or ``level`` is not between 0
        and 1.

    Notes
    -----
    slope = S_xy / (S_xx - mean of the squared errors), S with n - 1; the moments of W. A. Fuller:
    Measurement error models, Wiley 1987, section 3.1, with errors that differ from point to point
    and scatter about the line as M. G. Akritas, M. A. Bershady: Linear regression for astronomical
    data with measurement errors and intrinsic scatter, ApJ 470, 1996. Its variance is theirs:
    that of u = (x - mean x) * ((y - mean y) - slope (x - mean x)) + slope * error^2 over the n
    points, by n times the square of the denominator. The interval takes Student's t with n - 2
    degrees of freedom. It is one for many points: of 18 it holds the slope in 90 to 94 of 100
    simulations at the level .95, of 200 in 94 to 95.

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
            expected="as many of each",
        )
    if any(error < 0.0 for error in x_errors):
        raise ParameterError(
            where="x_errors", found=f"{min(x_errors)!r}", expected="standard errors of 0 or more"
        )
    if not 0.0 < level < 1.0:
        raise ParameterError(found=f"level={level!r}", expected="a number between 0 and 1")
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
    variance = sum((term - middle) ** 2 for term in terms) / (n - 2)
    half = -quantile((1.0 - level) / 2, n - 2) * (variance / n) ** 0.5 / (spread - errors)
    return Slope(slope, slope - half, slope + half, shared / spread, reliability)
