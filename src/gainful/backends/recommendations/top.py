"""The best items of each user of a block, selected on the device of the scores."""

from __future__ import annotations

import numpy

from gainful.backends.arrays.namespace import highest, namespace_of
from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.backends.recommendations.sparse import Interactions


class Best:
    """The best items so far of the users of a block, with all ties of the last of them.

    Parameters
    ----------
    users : numpy.ndarray of int64
        The numbers of the users.
    depth : int
        The number of items per user.
    seen : Interactions or None
        Items that are not recommended.
    single : bool
        Whether scores are compared as 32-bit floats.
    """

    def __init__(self, users: Any, depth: int, seen: Interactions | None, single: bool) -> None:
        self.users = users
        self.depth = depth
        self.seen = seen
        self.single = single
        #: One more item per user that is not recommended; −1 for none.
        self.own: Any = None
        #: Counts the pairs of relevant and other items, if they are needed.
        self.areas: Areas | None = None
        self.rows = numpy.zeros(0, dtype=numpy.int64)
        self.columns = numpy.zeros(0, dtype=numpy.int64)
        self.scores = numpy.zeros(0)
        #: The lowest score that an item needs, by user.
        self.least = numpy.full(len(users), -numpy.inf)

    def add(self, scores: Any, first: int, *, ours: bool = False) -> None:
        """Add the scores of the items from number `first` on, shape (users, items).

        An array that is `ours` may be overwritten.
        """
        xp = namespace_of(scores=scores)
        if not xp.isdtype(scores.dtype, "real floating"):
            raise ParameterError(
                where="scores", found=str(scores.dtype), expected="floating-point numbers"
            )
        if self.single or xp.finfo(scores.dtype).bits < 32:
            scores = xp.astype(scores, xp.float32)
        self._check(xp, scores, first)
        if self.seen is not None:
            pairs = self.seen.pairs(self.users, first, first + scores.shape[1])
            scores = _without(xp, scores, *pairs, ours=ours)
            ours = True
        if self.own is not None:
            here = numpy.flatnonzero((self.own >= first) & (self.own < first + scores.shape[1]))
            scores = _without(xp, scores, here, self.own[here] - first, ours=ours)
        if self.areas is not None:
            self.areas.add(xp, scores, self.users)
        least = xp.asarray(self.least, dtype=scores.dtype, device=_device(scores))
        if self.depth < scores.shape[1] and not numpy.isfinite(self.least).all():
            least = xp.maximum(least, highest(xp, scores, self.depth)[:, -1])
        kept = xp.logical_and(scores >= least[:, None], scores > -float("inf"))
        rows, columns = (on_host(each) for each in xp.nonzero(kept))
        self.rows = numpy.concatenate([self.rows, rows])
        self.columns = numpy.concatenate([self.columns, columns + first])
        found = on_host(scores[kept]).astype(numpy.float64)
        self.scores = numpy.concatenate([self.scores, found])
        self._settle()

    def add_listed(self, rows: Any, columns: Any, scores: Any) -> None:
        """Add listed items with their scores: the place of the user, the item, the score."""
        kept = scores > -numpy.inf
        if self.seen is not None:
            kept &= ~self.seen.has(self.users[rows], columns)
        if self.own is not None:
            kept &= columns != self.own[rows]
        self.rows, self.columns, self.scores = rows[kept], columns[kept], scores[kept]
        if self.single:
            self.scores = self.scores.astype(numpy.float32).astype(numpy.float64)
        if self.areas is not None:
            self.areas.add_listed(self.users, self.rows, self.columns, self.scores)
        self._settle()

    def settled(self, ties: Any, depth: int) -> tuple[Any, Any, Any]:
        """Return the places of the users, the items and the ranks down to a depth.

        Items with equal scores are in ascending order of their `ties`.
        """
        rows, scores, columns = self.rows, self.scores, self.columns
        # The items are sorted but for those with equal scores.
        if ((rows[1:] == rows[:-1]) & (scores[1:] == scores[:-1])).any():
            columns = columns[numpy.lexsort((ties[columns], -scores, rows))]
        starts = numpy.searchsorted(rows, numpy.arange(len(self.users)))
        ranks = numpy.arange(len(rows)) - starts[rows] + 1
        kept = ranks <= depth
        return rows[kept], columns[kept], ranks[kept]

    def _check(self, xp: Any, scores: Any, first: int) -> None:
        missing = xp.isnan(scores)
        if bool(xp.any(missing)):
            row, column = (int(on_host(each)[0]) for each in xp.nonzero(missing))
            raise ParameterError(
                "a score is NaN",
                where="scores",
                query=str(self.users[row]),
                document=str(column + first),
                hint="exclude an item with a score of -inf",
            )

    def _settle(self) -> None:
        """Sort the items and drop those below the last one needed."""
        rows, scores, columns = self.rows, self.scores, self.columns
        if not _are_sorted(rows, scores, columns):
            order = numpy.lexsort((columns, -scores, rows))
            rows, scores, columns = rows[order], scores[order], columns[order]
        starts = numpy.searchsorted(rows, numpy.arange(len(self.users)))
        ends = numpy.searchsorted(rows, numpy.arange(len(self.users)), side="right")
        full = ends - starts >= self.depth
        self.least[full] = scores[starts[full] + self.depth - 1]
        kept = scores >= self.least[rows]
        self.rows, self.scores = rows[kept], scores[kept]
        self.columns = columns[kept]

    def offsets(self) -> Any:
        """Return the start of each user's items, and the end of the last one's."""
        return numpy.searchsorted(self.rows, numpy.arange(len(self.users) + 1)).astype(numpy.int64)


