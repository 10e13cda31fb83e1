"""How similar two rankings are: correlations, rank-biased overlap, and their intervals."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate, groupby
from math import atanh, fsum, sqrt, tanh
from typing import NamedTuple

import numpy as np

from gainful.errors import ParameterError
from gainful.inference.design import Design
from gainful.inference.interval import check_level
from gainful.keywords import suggest_keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

__all__ = [
    "Spearman",
    "correlation_interval",
    "kendall_tau",
    "least_correlation",
    "rbo_ext",
    "spearman",
    "tau_ap",
    "tau_ap_b",
    "tie_groups",
]


@suggest_keywords
def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Kendall's tau-b between two orders of the same items, such as systems.

    1 means the same order, -1 the reverse order, and 0 that the orders are unrelated. Without ties,
    tau is the share of pairs in the same order minus the share in opposite order.

    Parameters
    ----------
    first, second : sequence of float
        The values of the same n items, in the same order; equal values are ties.

    Returns
    -------
    float or None
        From -1 to 1; ``None`` if not defined: for fewer than two items, if all values of one side
        are equal, or if any value is NaN.

    Raises
    ------
    ParameterError
        If the lengths differ.

    Notes
    -----
    (C - D) / sqrt((C + D + T1) * (C + D + T2)), with C the pairs in the same order in
    both, D those in opposite order, T1 and T2 those tied in the first or the second alone.
    M. G. Kendall: A new measure of rank correlation. Biometrika 30(1/2), 1938; with ties, M. G.
    Kendall: The treatment of ties in ranking problems. Biometrika 33(3), 1945. The computation
    takes O(n log n) time.

    Examples
    --------
    >>> kendall_tau([0.41, 0.39, 0.35], [0.52, 0.47, 0.48])
    0.3333333333333333
    >>> kendall_tau([1, 2, 3], [7, 7, 7]) is None
    True
    """
    check_lengths("kendall_tau", first, second)
    if any(value != value for value in (*first, *second)):
        return None
    pairs = len(first) * (len(first) - 1) // 2
    apart_first, apart_second = pairs - _ties(first), pairs - _ties(second)
    agreeing = sum(right for _, right in _counts_above(first, second))
    apart_both = apart_first + apart_second - pairs + _ties(zip(first, second, strict=True))
    balance = 2 * agreeing - apart_both
    if not apart_first or not apart_second:
        return None
    # The root of the product would be inexact for two identical orders.
    if apart_first == apart_second:
        return balance / apart_first
    return balance / sqrt(apart_first * apart_second)


@suggest_keywords
def tau_ap(truth: Sequence[float], estimate: Sequence[float]) -> float | None:
    """Return the AP correlation of an estimated order with the true one: tau-AP, top-heavy.

    Kendall's tau gives swaps at the bottom the same weight as swaps at the top. The AP correlation
    averages, over the items of the estimated order, the share of items above each that are above it
    in the true order too, so swaps at the top weigh most. It is not symmetric.

    Parameters
    ----------
    truth, estimate : sequence of float
        The true and the estimated values of the same n items, in the same order; larger values rank
        higher. The estimate may have ties, the truth may not.

    Returns
    -------
    float or None
        From -1 (the reverse order) to 1; 0 is the expected value of a random order. ``None`` for
        fewer than two items, or if any value is NaN.

    Raises
    ------
    ParameterError
        If the lengths differ, or the truth has ties; use `tau_ap_b` for ties.

    Notes
    -----
    2 / (n - 1) * sum over i = 2 ... n of C(i) / (i - 1), minus 1, with C(i) the number of items
    above rank i of the estimate that are above the item at rank i in the truth too. E. Yilmaz, J.
    A. Aslam, S. Robertson: A new rank correlation coefficient for information retrieval. SIGIR
    2008. With ties in the estimate it is the mean over all orders of tied items, tau-AP,a of J.
    Urbano, M. Marrero: The
    treatment of ties in AP correlation. ICTIR 2017.

    Examples
    --------
    A swap of the first two costs more than one of the last two:

    >>> tau_ap([4, 3, 2, 1], [3, 4, 2, 1]), round(tau_ap([4, 3, 2, 1], [4, 3, 1, 2]), 4)
    (0.33333333333333326, 0.7778)
    """
    check_lengths("tau_ap", truth, estimate)
    n = len(truth)
    if n < 2 or any(value != value for value in (*truth, *estimate)):
        return None
    if len(set(truth)) < n:
        raise ParameterError(
            where="tau_ap",
            found="ties in the truth",
            expected="a true order without ties",
            hint="tau_ap_b compares two orders with ties",
        )
    above, right = zip(*_counts_above(estimate, truth), strict=True)
    tied = Counter(above)
    # An item is equally likely at each rank of its group. Of k items of the group above it, half
    # are correctly above it, on average over the items of the group.
    agreeing = dict.fromkeys(above, 0)
    for rank, count in zip(above, right, strict=True):
        agreeing[rank] += count
    total = fsum(
        (agreeing[rank] + tied[rank] * k / 2) / (rank + k) / tied[rank]
        for rank in tied
        for k in range(not rank, tied[rank])
    )
    return 2.0 * total / (n - 1) - 1.0


