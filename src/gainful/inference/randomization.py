"""Randomization tests, of one difference or of many at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from gainful.errors import ParameterError
from gainful.inference.design import (
    TOLERANCE,
    Design,
    Floats,
    all_flip_sums,
    check,
    count_flip_sums,
    design_for,
    differences_of,
    flip_sums,
    permutation_ranges,
)
from gainful.inference.paired import Alternative, check_alternative
from gainful.inference.skewness import ALONE, FAMILY, Columns
from gainful.keywords import suggest_keywords
from gainful.progress import report_steps

# Up to this number of units, all 2^units choices of signs (a million) are enumerated.
EXACT_UP_TO = 20


class RandomizationTest(NamedTuple):
    """The p-value of a randomization test, the number of resamples, and whether it is exact."""

    p: float
    resamples: int
    exact: bool


@suggest_keywords
def randomization_test(
    differences: npt.ArrayLike,
    design: Design | None = None,
    *,
    alternative: Alternative = "two-sided",
    resamples: int = 100_000,
    seed: int = 0,
    threads: int | None = None,
) -> RandomizationTest:
    """Return Fisher's randomization test of whether two systems are exchangeable.

    Under the null hypothesis, each difference (the sum of each cluster) could have had the other
    sign with the same probability. The p-value is the share of choices of signs whose mean is at
    least as extreme as the observed mean.

    Parameters
    ----------
    differences : array_like, shape (n,)
        The differences; finite.
    design : Design, optional
        Weights, clusters and strata. Default: equal weights, independent queries.
    alternative : {"two-sided", "greater", "less"}
        The alternative hypothesis: the mean differs from 0, is above 0, or is below 0.
    resamples : int, default 100,000
        Number of random choices of signs. Not used if all choices are enumerated.
    seed : int, default 0
        The random seed. Results do not depend on the number of threads.
    threads : int, optional
        Number of threads. Default: ``GAINFUL_THREADS``, or all cores.

    Returns
    -------
    RandomizationTest
        ``exact`` is true if at most 20 units have a contribution other than 0: then all choices of
        their signs are enumerated, and p is the share of extreme ones. Otherwise p =
        (b + 1) / (resamples + 1) with b extreme random choices, so p is never 0. If all differences
        are 0, p = 1.

    Raises
    ------
    ParameterError
        If there is no difference, one is not finite, or another argument has an invalid value.

    Notes
    -----
    Sums within 1e-12 of the observed sum, relative to the sum of the absolute contributions, are
    treated as equal to it, because the order of additions changes them. R. A. Fisher: The Design of
    Experiments, 1935, section 21; M. D. Smucker, J. Allan, B. Carterette: A comparison of
    statistical significance tests for information retrieval evaluation. CIKM 2007.

    Examples
    --------
    Four differences of one sign: of the 16 choices of signs, two are as far out.

    >>> randomization_test([0.1, 0.3, 0.2, 0.2])
    RandomizationTest(p=0.125, resamples=16, exact=True)
    """
    array = differences_of(differences, "randomization_test")
    check_alternative(alternative)
    check(resamples, seed)
    contributions = design_for(array, design).contributions(array)[:, 0]

    def drawn(moved: Floats) -> Floats:
        return flip_sums(moved, resamples=resamples, seed=seed, threads=threads)

    return flipped(contributions, drawn, alternative)


def corrected_test(
    differences: Floats,
    design: Design,
    *,
    draw: Callable[[Floats], Floats],
) -> tuple[RandomizationTest, float]:
    """Return the two-sided test of finite differences, and its p corrected for skewness.

    `draw` returns sums of contributions under random signs. The corrected p is the share of choices
    of signs that are at least as extreme as the corrected statistic of `max_t`, so it is that of
    `max_t` for a single column.
    """
    contributions = design.contributions(differences)
    columns = Columns(
        [(contributions, design.unit_shares()[:, None])], design.stratum_of_unit, ALONE
    )
    moved = _that_count(contributions[:, 0])
    sums = abs(draw(moved)) if len(moved) > EXACT_UP_TO else moved
    test, corrected = (
        known if isinstance(known, RandomizationTest) else _by_drawn(sums, known)
        for known in known_or_least(moved, float(columns.ratio[0]))
    )
    return test, max(test.p, corrected.p, float(columns.student_p()[0]))


def flipped(
    contributions: Floats, draw: Callable[[Floats], Floats], alternative: Alternative
) -> RandomizationTest:
    """Test contributions of units; `draw` returns sums of some of them under random signs."""
    moved = _that_count(contributions)
    if alternative == "two-sided":
        known, _ = known_or_least(moved)
        return known if isinstance(known, RandomizationTest) else _by_drawn(abs(draw(moved)), known)
    # Flipping all signs flips the sign of the sum.
    sign = 1.0 if alternative == "greater" else -1.0
    least = sign * float(moved.sum()) - TOLERANCE * float(abs(moved).sum())
    if len(moved) > EXACT_UP_TO:
        return _by_drawn(sign * draw(moved), least)
    choices = 1 << len(moved)
    return RandomizationTest(count_flip_sums(moved, least) / choices, choices, True)


def known_or_least(
    contributions: Floats, ratio: float = 1.0
) -> tuple[RandomizationTest | float, RandomizationTest | float]:
    """Return the exact two-sided tests of the observed sum and `ratio` times it.

    If more than a few units are not 0, return the least absolute sums under random signs that are
    as extreme.
    """
    moved = _that_count(contributions)
    total, tolerance = float(moved.sum()), TOLERANCE * float(abs(moved).sum())
    observed, corrected = abs(total) - tolerance, abs(ratio * total) - tolerance
    if len(moved) > EXACT_UP_TO:
        return observed, corrected
    test = _by_enumeration(moved, observed)
    return test, test if ratio == 1.0 else _by_enumeration(moved, corrected)


def _by_enumeration(moved: Floats, least: float) -> RandomizationTest:
    choices = 1 << len(moved)
    # By symmetry, as many sums are extreme below as above; all are if the observed sum is 0.
    count = 2 * count_flip_sums(moved, least) if least > 0.0 else choices
    return RandomizationTest(count / choices, choices, True)


def _that_count(contributions: Floats) -> Floats:
    moved: Floats = contributions[contributions != 0.0]
    return moved


def _by_drawn(statistics: Floats, least: float) -> RandomizationTest:
    resamples = len(statistics)
    extreme = int(np.count_nonzero(statistics >= least))
    return RandomizationTest((extreme + 1) / (resamples + 1), resamples, False)


@suggest_keywords
def randomization_bound(
    differences: npt.ArrayLike,
    design: Design | None = None,
    *,
    side: Literal["lower", "upper"] = "lower",
    level: float = 0.95,
    resamples: int = 100_000,
    seed: int = 0,
    threads: int | None = None,
) -> float:
    """Return a one-sided bound for the mean difference, from the randomization test.

    The lower bound is the smallest shift that, subtracted from all differences, makes the test
    against a mean above 0 not significant at 1 - ``level``.

    Parameters
    ----------
    differences, design, resamples, seed, threads
        As in `randomization_test`; all choices of signs are enumerated for up to 20 units.
    side : {"lower", "upper"}
        Which bound.
    level : float, default 0.95
        The one-sided confidence level.

    Returns
    -------
    float
        The bound; infinite if there are too few units to reject any hypothesis.

    Raises
    ------
    ParameterError
        As `randomization_test`; if ``side`` is unknown or ``level`` is not between 0 and 1.

    Notes
    -----
    With F the units whose sign is flipped, the sum is at least as extreme under a shift by s if and
    only if s is at least the mean over F. So the bound is an order statistic of means of random
    subsets. J. A.
    Hartigan: Using subsample values as typical values. JASA 64(328), 1969.

    Examples
    --------
    With five queries, of 32 choices of signs, at most one may be as far out: the bound is the
    least mean of a subset, and that is the least difference.

    >>> round(randomization_bound([0.1, 0.3, 0.2, 0.2, 0.4]), 12)
    0.1
    >>> randomization_bound([0.1, 0.3, 0.2])
    -inf
    """
    array = differences_of(differences, "randomization_bound")
    check(resamples, seed)
    if side not in ("lower", "upper"):
        raise ParameterError(where="side", found=repr(side), expected="lower or upper")
    alpha = significance(level)
    if side == "upper":
        array = -array
    design = design_for(array, design)
    contributions, shares = design.contributions(array)[:, 0], design.unit_shares()
    if design.units <= EXACT_UP_TO:
        # The first choice flips no sign, so it is as extreme as the observed one for every shift.
        sums, counts = all_flip_sums(contributions)[1:], all_flip_sums(shares)[1:]
        allowed = threshold(alpha, len(sums) + 1)
    else:
        sums = flip_sums(contributions, resamples=resamples, seed=seed, threads=threads)
        counts = flip_sums(shares, resamples=resamples, seed=seed, threads=threads)
        allowed = threshold(alpha, resamples + 1)
    if allowed == 0:
        return -inf if side == "lower" else inf
    changed = float(shares.sum()) - counts
    with np.errstate(divide="ignore", invalid="ignore"):
        means = (float(contributions.sum()) - sums) / changed
    # If no sign is flipped, the sum is as extreme for every shift.
    means[changed < TOLERANCE] = -inf
    bound = float(np.partition(means, allowed - 1)[allowed - 1])
    # Rounding may move the mean of a subset outside the range of the values.
    bound = bound if bound == -inf else min(max(bound, float(array.min())), float(array.max()))
    return bound if side == "lower" else -bound


def significance(level: float) -> float:
    """Return 1 - level, without rounding error: .05 for .95."""
    if not 0.0 < level < 1.0:
        raise ParameterError(where="level", found=repr(level), expected="a number between 0 and 1")
    return round(1.0 - level, 12)


def threshold(alpha: float, choices: int) -> int:
    """Return how many of the choices, including the observed one, may be as extreme."""
    # In floating point .07 * 100 is above 7, and .29 * 100 below 29.
    return int(alpha * choices + 1e-9)


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


@suggest_keywords
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


@suggest_keywords
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
                statistics = moved[:, column] / scales[column]
                if exact:
                    sums = all_flip_sums(statistics)
                else:
                    sums = flip_sums(statistics, resamples=resamples, seed=seed, threads=threads)
                np.maximum(maxima, abs(sums), out=maxima)
            counts[column] = np.count_nonzero(maxima >= observed[column])
        return maxima, counts

    strength = FAMILY if np.count_nonzero(scales) > 1 else ALONE
    columns = Columns([(contributions, shares)], design.stratum_of_unit, strength)
    ends = limits_of(limits, array.shape[1], "max_t")
    steps = step_down(columns, reached, alpha, ends, exact=exact)
    empty = np.isnan(array).all(axis=0)
    for column in steps:
        column[empty] = np.nan
    return steps


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
    p = columns.student_p((counts + added) / (choices + added))
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