class Areas:
    """Counts of pairs of a relevant and another candidate, for the areas under ROC curves.

    Parameters
    ----------
    users : int
        The number of users.
    relevant : Interactions
        The relevant items.
    """

    def __init__(self, users: int, relevant: Interactions) -> None:
        self._matrix = relevant
        self.relevant, self.others, self.wrong, self.tied = numpy.zeros((4, users))

    def add(self, xp: Any, scores: Any, users: Any) -> None:
        """Count the pairs of a block of users with the scores of all items, −inf for none."""
        lowest = -float("inf")
        candidates = on_host(xp.sum(xp.astype(scores > lowest, xp.int64), axis=1))
        rows, columns = self._matrix.pairs(users, 0, scores.shape[1])
        places = xp.asarray(rows * scores.shape[1] + columns, device=_device(scores))
        own = on_host(xp.take(xp.reshape(scores, (-1,)), places, axis=0)).astype(numpy.float64)
        rows, own = rows[own > lowest], own[own > lowest]
        above, equal = numpy.zeros((2, len(rows)))
        numbers = numpy.arange(len(rows)) - numpy.searchsorted(rows, rows)
        for number in range(int(numbers.max(initial=-1)) + 1):
            chosen = numpy.flatnonzero(numbers == number)
            part = xp.take(scores, xp.asarray(rows[chosen], device=_device(scores)), axis=0)
            limits = xp.asarray(own[chosen], dtype=scores.dtype, device=_device(scores))[:, None]
            for counts, pairs in ((above, part > limits), (equal, part == limits)):
                counts[chosen] = on_host(xp.sum(xp.astype(pairs, xp.int64), axis=1))
        # Of the other items of a user, those that are relevant are no pair.
        _, own_above, own_equal = _places(rows, own, numpy.ones(len(rows)))
        self._count(users, rows, candidates, above - own_above, equal - own_equal)

    def add_listed(self, users: Any, rows: Any, columns: Any, scores: Any) -> None:
        """Count the pairs of a block of users with listed items."""
        hits = self._matrix.has(users[rows], columns)
        order, above, equal = _places(rows, scores, ~hits)
        hits = hits[order]
        candidates = numpy.bincount(rows, minlength=len(users))
        self._count(users, rows[order][hits], candidates, above[hits], equal[hits])

    def _count(self, users: Any, rows: Any, candidates: Any, above: Any, equal: Any) -> None:
        relevant = numpy.bincount(rows, minlength=len(users))
        self.relevant[users] = relevant
        self.others[users] = candidates - relevant
        self.wrong[users] = numpy.bincount(rows, above, len(users))
        self.tied[users] = numpy.bincount(rows, equal, len(users))


def _places(rows: Any, scores: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Return an order, and in it the weight above each item of a row and that of its ties."""
    order = numpy.lexsort((-scores, rows))
    rows, scores, weights = rows[order], scores[order], weights[order].astype(numpy.float64)
    sums = numpy.concatenate([[0.0], numpy.cumsum(weights)])
    is_first = numpy.ones(len(rows), bool)
    is_first[1:] = (rows[1:] != rows[:-1]) | (scores[1:] != scores[:-1])
    groups = numpy.cumsum(is_first) - 1
    starts = numpy.flatnonzero(is_first)
    ends = numpy.append(starts[1:], len(rows))
    before = sums[starts] - sums[numpy.searchsorted(rows, rows[starts])]
    return order, before[groups], (sums[ends] - sums[starts])[groups]


def _are_sorted(rows: Any, scores: Any, columns: Any) -> bool:
    """Return whether items are sorted by row, descending score and column."""
    same = rows[1:] == rows[:-1]
    tied = same & (scores[1:] == scores[:-1])
    rising = (rows[1:] > rows[:-1]) | (same & (scores[1:] < scores[:-1]))
    return bool((rising | (tied & (columns[1:] >= columns[:-1]))).all())


def on_host(array: Any) -> Any:
    """Return an array as a NumPy array."""
    if hasattr(array, "detach"):
        array = array.detach().cpu()
    elif type(array).__module__.startswith("cupy"):
        array = array.get()
    try:
        return numpy.asarray(array)
    except Exception:
        return numpy.from_dlpack(array)


def _device(array: Any) -> Any:
    return getattr(array, "device", None)


def _without(xp: Any, scores: Any, rows: Any, columns: Any, *, ours: bool) -> Any:
    """Return scores with −inf for these pairs, in a copy unless the array is ours."""
    if isinstance(scores, numpy.ndarray):
        scores = scores if ours else scores.copy()
        scores[rows, columns] = -numpy.inf
        return scores
    taken = numpy.zeros(scores.shape, dtype=bool)
    taken[rows, columns] = True
    lowest = xp.full_like(scores, -float("inf"))
    return xp.where(xp.asarray(taken, device=_device(scores)), lowest, scores)
