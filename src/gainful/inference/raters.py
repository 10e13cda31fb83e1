"""Inter-annotator agreement of people or models who graded the same items.

Both coefficients compare the observed disagreement with the disagreement expected by chance: 1 is
perfect agreement, 0 is chance agreement, and below 0 is worse than chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, sqrt

import numpy as np

from gainful.errors import ParameterError
from gainful.inference.interval import quantile
from gainful.keywords import suggest_keywords
from gainful.vocabulary import KAPPA_WEIGHTS, SCALES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

    Places = NDArray[np.intp]

__all__ = [
    "FEWEST_CLUSTERS",
    "alpha_interval",
    "kappa_difference_interval",
    "kappa_interval",
    "krippendorff_alpha",
    "weighted_kappa",
]


@suggest_keywords
def weighted_kappa(
    first: ArrayLike,
    second: ArrayLike,
    *,
    weights: str = "quadratic",
    item_weights: ArrayLike | None = None,
) -> float | None:
    """Return Cohen's weighted kappa of two raters.

    Parameters
    ----------
    first, second : array_like of float, shape (n,)
        The grades of n items by each rater, in the same order. Items that one rater did not grade
        (NaN) are left out.
    weights : {"quadratic", "linear", "none"}
        The weight of a disagreement: the squared distance between the two grades, the distance, or
        1.
    item_weights : array_like of float, shape (n,), optional
        The weight of each item, 0 or more. Default: equal weights.

    Returns
    -------
    float or None
        At most 1; ``None`` if not defined: no item was graded by both, or both gave the same single
        grade to all items.

    Raises
    ------
    ParameterError
        If the lengths differ, a grade is infinite, or the weights are unknown.

    Notes
    -----
    1 - sum(w o) / sum(w e), over all pairs of grades: o is the share of items with this pair, e the
    product of the shares of items to which each rater gave the grade, and w the weight. Distances
    are computed from the grades; scikit-learn computes them from the positions in the list of
    grades in use, which is the same if grades are consecutive integers. J.
    Cohen: Weighted kappa: nominal scale agreement with provision for scaled disagreement or partial
    credit. Psychological Bulletin 70(4), 1968.

    Examples
    --------
    >>> round(weighted_kappa([0, 1, 2, 3, 3], [0, 1, 3, 3, 2]), 4)
    0.8529
    >>> weighted_kappa([1, 1], [1, 1]) is None
    True
    """
    check_choice("weights", weights, KAPPA_WEIGHTS)
    pairs = graded_pairs(first, second, item_weights=item_weights)
    return defined(kappas(pairs, pairs.whole(), weights))


@suggest_keywords
def krippendorff_alpha(
    ratings: ArrayLike, *, scale: str = "ordinal", item_weights: ArrayLike | None = None
) -> float | None:
    """Return Krippendorff's alpha: the agreement of any number of raters, gaps allowed.

    Parameters
    ----------
    ratings : array_like of float, shape (n, k)
        One row per item, one column for each of k raters, and NaN for missing grades. Items with
        fewer than two grades are left out.
    scale : {"ordinal", "interval", "nominal"}
        The distance between two grades: the number of given grades between them, their difference,
        or the same for any two.
    item_weights : array_like of float, shape (n,), optional
        The weight of each item, 0 or more. Only the ratios matter. Default: equal weights.

    Returns
    -------
    float or None
        At most 1; ``None`` if not defined: no item was graded twice, or all such items got the same
        grade.

    Raises
    ------
    ParameterError
        If the ratings are not a table, a grade is infinite, or the scale is unknown.

    Notes
    -----
    1 - D_o / D_e. An item with m grades adds 1 / (m - 1) to the coincidence o(c, k) for each
    ordered pair of its grades; n(c) is the sum of o(c, k) over k, and n the total. D_o = sum of
    o(c, k) d(c, k) / n, D_e = sum of n(c) n(k) d(c, k) / (n (n - 1)), and the differences d are

    - nominal: 1 where c and k differ,
    - interval: (c - k)^2,
    - ordinal: (n(c) / 2 + the n(g) of all grades g between + n(k) / 2)^2.

    K. Krippendorff: Computing Krippendorff's alpha-reliability. University of Pennsylvania, 2011.

    Examples
    --------
    >>> from math import nan
    >>> ratings = [[1, 1, nan], [2, 2, 3], [3, 3, 3], [nan, 4, 4], [nan, 1, nan]]
    >>> round(krippendorff_alpha(ratings), 4)
    0.8934
    >>> round(krippendorff_alpha(ratings, scale="nominal"), 4)
    0.75
    """
    check_choice("scale", scale, SCALES)
    pairs = coincidences(ratings, item_weights=item_weights)
    return defined(alphas(pairs, pairs.whole(), scale))


# --- pairs of grades by cluster -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GradePairs:
    """The counts of pairs of grades, by cluster.

    A cell is a pair of grades that occurs. Entries have the weight of a cell in a cluster: a dense
    table of cells and clusters would mostly be zeros.
    """

    grades: Floats
    one: Places  # of each cell, the place of its first grade in `grades`
    two: Places  # and of its second
    cluster: Places  # of each entry
    cell: Places
    amount: Floats
    clusters: int

    def whole(self) -> Floats:
        """Return the total weight of each cell, as a table of one row."""
        counted = np.zeros((1, len(self.one)))
        np.add.at(counted[0], self.cell, self.amount)
        return counted

    def of_clusters(self, start: int, stop: int) -> Floats:
        """Return the weights of cells in some of the clusters, (stop - start, cells)."""
        table = np.zeros((stop - start, len(self.one)))
        first, last = np.searchsorted(self.cluster, (start, stop))
        table[self.cluster[first:last] - start, self.cell[first:last]] = self.amount[first:last]
        return table


def graded_pairs(
    first: ArrayLike,
    second: ArrayLike,
    clusters: Sequence[Hashable] | None = None,
    item_weights: ArrayLike | None = None,
) -> GradePairs:
    """Return the grades of two raters for the same items."""
    one, two = _numbers("first", first, 1), _numbers("second", second, 1)
    if len(one) != len(two):
        raise ParameterError(
            where="first and second",
            found=f"{len(one)} and {len(two)} grades",
            expected="equal numbers of both",
        )
    complete = ~(np.isnan(one) | np.isnan(two))
    of = _places(clusters, len(one))[complete]
    grades, places = np.unique(np.concatenate([one[complete], two[complete]]), return_inverse=True)
    left, right = places[: complete.sum()], places[complete.sum() :]
    return _gathered(grades, left, right, of, _amounts(item_weights, complete))


def coincidences(
    ratings: ArrayLike,
    clusters: Sequence[Hashable] | None = None,
    item_weights: ArrayLike | None = None,
) -> GradePairs:
    """Return the coincidences of a table of items and raters, with (k, c) counted as (c, k).

    Examples
    --------
    >>> pairs = coincidences([[1, 1], [1, 2], [2, 2]])
    >>> pairs.grades.tolist(), pairs.one.tolist(), pairs.two.tolist(), pairs.whole().tolist()
    ([1.0, 2.0], [0, 0, 1], [0, 1, 1], [[2.0, 1.0, 2.0]])
    """
    table = _numbers("ratings", ratings, 2)
    of = _places(clusters, len(table))
    complete = (~np.isnan(table)).sum(axis=1) >= 2
    table, of, weight = table[complete], of[complete], _amounts(item_weights, complete)
    grades, flat = np.unique(table, return_inverse=True)
    # NaN is the last unique value.
    missing = len(grades) - 1 if len(grades) and np.isnan(grades[-1]) else len(grades)
    places = flat.reshape(table.shape)
    share = weight / ((places != missing).sum(axis=1) - 1.0)
    lefts, rights, clustered, amounts = [], [], [], []
    for index in range(table.shape[1]):
        for other in range(index + 1, table.shape[1]):
            both = (places[:, index] != missing) & (places[:, other] != missing)
            left, right = places[both, index], places[both, other]
            lefts.append(np.minimum(left, right))
            rights.append(np.maximum(left, right))
            clustered.append(of[both])
            # A pair of equal grades is two ordered pairs in the same cell.
            amounts.append(share[both] * np.where(left == right, 2.0, 1.0))
    if not lefts:
        nothing = np.zeros(0, dtype=np.intp)
        lefts, rights, clustered, amounts = [nothing], [nothing], [nothing], [np.zeros(0)]
    return _gathered(
        grades[:missing],
        np.concatenate(lefts),
        np.concatenate(rights),
        np.concatenate(clustered),
        np.concatenate(amounts),
    )


def _amounts(item_weights: ArrayLike | None, complete: NDArray[np.bool_]) -> Floats:
    """Return the weights of complete items, scaled to a mean of 1."""
    number = int(complete.sum())
    if item_weights is None:
        return np.ones(number)
    weights = _numbers("item_weights", item_weights, 1)
    if len(weights) != len(complete) or not (weights >= 0.0).all():
        few = f"{len(weights)} numbers" if len(weights) != len(complete) else ""
        raise ParameterError(
            where="item_weights",
            found=few or "a weight below 0",
            expected=f"a weight of 0 or more for each of {len(complete)} items",
        )
    kept: Floats = weights[complete]
    return kept * (number / total) if (total := kept.sum()) else kept


def _gathered(grades: Floats, one: Places, two: Places, of: Places, amount: Floats) -> GradePairs:
    """Add up entries of the same cell and cluster."""
    cells, cell = np.unique(one * max(len(grades), 1) + two, return_inverse=True)
    known, cluster = np.unique(of, return_inverse=True)
    entries, entry = np.unique(cluster * max(len(cells), 1) + cell, return_inverse=True)
    amounts = np.zeros(len(entries))
    np.add.at(amounts, entry, amount)
    return GradePairs(
        grades=grades,
        one=cells // max(len(grades), 1),
        two=cells % max(len(grades), 1),
        cluster=entries // max(len(cells), 1),
        cell=entries % max(len(cells), 1),
        amount=amounts,
        clusters=len(known),
    )


# --- the coefficients of many tables of counts at once ------------------------------------------


def kappas(pairs: GradePairs, counts: Floats, weights: str) -> Floats:
    """Return kappa of each row of counts of the cells; NaN where it is not defined."""
    size = len(pairs.grades)
    distance = np.abs(pairs.grades[:, np.newaxis] - pairs.grades[np.newaxis, :])
    differs = (distance > 0).astype(float)
    cost = {"none": differs, "linear": distance, "quadratic": distance**2}[weights]
    rows, columns = (_margin(counts, side, size) for side in (pairs.one, pairs.two))
    observed = counts @ cost[pairs.one, pairs.two] * counts.sum(axis=1)
    expected = np.einsum("ri,ij,rj->r", rows, cost, columns, optimize=True)
    return _one_less(observed, expected)


def alphas(pairs: GradePairs, counts: Floats, scale: str) -> Floats:
    """Return alpha of each row of counts of the cells; NaN where it is not defined."""
    unequal = pairs.one != pairs.two
    frequencies = _margin(counts, pairs.one, len(pairs.grades))
    frequencies += _margin(counts[:, unequal], pairs.two[unequal], len(pairs.grades))
    total = frequencies.sum(axis=1)
    if scale == "nominal":
        observed = 2.0 * counts[:, unequal].sum(axis=1)
        expected = total**2 - (frequencies**2).sum(axis=1)
    else:
        # Positions of the grades on a line: d is the squared distance of two positions.
        if scale == "ordinal":
            line = np.cumsum(frequencies, axis=1) - frequencies / 2
        else:
            line = np.broadcast_to(pairs.grades, frequencies.shape)
        distance = line[:, pairs.one[unequal]] - line[:, pairs.two[unequal]]
        observed = 2.0 * (counts[:, unequal] * distance**2).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            middle = (frequencies * line).sum(axis=1) / total
        expected = 2.0 * total * (frequencies * (line - middle[:, np.newaxis]) ** 2).sum(axis=1)
    return _one_less(observed * (total - 1.0), expected)


def _margin(counts: Floats, side: Places, size: int) -> Floats:
    """Sum the columns of cells with the same grade."""
    share = np.zeros((counts.shape[1], size))
    share[np.arange(len(side)), side] = 1.0
    return counts @ share


def _one_less(observed: Floats, expected: Floats) -> Floats:
    p_values = np.full(len(observed), np.nan)
    known = expected > 0
    p_values[known] = 1.0 - observed[known] / expected[known]
    return p_values


# --- arguments ----------------------------------------------------------------------------------


def defined(found: Floats) -> float | None:
    """Return the only number of an array; ``None`` for NaN."""
    return float(found[0]) if found[0] == found[0] else None


def check_choice(name: str, value: str, known: Sequence[str]) -> None:
    """Raise a `ParameterError` for a value that is not among the known ones."""
    if value not in known:
        raise ParameterError(where=name, found=repr(value), expected=f"one of {', '.join(known)}")


def _numbers(name: str, values: ArrayLike, dimensions: int) -> Floats:
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(
            where=name, found="an array that is not numeric", expected="grades, NaN for none"
        ) from None
    if numbers.size == 0:
        numbers = numbers.reshape((0,) * dimensions)
    if numbers.ndim != dimensions:
        shape = "one row per item and one column per rater" if dimensions == 2 else "one row"
        raise ParameterError(
            where=name, found=f"an array of {numbers.ndim} dimensions", expected=shape
        )
    if np.isinf(numbers).any():
        raise ParameterError(where=name, found="an infinite grade", expected="finite grades")
    return numbers


def _places(clusters: Sequence[Hashable] | None, n: int) -> Places:
    """Return the index of each item's cluster; by default each item is a cluster."""
    if clusters is None:
        return np.arange(n)
    if len(clusters) != n:
        raise ParameterError(
            where="clusters", found=f"{len(clusters)} labels", expected=f"one for each of {n}"
        )
    known: dict[Hashable, int] = {}
    return np.fromiter((known.setdefault(cluster, len(known)) for cluster in clusters), np.intp, n)


