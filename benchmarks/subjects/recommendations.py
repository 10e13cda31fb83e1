"""In process: vectors of users and items to the mean nDCG@10 of the recommendations.

Usage: recommendations.py gainful|numpy|scikit-learn USERS ITEMS

The score of an item is the dot product of two vectors of 32-bit floats. Items that a user has seen
are not recommended. All subjects process users in blocks; the peers are hand-written code.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import gainful_calls
import numpy as np
import worker
from numpy.typing import NDArray

DIMENSIONS, SEEN, HELD_OUT, CUTOFF = 64, 50, 10, 10
WELL_LIKED = 240  # seen and held-out items are drawn from a user's best items
BLOCK = 500  # users at once; larger blocks are not faster

Sparse = tuple[NDArray[np.int64], NDArray[np.int64]]
Vectors = NDArray[np.float32]


def draw(users: int, items: int) -> tuple[Vectors, Vectors, Sparse, Sparse]:
    """Return the vectors, and the seen and held-out items of each user, by offset and item."""
    # The legacy generator returns the same numbers in every version of NumPy.
    random = np.random.RandomState(20_160_713)
    vectors = [random.standard_normal((n, DIMENSIONS)).astype(np.float32) for n in (users, items)]
    seen, held_out = np.empty((users, SEEN), np.int64), np.empty((users, HELD_OUT), np.int64)
    for first in range(0, users, BLOCK):
        block = slice(first, first + BLOCK)
        # Drawn from the best items of a user, so that the recommender finds some.
        scores = vectors[0][block] @ vectors[1].T
        best = np.argpartition(-scores, WELL_LIKED, axis=1)[:, :WELL_LIKED]
        drawn = np.stack([random.permutation(np.sort(row)) for row in best])
        seen[block], held_out[block] = drawn[:, :SEEN], drawn[:, SEEN : SEEN + HELD_OUT]
    return (*vectors, _sparse(seen), _sparse(held_out))


def _sparse(columns: NDArray[np.int64]) -> Sparse:
    rows, width = columns.shape
    return np.arange(rows + 1) * width, np.sort(columns, axis=1).ravel()


def blocks(
    users: Vectors, items: Vectors, seen: Sparse, held_out: Sparse, excluded: float
) -> Iterator[tuple[Vectors, NDArray[np.int64]]]:
    """Yield scores and held-out items of some users; seen items have the score `excluded`."""
    for first in range(0, len(users), BLOCK):
        block = slice(first, first + BLOCK)
        scores = users[block] @ items.T
        rows = np.arange(len(scores))[:, None]
        scores[rows, seen[1].reshape(-1, SEEN)[block]] = excluded
        yield scores, held_out[1].reshape(-1, HELD_OUT)[block]


def by_numpy(users: Vectors, items: Vectors, seen: Sparse, held_out: Sparse) -> float:
    """Return the mean with the best ten found by `argpartition`."""
    discounts = 1 / np.log2(np.arange(2, CUTOFF + 2))
    total = 0.0
    for scores, relevant in blocks(users, items, seen, held_out, -np.inf):
        top = np.argpartition(-scores, CUTOFF, axis=1)[:, :CUTOFF]
        order = np.argsort(-np.take_along_axis(scores, top, axis=1), axis=1)
        top = np.take_along_axis(top, order, axis=1)
        hits = (top[:, :, None] == relevant[:, None, :]).any(axis=2)
        total += float((hits * discounts).sum()) / discounts.sum()
    return total / len(users)


def by_scikit_learn(users: Vectors, items: Vectors, seen: Sparse, held_out: Sparse) -> float:
    """Return the mean with `ndcg_score` of each block."""
    from sklearn.metrics import ndcg_score

    total = 0.0
    # It accepts finite scores only, so seen items go to the end of the list.
    for scores, relevant in blocks(users, items, seen, held_out, -1e9):
        labels = np.zeros(scores.shape)
        labels[np.arange(len(scores))[:, None], relevant] = 1
        total += ndcg_score(labels, scores, k=CUTOFF, ignore_ties=True) * len(scores)
    return total / len(users)


WAYS = {
    "gainful": gainful_calls.evaluate_recommendations,
    "numpy": by_numpy,
    "scikit-learn": by_scikit_learn,
}


def main(way: str, users: str, items: str) -> None:
    """Draw the data, then serve the calls."""
    data = draw(int(users), int(items))
    worker.serve(lambda: [WAYS[way](*data)])


if __name__ == "__main__":
    main(*sys.argv[1:])
