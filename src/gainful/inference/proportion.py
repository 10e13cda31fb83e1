"""Confidence intervals of a proportion."""

from __future__ import annotations

from gainful.errors import ParameterError

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
    if not 0.0 < level < 1.0:
        raise ParameterError(found=f"level={level!r}", expected="a number between 0 and 1")
    from scipy.special import betaincinv

    tail = (1.0 - level) / 2.0
    low = betaincinv(successes, n - successes + 1, tail) if successes else 0.0
    high = betaincinv(successes + 1, n - successes, 1.0 - tail) if successes < n else 1.0
    return float(low), float(high)