#: With fewer clusters, no interval is computed. Chosen by simulation (docs/evidence).
FEWEST_CLUSTERS = 5
#: The most numbers in memory, in a table of clusters and cells.
_ROOM = 1_000_000


@suggest_keywords
def kappa_interval(
    first: ArrayLike,
    second: ArrayLike,
    *,
    weights: str = "quadratic",
    item_weights: ArrayLike | None = None,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
) -> tuple[float, float] | None:
    """Return a jackknife interval for Cohen's weighted kappa.

    Parameters
    ----------
    first, second, weights, item_weights
        As for `weighted_kappa`.
    clusters, level
        As for `alpha_interval`.

    Returns
    -------
    tuple of float or None
        Lower and upper end; ``None`` as for `alpha_interval`.

    Raises
    ------
    ParameterError
        As for `weighted_kappa` and `alpha_interval`.

    Examples
    --------
    >>> low, high = kappa_interval([0, 1, 2, 3, 3, 0, 0, 2] * 5, [0, 1, 3, 3, 2, 0, 1, 2] * 5)
    >>> round(low, 3), round(high, 3)
    (0.781, 0.915)
    """
    check_choice("weights", weights, KAPPA_WEIGHTS)
    pairs = graded_pairs(first, second, clusters, item_weights)
    return _interval(_kappas(pairs, weights), level)


