"""Bootstrap confidence intervals of inter-annotator agreement."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gainful.errors import ParameterError
from gainful.inference.raters import (
    SCALES,
    WEIGHTS,
    GradePairs,
    alphas,
    check_choice,
    coincidences,
    graded_pairs,
    kappas,
)
from gainful.progress import report_steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from numpy.typing import ArrayLike

    from gainful.inference.raters import Floats

__all__ = ["alpha_interval", "kappa_interval"]

#: The most numbers in memory, in the table of clusters and cells and in the table of resamples.
_ROOM = 1_000_000


def kappa_interval(
    first: ArrayLike,
    second: ArrayLike,
    *,
    weights: str = "quadratic",
    item_weights: ArrayLike | None = None,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = 9_999,
    seed: int = 0,
) -> tuple[float, float] | None:
    """Return a percentile bootstrap interval for Cohen's weighted kappa.

    Parameters
    ----------
    first, second, weights, item_weights
        As for `weighted_kappa`.
    clusters, level, resamples, seed
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
    >>> low < 0.8535 < high
    True
    """
    check_choice("weights", weights, WEIGHTS)
    pairs = graded_pairs(first, second, clusters, item_weights)
    return _interval(pairs, lambda counts: kappas(pairs, counts, weights), level, resamples, seed)


def alpha_interval(
    ratings: ArrayLike,
    *,
    scale: str = "ordinal",
    item_weights: ArrayLike | None = None,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = 9_999,
    seed: int = 0,
) -> tuple[float, float] | None:
    """Return a percentile bootstrap interval for Krippendorff's alpha.

    It covers the sampling of items, not of raters: other items graded by the same raters.

    Parameters
    ----------
    ratings, scale, item_weights
        As for `krippendorff_alpha`.
    clusters : sequence, optional
        The cluster of each item, such as the query of a document. Clusters are resampled as units.
        Default: items are independent.
    level : float, default 0.95
        The confidence level.
    resamples : int, default 9,999
        The number of resamples of the clusters, with replacement.
    seed : int, default 0
        The random seed.

    Returns
    -------
    tuple of float or None
        Lower and upper end; ``None`` if the coefficient is not defined, also if this is so for half
        of the resamples, and for fewer than two clusters with an item graded twice.

    Raises
    ------
    ParameterError
        As for `krippendorff_alpha`; if the level is not between 0 and 1, there is less than 1
        resample, or the number of cluster labels is not the number of items.

    Notes
    -----
    Clusters without an item graded twice are not resampled. Resamples in which the coefficient is
    not defined are not counted. Intervals from resampled items have the nominal coverage: A. Zapf,
    S. Castell, L. Morawietz, A. Karch: Measuring inter-rater reliability for nominal data: which
    coefficients and confidence intervals are appropriate? BMC Medical Research Methodology 16,
    2016. Krippendorff's own bootstrap draws single disagreements and keeps the expected
    disagreement fixed, as if grades of one item were independent.

    Examples
    --------
    >>> ratings = [[0, 0], [1, 1], [2, 3], [3, 3], [0, 1], [3, 2]] * 5
    >>> low, high = alpha_interval(ratings)
    >>> low < 0.8 < high
    True
    """
    check_choice("scale", scale, SCALES)
    pairs = coincidences(ratings, clusters, item_weights)
    return _interval(pairs, lambda counts: alphas(pairs, counts, scale), level, resamples, seed)


def _interval(
    pairs: GradePairs,
    coefficients: Callable[[Floats], Floats],
    level: float,
    resamples: int,
    seed: int,
) -> tuple[float, float] | None:
    if not 0.0 < level < 1.0:
        raise ParameterError(where="level", found=repr(level), expected="between 0 and 1")
    if resamples < 1:
        raise ParameterError(where="resamples", found=repr(resamples), expected="1 or more")
    if pairs.clusters < 2 or np.isnan(coefficients(pairs.whole())[0]):
        return None
    rng = np.random.default_rng(seed)
    found = np.concatenate([coefficients(drawn) for drawn in _resample(pairs, resamples, rng)])
    found = found[~np.isnan(found)]
    if 2 * len(found) <= resamples:
        return None
    low, high = np.quantile(found, [(1.0 - level) / 2, (1.0 + level) / 2])
    return float(low), float(high)


def _resample(pairs: GradePairs, resamples: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Yield counts of the cells in resamples of the clusters, some resamples at a time."""
    kinds = _group_equal_clusters(pairs)
    n, cells = len(kinds), len(pairs.one)
    share = np.array([often for often, _ in kinds]) / pairs.clusters
    step = max(1, _ROOM // max(n, cells))
    width = max(1, _ROOM // cells)
    for start in report_steps(range(0, resamples, step)):
        size = min(step, resamples - start)
        drawn = rng.multinomial(pairs.clusters, share, size=size).astype(np.float64)
        counts = np.zeros((size, cells))
        for at in range(0, n, width):
            some = kinds[at : at + width]
            block = np.zeros((len(some), cells))
            for row, (_, entries) in zip(block, some, strict=True):
                row[pairs.cell[entries]] = pairs.amount[entries]
            counts += drawn[:, at : at + width] @ block
        yield counts


def _group_equal_clusters(pairs: GradePairs) -> list[tuple[int, slice]]:
    """Group equal clusters: return the size of each group, and the entries of one member.

    Single documents form only a few groups. Drawing the number of documents from each group is
    equivalent to drawing the documents, and faster.
    """
    ends = np.searchsorted(pairs.cluster, np.arange(pairs.clusters + 1)).tolist()
    kinds: dict[tuple[bytes, bytes], tuple[int, slice]] = {}
    for begin, end in pairwise(ends):
        entries = slice(begin, end)
        content = pairs.cell[entries].tobytes(), pairs.amount[entries].tobytes()
        often, first = kinds.get(content, (0, entries))
        kinds[content] = often + 1, first
    return list(kinds.values())
