"""Corrections of studentized means for skewed, sparse differences.

Sign flips assume that differences are symmetric about 0 under the null hypothesis. A system that
loses a little on most queries and wins much on a few has a skewed mean difference: samples without
the large wins look like a significant loss. Tests far in the tail, as in families, suffer most. So
tests and intervals of `max_t` and `max_t_pairs` change the observed statistic:

1. In a family, the sum of squares of the differences is increased by a share of the largest squared
   deviation from the mean, as if another query had varied.
2. Hall's transformation removes the skewness of Student's t. In a family it takes the skewness to
   be larger than that of the sample, because samples of few queries underestimate it. For one
   column, whose test is less far in the tail, it takes only what exceeds two standard errors of
   the skewness of normal samples. It is used only where it makes a result less significant, and
   divides t by at most `MOST`.
3. No result is more significant than under Student's t distribution.

With strata, deviations are from the means of strata. A t with f degrees of freedom is compared with
random signs of n units by its p-value, as a t with n - 1 degrees of freedom. The statistic without
these changes must be significant too, so p is never below that of plain sign flips.

P. Hall: On the removal of skewness by transformation. Journal of the Royal Statistical Society B
54(1), 1992. The constants were chosen by simulation (docs/evidence).
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gainful.inference.design import TOLERANCE, Floats, degrees_of_freedom, variance_factors
from gainful.inference.interval import cdf, quantile

__all__ = ["ALONE", "FAMILY", "Columns", "Strength", "column_sums"]


Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]


#: The ratio of successive rounded degrees of freedom, as a logarithm.
_STEP = 0.01


class ColumnSums(NamedTuple):
    """Sums over the units of each column; all have shape (k,).

    About the mean C, with contributions c and shares w, the residuals are r = c - C w. A stratified
    column has the sums of a column without strata that has the same mean, the same standard error
    and the same degrees of freedom.

    Attributes
    ----------
    mean, total : ndarray
        The sums of c and of c^2.
    squares, largest : ndarray
        The sum and the maximum of r^2.
    cubes, unbiased : ndarray
        The sum of r^3, and its factor in the estimated skewness of the mean,
        unbiased * cubes / squares^(3/2).
    cross, share_squares : ndarray
        The sums of r w and of w^2.
    units : ndarray
        The degrees of freedom plus 1. For strata these are `Design.degrees_of_freedom`, but at most
        those of strata with equal variances: if a small stratum varies little by chance, the
        estimate has too many. They are rounded down by less than 1%.
    counted : ndarray
        The number of units with a share.
    stratified : ndarray of bool
        Whether residuals are about the means of strata: there are two strata or more, each has two
        units or more, and in one of them the residuals are not all 0.
    uncorrected : ndarray of shape (3, k)
        `squares`, `cross` and `share_squares` about the mean, without strata.
    """

    mean: Array
    total: Array
    squares: Array
    largest: Array
    cubes: Array
    unbiased: Array
    cross: Array
    share_squares: Array
    units: Array
    counted: Array
    stratified: npt.NDArray[np.bool_]
    uncorrected: Array


def column_sums(contributions: Array, shares: Array, strata: Codes) -> ColumnSums:
    """Return the sums of columns."""
    means = contributions.sum(axis=0)
    residuals = _residuals(means, contributions, shares)
    squared = residuals * residuals
    n = np.count_nonzero(shares, axis=0).astype(np.float64)
    small_sample = np.where(n > 2, np.sqrt(n * np.maximum(n - 1, 0)) / np.maximum(n - 2, 1), 0.0)
    squares, cross = squared.sum(axis=0), (residuals * shares).sum(axis=0)
    share_squares = (shares * shares).sum(axis=0)
    plain = ColumnSums(
        mean=means,
        total=(contributions * contributions).sum(axis=0),
        squares=squares,
        largest=squared.max(axis=0, initial=0.0),
        cubes=(squared * residuals).sum(axis=0),
        unbiased=small_sample,
        cross=cross,
        share_squares=share_squares,
        units=np.maximum(n, 1.0),
        counted=np.maximum(n, 1.0),
        stratified=np.zeros(len(means), np.bool_),
        uncorrected=np.stack([squares, cross, share_squares]),
    )
    return _stratify(plain, contributions, shares, strata) if strata.any() else plain


def _stratify(plain: ColumnSums, contributions: Array, shares: Array, strata: Codes) -> ColumnSums:
    """Replace the sums of columns that vary within two strata or more."""
    k = contributions.shape[1]
    variance, spread, expected, expected_spread = (np.zeros(k) for _ in range(4))
    largest, cubes = np.zeros(k), np.zeros(k)
    present, alone = np.zeros(k, np.intp), np.zeros(k, np.bool_)
    for stratum in range(int(strata.max()) + 1):
        rows = strata == stratum
        total = shares[rows].sum(axis=0)
        weights = shares[rows] / np.where(total > 0.0, total, 1.0)
        n = np.count_nonzero(weights, axis=0)
        present += n > 0
        alone |= n == 1
        factors, df = _factors_and_df(weights)
        residuals = _residuals(contributions[rows].sum(axis=0), contributions[rows], weights)
        # As in `Design.standard_error` and `Design.degrees_of_freedom`.
        parts = factors * residuals * residuals
        sums = parts.sum(axis=0)
        variance += sums
        spread += sums * sums / df
        # With equal variances, that of a stratum's mean is proportional to sum(u^2).
        equal = (weights * weights).sum(axis=0)
        expected += equal
        expected_spread += equal * equal / df
        largest = np.maximum(largest, parts.max(axis=0, initial=0.0))
        # n^2 / ((n - 1) (n - 2)) makes the third moment of a sample unbiased.
        unbiased = np.where(n > 2, n * n / np.maximum((n - 1) * (n - 2), 1), 0.0)
        cubes += unbiased * (residuals**3).sum(axis=0)
    known = (present > 1) & ~alone & (spread > 0.0)
    df = variance * variance / np.where(known, spread, 1.0)
    df = np.minimum(df, expected * expected / np.where(known, expected_spread, 1.0))
    units = np.where(known, _rounded(df) + 1, plain.units)
    # The variance of a mean of n equal units is the sum of their r^2 times n / (n - 1).
    scale = 1 - 1 / units
    return plain._replace(
        squares=np.where(known, scale * variance, plain.squares),
        largest=np.where(known, scale * largest, plain.largest),
        cubes=np.where(known, cubes, plain.cubes),
        unbiased=np.where(known, scale**1.5, plain.unbiased),
        cross=np.where(known, 0.0, plain.cross),
        share_squares=np.where(known, 1 / units, plain.share_squares),
        units=units,
        stratified=known,
    )


def _rounded(df: Array) -> Array:
    """Return degrees of freedom rounded down by less than 1%, so that columns share quantiles."""
    steps = np.floor(np.log(np.maximum(df, 1.0)) / _STEP)
    return np.exp(steps * _STEP)


def _residuals(means: Array, contributions: Array, shares: Array) -> Array:
    residuals: Array = contributions - means * shares
    # Equal differences have residuals only by rounding.
    size = abs(contributions).max(axis=0, initial=0.0)
    residuals[:, abs(residuals).max(axis=0, initial=0.0) <= 1e-14 * size] = 0.0
    return residuals


def _factors_and_df(shares: Array) -> tuple[Array, Array]:
    """Return the factors of squared residuals, (units, k), and the degrees of freedom, (k,)."""
    factors, df = np.ones(shares.shape), np.ones(shares.shape[1])
    # Usually the same queries are scored in all columns.
    same = bool((shares == shares[:, :1]).all())
    for index in range(1 if same else shares.shape[1]):
        counted = shares[:, index][shares[:, index] > 0.0]
        if len(counted) > 1:
            factors[:, index] = variance_factors(shares[:, index])
            df[index] = degrees_of_freedom(counted)
    if same:
        factors[:], df[:] = factors[:, :1], df[0]
    return factors, df


class Strength(NamedTuple):
    """How much tests are corrected.

    ``deviation`` is the additional squared deviation, as a share of the largest; ``skewness`` the
    assumed skewness, as a multiple of what in the sample exceeds ``chance`` standard errors.
    """

    deviation: float
    skewness: float
    chance: float


#: For a column that is tested alone, and for several columns.
ALONE, FAMILY = Strength(0.0, 1.0, 2.0), Strength(1 / 3, 1.5, 0.0)
#: The largest factor by which skewness reduces t, and moves an end of an interval from the mean.
MOST = 1.4


class Columns:
    """Corrected tests and intervals of the sums of columns of contributions.

    The statistic of a column of contributions c is u = abs(sum(c)) / sqrt(sum(c^2)), an increasing
    function of Student's t, which is what random signs are compared with.

    Parameters
    ----------
    blocks : iterable of (ndarray, ndarray), each of shape (units, columns of the block)
        The contributions of units to the means of columns, and the shares of units in the means,
        which sum to 1. A column of zeros in both is empty.
    strata : ndarray of int, shape (units,)
        The number of the stratum of each unit.
    strength : Strength
        `ALONE` or `FAMILY`.

    Attributes
    ----------
    observed : ndarray of shape (k,)
        The corrected statistics, to be compared with u under random signs.
    ratio : ndarray of shape (k,)
        The corrected statistic divided by u, from 0 to 1.
    """

    def __init__(
        self, blocks: Iterable[tuple[Floats, Floats]], strata: Codes, strength: Strength
    ) -> None:
        parts = [column_sums(contributions, shares, strata) for contributions, shares in blocks]
        sums = ColumnSums(*(np.concatenate(part, axis=-1) for part in zip(*parts, strict=True)))
        self._sums = sums
        self._about_means = (
            sums.squares + strength.deviation * sums.largest,
            sums.cross,
            sums.share_squares,
        )
        self._equal = sums.squares == 0.0
        # The skewness divided by the root of the number of units.
        scale = np.where(self._equal, 1.0, sums.squares) ** 1.5
        skewness, n = sums.cubes / scale, sums.units
        chance = strength.chance * np.sqrt(6 * np.maximum(n - 2, 0.0) / (n * (n + 1) * (n + 3)))
        beyond = np.copysign(np.maximum(abs(skewness) - chance, 0.0), skewness)
        self._skewness = strength.skewness * sums.unbiased * beyond
        raw = abs(sums.mean) / np.sqrt(np.where(sums.total > 0.0, sums.total, 1.0))
        self._t = self._shrink(self._observed_t())
        self.observed = np.where(self._equal, raw, np.minimum(self._flips_of_t(self._t), raw))
        self.ratio = np.divide(self.observed, raw, out=np.ones_like(raw), where=raw > 0.0)

    def student_p(self, least: npt.ArrayLike = 0.0) -> Floats:
        """Return two-sided p-values of Student's t for the corrected statistics, or `least`.

        Most pairs of a large family have a smaller p-value than `least`, so it is not computed.
        """
        units = self._sums.units
        p = np.full(self._t.shape, least, np.float64)
        # No p-value is larger than exp(-z^2 / 2), z the normal value that is at most as rare.
        z = _normal_of_t(np.where(np.isfinite(self._t), self._t, 0.0), units)
        larger = np.isinf(self._t) | (np.exp(-z * z / 2) > p)
        for column in np.flatnonzero((units > 1) & ~self._equal & larger).tolist():
            p[column] = max(p[column], 2 * cdf(-float(self._t[column]), float(units[column]) - 1))
        return p

    def bounds(self, critical: float, alpha: float, limits: Floats) -> tuple[Floats, Floats]:
        """Return the ends of the intervals: the shifts that the tests do not reject.

        Equal differences say nothing about their variance, but with probability 1 - alpha / 2 at
        most a share of 1 - (alpha / 2)^(1 / n) of all queries has other differences; these are at
        a limit. alpha is divided by the number of columns.
        """
        units, means = self._sums.units, self._sums.mean
        known = critical < inf
        u = np.full_like(means, critical if known else 0.0)
        t = self._t_of_flips(u)
        least = {n: _student_quantile(alpha, n) for n in set(units.tolist())}
        t = np.maximum(t, np.array([least[n] for n in units.tolist()]))
        # For every shift, no choice of signs is more extreme than keeping or flipping all.
        possible = known & (2.0 ** (1.0 - self._sums.counted) <= alpha)
        low = np.where(possible, self._limit(t, u, -1.0), -inf)
        high = np.where(possible, self._limit(t, u, 1.0), inf)
        lowest, highest = limits
        equal = np.flatnonzero(self._equal & (self._sums.share_squares > 0.0))
        unseen = 1 - (alpha / 2 / len(means)) ** self._sums.share_squares[equal]
        low[equal] = means[equal] + unseen * (lowest - means)[equal]
        high[equal] = means[equal] + unseen * (highest - means)[equal]
        # What no test excludes is not known to end at the limits.
        low = np.where(np.isinf(low), low, np.maximum(low, lowest))
        return low, np.where(np.isinf(high), high, np.minimum(high, highest))

    def _limit(self, t: Floats, u: Floats, side: float) -> Floats:
        """Return the upper (1) or lower (-1) end of the intervals."""
        end = self._stretched_end(t, side)
        # Deviations from the means of strata do not limit the uncorrected statistic.
        uncorrected = self._end(u, side, tuple(self._sums.uncorrected))
        wider = side * np.maximum(side * end, side * uncorrected)
        return np.where(self._sums.stratified, wider, end)

    def _stretched_end(self, t: Floats, side: float) -> Floats:
        """Return the upper (1) or lower (-1) end of a test that rejects above t."""
        units, means = self._sums.units, self._sums.mean
        stretched = self._stretch(t, -side)
        end = self._end(_u_of_t(stretched, units), side, self._about_means)
        # With units of unequal shares the stretched test may reject no shift. For equal shares the
        # distance to the mean is proportional to t.
        plain = self._end(_u_of_t(t, units), side, self._about_means)
        finite = np.isfinite(t) & np.isfinite(plain)
        factor = np.where(finite, stretched, 1.0) / np.where(finite, t, 1.0)
        scaled = means + np.where(finite, plain - means, 0.0) * factor
        return np.where(np.isinf(end) & finite, scaled, end)

    def _observed_t(self) -> Floats:
        """Return Student's t for a mean of 0, with the additional squared deviation."""
        means = self._sums.mean
        about, cross, share_squares = self._about_means
        squares = about + 2 * cross * means + share_squares * means**2
        return _t_of_u(means / np.sqrt(np.where(squares > 0.0, squares, 1.0)), self._sums.units)

    def _flips_of_t(self, t: Floats) -> Floats:
        """Return the u under random signs that is as rare as t."""
        return _u_of_t(self._as_rare(t, self._sums.units, self._sums.counted), self._sums.counted)

    def _t_of_flips(self, u: Floats) -> Floats:
        """Return the t that is as rare as u under random signs."""
        return self._as_rare(_t_of_u(u, self._sums.counted), self._sums.counted, self._sums.units)

    def _as_rare(self, t: Floats, units: Floats, others: Floats) -> Floats:
        """Return absolute t of `units` as those of `others` that are as rare, with strata."""
        moved = _t_of_normal(_normal_of_t(t, units), others)
        return np.where(self._sums.stratified, moved, t)

    def _shrink(self, t: Floats) -> Floats:
        """Return the absolute value of t after Hall's transformation, if that is smaller."""
        g = self._skewness
        skewed = (abs(g) > 1e-9) & np.isfinite(t)
        safe, finite = np.where(skewed, g, 1.0), np.where(skewed, t, 0.0)
        moved = ((1 + safe * finite / 3) ** 3 - 1) / safe + safe / 6
        # A transformed value on the other side of 0 is no evidence.
        moved = np.maximum(moved * np.sign(finite), abs(finite) / MOST)
        return np.where(skewed, np.minimum(moved, abs(t)), abs(t))

    def _stretch(self, t: Floats, side: float) -> Floats:
        """Return the absolute t on one side that `_shrink` moves to t."""
        g = side * self._skewness
        skewed = (abs(g) > 1e-9) & np.isfinite(t)
        safe, finite = np.where(skewed, g, 1.0), np.where(skewed, t, 0.0)
        moved = 3 * (np.cbrt(1 + safe * (finite - safe / 6)) - 1) / safe
        return np.where(skewed, np.clip(moved, t, MOST * t), t)

    def _end(self, u: Floats, side: float, about: tuple[Floats, ...]) -> Floats:
        """Return the upper (1) or lower (-1) end of a test that rejects above u.

        About the mean C, with r = c - C w and e = s - C for a shift s, and Q, P and R the sums of
        r^2 (with the additional deviation), r w and w^2: the interval contains all e with
        (1 - u^2 R) e^2 + 2 u^2 P e - u^2 Q <= 0.
        """
        square = u * u
        squares, cross, share_squares = about
        leading = 1.0 - square * share_squares
        middle = square * cross
        last = square * squares
        inside = middle * middle + leading * last
        root = np.sqrt(np.maximum(inside, 0.0))
        bounded = leading > TOLERANCE
        end = (-middle + side * root) / np.where(bounded, leading, 1.0)
        # With few units of different weights, remote shifts are not rejected, but those in a gap
        # between them and the mean are. The interval ends at this gap.
        gap = ~bounded & (inside > 0.0) & (side * middle > TOLERANCE)
        beyond = last / np.where(gap, middle + side * root, 1.0)
        return self._sums.mean + np.where(bounded, end, np.where(gap, beyond, side * inf))


