"""The binomial distribution, to 12 digits for up to 10^6 trials.

The density is that of C. Loader: Fast and accurate computation of binomial probabilities, 2000. Its
logarithm is a sum of small terms, where the difference of logarithms of factorials would lose up to
ten digits.
"""

from __future__ import annotations

from math import exp, lgamma, log, log1p, pi, sqrt

# log(n!) - log(sqrt(2 pi n) (n / e)^n): exact below 16, then 1/12n - 1/360n^3 + ...
_STIRLING = tuple(lgamma(n + 1) - 0.5 * log(2 * pi * n) - n * log(n) + n for n in range(1, 16))
_SERIES = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)
_EPSILON = 2.0**-53


def density(k: int, n: int, p: float) -> float:
    """Return the probability of k successes in n trials.

    Parameters
    ----------
    k, n : int
        The number of successes, and of trials; 0 <= k <= n.
    p : float
        The probability of a success, from 0 to 1.

    Examples
    --------
    >>> round(density(2, 4, 0.5), 12)
    0.375
    """
    return _density(k, n, p, 1.0 - p)


def cdf(k: int, n: int, p: float) -> float:
    """Return the probability of at most k successes in n trials.

    Parameters
    ----------
    k, n : int
        The number of successes, and of trials; -1 <= k <= n.
    p : float
        The probability of a success, from 0 to 1.

    Examples
    --------
    >>> cdf(0, 5, 0.5), cdf(5, 5, 0.5)
    (0.03125, 1.0)
    """
    return _at_most(k, n, p, 1.0 - p)


def at_least(k: int, n: int, p: float) -> float:
    """Return the probability of at least k successes in n trials, with all digits if it is small.

    Parameters
    ----------
    k, n : int
        The number of successes, and of trials; 0 <= k <= n + 1.
    p : float
        The probability of a success, from 0 to 1.

    Examples
    --------
    >>> round(at_least(1, 10, 1e-20) * 1e19, 12)
    1.0
    """
    return _at_most(n - k, n, 1.0 - p, p)


def _at_most(k: int, n: int, p: float, q: float) -> float:
    if k < 0:
        return 0.0
    if k >= n:
        return 1.0
    # Sum the side whose terms decrease.
    if k > n * p:
        return 1.0 - _at_most(n - k - 1, n, q, p)
    term = total = _density(k, n, p, q)
    while k > 0 and term > _EPSILON * total:
        term *= k / (n - k + 1) * (q / p)
        total += term
        k -= 1
    return min(total, 1.0)


def _density(k: int, n: int, p: float, q: float) -> float:
    if p == 0.0 or q == 0.0:
        return float(k == n * p)
    if k == 0:
        return exp(n * (log(q) if q < p else log1p(-p)))
    if k == n:
        return exp(n * (log(p) if p < q else log1p(-q)))
    logarithm = _remainder(n) - _remainder(k) - _remainder(n - k)
    logarithm -= _deviance(k, n * p) + _deviance(n - k, n * q)
    return exp(logarithm) * sqrt(n / (2 * pi * k * (n - k)))


def _remainder(n: int) -> float:
    """Return log(n!) minus Stirling's approximation."""
    if n <= len(_STIRLING):
        return _STIRLING[n - 1]
    return sum(term / float(n) ** (2 * power + 1) for power, term in enumerate(_SERIES))


def _deviance(x: float, mean: float) -> float:
    """Return x log(x / mean) + mean - x, without cancellation where x is close to the mean."""
    if abs(x - mean) >= 0.1 * (x + mean):
        return x * log(x / mean) + mean - x
    ratio = (x - mean) / (x + mean)
    total, term, j = (x - mean) * ratio, 2 * x * ratio, 0
    while True:
        j += 1
        term *= ratio * ratio
        following = total + term / (2 * j + 1)
        if following == total:
            return total
        total = following
