"""The design of a sample of queries: weights, clusters, strata, and resampling under it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from gainful import _kernel
from gainful.errors import ParameterError
from gainful.keywords import suggest_keywords
from gainful.parameters.comparing import SEED
from gainful.progress import report_function
from gainful.threads import thread_count

__all__ = [
    "TOLERANCE",
    "Design",
    "Floats",
    "Labels",
    "all_flip_sums",
    "bootstrap_means",
    "check",
    "count_flip_sums",
    "degrees_of_freedom",
    "design_for",
    "differences_of",
    "flip_sums",
    "permutation_ranges",
    "satterthwaite_df",
    "variance_factors",
]


Floats = npt.NDArray[np.float64]


def variance_factors(shares: Floats) -> Floats:
    """Return the factors 1 / (1 - 2u + q) of squared residuals, (n,), for n shares.

    Examples
    --------
    >>> variance_factors(np.array([0.25, 0.25, 0.25, 0.25])).round(4).tolist()
    [1.3333, 1.3333, 1.3333, 1.3333]
    """
    factors: Floats = 1.0 / (1.0 - 2.0 * shares + shares @ shares)
    return factors


def effective_number(shares: Floats) -> float:
    """Return 1 / sum(u^2), the number of units of equal weight with the same variance of the mean.

    L. Kish: Survey Sampling. Wiley 1965.

    Examples
    --------
    >>> effective_number(np.array([0.25, 0.25, 0.25, 0.25]))
    4.0
    >>> round(effective_number(np.array([0.5, 0.25, 0.25])), 3)
    2.667
    """
    return float(1.0 / (shares @ shares))


def degrees_of_freedom(shares: Floats, *, conservative: bool = False) -> float:
    """Return the degrees of freedom of the variance of a mean with two or more shares.

    Notes
    -----
    The geometric mean of two approximations. Satterthwaite's, 2 E(v)^2 / Var(v) for the estimate v
    of the variance and normal values of equal variance, is used by Bell and McCaffrey. It assumes
    that m and v are independent, but a unit with a large share moves both at once, so the test
    rejects far too rarely: at alpha = .05, in .2% of samples of 50 queries with the weights 1, 1/2,
    1/3 and so on. Kish's effective number minus 1 neglects that the variance depends on few
    units, and rejects slightly too often. The geometric mean stays between them.

    Examples
    --------
    >>> degrees_of_freedom(np.full(10, 0.1))
    9.0
    >>> weights = 1 / np.arange(1, 51)
    >>> round(degrees_of_freedom(weights / weights.sum()), 2)
    5.05
    """
    # Sums of weights of clusters may differ by rounding.
    if np.ptp(shares) <= 1e-12 * shares.max():
        return len(shares) - 1.0
    q = float(shares @ shares)
    factors = variance_factors(shares)
    parts = shares * shares * factors
    # E(v) = sum(parts / factors) = q, and Var(v) = 2 sum_ij parts_i parts_j c_ij^2, with the
    # covariances c of the residuals: 1 / factors on the diagonal, q - u_i - u_j elsewhere.
    total, first, second = parts.sum(), parts @ shares, parts @ (shares * shares)
    pairs = q * q * total**2 + 2 * total * second + 2 * first**2 - 4 * q * total * first
    diagonal = parts * parts
    spread = pairs - diagonal @ (q - 2 * shares) ** 2 + diagonal @ (1.0 / factors**2)
    satterthwaite = q * q / spread
    if conservative:
        return float(max(satterthwaite, 1.0))
    return float(max((satterthwaite * (1.0 / q - 1.0)) ** 0.5, 1.0))


def satterthwaite_df(variances: npt.ArrayLike, dfs: npt.ArrayLike) -> float:
    """Return the degrees of freedom of a sum of variances, sum(v)^2 / sum(v^2 / f).

    The sum of `dfs` without any variance.

    Examples
    --------
    >>> round(satterthwaite_df([1 / 5, 1 / 50], [4, 49]), 2)
    4.84
    """
    v, f = np.asarray(variances, dtype=np.float64), np.asarray(dfs, dtype=np.float64)
    if not v.any():
        return float(f.sum())
    # A part without variance contributes to neither sum.
    scaled = v / v.max()
    return float(scaled.sum() ** 2 / (scaled**2 / f).sum())


Labels = Sequence[Hashable] | npt.NDArray[Any]


class Design:
    """A sampling design: weights, clusters and strata of queries.

    All tests and intervals of this package accept a design. Without it, queries are independent and
    have equal weights.

    Parameters
    ----------
    n : int
        The number of queries, 1 or more.
    weights : sequence of float, optional
        The weight of each query in the mean: 0 or more, not all 0. Only the ratios matter.
    clusters : sequence, optional
        A label for each query, such as its user or intent. Queries with the same label are not
        independent: they are resampled, flipped and permuted together.
    strata : sequence, optional
        A label for each query, such as its collection. The mean is then the unweighted mean of the
        means of the strata, and queries are resampled within their stratum.

    Attributes
    ----------
    queries : int
        The number of queries, n.
    units : int
        The number of clusters, or of queries without clusters; without those of weight 0.
    strata : int
        The number of strata; 1 by default.
    df : int
        `units` - `strata`; with one stratum of units with equal weights the degrees of freedom of
        `standard_error`.
    plain : bool
        Whether there are no weights, clusters or strata.

    Raises
    ------
    ParameterError
        If a sequence does not have length n, a weight is negative or not a number, a stratum has
        weight 0, or a cluster has queries in two strata.

    Examples
    --------
    Two users asked two queries each:

    >>> design = Design(4, clusters=["ann", "ann", "bob", "bob"])
    >>> design.units, design.df
    (2, 1)
    >>> design.mean([0.25, 0.5, 0.0, 0.25])
    0.25
    >>> design.contributions([0.25, 0.5, 0.0, 0.25]).tolist()
    [[0.1875], [0.0625]]
    """

    @suggest_keywords
    def __init__(
        self,
        n: int,
        *,
        weights: Sequence[float] | Floats | None = None,
        clusters: Labels | None = None,
        strata: Labels | None = None,
    ) -> None:
        if n < 1:
            raise ParameterError(where="Design", found=f"n={n!r}", expected="1 query or more")
        self.queries = int(n)
        self.plain = weights is None and clusters is None and strata is None
        weight = _weights(self.queries, weights)
        stratum = _codes(self.queries, strata, "strata")
        cluster = _codes(self.queries, clusters, "clusters")
        self.strata = 1 if stratum is None else int(stratum.max()) + 1
        where = np.zeros(self.queries, np.intp) if stratum is None else stratum
        totals = np.bincount(where, weight, self.strata)
        if not totals.all():
            raise ParameterError(
                where="Design",
                found="only weights of 0" + ("" if stratum is None else " in a stratum"),
                expected="a weight above 0",
            )
        #: The weight of each query in the mean; they sum to 1.
        self.shares: Floats = weight / totals[where] / self.strata
        self._stratum = stratum
        self._unit: npt.NDArray[np.intp] | None = None
        counted = weight > 0.0
        if cluster is None and counted.all():
            self.units = self.queries
            self.stratum_of_unit = where
        else:
            labels = np.arange(self.queries) if cluster is None else cluster
            present, unit = np.unique(labels[counted], return_inverse=True)
            self.units = len(present)
            self._unit = np.full(self.queries, -1, np.intp)
            self._unit[counted] = unit
            self.stratum_of_unit = np.zeros(self.units, np.intp)
            self.stratum_of_unit[unit] = where[counted]
            if (self.stratum_of_unit[unit] != where[counted]).any():
                raise ParameterError(
                    where="Design",
                    found="a cluster with queries in two strata",
                    expected="all queries of a cluster in one stratum",
                    hint="label clusters by stratum and cluster together",
                )
        self.df = self.units - self.strata

    def __repr__(self) -> str:
        return f"<Design: {self.queries} queries, {self.units} units, {self.strata} strata>"

    def mean(self, values: npt.ArrayLike) -> Any:
        """Return the mean of values over queries.

        Parameters
        ----------
        values : array_like, shape (n,) or (n, k)
            A value for each query, or k of them. Columns that are contiguous in memory have exactly
            the results that they have alone, here and in the other methods.

        Returns
        -------
        float or ndarray of shape (k,)
            sum(w v) / sum(w); with strata, the unweighted mean of this over strata.

        Examples
        --------
        >>> Design(3, weights=[2, 1, 1]).mean([0.5, 0.25, 0.75])
        0.5
        """
        array = self.columns(values)
        # Without shares: then the mean of unweighted queries equals NumPy's, and the mean of equal
        # values is exactly that value.
        if self.plain:
            means = array.mean(axis=0)
        else:
            means = _weighted_sums(self.shares, array)
        return means if np.ndim(values) > 1 else float(means[0])

    def contributions(self, values: npt.ArrayLike) -> Floats:
        """Return the contribution of each unit to the mean; the rows sum to it.

        Tests flip and permute these contributions.

        Parameters
        ----------
        values : array_like, shape (n,) or (n, k)
            A value for each query, or k of them.

        Returns
        -------
        ndarray of shape (units, k)
        """
        return self.gather(self.shares[:, None] * self.columns(values))

    def unit_shares(self) -> Floats:
        """Return the weight of each unit in the mean, (units,); they sum to 1."""
        return self.gather(self.shares[:, None])[:, 0]

    def shares_without(self, absent: npt.NDArray[np.bool_]) -> Floats:
        """Return the weight of each query in the mean if some, (n,), are absent.

        A stratum without remaining queries is left out of the mean over strata. All weights are 0
        if no query with a weight remains.
        """
        shares = np.where(absent, 0.0, self.shares)
        where = np.zeros(self.queries, np.intp) if self._stratum is None else self._stratum
        totals = np.bincount(where, shares, self.strata)
        present = int(np.count_nonzero(totals))
        safe = np.where(totals > 0.0, totals, 1.0)[where]
        return shares / safe / max(present, 1)

    def standard_error(self, values: npt.ArrayLike) -> Any:
        """Return the standard error of the mean.

        Parameters
        ----------
        values : array_like, shape (n,) or (n, k)
            A value for each query, or k of them.

        Returns
        -------
        float or ndarray of shape (k,)
            NaN if a stratum has fewer than two units.

        Notes
        -----
        The standard error of the linearized ratio estimator, with the correction of Bell and
        McCaffrey for units of unequal weight. With r the sum over the queries of a unit of
        w (v - mean of its stratum) / sum(w), u the share of the unit in its stratum's weight, and
        q = sum(u^2), the variance of the stratum's mean is sum(r^2 / (1 - 2u + q)). It is unbiased
        if the means of units have equal variances. The variance of the mean over S strata is the
        sum of these / S^2. For n unweighted, independent queries the standard error is s / sqrt(n).
        W. G. Cochran: Sampling Techniques, 3rd edition, Wiley 1977, sections 6.3 and 9A.5; R. M.
        Bell, D. F. McCaffrey: Bias reduction in standard errors for linear regression with
        multi-stage samples. Survey Methodology 28(2), 2002.

        Examples
        --------
        >>> round(Design(4).standard_error([0.1, 0.3, 0.0, 0.2]), 6)
        0.06455
        """
        array = self.columns(values)
        residuals = self.gather(self.shares[:, None] * (array - self._own_means(array)))
        squares = residuals * residuals
        if min(self.sizes) < 2:
            errors = np.full(array.shape[1], np.nan)
        else:
            errors = np.sqrt(_weighted_sums(self._factors, squares))
            # The computed mean of equal numbers may differ from them by rounding.
            errors[np.ptp(array, axis=0) == 0.0] = 0.0
        return errors if np.ndim(values) > 1 else float(errors[0])

    def degrees_of_freedom(self, values: npt.ArrayLike, *, conservative: bool = False) -> float:
        """Return the degrees of freedom of the standard error of the mean of values, (n,).

        Parameters
        ----------
        values : array_like, shape (n,)
            A value for each query.
        conservative : bool, default False
            For unequal weights, return the smaller number, for tests in which an error is worse
            than no result.

        Returns
        -------
        int or float
            `df` for one stratum of units with equal weights, and less for unequal ones. For several
            strata Satterthwaite's approximation, between the minimum over the strata and their sum.

        Notes
        -----
        With unequal weights, the geometric mean of two approximations: Satterthwaite's for the
        variance of Bell and McCaffrey (the conservative number), and the effective number of units
        minus 1. The former gives intervals that are too wide, the latter too narrow
        (docs/evidence.md).

        With v the variances of the means of strata, and f their degrees of freedom, several strata
        have sum(v)^2 / sum(v^2 / f). All strata have the same weight, so most of the variance may
        come from a small stratum, whose variance estimate is imprecise. F. E. Satterthwaite: An
        approximate distribution of estimates of variance components. Biometrics Bulletin 2(6),
        1946; for strata, W. G. Cochran: Sampling Techniques, 3rd edition, Wiley 1977, section 5.4.

        Examples
        --------
        >>> design = Design(7, strata="aabbbbb")
        >>> design.df, round(design.degrees_of_freedom([0.1, 0.5, 0.2, 0.3, 0.2, 0.3, 0.2]), 3)
        (5, 1.03)
        """
        array = self.columns(values)
        if min(self.sizes) < 2:
            return self.df
        freedom = self._dfs[conservative]
        if self.strata == 1:
            return self.df if freedom[0] == self.df else float(freedom[0])
        residuals = self.gather(self.shares[:, None] * (array - self._own_means(array)))
        squares = self._factors * residuals[:, 0] ** 2
        variances = np.bincount(self.stratum_of_unit, squares, self.strata)
        if np.ptp(array) == 0.0 or not variances.any():
            return (
                self.df if (freedom == np.array(self.sizes) - 1.0).all() else float(freedom.sum())
            )
        return satterthwaite_df(variances, freedom)

    def skewness_of_mean(self, values: npt.ArrayLike) -> float:
        """Return the estimated skewness of the mean of values, (n,); 0 if they do not vary.

        For unweighted, independent queries it is the skewness of their values divided by sqrt(n).
        With weights or clusters it is the skewness of the means of units, all counted equally,
        divided by the square root of their effective number. With several strata it is
        sum(m q^2) / sum(v q)^(3/2) over strata, with m and v the third and second central moments
        of the means of units, and q the sum of the squared shares of units in their stratum.

        Examples
        --------
        >>> round(Design(4).skewness_of_mean([0.0, 0.0, 0.0, 1.0]), 4)
        0.5774
        """
        if np.ptp(self.columns(values)) == 0.0:
            return 0.0
        means = self.contributions(values)[:, 0] / self.unit_shares()
        cubes = squares = 0.0
        for stratum, shares in enumerate(self._unit_shares):
            means_of_stratum, q = means[self.stratum_of_unit == stratum], float(shares @ shares)
            residuals = means_of_stratum - means_of_stratum.mean()
            cubes += float((residuals**3).mean()) * q * q
            squares += float((residuals**2).mean()) * q
        return cubes / squares**1.5 if squares > 0.0 else 0.0

    def deviation(self, values: npt.ArrayLike) -> Any:
        """Return the standard deviation of values, (n,) or (n, k), over queries.

        Weighted like the mean, and within strata: sqrt(n / (n - S) * sum(w (v - mean)^2) / sum(w)),
        with n the number of queries with a weight above 0, and S the number of strata; NaN if n is
        not above S.
        """
        array = self.columns(values)
        counted = int(np.count_nonzero(self.shares))
        if counted <= self.strata:
            deviations = np.full(array.shape[1], np.nan)
        else:
            residuals = array - self._own_means(array)
            variances = _weighted_sums(self.shares, residuals * residuals) * counted
            # A root by the C library, which may differ from NumPy's in the last digit.
            roots = [variance**0.5 for variance in (variances / (counted - self.strata)).tolist()]
            deviations = np.where(np.ptp(array, axis=0) == 0.0, 0.0, roots)
        return deviations if np.ndim(values) > 1 else float(deviations[0])

    def spread(self, values: npt.ArrayLike) -> tuple[float, float, float]:
        """Return the standard deviation, n and degrees of freedom for `mean_interval`.

        Notes
        -----
        n is `effective`. With clusters it is the number of independent queries whose mean would
        have the same standard error, (deviation / standard error)^2, but at least `effective` and
        at most the number of queries: hundreds of queries in ten clusters that hardly differ say
        more about the range of values than ten queries do. The degrees of freedom are those of the
        clusters. If all values are equal, clusters may still differ, and n is `effective`.
        L. Kish: Survey Sampling. Wiley 1965, section 8.2 (the design effect).

        Examples
        --------
        >>> from gainful.inference import mean_interval
        >>> values, design = [0.5, 1.0, 0.25, 1.0, 0.0], Design(5, weights=[3, 1, 1, 1, 1])
        >>> deviation, n, df = design.spread(values)
        >>> low, high = mean_interval(design.mean(values), deviation, n, low=0.0, high=1.0, df=df)
        >>> round(low, 4), round(high, 4)
        (0.0283, 1.0)
        """
        n = self.effective
        error = float(self.standard_error(values))
        if self.units < np.count_nonzero(self.shares) and error > 0.0:
            independent = (float(self.deviation(values)) / error) ** 2
            n = max(n, min(independent, effective_number(self.shares)))
        return error * n**0.5, n, float(self.degrees_of_freedom(values))

    @property
    def effective(self) -> float:
        """The number of units of equal weight whose mean would have the same variance.

        1 / sum of the squared shares of units in the mean; `units` if all have the same share.

        Examples
        --------
        >>> Design(4).effective, round(Design(3, weights=[2, 1, 1]).effective, 3)
        (4.0, 2.667)
        """
        if self.strata == 1 and not self.unequal:
            return float(self.units)
        return effective_number(self.unit_shares())

    @cached_property
    def sizes(self) -> list[int]:
        """The number of units of each stratum."""
        sizes: list[int] = np.bincount(self.stratum_of_unit, minlength=self.strata).tolist()
        return sizes

    @cached_property
    def unequal(self) -> bool:
        """Whether units of one stratum have different weights in the mean."""
        return any(np.ptp(share) > 1e-12 * share.max() for share in self._unit_shares)

    def columns(self, values: npt.ArrayLike) -> Floats:
        """Return values as an array of n rows; raise a `ParameterError` for other shapes."""
        array = np.asarray(values, dtype=np.float64)
        if array.ndim not in (1, 2) or len(array) != self.queries:
            raise ParameterError(
                where="Design",
                found=f"values of shape {array.shape}",
                expected=f"a value for each of {self.queries} queries",
            )
        return array.reshape(self.queries, -1)

    def gather(self, rows: Floats) -> Floats:
        """Return the sums over the queries of each unit, from (n, k) to (units, k)."""
        if self._unit is None:
            return rows
        counted = self._unit >= 0
        sums = np.zeros((self.units, rows.shape[1]))
        np.add.at(sums, self._unit[counted], rows[counted])
        return sums

    def spread_units(self, values: Floats) -> Floats:
        """Return the value of each query's unit, from (units,) to (n,); 0 for a weight of 0."""
        if self._unit is None:
            return values
        return np.where(self._unit >= 0, values[self._unit], 0.0)

    def part(self, rows: npt.NDArray[np.bool_]) -> Design:
        """Return the design of some of the queries, a mask of shape (n,), without strata.

        Raises
        ------
        ParameterError
            If no query with a weight above 0 is left, or there are several strata.

        Examples
        --------
        >>> Design(3, clusters=["ann", "ann", "bob"]).part(np.array([True, True, False]))
        <Design: 2 queries, 1 units, 1 strata>
        """
        if self.strata > 1:
            raise ParameterError(where="Design", found="several strata", expected="one")
        count = int(rows.sum())
        if self.plain:
            return Design(count)
        clusters = None if self._unit is None else self._unit[rows]
        return Design(count, weights=self.shares[rows], clusters=clusters)

    @cached_property
    def _unit_shares(self) -> list[Floats]:
        """The shares of the units of each stratum in its mean; they sum to 1."""
        shares = self.strata * self.unit_shares()
        if self.plain:
            return [np.full(self.queries, 1.0 / self.queries)]
        return [shares[self.stratum_of_unit == stratum] for stratum in range(self.strata)]

    @cached_property
    def _dfs(self) -> tuple[Floats, Floats]:
        """The degrees of freedom of each stratum, and the conservative ones."""
        usual, conservative = (
            np.array(
                [
                    degrees_of_freedom(share, conservative=is_conservative)
                    for share in self._unit_shares
                ]
            )
            for is_conservative in (False, True)
        )
        return usual, conservative

    @cached_property
    def _factors(self) -> Floats:
        """The factors of the squared residuals of units, (units,)."""
        factors = np.empty(self.units)
        for stratum, shares in enumerate(self._unit_shares):
            factors[self.stratum_of_unit == stratum] = variance_factors(shares)
        return factors

    def _own_means(self, array: Floats) -> Floats:
        """Return for each query the mean of its stratum, (n, k) or (1, k)."""
        if self._stratum is None:
            return np.asarray(self.mean(array))[None, :]
        sums = np.zeros((self.strata, array.shape[1]))
        np.add.at(sums, self._stratum, self.strata * self.shares[:, None] * array)
        return sums[self._stratum]


