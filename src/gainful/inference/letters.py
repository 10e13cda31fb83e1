"""Several systems at once: a test of equal means, ranks, and letters that group them."""

from __future__ import annotations

from string import ascii_letters

import numpy as np
import numpy.typing as npt

from gainful.errors import ParameterError
from gainful.inference.design import Design, Floats, Labels, check, design_for
from gainful.keywords import suggest_keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Mask = npt.NDArray[np.bool_]

__all__ = ["compact_letters", "equal_means_test", "rank_intervals"]


#: Statistics of equal groupings differ by rounding errors.
_TOLERANCE = 1e-9
#: The most labels that are permuted, and sums that are computed, at a time.
_BLOCK = 2_000_000


@suggest_keywords
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


def rank_intervals(
    systems: Sequence[str], better: Iterable[tuple[str, str]]
) -> dict[str, tuple[int, int]]:
    """Return the range of ranks of each system that the data do not exclude.

    Parameters
    ----------
    systems : sequence of str
        All systems.
    better : iterable of (str, str)
        The significant differences between all pairs of them, the better system first, from tests
        or simultaneous intervals that control the family-wise error rate over all pairs.

    Returns
    -------
    dict of str to (int, int)
        The lowest and the highest possible rank of each system, from 1 to the number of systems.

    Notes
    -----
    The true rank of a system is 1 + the number of systems with a higher true mean. The interval is
    from 1 + the number of systems that are significantly better to the number of systems that are
    not significantly worse, itself included. If no difference is reported with the wrong sign,
    which has a probability of at least 1 - alpha, all intervals contain the true ranks at once.
    They then contain all ranks of systems whose true means are equal. The systems whose interval
    begins with 1 are tied for first: the set contains the best system with the same probability.
    M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm: Inference for ranks with applications to
    mobility across neighbourhoods and academic achievement across countries. Review of Economic
    Studies 91(1), 2024.

    Examples
    --------
    >>> rank_intervals("abcd", [("a", "c"), ("a", "d"), ("b", "d")])
    {'a': (1, 2), 'b': (1, 3), 'c': (2, 4), 'd': (3, 4)}
    """
    above = dict.fromkeys(systems, 0)
    below = dict.fromkeys(systems, 0)
    for winner, loser in better:
        below[winner] += 1
        above[loser] += 1
    return {system: (1 + above[system], len(above) - below[system]) for system in systems}


def compact_letters(
    systems: Sequence[str],
    means: Mapping[str, float],
    different: Iterable[tuple[str, str]],
) -> dict[str, str]:
    """Return letters for systems; two share one unless they differ significantly.

    Whether systems differ significantly is not transitive: a may differ from c while b differs from
    neither. Then b has the letters of both.

    Notes
    -----
    The clique-growing heuristic of J. Gramm, J. Guo, F. Hüffner, R. Niedermeier, H.-P. Piepho, R.
    Schmid: Algorithms for compact letter displays: comparison and evaluation. Computational
    Statistics & Data Analysis 52(2), 2007. The smallest number of letters is NP-hard to find, and
    the columns of the insert-and-absorb algorithm can double with each pair. Here there are at most
    as many letters as pairs without a significant difference, and the time is polynomial.

    Examples
    --------
    >>> compact_letters("abc", {"a": 0.5, "b": 0.4, "c": 0.3}, [("a", "c")])
    {'a': 'a', 'b': 'ab', 'c': 'b'}
    >>> compact_letters("ab", {"a": 0.5, "b": 0.5}, [])
    {'a': 'a', 'b': 'a'}
    """
    order = sorted(systems, key=lambda system: -means[system])
    place = {system: index for index, system in enumerate(order)}
    similar = np.ones((len(order), len(order)), dtype=np.bool_)
    for one, two in different:
        similar[place[one], place[two]] = similar[place[two], place[one]] = False
    columns = sorted(_remove_redundant(_cliques(similar), len(order)))
    letters = dict.fromkeys(order, "")
    for number, column in enumerate(columns):
        for row_number in column:
            letters[order[row_number]] += _letter(number)
    return {system: letters[system] for system in systems}


def _cliques(similar: Mask) -> list[list[int]]:
    """Return sets without significant differences that cover all pairs without one."""
    left = similar.copy()
    cliques = []
    for first in range(len(similar)):
        while left[first, first:].any():
            # A system that differs from all others is a set of its own.
            pair = first, first + int(left[first, first:].nonzero()[0][-1])
            members = _grow(similar, left, pair)
            left[np.ix_(members, members)] = False
            cliques.append(members.tolist())
    return cliques


def _grow(similar: Mask, left: Mask, pair: tuple[int, int]) -> npt.NDArray[np.intp]:
    """Grow a pair to a maximal set, first by the systems that cover most remaining pairs."""
    members = np.zeros(len(similar), dtype=np.bool_)
    members[list(pair)] = True
    candidates = similar[pair[0]] & similar[pair[1]] & ~members
    while candidates.any():
        # Count the remaining pairs that a candidate covers; the first candidate wins ties.
        covered = left[:, members].sum(axis=1)
        chosen = int(np.argmax(np.where(candidates, covered, -1)))
        members[chosen] = True
        candidates &= similar[chosen]
        candidates[chosen] = False
    return members.nonzero()[0]


def _remove_redundant(cliques: list[list[int]], size: int) -> list[list[int]]:
    """Remove redundant sets, all of whose pairs share another letter, the smallest first."""
    shared = np.zeros((size, size), dtype=np.int64)
    for clique in cliques:
        shared[np.ix_(clique, clique)] += 1
    remaining = list(cliques)
    for clique in sorted(cliques, key=len):
        block = np.ix_(clique, clique)
        if (shared[block] > 1).all():
            shared[block] -= 1
            remaining.remove(clique)
    return remaining


def _letter(number: int) -> str:
    around, place = divmod(number, len(ascii_letters))
    return ascii_letters[place] + (str(around) if around else "")