def _student_quantile(alpha: float, units: float) -> float:
    return -quantile(alpha / 2, units - 1) if units > 1 else inf


def _t_of_u(u: Floats, units: Floats) -> Floats:
    room = units - u * u
    inside = room > TOLERANCE * units
    t: Floats = u * np.sqrt((units - 1) / np.where(inside, room, 1.0))
    return np.where(inside, t, np.copysign(inf, u))


def _u_of_t(t: Floats, units: Floats) -> Floats:
    finite = np.isfinite(t)
    squares = np.where(finite, t, 0.0) ** 2
    u: Floats = np.sqrt(units * squares / np.maximum(units - 1 + squares, TOLERANCE))
    return np.where(finite, u, np.sqrt(units))


def _normal_of_t(t: Floats, units: Floats) -> Floats:
    """Return approximately the normal values that are as rare as absolute t.

    D. L. Wallace: Bounds on normal approximations to Student's and the chi-square distributions.
    Annals of Mathematical Statistics 30(4), 1959. With few units the values are slightly too small.
    """
    df = np.maximum(units - 1, 1.0)
    z: Floats = np.sqrt(df * np.log1p(t * t / df)) * (8 * df + 1) / (8 * df + 3)
    return z


def _t_of_normal(z: Floats, units: Floats) -> Floats:
    """Return the t of which `_normal_of_t` is z."""
    df = np.maximum(units - 1, 1.0)
    with np.errstate(over="ignore"):
        t: Floats = np.sqrt(df * np.expm1((z * (8 * df + 3) / (8 * df + 1)) ** 2 / df))
    return t
