"""The standard normal distribution."""

from __future__ import annotations

from math import erfc, sqrt

_ROOT = sqrt(0.5)


def cdf(z: float) -> float:
    """Return P(Z <= z).

    Parameters
    ----------
    z : float
        Any number; NaN gives NaN.

    Examples
    --------
    >>> cdf(0.0), round(cdf(-10.0) * 1e24, 6)
    (0.5, 7.619853)
    """
    return 0.5 * erfc(-_ROOT * z)


def quantile(p: float) -> float:
    """Return the z with P(Z <= z) = p.

    Parameters
    ----------
    p : float
        A probability strictly between 0 and 1.

    Raises
    ------
    statistics.StatisticsError
        If ``p`` is out of range.

    Examples
    --------
    >>> round(quantile(0.975), 12)
    1.95996398454
    """
    from statistics import NormalDist

    return NormalDist().inv_cdf(p)
