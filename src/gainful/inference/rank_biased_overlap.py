"""Rank-biased overlap (RBO), a top-weighted similarity of two rankings."""

from __future__ import annotations

from itertools import accumulate

from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence, Set

__all__ = ["rbo_ext", "tie_groups"]


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
    for each in ranking:
        group = each if isinstance(each, (set, frozenset)) else (each,)
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
