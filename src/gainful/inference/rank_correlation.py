"""Rank correlation of two orders: Kendall's tau-b and AP correlation."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from math import fsum, sqrt

from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

__all__ = ["kendall_tau", "tau_ap", "tau_ap_b"]


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
