"""Stratified random samples of the documents of a query, with inclusion probabilities."""

from __future__ import annotations

from math import log2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

__all__ = ["allocate", "draw_sample", "share_budget", "stratify"]


def stratify(best_ranks: Sequence[int], budget: int) -> list[int]:
    """Return the stratum of each document of a query, by its best rank.

    Stratum s, from 1, has the best ranks from 2^(s - 1) to 2^s - 1: 1, 2 to 3, 4 to 7, and so on.
    There are at most budget / 2 strata, the last of which has all further ranks, so that two
    documents of each can be drawn.

    Examples
    --------
    >>> stratify([1, 1, 2, 3, 4, 7, 8, 100], 20)
    [1, 1, 2, 2, 3, 3, 4, 7]
    >>> stratify([1, 1, 2, 3, 4, 7, 8, 100], 6)
    [1, 1, 2, 2, 3, 3, 3, 3]
    """
    last = max(1, budget // 2)
    return [min(rank.bit_length(), last) for rank in best_ranks]


def allocate(sizes: Sequence[int], budget: int) -> list[int]:
    """Return how many documents to draw from each stratum of a query.

    Parameters
    ----------
    sizes : sequence of int
        The number of documents in each stratum, from the best ranks to the worst.
    budget : int
        The number of documents to draw, if the strata have as many; at least 2 per stratum, or 1
        for a single one.

    Returns
    -------
    list of int
        At least two of each stratum, or all of it, so that the variance within it can be estimated;
        one for a budget of 1.

    Notes
    -----
    Proportional to the size of a stratum times the discount 1 / log2(r + 1) of its best rank r,
    which bounds the contribution of a document to DCG: optimal allocation if the spread of a
    contribution is proportional to its bound. J. Neyman: On the two different aspects of the
    representative method. Journal of the Royal Statistical Society 97(4), 1934.

    Examples
    --------
    >>> allocate([3, 5, 9, 20], 12), allocate([3, 5], 100)
    ([2, 2, 3, 5], [3, 5])
    """
    weights = [size / log2(2**at + 1) for at, size in enumerate(sizes)]
    drawn = [min(2, budget, size) for size in sizes]
    for _ in range(min(budget, sum(sizes)) - sum(drawn)):
        # D'Hondt's method: the next document goes to the stratum with the largest weight per draw.
        at = max(
            (at for at, size in enumerate(sizes) if drawn[at] < size),
            key=lambda at: weights[at] / (drawn[at] + 1),
        )
        drawn[at] += 1
    return drawn


def draw_sample(
    documents: Sequence[str], best_ranks: Sequence[int], budget: int, random: Random
) -> dict[str, tuple[int, float]]:
    """Return the sampled documents of a query with their stratum and inclusion probability.

    Parameters
    ----------
    documents : sequence of str
        The documents of the query that are not judged.
    best_ranks : sequence of int
        The best rank of each in any system.
    budget : int
        The number of documents to draw.
    random : random.Random
        The source of randomness.

    Notes
    -----
    A simple random sample without replacement of n of the N documents of each stratum, with
    probability n / N.
    """
    strata: dict[int, list[str]] = {}
    for document, stratum in zip(documents, stratify(best_ranks, budget), strict=True):
        strata.setdefault(stratum, []).append(document)
    numbers = sorted(strata)
    sizes = [len(strata.get(number, ())) for number in range(1, (numbers or [0])[-1] + 1)]
    return {
        document: (number, count / sizes[number - 1])
        for number, count in enumerate(allocate(sizes, budget), start=1)
        for document in random.sample(strata.get(number, []), count)
    }


def share_budget(budget: int, sizes: Sequence[int]) -> list[int]:
    """Divide a budget evenly between queries, none of which gets more than its size.

    Examples
    --------
    >>> share_budget(10, [1, 20, 20]), share_budget(100, [1, 2]), share_budget(5, [9, 9, 9])
    ([1, 5, 4], [1, 2], [2, 2, 1])
    """
    shares = [0] * len(sizes)
    left = min(budget, sum(sizes))
    open_queries = [at for at, size in enumerate(sizes) if size]
    while left:
        each = max(1, left // len(open_queries))
        for at in open_queries:
            more = min(each, sizes[at] - shares[at], left)
            shares[at] += more
            left -= more
        open_queries = [at for at in open_queries if shares[at] < sizes[at]]
    return shares
