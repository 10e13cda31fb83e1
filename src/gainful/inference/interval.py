"""Confidence intervals of the mean of a measure over queries."""

from __future__ import annotations

from gainful.errors import ParameterError
from gainful.inference.student_t import quantile

# The last level and number of queries with their quantile, because the measures of one evaluation
# share them. A single tuple, so that replacing it is atomic for other threads.
_last: tuple[float, int, float] = (0.0, 0, 0.0)


def mean_interval(
    mean: float,
    standard_deviation: float,
    n: int,
    level: float = 0.95,
    low: float | None = None,
    high: float | None = None,
) -> tuple[float, float] | None:
    """Return Student's t interval for the mean over queries.

    If the n queries are a random sample, then a share ``level`` of such samples have an interval
    that contains the mean over the whole population of queries. Do not compare two systems on the
    same queries by whether their intervals overlap; test their per-query differences instead.

    Parameters
    ----------
    mean : float
        The mean over queries.
    standard_deviation : float
        The sample standard deviation over queries, with n - 1 in the denominator.
    n : int
        The number of queries.
    level : float, default 0.95
        The confidence level, between 0 and 1.
    low, high : float, optional
        The lowest and highest value of the measure, to which the interval is clipped. The clipped
        interval always contains the mean.

    Returns
    -------
    tuple of float or None
        Lower and upper end; ``None`` for fewer than two queries, or if the mean or the standard
        deviation is not finite.

    Raises
    ------
    ParameterError
        If ``level`` is not between 0 and 1, or the standard deviation is negative.

    Notes
    -----
    mean -/+ t * standard_deviation / sqrt(n), with t the (1 + level) / 2 quantile of Student's t
    distribution with n - 1 degrees of freedom. Student (W. S. Gosset): The probable error of a
    mean. Biometrika 6(1), 1908.

    Examples
    --------
    >>> low, high = mean_interval(0.5, 0.25, 54, low=0.0, high=1.0)
    >>> round(low, 4), round(high, 4)
    (0.4318, 0.5682)
    >>> mean_interval(0.9, 0.3, 3, low=0.0, high=1.0)[1]
    1.0
    >>> mean_interval(0.5, 0.0, 1) is None
    True
    """
    if not 0.0 < level < 1.0:
        raise ParameterError(found=f"level={level!r}", expected="a number between 0 and 1")
    if standard_deviation < 0.0:
        raise ParameterError(
            found=f"standard_deviation={standard_deviation!r}", expected="a number of 0 or more"
        )
    # x - x is 0 only for finite x.
    if n < 2 or mean - mean != 0.0 or standard_deviation - standard_deviation != 0.0:
        return None
    half = _t(level, n) * standard_deviation / n**0.5
    lower, upper = mean - half, mean + half
    if low is not None and lower < low:
        lower = min(low, mean)
    if high is not None and upper > high:
        upper = max(high, mean)
    return lower, upper


def geometric_interval(
    mean: float,
    deviation: float,
    n: int,
    level: float = 0.95,
    low: float | None = None,
    high: float | None = None,
) -> tuple[float, float] | None:
    """Return Student's t interval for the geometric mean, computed on logarithms.

    Parameters
    ----------
    mean : float
        The geometric mean over queries, above 0.
    deviation : float
        The sample standard deviation of the logarithms, with n - 1 in the denominator.
    n, level, low, high
        As in `mean_interval`.

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
    exp(log(mean) -/+ t * deviation / sqrt(n)).

    Examples
    --------
    >>> low, high = geometric_interval(0.01, 0.5, 20, low=0.0, high=1.0)
    >>> round(low, 5), round(high, 5)
    (0.00791, 0.01264)
    """
    from math import exp, log

    if not mean > 0.0:
        return None
    ends = mean_interval(log(mean), deviation, n, level)
    if ends is None:
        return None
    # Beyond the range of the numbers there is nothing that a measure reaches.
    lower, upper = (exp(min(end, 700.0)) for end in ends)
    if low is not None:
        lower = max(lower, min(low, mean))
    if high is not None:
        upper = min(upper, max(high, mean))
    return lower, upper


def _t(level: float, n: int) -> float:
    global _last
    last_level, last_n, value = _last
    if (last_level, last_n) != (level, n):
        # Use the lower quantile, since (1 - level) / 2 stays precise for levels near 1.
        value = -quantile((1.0 - level) / 2, n - 1)
        _last = (level, n, value)
    return value
