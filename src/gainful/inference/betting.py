"""Confidence intervals of a mean that are valid at every number of values at once."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import numpy.typing as npt

from gainful.inference.interval import check_level, values_within

__all__ = ["confidence_sequence"]

#: The number of means that are tested; ends are rounded outward to the next one.
_MEANS = 4_000
#: The largest share of the wealth in a bet.
_SHARE = 0.75

Floats = npt.NDArray[np.float64]


def confidence_sequence(
    values: npt.ArrayLike, low: float = -1.0, high: float = 1.0, *, level: float = 0.95
) -> tuple[Floats, Floats]:
    """Return confidence intervals of a mean after each value, valid for all at once.

    You can look after every value and stop whenever you like: the probability that any of the
    intervals misses the mean is at most 1 - ``level``. Intervals for a fixed number of values, such
    as Student's t, are wrong much more often if you stop because of what they say.

    Parameters
    ----------
    values : array_like, shape (n,)
        The values in the order in which they came in, such as the differences of two systems on
        queries that were drawn at random one after another.
    low, high : float, default -1 and 1
        The lowest and the highest possible value.
    level : float, default 0.95
        The confidence level, between 0 and 1.

    Returns
    -------
    low, high : ndarray of shape (n,)
        The ends of the interval after each value. Intervals never become wider.

    Raises
    ------
    ParameterError
        If there is no value, one is outside the limits, or ``level`` is not between 0 and 1.

    Notes
    -----
    The hedged betting sequence of I. Waudby-Smith, A. Ramdas: Estimating means of bounded random
    variables by betting. Journal of the Royal Statistical Society B 86(1), 2024, with their
    predictable plug-in bets of at most 3/4 of the wealth. It needs no assumption but that each
    value has the same mean given those before it. `docs/evidence.md` has coverage and width.

    Examples
    --------
    >>> differences = [0.3, 0.1, 0.4, 0.0, 0.2] * 12
    >>> low, high = confidence_sequence(differences)
    >>> low[[9, 29, 59]].round(2).tolist(), high[[9, 29, 59]].round(2).tolist()
    ([-0.25, 0.02, 0.1], [0.5, 0.33, 0.27])
    """
    check_level(level)
    sample = (values_within(values, low, high, "confidence_sequence") - low) / (high - low)
    alpha = 1.0 - level
    means = np.arange(1, _MEANS) / _MEANS
    # The logarithms of the wealth of bets that the mean is higher, and lower.
    wealth = np.zeros((2, len(means)))
    limit = log(2.0 / alpha)
    first, last = 0, len(means)
    ends = np.empty((2, len(sample)))
    total, squares = 0.5, 0.25
    for n, value in enumerate(sample.tolist(), 1):
        # An excluded mean stays excluded.
        possible, part = means[first:last], wealth[:, first:last]
        bet = sqrt(2.0 * limit / (squares * log(n + 1.0)))
        part[0] += np.log1p(np.minimum(bet, _SHARE / possible) * (value - possible))
        part[1] += np.log1p(np.minimum(bet, _SHARE / (1.0 - possible)) * (possible - value))
        total += value
        squares += (value - total / (n + 1)) ** 2
        inside = np.flatnonzero(part.max(axis=0) < limit)
        if len(inside):
            first, last = first + int(inside[0]), first + int(inside[-1]) + 1
        # The ends are the next means that are not possible.
        ends[:, n - 1] = first, last + 1
    lower, upper = low + (high - low) * ends / _MEANS
    return lower, upper