@suggest_keywords
def tau_ap_b(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return the symmetric AP correlation of two orders, which may have ties: tau-AP,b.

    Neither order is the truth. Without ties it is the mean of `tau_ap` in both directions.

    Parameters
    ----------
    first, second : sequence of float
        The values of the same n items, in the same order; larger values rank higher, equal values
        are ties.

    Returns
    -------
    float or None
        From -1 to 1; ``None`` if not defined: for fewer than two items, if all values of one side
        are equal, or if any value is NaN.

    Raises
    ------
    ParameterError
        If the lengths differ.

    Notes
    -----
    tau-AP,b of J. Urbano, M. Marrero: The treatment of ties in AP correlation. ICTIR 2017. The mean
    over both directions of

        2 / (n - t) * sum over i of C(i) / (p(i) - 1), minus 1,

    where i are the items outside the topmost group of t tied items, p(i) - 1 is the number of items
    strictly above i, and C(i) the number of these that are strictly above i in the other order too.
    A pair that is tied in only one order does not count as agreement.

    Examples
    --------
    >>> round(tau_ap_b([0.41, 0.39, 0.35], [0.52, 0.47, 0.48]), 4)
    0.5
    >>> tau_ap_b([1, 1, 0], [2, 2, 1])
    1.0
    """
    check_lengths("tau_ap_b", first, second)
    if any(value != value for value in (*first, *second)):
        return None
    one, two = _down(first, second), _down(second, first)
    return None if one is None or two is None else (one + two) / 2.0


def _down(walked: Sequence[float], other: Sequence[float]) -> float | None:
    """Return the share of items above each item that the other order also has above it."""
    shares = [right / above for above, right in _counts_above(walked, other) if above]
    return 2.0 * fsum(shares) / len(shares) - 1.0 if shares else None


def _counts_above(walked: Sequence[float], other: Sequence[float]) -> list[tuple[int, int]]:
    """Return of each item how many are strictly above it, and how many of these in both orders."""
    level = {value: k for k, value in enumerate(sorted(set(other), reverse=True), 1)}
    # A Fenwick tree of the items that were walked, by their level in the other order.
    tree = [0] * (len(level) + 1)
    counts = [(0, 0)] * len(walked)
    above = 0
    order = sorted(range(len(walked)), key=walked.__getitem__, reverse=True)
    for _, group in groupby(order, walked.__getitem__):
        items = list(group)
        for i in items:
            right, node = 0, level[other[i]] - 1
            while node:
                right += tree[node]
                node &= node - 1
            counts[i] = (above, right)
        for i in items:
            node = level[other[i]]
            while node < len(tree):
                tree[node] += 1
                node += node & -node
        above += len(items)
    return counts


def _ties(values: Iterable[Hashable]) -> int:
    """Return the number of pairs of equal values."""
    return sum(count * (count - 1) // 2 for count in Counter(values).values())


def check_lengths(where: str, first: Sequence[float], second: Sequence[float]) -> None:
    """Raise a `ParameterError` unless both have the same length."""
    if len(first) != len(second):
        raise ParameterError(
            where=where,
            found=f"{len(first)} and {len(second)} values",
            expected="equal numbers of both",
        )


@suggest_keywords
def rbo_ext(
    first: Sequence[Hashable | Set[Hashable]],
    second: Sequence[Hashable | Set[Hashable]],
    p: float = 0.9,
) -> float:
    """Return the rank-biased overlap of two rankings, extrapolated beyond their ends.

    The rankings may have different lengths and items. RBO is the mean over all depths of the share
    of common items down to a depth, weighted by the probability that a reader reaches this depth.

    Parameters
    ----------
    first, second : sequence
        The rankings, best first. A set is a group of tied items.
    p : float, default 0.9
        The persistence: the probability that a reader continues to the next rank, between 0 and 1.
        The first 10 ranks have 86% of the weight with .9, and 99.99% with .5.

    Returns
    -------
    float
        From 0 (no common items) to 1. It is not corrected for chance: even two reverse rankings of
        the same n items have a high overlap, particularly for small n.

    Raises
    ------
    ParameterError
        If a ranking is empty or has a duplicate, or ``p`` is not between 0 and 1.

    Notes
    -----
    With s and l the shorter and the longer length and X_d the number of common items down to depth
    d, it is

        (1 - p) / p * (A + B) + ((X_l - X_s) / l + X_s / s) * p^l,

    where A is the sum over d = 1 ... l of X_d / d * p^d, and B the sum over d = s+1 ... l of
    X_s (d - s) / (s d) * p^d.
    W. Webber, A. Moffat, J. Zobel: A similarity measure for indefinite rankings. ACM TOIS 28(4),
    2010, equation 32. With ties it is the mean over all orders of tied items, RBO-a of M. Corsi, J.
    Urbano: The treatment of ties in rank-biased overlap. SIGIR 2024.

    Examples
    --------
    >>> round(rbo_ext(["a", "b", "c"], ["a", "c", "b"]), 4)
    0.955
    >>> round(rbo_ext(["a", {"b", "c"}], ["a", "c", "b"]), 4)
    0.9775
    """
    if not 0.0 < p < 1.0:
        raise ParameterError(where="rbo_ext", found=f"p={p!r}", expected="a number between 0 and 1")
    spans = sorted((_spans(first), _spans(second)), key=len)
    short, long = spans
    s, l = len(short), len(long)  # noqa: E741 - the letters of the paper
    shared = [(short[item], long[item]) for item in short if item in long]
    tied = [pair for pair in shared if any(top != bottom for top, bottom in pair)]
    # Items without ties are common from the larger of their ranks on.
    common = [0] * (l + 1)
    for (rank, bottom), (other, other_bottom) in shared:
        if rank == bottom and other == other_bottom:
            common[max(rank, other)] += 1
    common = list(accumulate(common))

    def overlap(depth: int) -> float:
        return common[depth] + sum(_share(one, depth) * _share(two, depth) for one, two in tied)

    at_s = overlap(s)
    total, weight = 0.0, 1.0
    for depth in range(1, l + 1):
        weight *= p
        total += overlap(depth) / depth * weight
        if depth > s:
            total += at_s * (depth - s) / (s * depth) * weight
    return (1.0 - p) / p * total + ((overlap(l) - at_s) / l + at_s / s) * weight


def tie_groups(values: Mapping[str, float]) -> list[set[str]]:
    """Return the ranking by descending value, as one set per value.

    Examples
    --------
    >>> [sorted(group) for group in tie_groups({"a": 0.4, "b": 0.7, "c": 0.4})]
    [['b'], ['a', 'c']]
    """
    groups: dict[float, set[str]] = {}
    for name, value in values.items():
        groups.setdefault(value, set()).add(name)
    return [groups[value] for value in sorted(groups, reverse=True)]


def _spans(ranking: Iterable[object]) -> dict[object, tuple[int, int]]:
    """Return the first and the last possible rank of each item."""
    spans: dict[object, tuple[int, int]] = {}
    rank = 0
    for system in ranking:
        group = system if isinstance(system, (set, frozenset)) else (system,)
        for item in group:
            if item in spans:
                raise ParameterError(
                    where="rbo_ext", found=f"{item!r} twice in a ranking", expected="it once"
                )
            spans[item] = (rank + 1, rank + len(group))
        rank += len(group)
    if not spans:
        raise ParameterError(where="rbo_ext", found="an empty ranking", expected="at least 1 item")
    return spans


def _share(span: tuple[int, int], depth: int) -> float:
    """Return the probability that an item is at the depth or above it."""
    top, bottom = span
    return min(1.0, max(0.0, (depth - top + 1) / (bottom - top + 1)))


#: With fewer queries or clusters, no interval is computed. Chosen by simulation (docs/evidence).
FEWEST_UNITS = 8

#: The most numbers in memory in a block of resamples.
_ROOM = 4_000_000

#: Populations between the observed orders and full agreement.
_STEPS = 10


@suggest_keywords
def correlation_interval(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    design: Design | None = None,
    *,
    statistic: str = "tau_b",
    level: float = 0.95,
    resamples: int = 1_999,
    seed: int = 0,
) -> tuple[float, float] | None:
    """Return a confidence interval of the rank correlation of two orders of systems.

    The same systems are ordered by their means under two measures, raters or conventions. The
    interval is for the correlation of the two orders over all queries from which these are a
    sample.

    Parameters
    ----------
    first, second : array_like, shape (n, m)
        The values of m systems on n queries, on both sides. A row of NaN is a query that does not
        count on that side.
    design : Design, optional
        The weights and clusters of the queries. Default: independent queries of equal weight.
    statistic : {"tau_b", "tau_ap_b"}
        The correlation: `kendall_tau` or `tau_ap_b`.
    level : float, default 0.95
        The confidence level.
    resamples : int, default 1,999
        The number of bootstrap resamples of the queries, or of their clusters.
    seed : int, default 0
        The random seed.

    Returns
    -------
    tuple of float or None
        Lower and upper end, from -1 to 1; ``None`` for fewer than two systems or `FEWEST_UNITS`
        queries or clusters, or if the correlation is not defined.

    Raises
    ------
    ParameterError
        For arrays of different or unsuitable shapes, an unknown statistic, a level that is not
        between 0 and 1, fewer than 1 resample, or a design with strata.

    Notes
    -----
    Sampling errors reorder systems with similar means, independently on both sides or nearly so.
    The correlation of a sample is therefore biased away from full agreement, and that of a
    bootstrap resample even more. The lower end is the percentile of the bootstrap, which this bias
    makes safe. The percentile would be too low as the upper end. The upper end is found by
    inverting a bootstrap test instead: it is the largest correlation among populations from which a
    sample with a correlation as low as the observed one comes with a probability of at least
    (1 - level) / 2. Each population has the means next to the observed ones (least squares, by
    isotonic regression) that are in an order between the two observed orders, from the observed
    ones to their average. Systems that must be exchanged for this become tied, which makes their
    order in a sample as uncertain as possible. The interval is usually conservative.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal([0.2, 0.4, 0.5, 0.6], 0.3, size=(50, 4))
    >>> other = scores + rng.normal(0, 0.3, size=(50, 4))
    >>> low, high = correlation_interval(scores, other)
    >>> round(low, 2), high
    (0.67, 1.0)
    """
    one, two = _tables(first, second)
    design = Design(len(one)) if design is None else design
    _check(statistic, level, resamples, design)
    compute, observed_of = _STATISTICS[statistic]
    if one.shape[1] < 2 or design.units < FEWEST_UNITS:
        return None
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(design.units, np.full(design.units, 1 / design.units), resamples)
    means, drawn = zip(*(_resample(side, design, counts) for side in (one, two)), strict=True)
    observed = observed_of(*(np.round(side, 12).tolist() for side in means))
    correlations = compute(*drawn)
    correlations = correlations[~np.isnan(correlations)]
    if observed is None or 2 * len(correlations) <= resamples:
        return None
    tail = (1.0 - level) / 2
    low, high = np.quantile(correlations, [tail, 1.0 - tail])
    high = max(float(high), observed)
    for fitted in _populations(*means):
        correlation = float(compute(*(side[None, :] for side in fitted))[0])
        if correlation <= high:
            break
        # The errors of a resample are added to the means of the population.
        shifted = (
            values - mean + new for values, mean, new in zip(drawn, means, fitted, strict=True)
        )
        if np.nanquantile(compute(*shifted), tail) <= observed:
            high = correlation
            break
    return min(float(low), observed), high


def _resample(
    values: Floats, design: Design, counts: npt.NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Return the means of the systems, (m,), and their means in resamples, (resamples, m)."""
    present: npt.NDArray[np.bool_] = np.asarray(~np.isnan(values).any(axis=1))
    shares = np.where(present, design.shares, 0.0)
    sums = design.gather(shares[:, None] * np.where(present[:, None], values, 0.0))
    totals = design.gather(shares[:, None])[:, 0]
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums.sum(axis=0) / totals.sum(), (counts @ sums) / (counts @ totals)[:, None]


def _populations(first: Floats, second: Floats) -> list[tuple[Floats, Floats]]:
    """Return means of populations by descending agreement of their two orders."""
    one, two = (_standardized(side) for side in (first, second))
    middle = (one + two) / 2
    populations = []
    for step in range(_STEPS, 0, -1):
        share = step / _STEPS
        orders = (values + share * (middle - values) for values in (one, two))
        populations.append((_fit(first, next(orders)), _fit(second, next(orders))))
    return populations


def _standardized(means: Floats) -> Floats:
    spread = means.std()
    standardized: Floats = (means - means.mean()) / (spread if spread else 1.0)
    return standardized


def _fit(means: Floats, order: Floats) -> Floats:
    """Return the means next to the given ones that are in an order: isotonic regression."""
    ranking = np.argsort(-order, kind="stable")
    blocks: list[tuple[float, int]] = []
    for value in means[ranking].tolist():
        total, size = value, 1
        # Pool adjacent violators.
        while blocks and blocks[-1][0] / blocks[-1][1] <= total / size:
            total, size = total + blocks[-1][0], size + blocks[-1][1]
            blocks.pop()
        blocks.append((total, size))
    fitted = np.empty_like(means)
    fitted[ranking] = np.repeat(
        [total / size for total, size in blocks], [size for _, size in blocks]
    )
    # Tied systems are in the given order, by less than any sampling error.
    tilt = np.empty_like(means)
    tilt[ranking] = np.arange(len(means))[::-1]
    return fitted + tilt * 1e-7 * (np.ptp(means) or 1.0) / len(means)


def _tau_b(first: Floats, second: Floats) -> Floats:
    """Return `kendall_tau` of the rows of two arrays, (k, m)."""
    above, below = np.triu_indices(first.shape[1], 1)

    def signs(means: Floats) -> Floats:
        signed: Floats = np.sign(np.round(means[:, above] - means[:, below], 12))
        return signed

    def compute(one: Floats, two: Floats) -> Floats:
        first_signs, second_signs = signs(one), signs(two)
        apart = (first_signs**2).sum(axis=1) * (second_signs**2).sum(axis=1)
        correlations: Floats = (first_signs * second_signs).sum(axis=1) / np.sqrt(apart)
        return correlations

    return _in_blocks(first, second, compute)


def _tau_ap_b(first: Floats, second: Floats) -> Floats:
    """Return `tau_ap_b` of the rows of two arrays, (k, m)."""

    def compute(one: Floats, two: Floats) -> Floats:
        ups = [_above(np.round(means, 12)) for means in (one, two)]
        both = (ups[0] & ups[1]).sum(axis=2)
        sides = []
        for up in ups:
            number = up.sum(axis=2)
            shares = np.where(number > 0, both / np.maximum(number, 1), 0.0)
            sides.append(2.0 * shares.sum(axis=1) / (number > 0).sum(axis=1) - 1.0)
        values: Floats = (sides[0] + sides[1]) / 2.0
        return values

    return _in_blocks(first, second, compute)


def _above(means: Floats) -> npt.NDArray[np.bool_]:
    """Return which systems are above each system, (k, m, m)."""
    above: npt.NDArray[np.bool_] = means[:, None, :] > means[:, :, None]
    return above


def _in_blocks(
    first: Floats, second: Floats, compute: Callable[[Floats, Floats], Floats]
) -> Floats:
    """Return a statistic of the rows of two arrays, some rows at a time; NaN if not defined."""
    step = max(1, _ROOM // first.shape[1] ** 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.concatenate(
            [
                compute(first[index : index + step], second[index : index + step])
                for index in range(0, len(first), step)
            ]
        )


_STATISTICS = {"tau_b": (_tau_b, kendall_tau), "tau_ap_b": (_tau_ap_b, tau_ap_b)}


def _tables(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[Floats, Floats]:
    one, two = (np.asarray(values, dtype=np.float64) for values in (first, second))
    if one.ndim != 2 or one.shape != two.shape or not len(one):
        raise ParameterError(
            where="correlation_interval",
            found=f"values of shapes {one.shape} and {two.shape}",
            expected="a value for each query and system on both sides",
        )
    return one, two


def _check(statistic: str, level: float, resamples: int, design: Design) -> None:
    if statistic not in _STATISTICS:
        raise ParameterError(
            where="statistic", found=repr(statistic), expected=f"one of {', '.join(_STATISTICS)}"
        )
    if not 0.0 < level < 1.0:
        raise ParameterError(where="level", found=repr(level), expected="between 0 and 1")
    if resamples < 1:
        raise ParameterError(where="resamples", found=repr(resamples), expected="1 or more")
    if design.strata > 1:
        raise ParameterError(where="design", found="strata", expected="queries of one collection")


class Spearman(NamedTuple):
    """Spearman's rank correlation.

    Attributes
    ----------
    rho : float
        From -1 to 1.
    low, high : float or None
        The ends of its interval; ``None`` for fewer than 5 pairs.
    """

    rho: float
    low: float | None
    high: float | None


def spearman(
    first: Sequence[float], second: Sequence[float], *, level: float = 0.95
) -> Spearman | None:
    """Return Spearman's rank correlation of two series, with its interval.

    Parameters
    ----------
    first, second : sequence of float
        The values of the same n items, in the same order; tied values get the mean of their ranks.
    level : float, default 0.95
        The confidence level, between 0 and 1.

    Returns
    -------
    Spearman or None
        ``None`` if not defined: for fewer than two items, if all values of one side are equal, or
        if any value is NaN.

    Raises
    ------
    ParameterError
        If the lengths differ, or ``level`` is not between 0 and 1.

    Notes
    -----
    The interval is tanh(atanh(rho) -/+ z * sqrt((1 + rho^2 / 2) / (n - 3))), z the normal quantile:
    D. G. Bonett, T. A. Wright: Sample size requirements for estimating Pearson, Kendall and
    Spearman correlations. Psychometrika 65(1), 2000. For two identical orders this interval would
    have width 0. Instead, its lower end is that of the next smaller possible value,
    1 - 12 / (n^3 - n), and its upper end is 1. Reverse orders are treated symmetrically.

    Examples
    --------
    >>> found = spearman([1, 2, 3, 4, 5, 6], [2, 1, 3, 5, 4, 6])
    >>> round(found.rho, 4), round(found.low, 4), round(found.high, 4)
    (0.8857, 0.0664, 0.9916)
    """
    check_lengths("spearman", first, second)
    check_level(level)
    n = len(first)
    if n < 2 or any(value != value for value in (*first, *second)):
        return None
    one, two = _ranks(first), _ranks(second)
    middle = (n + 1) / 2.0
    spread_one = sum((rank - middle) ** 2 for rank in one)
    spread_two = sum((rank - middle) ** 2 for rank in two)
    if not spread_one or not spread_two:
        return None
    shared = sum((a - middle) * (b - middle) for a, b in zip(one, two, strict=True))
    rho = shared / (spread_one if spread_one == spread_two else sqrt(spread_one * spread_two))
    if n < 5:
        return Spearman(rho, None, None)
    nearest = 1.0 - 12.0 / (n**3 - n)
    low, high = _interval(max(-nearest, min(nearest, rho)), n, level)
    return Spearman(rho, -1.0 if rho <= -nearest else low, 1.0 if rho >= nearest else high)


def least_correlation(n: int, *, level: float = 0.95) -> float | None:
    """Return the smallest correlation of n pairs whose interval excludes 0.

    ``None`` if there is no such value below 1, as for 5 pairs or fewer at the level .95.

    Examples
    --------
    >>> round(least_correlation(15), 3), least_correlation(5)
    (0.541, None)
    """
    if n < 5:
        return None
    low, high = 0.0, 1.0 - 1e-15
    if _interval(high, n, level)[0] <= 0.0 or _interval(1.0 - 12.0 / (n**3 - n), n, level)[0] <= 0:
        return None
    while high - low > 1e-12:
        middle = (low + high) / 2.0
        if _interval(middle, n, level)[0] > 0.0:
            high = middle
        else:
            low = middle
    return high


def _interval(rho: float, n: int, level: float) -> tuple[float, float]:
    from statistics import NormalDist

    z = NormalDist().inv_cdf((1.0 + level) / 2.0)
    half = z * sqrt((1.0 + rho * rho / 2.0) / (n - 3))
    return tanh(atanh(rho) - half), tanh(atanh(rho) + half)


def _ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value from the smallest; ties have their mean rank."""
    ordered = sorted(values)
    first: dict[float, int] = {}
    count: dict[float, int] = {}
    for rank, value in enumerate(ordered, 1):
        first.setdefault(value, rank)
        count[value] = count.get(value, 0) + 1
    return [first[value] + (count[value] - 1) / 2.0 for value in values]
