"""A confidence interval of the ratio of two means over the same queries."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gainful.errors import ParameterError
from gainful.inference.interval import check_level
from gainful.inference.student_t import quantile


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
