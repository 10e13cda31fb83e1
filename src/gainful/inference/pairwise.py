"""Corrected comparisons of all pairs of systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from gainful import _kernel
from gainful.errors import ParameterError
from gainful.inference.design import (
    TOLERANCE,
    Design,
    Floats,
    check,
    design_for,
    permutation_ranges,
)
from gainful.inference.randomization import (
    Counts,
    MaxT,
    RandomizedTukey,
    all_differences,
    centred,
    judged,
    limits_of,
    scores_of,
    significance,
    step_down,
)
from gainful.inference.skewness import ALONE, FAMILY, Columns
from gainful.keywords import suggest_keywords
from gainful.progress import report_function
from gainful.threads import thread_count


@suggest_keywords
def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values to control the family-wise error rate.

    Valid for tests with any dependence.

    Parameters
    ----------
    p_values : sequence of float
        The p-values of one family, from 0 to 1.

    Returns
    -------
    list of float
        Adjusted, in the order given: reject those up to alpha.

    Raises
    ------
    ParameterError
        If one is not from 0 to 1.

    Notes
    -----
    The k-th smallest of M becomes the running maximum of min(1, (M - k + 1) p). S. Holm: A simple
    sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6(2), 1979.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = _ascending(p_values)
    adjusted = [0.0] * len(order)
    largest = 0.0
    for position, index in enumerate(order):
        largest = max(largest, min((len(order) - position) * p_values[index], 1.0))
        adjusted[index] = largest
    return adjusted


@suggest_keywords
def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values to control the false discovery rate.

    Valid for independent or positively dependent tests.

    Parameters
    ----------
    p_values : sequence of float
        The p-values of one family, from 0 to 1.

    Returns
    -------
    list of float
        Adjusted, in the order given: reject those up to alpha.

    Raises
    ------
    ParameterError
        If one is not from 0 to 1.

    Notes
    -----
    The k-th smallest of M becomes the running minimum, from the largest, of min(1, M p / k). Y.
    Benjamini, Y. Hochberg: Controlling the false discovery rate. Journal of the Royal Statistical
    Society B 57(1), 1995.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    order = _ascending(p_values)
    adjusted = [0.0] * len(order)
    smallest = 1.0
    for position in range(len(order), 0, -1):
        index = order[position - 1]
        smallest = min(smallest, len(order) * p_values[index] / position)
        adjusted[index] = smallest
    return adjusted


def _ascending(p_values: Sequence[float]) -> list[int]:
    for p in p_values:
        if not 0.0 <= p <= 1.0:
            raise ParameterError(found=f"p={p!r}", expected="p-values from 0 to 1")
    return sorted(range(len(p_values)), key=lambda index: p_values[index])


Indices = npt.NDArray[np.int64]


def step_down_maxima(
    contributions: Floats,
    pairs: Indices,
    scales: Floats,
    observed: Floats,
    direct: npt.NDArray[np.bool_],
    *,
    choices: int,
    seed: int | None,
    threads: int | None,
) -> tuple[Floats, Indices]:
    """Return maxima of statistics of all pairs, and how many of them reach the observed ones."""
    maxima, counts = np.empty(choices), np.empty(len(pairs), np.int64)
    _kernel.step_down_pairs(
        _columns(contributions),
        contributions.shape[1],
        _pairs(pairs),
        np.ascontiguousarray(scales),
        np.ascontiguousarray(observed),
        direct.astype(np.int64),
        maxima,
        counts,
        seed=seed,
        threads=thread_count(threads),
        progress=report_function(),
    )
    return maxima, counts


def count_far_sums(
    contributions: Floats,
    pairs: Indices,
    least: Floats,
    *,
    resamples: int,
    seed: int,
    threads: int | None,
) -> Indices:
    """Return how many sums of differences with random signs have an absolute value of `least`.

    `least` and the result have shape (k, 2): two values for each pair.
    """
    counts = np.empty((len(pairs), 2), np.int64)
    _kernel.count_far_pairs(
        _columns(contributions),
        contributions.shape[1],
        _pairs(pairs),
        np.ascontiguousarray(least).reshape(-1),
        counts.reshape(-1),
        resamples=resamples,
        seed=seed,
        threads=thread_count(threads),
        progress=report_function(),
    )
    return counts


def count_outside(drawn: Floats, pairs: Indices, bounds: Floats, *, threads: int | None) -> Indices:
    """Return how many differences are below the first and above the second of `bounds`, (k, 2).

    `drawn` has shape (resamples, columns).
    """
    counts = np.empty((len(pairs), 2), np.int64)
    _kernel.count_pairs_outside(
        _columns(drawn),
        drawn.shape[1],
        _pairs(pairs),
        np.ascontiguousarray(bounds).reshape(-1),
        counts.reshape(-1),
        threads=thread_count(threads),
        progress=report_function(),
    )
    return counts


def quantiles(drawn: Floats, pairs: Indices, levels: Floats, *, threads: int | None) -> Floats:
    """Return two quantiles of the differences of each pair, at ascending `levels`, (k, 2).

    They are interpolated linearly, as by `numpy.quantile`.
    """
    last = len(drawn) - 1
    places = levels * last
    before = np.minimum(np.floor(places).astype(np.int64), last)
    ranks = np.stack([before, np.minimum(before + 1, last)], axis=-1)
    values = np.empty(ranks.shape)
    _kernel.order_statistics_of_pairs(
        _columns(drawn),
        drawn.shape[1],
        _pairs(pairs),
        ranks.reshape(-1),
        values.reshape(-1),
        threads=thread_count(threads),
        progress=report_function(),
    )
    low, high = values[..., 0], values[..., 1]
    share = places - before
    step = high - low
    # As NumPy does, from the nearer end.
    nearer: Floats = np.where(share < 0.5, low + step * share, high - step * (1.0 - share))
    return nearer


def _columns(table: Floats) -> Floats:
    """Return a table as one column after another."""
    return np.ascontiguousarray(table.T).reshape(-1)


def _pairs(pairs: Indices) -> Indices:
    return np.ascontiguousarray(pairs, np.int64).reshape(-1)


@suggest_keywords
def joint_tukey(
    tables: Sequence[npt.ArrayLike],
    design: Design | None = None,
    *,
    level: float = 0.95,
    resamples: int = 100_000,
    seed: int = 0,
    threads: int | None = None,
) -> list[RandomizedTukey]:
    """Return randomized Tukey HSD tests of all pairs of systems, in several tables at once.

    A table contains the scores in one measure, or on one segment of the queries. The scores of a
    query are permuted in the same way in all tables, which preserves the correlation between
    tables: the higher the correlation, the smaller the correction. For exchangeable systems, the
    family-wise error rate over all tables is at most alpha. `max_t_pairs` has weaker assumptions.

    Parameters
    ----------
    tables : sequence of array_like, each of shape (n, m)
        Scores of the same m systems on the same n queries, in the same order. A row of NaN means
        that the query is not in the table.
    design : Design, optional
        Weights, clusters and strata of the n queries. Default: equal weights, independent queries.
    level, resamples, seed, threads
        As in `randomized_tukey`.

    Returns
    -------
    list of RandomizedTukey
        One for each table. For a table without queries, p and half-width are NaN.

    Raises
    ------
    ParameterError
        If there are no tables, their shapes differ, a row is neither finite nor all NaN, or another
        argument has an invalid value.

    Notes
    -----
    The range R of the means of the systems is divided by a scale of its table, which permutations
    do not change: the root of the sum of squares of the centered contributions. p =
    (1 + #{max over tables of R / scale >= abs(difference) / scale}) / (resamples + 1): single-step
    max-T of P. H. Westfall, S. S. Young: Resampling-Based Multiple Testing, Wiley 1993, with the
    statistic of B. Carterette: Multiple testing in statistical analysis of systems-based
    information retrieval experiments. ACM TOIS 30(1), 2012. One table gives `randomized_tukey`.

    Examples
    --------
    Two measures that say the same cost no more than one:

    >>> from gainful.inference import randomized_tukey
    >>> scores = [[0.2, 0.4], [0.5, 0.6], [0.1, 0.4], [0.3, 0.5], [0.4, 0.7], [0.6, 0.5]]
    >>> one = randomized_tukey(scores, resamples=9_999)
    >>> two = joint_tukey([scores, scores], resamples=9_999)
    >>> two[1].p.tolist() == one.p.tolist()
    True
    """
    arrays = tables_of(tables, "joint_tukey")
    alpha = significance(level)
    check(resamples, seed)
    design = design_for(arrays[0], design)
    maxima = np.zeros(resamples)
    tolerance = 0.0
    limits: list[tuple[Floats, float]] = []
    for array in arrays:
        means, rows, _ = contributions_of(array, design)
        scale = float((rows * rows).sum()) ** 0.5
        limits.append((all_differences(means), scale))
        if scale > 0.0:
            # The same seed permutes the same row of each table in the same way.
            ranges = permutation_ranges(rows, resamples=resamples, seed=seed, threads=threads)
            np.maximum(maxima, ranges / scale, out=maxima)
            tolerance = max(tolerance, float(abs(rows).max(axis=1).sum()) / scale)
    maxima += TOLERANCE * tolerance
    maxima.sort()
    return [_adjusted(maxima, *one, alpha, resamples) for one in limits]


def tables_of(tables: Sequence[npt.ArrayLike], where: str) -> list[Floats]:
    """Return tables as arrays of one shape; others are a `ParameterError`."""
    arrays = [scores_of(table, where) for table in tables]
    shapes = {array.shape for array in arrays}
    if len(shapes) != 1:
        raise ParameterError(
            where=where,
            found=f"{len(arrays)} tables of {len(shapes)} shapes",
            expected="tables of the same queries and systems",
        )
    for array in arrays:
        whole = np.isfinite(array).all(axis=1) | np.isnan(array).all(axis=1)
        if not whole.all():
            raise ParameterError(
                where=where,
                found="a query with scores for some systems only",
                expected="finite scores for all systems, or NaN for all",
            )
    return arrays


def contributions_of(array: Floats, design: Design) -> tuple[Floats, Floats, Floats]:
    """Return means, contributions and shares of a table, without queries that are NaN.

    These are the means of the systems, (m,), the centered contributions of units, (units, m), and
    the shares of units in the means, (units,).
    """
    absent = np.isnan(array[:, 0])
    if not absent.any():
        return design.mean(array), centred(design.contributions(array)), design.unit_shares()
    if absent.all():
        nothing = np.zeros((design.units, array.shape[1]))
        return np.full(array.shape[1], np.nan), nothing, nothing[:, 0]
    shares = design.shares_without(absent)[:, None]
    rows = design.gather(shares * np.where(absent[:, None], 0.0, array))
    return rows.sum(axis=0), centred(rows), design.gather(shares)[:, 0]


def _adjusted(
    maxima: Floats, differences: Floats, scale: float, alpha: float, resamples: int
) -> RandomizedTukey:
    if np.isnan(differences).all():
        return RandomizedTukey(differences, float("nan"), resamples)
    p, critical = judged(maxima, differences / (scale or 1.0), alpha, exact=False)
    np.fill_diagonal(p, 1.0)
    return RandomizedTukey(p, critical * scale if scale > 0.0 else 0.0, resamples)


# Differences up to this share of the scores are flipped directly: for nearly equal systems, the
# difference of their sums loses too many digits.
_NEAR = 1e-4
# The number of pairs whose differences are in memory at a time.
_BLOCK = 1_000


@suggest_keywords
def max_t_pairs(
    tables: Sequence[npt.ArrayLike],
    design: Design | None = None,
    *,
    level: float = 0.95,
    resamples: int = 100_000,
    seed: int = 0,
    threads: int | None = None,
    limits: Sequence[npt.ArrayLike | None] | None = None,
) -> list[MaxT]:
    """Return max-T tests of all pairs of systems, on one measure or several.

    A query gets the same random sign in all pairs, and each pair's statistic is scaled by the
    variance of its own differences. So a small difference between two variants of one system can
    be significant while the same difference between unrelated systems is not. Randomized Tukey HSD
    assumes exchangeable systems instead: for ten systems with equal means, nine of them variants of
    one system, its family-wise error rate is about 15% instead of 5%.

    Parameters
    ----------
    tables, design, level, resamples, seed, threads
        As in `joint_tukey`.
    limits : sequence of (array_like of shape (2,), or None), optional
        The lowest and the highest possible difference in each table, as in `max_t`.

    Returns
    -------
    list of MaxT
        One for each table, with p, low and high of shape (m, m): ``low[i, j]`` and ``high[i, j]``
        are the ends of the interval for the mean of system i minus the mean of system j. ``p`` is 1
        on the diagonal. All are NaN for a table without queries.

    Raises
    ------
    ParameterError
        As `joint_tukey`.

    Notes
    -----
    The result is that of `max_t` for all m (m - 1) / 2 columns of differences of all tables, but
    signs are drawn once per system instead of once per pair. All choices of signs are enumerated if
    there are at most ``resamples``. On why permuting all systems does not control the error rate if
    their variances differ, see J. P. Romano: On the behavior of randomization tests without a group
    invariance assumption. JASA 85(411), 1990; Y. Huang, H. Xu, V. Calian, J. C. Hsu: To permute or
    not to permute. Bioinformatics 22(18), 2006.

    Examples
    --------
    >>> scores = [[0.2, 0.4, 0.21], [0.5, 0.6, 0.5], [0.1, 0.4, 0.1], [0.3, 0.5, 0.32],
    ...           [0.4, 0.7, 0.4], [0.6, 0.8, 0.59], [0.2, 0.3, 0.2], [0.7, 0.9, 0.7]]
    >>> (found,) = max_t_pairs([scores], resamples=9_999)
    >>> (found.p <= 0.05).tolist()
    [[False, True, False], [True, False, True], [False, True, False]]
    >>> bool(found.low[1, 0] > 0)
    True
    """
    arrays = tables_of(tables, "max_t_pairs")
    alpha = significance(level)
    check(resamples, seed)
    design = design_for(arrays[0], design)
    # Enumerate all choices of signs if there are not more of them than resamples.
    exact = 1 << design.units <= resamples
    choices = 1 << design.units if exact else resamples

    ends = [None] * len(arrays) if limits is None else limits
    known = [_Table(array, design, possible) for array, possible in zip(arrays, ends, strict=True)]
    present = [table for table in known if table.pairs]
    if present:
        blocks = (block for table in present for block in table.blocks())
        starts = np.cumsum([0, *(len(table.pairs) for table in present)])
        contributions = np.hstack([table.rows for table in present])
        systems = np.cumsum([0, *(table.rows.shape[1] for table in present)])
        pairs = np.vstack(
            [
                np.array(table.pairs) + system
                for system, table in zip(systems, present, strict=False)
            ]
        )
        scales = np.concatenate([table.scales() for table in present])
        strength = FAMILY if np.count_nonzero(scales) > 1 else ALONE
        columns = Columns(blocks, design.stratum_of_unit, strength)
        sizes = abs(contributions).sum(axis=0)[pairs].max(axis=1)

        def reached(observed: Floats, ascending: Sequence[int]) -> tuple[Floats, Counts]:
            # All signs reach the 0 of equal systems.
            order = np.array([pair for pair in ascending if scales[pair] > 0.0], np.intp)
            counts = np.full(len(observed), choices)
            maxima, counts[order] = step_down_maxima(
                contributions,
                pairs[order],
                scales[order],
                observed[order],
                scales[order] <= _NEAR * sizes[order],
                choices=choices,
                seed=None if exact else seed,
                threads=threads,
            )
            return maxima, counts

        possible = np.hstack([table.limits for table in present])
        steps = step_down(columns, reached, alpha, possible, exact=exact)
        for start, table in zip(starts, present, strict=False):
            rows = slice(start, start + len(table.pairs))
            table.found = MaxT(*(step[rows] for step in steps))
    return [table.squares() for table in known]


class _Table:
    """The pairs of a table, and the contributions of its units."""

    def __init__(self, array: Floats, design: Design, limits: npt.ArrayLike | None) -> None:
        means, self.rows, self._shares = contributions_of(array, design)
        self._systems = len(means)
        self.pairs = [] if np.isnan(means).any() else list(combinations(range(len(means)), 2))
        self.limits = limits_of(limits, len(self.pairs), "max_t_pairs")
        self.found = MaxT(*(np.empty(0) for _ in range(3)))

    def blocks(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield the contributions of pairs and the shares of units, some pairs at a time."""
        for start in range(0, len(self.pairs), _BLOCK):
            one, two = np.array(self.pairs[start : start + _BLOCK]).T
            pairs = self.rows[:, one] - self.rows[:, two]
            yield pairs, np.broadcast_to(self._shares[:, None], pairs.shape)

    def scales(self) -> Floats:
        """Return the root of the sum of squared differences of each pair."""
        systems = np.ascontiguousarray(self.rows.T)
        squares = [
            differences @ differences
            for one, two in self.pairs
            for differences in (systems[one] - systems[two],)
        ]
        return np.sqrt(squares)

    def squares(self) -> MaxT:
        """Return p-values and intervals as (m, m)."""
        m = self._systems
        if not self.pairs:
            nothing = np.full((m, m), np.nan)
            return MaxT(nothing, nothing, nothing)
        one, two = np.array(self.pairs).T
        p, low, high = np.ones((m, m)), np.zeros((m, m)), np.zeros((m, m))
        p[one, two] = p[two, one] = self.found.p
        low[one, two], high[one, two] = self.found.low, self.found.high
        low[two, one], high[two, one] = -self.found.high, -self.found.low
        return MaxT(p, low, high)
