"""Corrections of studentized means for skewed, sparse differences.

Sign flips assume that differences are symmetric about 0 under the null hypothesis. A system that
loses a little on most queries and wins much on a few has a skewed mean difference: samples without
the large wins look like a significant loss. Tests far in the tail, as in large families, suffer
most. So tests and intervals of `max_t` and `max_t_pairs` change the observed statistic:

1. The sum of squares of the differences is increased by `PSEUDO` times the largest squared
   deviation from the mean, as if another query had varied.
2. Hall's transformation removes the skewness of Student's t, with `SKEWNESS` times the skewness of
   the sample, because samples of few queries underestimate it. It is used only where it makes a
   result less significant.
3. No result is more significant than under Student's t distribution.

P. Hall: On the removal of skewness by transformation. Journal of the Royal Statistical Society B
54(1), 1992. The two constants were chosen by simulation (docs/evidence).
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

import numpy as np

from gainful.inference.design import Floats
from gainful.inference.resampling import TOLERANCE
from gainful.inference.student_t import cdf, quantile

__all__ = ["Columns"]

#: The additional squared deviation, as a share of the largest.
PSEUDO = 1 / 3
#: The skewness of the population, as a multiple of that of the sample.
SKEWNESS = 1.5


class Columns:
    """Corrected tests and intervals of the sums of columns of contributions.

    The statistic of a column of contributions c is u = abs(sum(c)) / sqrt(sum(c^2)), an increasing
    function of Student's t, which is what random signs are compared with.

    Parameters
    ----------
    blocks : iterable of (ndarray, ndarray), each of shape (units, columns of the block)
        The contributions of units to the means of columns, and the shares of units in the means,
        which sum to 1. A column of zeros in both is empty.

    Attributes
    ----------
    observed : ndarray of shape (k,)
        The corrected statistics, to be compared with u under random signs.
    ratio : ndarray of shape (k,)
        The corrected statistic divided by u, from 0 to 1.
    p : ndarray of shape (k,)
        Two-sided p-values of the corrected statistics under Student's t distribution.
    """

    def __init__(self, blocks: Iterable[tuple[Floats, Floats]]) -> None:
        parts = [_sums(contributions, shares) for contributions, shares in blocks]
        means, squares, largest, cubes, cross, share_squares, total, units = (
            np.concatenate(part) for part in zip(*parts, strict=True)
        )
        self._units, self._means = np.maximum(units, 1.0), means
        self._squares = squares + PSEUDO * largest
        self._cross, self._share_squares = cross, share_squares
        self._equal = squares == 0.0
        n = self._units
        small_sample = np.where(n > 2, np.sqrt(n * (n - 1)) / np.maximum(n - 2, 1), 0.0)
        # The skewness divided by the root of the number of units.
        self._skewness = (
            SKEWNESS * small_sample * cubes / np.where(self._equal, 1.0, squares) ** 1.5
        )
        raw = abs(means) / np.sqrt(np.where(total > 0.0, total, 1.0))
        t = self._shrink(self._observed_t())
        self.observed = np.where(self._equal, raw, np.minimum(self._u_of_t(t), raw))
        self.ratio = np.divide(self.observed, raw, out=np.ones_like(raw), where=raw > 0.0)
        self.p = self._student_p(t)

    def bounds(self, critical: float, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends of the intervals: the shifts that the tests do not reject.

        Parameters
        ----------
        critical : float
            The largest u that is not significant.
        alpha : float
            The significance level of Student's t, which limits all intervals.
        """
        known = critical < inf
        t = self._t_of_u(np.full_like(self._means, critical if known else 0.0))
        least = {n: _student_quantile(alpha, n) for n in set(self._units.tolist())}
        t = np.maximum(t, np.array([least[n] for n in self._units.tolist()]))
        # For every shift, no choice of signs is more extreme than keeping or flipping all.
        known = known & (2.0 ** (1.0 - self._units) <= alpha)
        low = np.where(known, self._stretched_end(t, -1.0), -inf)
        high = np.where(known, self._stretched_end(t, 1.0), inf)
        return np.where(self._equal, self._means, low), np.where(self._equal, self._means, high)

    def _stretched_end(self, t: Floats, side: float) -> Floats:
        """Return the upper (1) or lower (-1) end of a test that rejects above t."""
        stretched = self._stretch(t, -side)
        end = self._end(self._u_of_t(stretched), side)
        # With units of unequal shares the stretched test may reject no shift. For equal shares the
        # distance to the mean is proportional to t.
        plain = self._end(self._u_of_t(t), side)
        finite = np.isfinite(t) & np.isfinite(plain)
        factor = np.where(finite, stretched, 1.0) / np.where(finite, t, 1.0)
        scaled = self._means + np.where(finite, plain - self._means, 0.0) * factor
        return np.where(np.isinf(end) & finite, scaled, end)

    def _observed_t(self) -> Floats:
        """Return Student's t for a mean of 0, with the additional squared deviation."""
        means = self._means
        squares = self._squares + 2 * self._cross * means + self._share_squares * means**2
        return self._t_of_u(means / np.sqrt(np.where(squares > 0.0, squares, 1.0)))

    def _t_of_u(self, u: Floats) -> Floats:
        room = self._units - u * u
        inside = room > TOLERANCE * self._units
        t: Floats = u * np.sqrt((self._units - 1) / np.where(inside, room, 1.0))
        return np.where(inside, t, np.copysign(inf, u))

    def _u_of_t(self, t: Floats) -> Floats:
        finite = np.isfinite(t)
        squares = np.where(finite, t, 0.0) ** 2
        u: Floats = np.sqrt(
            self._units * squares / np.maximum(self._units - 1 + squares, TOLERANCE)
        )
        return np.where(finite, u, np.sqrt(self._units))

    def _shrink(self, t: Floats) -> Floats:
        """Return the absolute value of t after Hall's transformation, if that is smaller."""
        g = self._skewness
        skewed = (abs(g) > 1e-9) & np.isfinite(t)
        safe, finite = np.where(skewed, g, 1.0), np.where(skewed, t, 0.0)
        moved = ((1 + safe * finite / 3) ** 3 - 1) / safe + safe / 6
        # A transformed value on the other side of 0 is no evidence.
        moved = np.maximum(moved * np.sign(finite), 0.0)
        return np.where(skewed, np.minimum(moved, abs(t)), abs(t))

    def _stretch(self, t: Floats, side: float) -> Floats:
        """Return the absolute t on one side that `_shrink` moves to t."""
        g = side * self._skewness
        skewed = (abs(g) > 1e-9) & np.isfinite(t)
        safe, finite = np.where(skewed, g, 1.0), np.where(skewed, t, 0.0)
        moved = 3 * (np.cbrt(1 + safe * (finite - safe / 6)) - 1) / safe
        return np.where(skewed, np.maximum(moved, t), t)

    def _student_p(self, t: Floats) -> Floats:
        varied = (self._units > 1) & ~self._equal
        p = [
            2 * cdf(-each, units - 1) if is_varied else 0.0
            for each, units, is_varied in zip(t, self._units, varied, strict=True)
        ]
        return np.array(p)

    def _end(self, u: Floats, side: float) -> Floats:
        """Return the upper (1) or lower (-1) end of a test that rejects above u.

        About the mean C, with r = c - C w and e = s - C for a shift s, and Q, P and R the sums of
        r^2 (with the additional deviation), r w and w^2: the interval contains all e with
        (1 - u^2 R) e^2 + 2 u^2 P e - u^2 Q <= 0.
        """
        square = u * u
        leading = 1.0 - square * self._share_squares
        middle = square * self._cross
        last = square * self._squares
        inside = middle * middle + leading * last
        root = np.sqrt(np.maximum(inside, 0.0))
        bounded = leading > TOLERANCE
        end = (-middle + side * root) / np.where(bounded, leading, 1.0)
        # With few units of different weights, remote shifts are not rejected, but those in a gap
        # between them and the mean are. The interval ends at this gap.
        gap = ~bounded & (inside > 0.0) & (side * middle > TOLERANCE)
        beyond = last / np.where(gap, middle + side * root, 1.0)
        return self._means + np.where(bounded, end, np.where(gap, beyond, side * inf))


def _student_quantile(alpha: float, units: float) -> float:
    return -quantile(alpha / 2, int(units) - 1) if units > 1 else inf


def _sums(contributions: Floats, shares: Floats) -> tuple[Floats, ...]:
    """Return sums over the units of each column, about the mean where they describe variation."""
    means = contributions.sum(axis=0)
    residuals = contributions - means * shares
    # Equal differences have residuals only by rounding.
    size = abs(contributions).max(axis=0, initial=0.0)
    residuals[:, abs(residuals).max(axis=0, initial=0.0) <= 1e-14 * size] = 0.0
    squared = residuals * residuals
    return (
        means,
        squared.sum(axis=0),
        squared.max(axis=0, initial=0.0),
        (squared * residuals).sum(axis=0),
        (residuals * shares).sum(axis=0),
        (shares * shares).sum(axis=0),
        (contributions * contributions).sum(axis=0),
        np.count_nonzero(shares, axis=0).astype(np.float64),
    )
