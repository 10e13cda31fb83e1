"""A permutation test of whether groups of queries have the same mean."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gainful.errors import ParameterError
from gainful.inference.design import Design, Floats, Labels, design_for
from gainful.inference.resampling import check

__all__ = ["equal_means_test"]

#: Statistics of equal groupings differ by rounding errors.
_TOLERANCE = 1e-9
#: The most labels that are permuted, and sums that are computed, at a time.
_BLOCK = 2_000_000


def equal_means_test(
    values: npt.ArrayLike,
    groups: Labels,
    design: Design | None = None,
    *,
    resamples: int = 5_000,
    seed: int = 0,
) -> list[float] | None:
    """Return p-values of the hypothesis that all groups have the same mean.

    Parameters
    ----------
    values : array_like, shape (n,) or (n, k)
        A value for each query, such as a difference of two systems, or k of them; finite.
    groups : sequence
        A label for each query, such as its slice.
    design : Design, optional
        Weights and clusters. Default: equal weights, independent queries.
    resamples : int, default 5,000
        Number of random permutations of the labels.
    seed : int, default 0
        The random seed.

    Returns
    -------
    list of float or None
        A p-value for each column, (b + 1) / (resamples + 1) with b extreme permutations. None if
        fewer than two groups have two queries or clusters, or if a cluster is in several groups.
        Smaller groups are left out.

    Raises
    ------
    ParameterError
        If the lengths differ, or another argument has an invalid value.

    Notes
    -----
    The statistic is Welch's: sum(w (m - g)^2) over groups, with m the mean of a group, w the
    reciprocal of its squared standard error, and g the mean of the m weighted by w. If values have
    the same distribution in all groups, the test is exact. Otherwise it is valid for many queries,
    because the statistic allows for unequal variances. B. L. Welch: On the comparison of several
    mean values. Biometrika 38, 1951; E. Chung, J. P. Romano: Exact and asymptotically robust
    permutation tests. Annals of Statistics 41(2), 2013. `docs/evidence.md` has the error rates.

    Examples
    --------
    >>> values = [0.1, 0.2, 0.1, 0.3, -0.2, -0.1, -0.2, 0.0]
    >>> [round(p, 2) for p in equal_means_test(values, "aaaabbbb")]
    [0.03]
    """
    check(resamples, seed)
    array = np.asarray(values, dtype=np.float64).reshape(len(groups), -1)
    design = design_for(array, design)
    if len(groups) != design.queries:
        raise ParameterError(
            where="equal_means_test",
            found=f"{len(groups)} groups",
            expected=f"one for each of {design.queries} queries",
        )
    names = list(dict.fromkeys(groups))
    members = np.array([[label == name for name in names] for label in groups], dtype=np.float64)
    units = design.gather(members) > 0.0
    if (units.sum(axis=1) > 1).any():
        return None
    units = units[:, units.sum(axis=0) > 1]
    counted = units.any(axis=1)
    if units.shape[1] < 2:
        return None
    labels = units[counted].argmax(axis=1)
    shares = design.unit_shares()[counted, None]
    sums = design.contributions(array)[counted]
    # Only deviations from a common mean count, so remove it and its rounding errors.
    sums = sums - shares * (sums.sum(axis=0) / shares.sum())
    sums[:, np.abs(sums).max(axis=0) <= 1e-12 * np.abs(array).max(axis=0)] = 0.0
    columns = np.hstack([shares, shares**2, sums, shares * sums, sums**2])
    observed = _statistics(labels[None], columns)[0]
    random = np.random.default_rng(seed)
    extreme = np.zeros(array.shape[1])
    size = max(1, _BLOCK // max(len(labels), columns.shape[1]))
    for start in range(0, resamples, size):
        orders = np.tile(labels, (min(size, resamples - start), 1))
        statistics = _statistics(random.permuted(orders, axis=1), columns)
        extreme += (statistics >= observed * (1 - _TOLERANCE) - _TOLERANCE).sum(axis=0)
    p: list[float] = ((extreme + 1) / (resamples + 1)).tolist()
    return p


def _statistics(labels: npt.NDArray[np.intp], columns: Floats) -> Floats:
    """Return Welch's statistic, (resamples, k), of rows of labels of units."""
    k = (columns.shape[1] - 2) // 3
    count = int(labels.max()) + 1
    # The variance of a group without any is tiny relative to that of all units.
    least = 1e-9 * columns[:, 2 + 2 * k :].mean(axis=0) + np.finfo(float).tiny
    means, weights = [], []
    for group in range(count):
        members = (labels == group).astype(np.float64)
        n = members[0].sum()
        sums = members @ columns
        shares, squares = sums[:, :1], sums[:, 1:2]
        totals, products, products_of_sums = np.split(sums[:, 2:], 3, axis=1)
        mean = totals / shares
        residuals = products_of_sums - 2 * mean * products + mean**2 * squares
        variances = np.maximum(residuals * n / (n - 1), least) / shares**2
        means.append(mean)
        weights.append(1.0 / variances)
    m, w = np.array(means), np.array(weights)
    center = (w * m).sum(axis=0) / w.sum(axis=0)
    statistics: Floats = (w * (m - center) ** 2).sum(axis=0)
    return statistics
