"""Simultaneous tests and confidence intervals for many systems or measures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gainful.errors import ParameterError
from gainful.inference.design import Design, Floats, design_for
from gainful.inference.randomization import EXACT_UP_TO, significance, threshold
from gainful.inference.resampling import (
    TOLERANCE,
    all_flip_sums,
    check,
    flip_sums,
    permutation_ranges,
)
from gainful.inference.skewness import ALONE, FAMILY, Columns
from gainful.progress import report_steps

Counts = npt.NDArray[np.intp]

# The rounding error of a sum of flipped differences, relative to their scale.
_ROUNDING = 1e-10


class RandomizedTukey(NamedTuple):
    """Randomized Tukey HSD: p-values of all pairs, (m, m), and the half-width of their intervals.

    The p-value of a pair is at most 1 - level exactly if its difference is larger than
    ``half_width``.
    """

    p: Floats
    half_width: float
    resamples: int


class MaxT(NamedTuple):
    """Max-T: p-values of columns, (k,), and the bounds of their simultaneous intervals.

    If the interval of a column excludes 0, its p-value is at most 1 - level. The p-values are
    stepwise, so they can be that low for further columns. For the pairs of m systems
    (`max_t_pairs`) all three have shape (m, m).
    """

    p: Floats
    low: Floats
    high: Floats


def randomized_tukey(
    values: npt.ArrayLike,
    design: Design | None = None,
    *,
    level: float = 0.95,
    resamples: int = 100_000,
    seed: int = 0,
    threads: int | None = None,
) -> RandomizedTukey:
    """Return the randomized Tukey HSD test of all pairs of systems.

    Under the null hypothesis all systems are exchangeable, so the scores of each query (the sums of
    each cluster) could be assigned to the systems in any order. The p-value of a pair is the share
    of random assignments in which the best and the worst system differ by at least as much as this
    pair. For exchangeable systems, the family-wise error rate is at most alpha for any number of
    systems. Equal means are not sufficient for exchangeability: see `max_t_pairs`.

    Parameters
    ----------
    values : array_like, shape (n, m)
        Scores of m systems, 2 or more, on n queries; finite.
    design : Design, optional
        Weights, clusters and strata. Default: equal weights, independent queries.
    level : float, default 0.95
        1 - alpha, for ``half_width``.
    resamples : int, default 100,000
        Number of random assignments.
    seed : int, default 0
        The random seed. Results do not depend on the number of threads.
    threads : int, optional
        Number of threads. Default: ``GAINFUL_THREADS``, or all cores.

    Returns
    -------
    RandomizedTukey
        ``p`` (m, m), symmetric with 1 on the diagonal, ``half_width`` and ``resamples``. The
        half-width is infinite if no p-value can be as low as alpha: with fewer resamples than
        1 / alpha - 1, or with too few queries.

    Raises
    ------
    ParameterError
        If the values are not an array of finite numbers of this shape, or another argument has an
        invalid value.

    Notes
    -----
    p = (1 + #{R >= abs(difference)}) / (resamples + 1), with R the range of the systems' means
    under one assignment. B. Carterette: Multiple testing in statistical analysis of systems-based
    information retrieval experiments. ACM TOIS 30(1), 2012.

    Examples
    --------
    >>> scores = [[0.2, 0.4, 0.21], [0.5, 0.6, 0.5], [0.1, 0.4, 0.1], [0.3, 0.5, 0.32],
    ...           [0.4, 0.7, 0.4], [0.6, 0.8, 0.59], [0.2, 0.3, 0.2], [0.7, 0.9, 0.7]]
    >>> found = randomized_tukey(scores, resamples=10_000)
    >>> (found.p <= 0.05).tolist()
    [[False, True, False], [True, False, True], [False, True, False]]
    """
    array = scores_of(values, "randomized_tukey")
    if not np.isfinite(array).all():
        raise ParameterError(
            where="randomized_tukey",
            found="a score that is not finite",
            expected="finite scores",
            hint="leave out the queries that were not scored by all systems",
        )
    alpha = significance(level)
    check(resamples, seed)
    design = design_for(array, design)
    rows = centred(design.contributions(array))
    ranges = permutation_ranges(rows, resamples=resamples, seed=seed, threads=threads)
    ranges += TOLERANCE * float(abs(rows).max(axis=1).sum())
    ranges.sort()
    p, half_width = judged(ranges, all_differences(design.mean(array)), alpha, exact=False)
    np.fill_diagonal(p, 1.0)
    return RandomizedTukey(p, half_width, resamples)


def scores_of(values: npt.ArrayLike, where: str) -> Floats:
    """Return scores as an (n, m) array with m >= 2; raise a `ParameterError` for other shapes."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] < 2 or not array.shape[0]:
        raise ParameterError(
            where=where,
            found=f"values of shape {array.shape}",
            expected="one row per query and one column per system, with two systems or more",
        )
    return array


def centred(rows: Floats) -> Floats:
    """Subtract each row's mean: a large effect of the query would cost precision."""
    less: Floats = rows - rows.mean(axis=1, keepdims=True)
    return less


def all_differences(means: Floats) -> Floats:
    """Return the absolute differences of all pairs, (m, m)."""
    differences: Floats = abs(means[:, None] - means[None, :])
    return differences


def max_t(
    differences: npt.ArrayLike,
    design: Design | None = None,
    *,
    level: float = 0.95,
    resamples: int = 100_000,
    seed: int = 0,
    threads: int | None = None,
    limits: npt.ArrayLike | None = None,
) -> MaxT:
    """Return max-T tests and simultaneous intervals for the means of several columns.

    A column contains the differences of one pair of systems in one measure. Each query (or cluster)
    gets the same random sign in all columns, which preserves the correlation between columns: the
    higher the correlation, the smaller the correction.

    Parameters
    ----------
    differences : array_like, shape (n, k)
        The differences, one column per pair and measure. NaN means that one of the two systems has
        no score for the query, which is then left out of the column.
    design : Design, optional
        Weights, clusters and strata. Default: equal weights, independent queries.
    level : float, default 0.95
        The simultaneous confidence level.
    resamples, seed, threads
        As in `randomized_tukey`. With at most 20 units other than 0, all choices of signs are
        enumerated instead.
    limits : array_like, shape (2,) or (2, k), optional
        The lowest and the highest possible difference: -1 and 1 for nDCG. Intervals end there.

    Returns
    -------
    MaxT
        ``p``, ``low`` and ``high``, (k,) each. For a column of zeros, p = 1. For a column without
        queries, all three are NaN. Intervals are infinite if there are too few units to reject any
        hypothesis; without limits also if all differences are equal.

    Raises
    ------
    ParameterError
        If the differences are not an array of this shape, one is infinite, or another argument has
        an invalid value.

    Notes
    -----
    The statistic of a column is u = abs(sum(c)) / sqrt(sum(c^2)) over the contributions c of units,
    an increasing function of Student's t: t^2 = (n - 1) u^2 / (n - u^2) for n unweighted,
    independent queries. Random signs give the distribution of the maximum of u over columns. Step
    down: p is (1 + #{max over this and all less significant columns of u under random signs >= v})
    / (resamples + 1), or the share of all choices of signs, and at least the p of each more
    significant column. P. H. Westfall, S. S. Young: Resampling-Based Multiple Testing. Wiley 1993.

    v is the observed u, corrected for skewed and sparse differences, to which sign flips do not
    apply. If the skewness of the sample, where it exceeds two standard errors of that of normal
    samples, makes a result less significant by Hall's transformation of t, it does. With several
    columns, whose tests are further in the tail, it is 1.5 times the whole skewness, and sum(c^2)
    gains a third of the largest squared deviation from the mean. The transformation divides t by at
    most 1.4. No p is below that of Student's t. With strata, deviations are from their means. P.
    Hall: On the removal of skewness by transformation. Journal of the Royal Statistical Society B
    54(1), 1992.

    The interval contains all shifts s that the corrected test of c - s w, with w the shares of
    units in the mean, does not reject at the critical value of all columns. For n unweighted,
    independent queries without skewness, it is mean -/+ t* s / sqrt(n). If all differences are
    equal, it is as wide as a share of 1 - (alpha / (2 k))^(1 / n) of queries at the limits could
    make it.

    Examples
    --------
    >>> columns = [[0.1, 0.0], [0.3, 0.1], [0.0, -0.1], [0.2, 0.1], [0.2, -0.1], [0.1, 0.0],
    ...            [0.4, 0.1], [0.1, -0.1]]
    >>> found = max_t(columns, resamples=10_000)
    >>> (found.p <= 0.05).tolist()
    [True, False]
    >>> bool(found.low[0] > 0), bool(found.low[1] < 0 < found.high[1])
    (True, True)
    """
    array = np.asarray(differences, dtype=np.float64)
    if array.ndim != 2 or not array.size:
        raise ParameterError(
            where="max_t",
            found=f"differences of shape {array.shape}",
            expected="one row per query and one column per pair",
        )
    if np.isinf(array).any():
        raise ParameterError(
            where="max_t",
            found="an infinite difference",
            expected="finite differences, or NaN where a query was not scored by both",
        )
    alpha = significance(level)
    check(resamples, seed)
    design = design_for(array, design)
    contributions, shares = _columns(array, design)
    moved = contributions[(contributions != 0.0).any(axis=1)]
    scales = np.sqrt((moved**2).sum(axis=0))
    exact = len(moved) <= EXACT_UP_TO

    choices = 1 << len(moved) if exact else resamples

    def reached(observed: Floats, ascending: Sequence[int]) -> tuple[Floats, Counts]:
        maxima, counts = np.zeros(choices), np.zeros(len(observed), np.intp)
        for column in report_steps(ascending):
            if scales[column] > 0.0:
                own = moved[:, column] / scales[column]
                if exact:
                    sums = all_flip_sums(own)
                else:
                    sums = flip_sums(own, resamples=resamples, seed=seed, threads=threads)
                np.maximum(maxima, abs(sums), out=maxima)
            counts[column] = np.count_nonzero(maxima >= observed[column])
        return maxima, counts

    strength = FAMILY if np.count_nonzero(scales) > 1 else ALONE
    columns = Columns([(contributions, shares)], design.stratum_of_unit, strength)
    ends = limits_of(limits, array.shape[1], "max_t")
    found = step_down(columns, reached, alpha, ends, exact=exact)
    empty = np.isnan(array).all(axis=0)
    for column in found:
        column[empty] = np.nan
    return found


def _columns(array: Floats, design: Design) -> tuple[Floats, Floats]:
    """Return contributions and shares of units, (units, k), each column by its own queries."""
    absent = np.isnan(array)
    if not absent.any():
        contributions = design.contributions(array)
        return contributions, np.repeat(design.unit_shares()[:, None], array.shape[1], axis=1)
    pairs = [
        _column(array[:, column], absent[:, column], design) for column in range(array.shape[1])
    ]
    return (
        np.column_stack([contributions for contributions, _ in pairs]),
        np.column_stack([shares for _, shares in pairs]),
    )


def _column(values: Floats, absent: npt.NDArray[np.bool_], design: Design) -> tuple[Floats, Floats]:
    shares = design.shares_without(absent)
    present = np.where(absent, 0.0, values)
    sums = design.gather(np.column_stack([shares * present, shares]))
    return sums[:, 0], sums[:, 1]


def limits_of(limits: npt.ArrayLike | None, columns: int, where: str) -> Floats:
    """Return the lowest and the highest possible differences of columns, (2, k)."""
    ends = np.array([-inf, inf] if limits is None else limits, dtype=np.float64)
    if ends.shape not in {(2,), (2, columns)} or not (ends[0] <= ends[1]).all():
        raise ParameterError(
            where=f"{where}: limits",
            found=repr(limits),
            expected="the lowest and the highest possible difference",
        )
    return np.broadcast_to(ends.reshape(2, -1), (2, columns))


def step_down(
    columns: Columns,
    reached: Callable[[Floats, Sequence[int]], tuple[Floats, Counts]],
    alpha: float,
    limits: Floats,
    *,
    exact: bool,
) -> MaxT:
    """Return stepwise p-values and simultaneous intervals of columns.

    `reached` takes the observed statistics, and the columns ascending by them. It returns the
    maxima of the statistics of all columns under the choices of signs, and for each column how many
    of the maxima, over the columns up to it, are at least its observed statistic.
    """
    # Treat values that differ only by rounding as equal to the observed one.
    observed = columns.observed - _ROUNDING * np.maximum(columns.observed, 1.0)
    ascending = np.argsort(observed, kind="stable")
    maxima, counts = reached(observed, ascending.tolist())
    choices = len(maxima)
    added = 0 if exact else 1
    p: Floats = np.maximum((counts + added) / (choices + added), columns.p)
    p[ascending[::-1]] = np.maximum.accumulate(p[ascending[::-1]])
    maxima.sort()
    critical = judged(maxima, observed, alpha, exact=exact)[1]
    low, high = columns.bounds(critical, alpha, limits)
    # An end that is 0 except for rounding errors must agree with the p-value.
    rejected = p <= alpha
    low = np.where(~rejected & (low > 0.0), 0.0, low)
    high = np.where(~rejected & (high < 0.0), 0.0, high)
    return MaxT(p, low, high)


def judged(
    ascending: Floats, observed: Floats, alpha: float, *, exact: bool
) -> tuple[Floats, float]:
    """Return p-values, and the critical value, above which p is at most alpha.

    With `exact`, all choices were enumerated, including the observed one; otherwise the observed
    one is added. The critical value is infinite if no p-value can be as low as alpha.
    """
    count = len(ascending) - np.searchsorted(ascending, observed)
    added = 0 if exact else 1
    choices = len(ascending) + added
    p: Floats = (count + added) / choices
    allowed = threshold(alpha, choices) - added
    if allowed < 0:
        return p, inf
    critical = float(ascending[-allowed - 1])
    # With so few units, too many choices tie at the maximum to reject any hypothesis.
    too_few_units = (
        not exact and allowed > 0 and critical >= float(ascending[-1]) * (1.0 - TOLERANCE) > 0.0
    )
    return p, inf if too_few_units and float(p.min()) > alpha else critical