@suggest_keywords
def alpha_interval(
    ratings: ArrayLike,
    *,
    scale: str = "ordinal",
    item_weights: ArrayLike | None = None,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
) -> tuple[float, float] | None:
    """Return a jackknife interval for Krippendorff's alpha.

    It covers the sampling of items, not of raters: other items graded by the same raters.

    Parameters
    ----------
    ratings, scale, item_weights
        As for `krippendorff_alpha`.
    clusters : sequence, optional
        The cluster of each item, such as the query of a document. Default: items are independent.
    level : float, default 0.95
        The confidence level.

    Returns
    -------
    tuple of float or None
        Lower and upper end, -1 or more; ``None`` if the grades do not support an interval: fewer
        than `FEWEST_CLUSTERS` clusters have an item graded twice, or without one of the clusters
        the coefficient is not defined or agreement is perfect.

    Raises
    ------
    ParameterError
        As for `krippendorff_alpha`; if the level is not between 0 and 1, or the number of cluster
        labels is not the number of items.

    Notes
    -----
    With z = log(1 - alpha), and z_c the same without cluster c, the standard error of z over n
    clusters is sqrt((n - 1) / n * sum((z_c - mean z_c)^2)). The interval of z uses Student's t with
    n - 1 degrees of freedom; its ends are transformed back. 1 - alpha is a ratio of disagreements,
    whose logarithm is closer to normal. J. W. Tukey: Bias and confidence in not quite large
    samples. Annals of Mathematical Statistics 29, 1958. With few clusters a bootstrap interval is
    too short. `docs/evidence.md` has the coverage.

    Examples
    --------
    >>> ratings = [[0, 0], [1, 1], [2, 3], [3, 3], [0, 1], [3, 2]] * 5
    >>> low, high = alpha_interval(ratings)
    >>> low < 0.8 < high
    True
    >>> alpha_interval(ratings, clusters=["q1", "q2"] * 15) is None
    True
    """
    check_choice("scale", scale, SCALES)
    pairs = coincidences(ratings, clusters, item_weights)
    values = _whole_and_without(pairs, lambda counts: alphas(pairs, counts, scale))
    return _interval(values, level)


