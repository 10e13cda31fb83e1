"""Confidence intervals of a proportion."""

from __future__ import annotations

from math import exp, inf, log

from gainful.errors import ParameterError
from gainful.inference.binomial import at_least, density
from gainful.inference.interval import check_level

__all__ = ["binomial_interval"]


def binomial_interval(successes: int, n: int, *, level: float = 0.95) -> tuple[float, float]:
    """Return the exact interval for the probability of a success.

    The coverage is at least ``level`` for every probability, and higher for few trials.

    Parameters
    ----------
    successes, n : int
        Number of successes, and of trials.
    level : float, default 0.95
        The confidence level, between 0 and 1.

    Returns
    -------
    tuple of float
        Lower and upper end, from 0 to 1; (0, 1) for no trials.

    Raises
    ------
    ParameterError
        If there are more successes than trials or fewer than 0, or ``level`` is out of range.

    Notes
    -----
    The quantiles of Beta(k, n - k + 1) at (1 - level) / 2 and of Beta(k + 1, n - k) at (1 + level)
    / 2. C. J. Clopper, E. S. Pearson: The use of confidence or fiducial limits illustrated in the
    case of the binomial. Biometrika 26(4), 1934.

    Examples
    --------
    >>> low, high = binomial_interval(12, 15)
    >>> round(low, 4), round(high, 4)
    (0.5191, 0.9567)
    """
    if not 0 <= successes <= n:
        raise ParameterError(
            where="binomial_interval",
            found=f"{successes} successes in {n} trials",
            expected="from 0 to the number of trials",
        )
    check_level(level)
    tail = (1.0 - level) / 2.0
    return _lower_end(successes, n, tail), 1.0 - _lower_end(n - successes, n, tail)


def _lower_end(successes: int, n: int, tail: float) -> float:
    """Return the p for which at least as many successes have the probability ``tail``.

    Newton's method on the logarithm of that probability, by the log odds, kept between bounds.
    """
    if not successes:
        return 0.0
    low, high = 0.0, 1.0
    p = successes / (n + 1)
    for _ in range(200):
        found = at_least(successes, n, p)
        if found < tail:
            low = p
        else:
            high = p
        slope = n * p * (1.0 - p) * density(successes - 1, n - 1, p)
        step = found * log(tail / found) / slope if found > 0.0 and slope > 0.0 else inf
        odds = exp(min(max(step, -50.0), 50.0)) * p / (1.0 - p)
        following = odds / (1.0 + odds)
        if not low < following < high:
            following = 0.5 * (low + high)
        if abs(following - p) <= 4e-16 * p:
            return following
        p = following
    return p