def design_for(values: npt.ArrayLike, design: Design | None) -> Design:
    """Return the given design, or by default one of independent queries of equal weight."""
    return Design(len(np.asarray(values))) if design is None else design


def differences_of(values: npt.ArrayLike, where: str) -> Floats:
    """Return differences as an (n,) array; raise a `ParameterError` if one is not finite."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not array.size:
        raise ParameterError(
            where=where,
            found=f"differences of shape {array.shape}",
            expected="one for each query, and one query or more",
        )
    if not np.isfinite(array).all():
        raise ParameterError(
            where=where,
            found="a difference that is not finite",
            expected="finite differences",
            hint="leave out the queries that were not scored by both",
        )
    return array


def _weighted_sums(weights: Floats, columns: Floats) -> Floats:
    """Return the weighted sum of each column, (k,), independent of the other columns.

    A matrix product may add the terms of a column in another order if there are more columns.
    """
    return np.array([weights @ column for column in np.ascontiguousarray(columns.T)])


def _weights(n: int, weights: Sequence[float] | Floats | None) -> Floats:
    if weights is None:
        return np.ones(n)
    try:
        array = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ParameterError(
            where="Design", found="weights that are not numbers", expected="weights of 0 or more"
        ) from error
    _check_length(n, array.shape, "weights")
    if not (np.isfinite(array).all() and (array >= 0.0).all()):
        raise ParameterError(
            where="Design",
            found="a weight that is negative or not finite",
            expected="weights of 0 or more",
        )
    return array


def _codes(n: int, labels: Labels | None, what: str) -> npt.NDArray[np.intp] | None:
    """Return labels as numbers from 0, in order of first appearance."""
    if labels is None:
        return None
    _check_length(n, (len(labels),), what)
    codes: dict[Hashable, int] = {}
    # Convert NumPy's scalars to Python's, so that equal labels have one number.
    plain = labels.tolist() if isinstance(labels, np.ndarray) else labels
    return np.array([codes.setdefault(label, len(codes)) for label in plain], np.intp)


def _check_length(n: int, shape: tuple[int, ...], what: str) -> None:
    if shape != (n,):
        raise ParameterError(
            where="Design",
            found=f"{what} of shape {shape}",
            expected=f"one for each of {n} queries",
        )


# Sums of the same numbers in another order differ by rounding errors, so a resample within this
# tolerance of the observed value is treated as equal to it. Relative to the sum of absolute values.
TOLERANCE = 1e-12


def flip_sums(
    contributions: Floats, *, resamples: int, seed: int = 0, threads: int | None = None
) -> Floats:
    """Return sums of the contributions of units, (units,), each with a random sign."""
    check(resamples, seed)
    sums = np.empty(resamples)
    numbers = np.ascontiguousarray(contributions)
    _kernel.flip_sums(
        numbers, sums, seed=seed, threads=thread_count(threads), progress=report_function()
    )
    return sums


def permutation_ranges(
    rows: Floats, *, resamples: int, seed: int = 0, threads: int | None = None
) -> Floats:
    """Return the range of the sums of columns, the numbers of each row, (k,), in random order."""
    check(resamples, seed)
    ranges = np.empty(resamples)
    by_row = np.ascontiguousarray(rows).reshape(-1)
    _kernel.permutation_ranges(
        by_row,
        rows.shape[1],
        ranges,
        seed=seed,
        threads=thread_count(threads),
        progress=report_function(),
    )
    return ranges


def bootstrap_means(
    contributions: Floats,
    shares: Floats,
    sizes: Sequence[int],
    *,
    resamples: int,
    seed: int = 0,
    threads: int | None = None,
) -> Floats:
    """Return bootstrap means of units, which are resampled within each stratum.

    `sizes` are the numbers of units of the strata, whose units are contiguous. A mean is the mean
    over the strata of sum(contributions) / sum(shares).
    """
    check(resamples, seed)
    means = np.empty(resamples)
    _kernel.bootstrap_means(
        np.ascontiguousarray(contributions),
        np.ascontiguousarray(shares),
        list(sizes),
        means,
        seed=seed,
        threads=thread_count(threads),
        progress=report_function(),
    )
    return means


def all_flip_sums(contributions: Floats) -> Floats:
    """Return the sums for all 2^units choices of signs; the observed one is the first."""
    sums = np.zeros(1)
    for contribution in contributions:
        sums = np.concatenate([sums + contribution, sums - contribution])
    return sums


def count_flip_sums(contributions: Floats, least: float) -> int:
    """Return how many of all 2^units choices of signs have a sum of ``least`` or more.

    Looks up sums of one half of the units in the sorted sums of the other half, which is faster
    than adding up 2^units sums.
    """
    half = len(contributions) // 2
    first, second = all_flip_sums(contributions[:half]), all_flip_sums(contributions[half:])
    second.sort()
    return int((len(second) - np.searchsorted(second, least - first)).sum())


def check(resamples: int, seed: int) -> None:
    """Raise a `ParameterError` unless resamples is at least 1 and the seed fits in 64 bits."""
    if resamples < 1:
        raise ParameterError(
            where="resamples", found=repr(resamples), expected="a number of 1 or more"
        )
    SEED.check(seed)