def kappa_difference_interval(
    truth: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    weights: str,
    clusters: Sequence[Hashable],
    level: float,
) -> tuple[float, float] | None:
    """Return the jackknife interval of kappa of truth and first minus that of truth and second."""
    left, right = (
        _kappas(graded_pairs(truth, grades, clusters), weights) for grades in (first, second)
    )
    if left is None or right is None:
        return None
    difference = float(left[0] - right[0])
    half = _half_width(left[1:] - right[1:], level)
    return difference - half, difference + half


def _interval(values: Floats | None, level: float) -> tuple[float, float] | None:
    if not 0.0 < level < 1.0:
        raise ParameterError(where="level", found=repr(level), expected="between 0 and 1")
    if values is None:
        return None
    logarithms = np.log(1.0 - values)
    half = _half_width(logarithms[1:], level)
    # No coefficient is below -1, and a larger number may exceed 64-bit floats.
    upper = min(float(logarithms[0]) + half, log(2.0))
    return 1.0 - exp(upper), 1.0 - exp(float(logarithms[0]) - half)


def _kappas(pairs: GradePairs, weights: str) -> Floats | None:
    return _whole_and_without(pairs, lambda counts: kappas(pairs, counts, weights))


def _whole_and_without(
    pairs: GradePairs, coefficients: Callable[[Floats], Floats]
) -> Floats | None:
    """Return the coefficient, then those without one of the clusters; None if one says nothing."""
    n = pairs.clusters
    if n < FEWEST_CLUSTERS:
        return None
    whole = pairs.whole()
    step = max(1, _ROOM // len(pairs.one))
    tables = (whole - pairs.of_clusters(start, min(start + step, n)) for start in range(0, n, step))
    values = np.concatenate([coefficients(table) for table in (whole, *tables)])
    # Rounding may leave a disagreement above 0 where none is.
    return values if (values < 1.0 - 1e-12).all() else None


def _half_width(values: Floats, level: float) -> float:
    """Return half the width of an interval from the n values without one of n clusters."""
    n = len(values)
    error = sqrt((n - 1) / n * float(((values - values.mean()) ** 2).sum()))
    return -quantile((1.0 - level) / 2, n - 1) * error
