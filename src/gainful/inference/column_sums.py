"""Sums of columns of contributions about their means, or about the means of their strata."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gainful.inference.unequal_units import degrees_of_freedom, variance_factors

__all__ = ["ColumnSums", "column_sums"]

Floats = npt.NDArray[np.float64]
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

    mean: Floats
    total: Floats
    squares: Floats
    largest: Floats
    cubes: Floats
    unbiased: Floats
    cross: Floats
    share_squares: Floats
    units: Floats
    counted: Floats
    stratified: npt.NDArray[np.bool_]
    uncorrected: Floats


def column_sums(contributions: Floats, shares: Floats, strata: Codes) -> ColumnSums:
    """Return the sums of columns.

    Parameters
    ----------
    contributions, shares : ndarray of shape (units, k)
        The contributions of units to the means, and the shares of units in them.
    strata : ndarray of int, shape (units,)
        The stratum of each unit, from 0.
    """
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


def _stratify(
    plain: ColumnSums, contributions: Floats, shares: Floats, strata: Codes
) -> ColumnSums:
    """Replace the sums of columns that vary within two strata or more."""
    k = contributions.shape[1]
    variance, spread, expected, expected_spread = (np.zeros(k) for _ in range(4))
    largest, cubes = np.zeros(k), np.zeros(k)
    present, alone = np.zeros(k, np.intp), np.zeros(k, np.bool_)
    for stratum in range(int(strata.max()) + 1):
        rows = strata == stratum
        total = shares[rows].sum(axis=0)
        own = shares[rows] / np.where(total > 0.0, total, 1.0)
        n = np.count_nonzero(own, axis=0)
        present += n > 0
        alone |= n == 1
        factors, df = _factors_and_df(own)
        residuals = _residuals(contributions[rows].sum(axis=0), contributions[rows], own)
        # As in `Design.standard_error` and `Design.degrees_of_freedom`.
        parts = factors * residuals * residuals
        sums = parts.sum(axis=0)
        variance += sums
        spread += sums * sums / df
        # With equal variances, that of a stratum's mean is proportional to sum(u^2).
        equal = (own * own).sum(axis=0)
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


def _rounded(df: Floats) -> Floats:
    """Return degrees of freedom rounded down by less than 1%, so that columns share quantiles."""
    steps = np.floor(np.log(np.maximum(df, 1.0)) / _STEP)
    return np.exp(steps * _STEP)


def _residuals(means: Floats, contributions: Floats, shares: Floats) -> Floats:
    residuals: Floats = contributions - means * shares
    # Equal differences have residuals only by rounding.
    size = abs(contributions).max(axis=0, initial=0.0)
    residuals[:, abs(residuals).max(axis=0, initial=0.0) <= 1e-14 * size] = 0.0
    return residuals


def _factors_and_df(shares: Floats) -> tuple[Floats, Floats]:
    """Return the factors of squared residuals, (units, k), and the degrees of freedom, (k,)."""
    factors, df = np.ones(shares.shape), np.ones(shares.shape[1])
    # Usually the same queries are scored in all columns.
    same = bool((shares == shares[:, :1]).all())
    for at in range(1 if same else shares.shape[1]):
        counted = shares[:, at][shares[:, at] > 0.0]
        if len(counted) > 1:
            factors[:, at] = variance_factors(shares[:, at])
            df[at] = degrees_of_freedom(counted)
    if same:
        factors[:], df[:] = factors[:, :1], df[0]
    return factors, df
