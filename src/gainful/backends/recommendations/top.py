"""The best items of each user of a block, selected on the device of the scores."""

from __future__ import annotations

import numpy

from gainful.backends.arrays.ranking import highest, namespace_of
from gainful.errors import ArgumentError, GradeError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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
        rows, columns = (on_host(indices) for indices in xp.nonzero(kept))
        self.rows = numpy.concatenate([self.rows, rows])
        self.columns = numpy.concatenate([self.columns, columns + first])
        scores_there = on_host(scores[kept]).astype(numpy.float64)
        self.scores = numpy.concatenate([self.scores, scores_there])
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
            row, column = (int(on_host(indices)[0]) for indices in xp.nonzero(missing))
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
        scores_there = on_host(xp.take(xp.reshape(scores, (-1,)), places, axis=0)).astype(
            numpy.float64
        )
        rows, scores_there = rows[scores_there > lowest], scores_there[scores_there > lowest]
        above, equal = numpy.zeros((2, len(rows)))
        numbers = numpy.arange(len(rows)) - numpy.searchsorted(rows, rows)
        for number in range(int(numbers.max(initial=-1)) + 1):
            chosen = numpy.flatnonzero(numbers == number)
            part = xp.take(scores, xp.asarray(rows[chosen], device=_device(scores)), axis=0)
            limits = xp.asarray(scores_there[chosen], dtype=scores.dtype, device=_device(scores))[
                :, None
            ]
            for counts, pairs in ((above, part > limits), (equal, part == limits)):
                counts[chosen] = on_host(xp.sum(xp.astype(pairs, xp.int64), axis=1))
        # Of the other items of a user, those that are relevant are no pair.
        _, own_above, own_equal = _places(rows, scores_there, numpy.ones(len(rows)))
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


_LARGEST_GRADE = 2.0**53


class Interactions:
    """A sparse matrix: one row per user, one column per item.

    Parameters
    ----------
    matrix
        A sparse matrix or array of SciPy, a sparse tensor of PyTorch, or the arrays
        ``(indptr, indices)`` or ``(indptr, indices, data)`` of compressed sparse rows.
    name : str
        The argument's name in messages.

    Attributes
    ----------
    offsets, columns : numpy.ndarray of int64
        The ends of each user's items, and the items.
    values : numpy.ndarray of float64 or None
        The values of the matrix; None if each item counts 1.
    users : int
        The number of rows.
    items : int or None
        The number of columns, if the matrix has one.
    """

    def __init__(self, matrix: Any, name: str) -> None:
        self.name = name
        self.items: int | None = None
        parts = matrix
        if hasattr(matrix, "tocsr") and len(matrix.shape) == 2:
            rows = matrix.tocsr()
            self.items = int(rows.shape[1])
            parts = (rows.indptr, rows.indices, rows.data)
        elif str(getattr(matrix, "layout", "")).startswith("torch.sparse_"):
            rows = matrix.detach().to_sparse_csr()
            self.items = int(rows.shape[1])
            parts = (rows.crow_indices(), rows.col_indices(), rows.values().double())
        if not isinstance(parts, (tuple, list)) or len(parts) not in (2, 3):
            raise ArgumentError(
                where=name,
                found=type(matrix).__name__,
                expected="a data frame, a sparse matrix of SciPy or PyTorch, (indptr, indices) or"
                " (indptr, indices, data)",
            )
        self.offsets = self._whole(parts[0], "indptr")
        self.columns = self._whole(parts[1], "indices")
        self.values = None
        if len(parts) == 3:
            self.values = self._numbers(parts[2])
        self.users = len(self.offsets) - 1
        self._check()

    def _whole(self, numbers: Any, what: str) -> Any:
        array = on_host(numbers)
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise ArgumentError(
                where=f"{self.name}, {what}",
                found=f"an array of shape {array.shape} and type {array.dtype}",
                expected="whole numbers in one dimension",
            )
        if array.dtype == numpy.uint64 and len(array) and array.max() >= 1 << 63:
            raise ParameterError(
                f"{array.max()} does not fit a 64-bit integer", where=f"{self.name}, {what}"
            )
        return numpy.ascontiguousarray(array, dtype=numpy.int64)

    def _numbers(self, numbers: Any) -> Any:
        array = on_host(numbers)
        if array.ndim != 1 or array.dtype.kind not in "biuf":
            raise ArgumentError(
                where=f"{self.name}, data",
                found=f"an array of shape {array.shape} and type {array.dtype}",
                expected="numbers in one dimension",
            )
        return numpy.ascontiguousarray(array, dtype=numpy.float64)

    def _check(self) -> None:
        offsets, count = self.offsets, len(self.columns)
        if (
            len(offsets) == 0
            or offsets[0] != 0
            or offsets[-1] != count
            or numpy.any(offsets[1:] < offsets[:-1])
        ):
            raise ParameterError(
                where=f"{self.name}, indptr",
                found="offsets that do not divide the indices",
                expected=f"rising whole numbers from 0 to {count}",
            )
        if self.values is not None and len(self.values) != count:
            raise ParameterError(
                f"{len(self.values)} numbers for {count} indices", where=f"{self.name}, data"
            )

    def check_items(self, items: int) -> None:
        """Refuse items that a recommender with this many items does not have."""
        if self.items is not None and self.items != items:
            raise ParameterError(
                f"{self.items} columns, but scores for {items} items", where=self.name
            )
        if len(self.columns) and not 0 <= self.columns.min() <= self.columns.max() < items:
            bad = self.columns[(self.columns < 0) | (self.columns >= items)][0]
            raise ParameterError(
                f"item {bad} is not a column of the scores (0 to {items - 1})", where=self.name
            )

    def check_grades(self, ratings: float | str | None) -> None:
        """Turn ratings into grades, and refuse values that are not valid grades."""
        if self.values is None:
            return
        if ratings == "ignore":
            self.values = None
            return
        bad = ~(abs(self.values) <= _LARGEST_GRADE)
        if bad.any():
            place = int(bad.argmax())
            user = int(numpy.searchsorted(self.offsets, place, side="right")) - 1
            raise GradeError(
                f"grade {self.values[place]} is not a finite number within ±2^53",
                where=self.name,
                query=str(user),
                document=str(self.columns[place]),
            )
        if ratings is None and ((self.values != 0) & (self.values != 1)).any():
            raise ParameterError(
                where=self.name,
                found=f"values from {self.values.min():g} to {self.values.max():g}",
                expected="only 0 and 1, or ratings= to say what they mean",
                hint="ratings=4 makes items with 4 or more relevant; ratings='grades' uses the"
                " values as grades, which are gains; ratings='ignore' makes all items relevant",
            )
        if isinstance(ratings, float):
            self.values = (self.values >= ratings).astype(numpy.float64)

    def counts(self, items: int) -> Any:
        """Return the number of users of each item."""
        return numpy.bincount(self.columns, minlength=items).astype(numpy.float64)

    def relevant(self) -> Interactions:
        """Return the items with grade 1 or more."""
        if self.values is None:
            return self
        kept = self.values >= 1
        ends = numpy.concatenate([[0], numpy.cumsum(kept)])[self.offsets]
        return Interactions((ends, self.columns[kept]), self.name)

    def has(self, users: Any, columns: Any) -> Any:
        """Return whether each pair of a user and an item is in the matrix."""
        items = 1 + max(int(columns.max(initial=0)), int(self.columns.max(initial=0)))
        entries = numpy.repeat(numpy.arange(self.users), numpy.diff(self.offsets)) * items
        entries = numpy.sort(entries + self.columns)
        pairs = users * items + columns
        places = numpy.searchsorted(entries, pairs)
        there = numpy.zeros(len(pairs), bool)
        inside = places < len(entries)
        there[inside] = entries[places[inside]] == pairs[inside]
        return there

    def with_items(self) -> Any:
        """Return the numbers of the users with items."""
        return numpy.flatnonzero(self.offsets[1:] > self.offsets[:-1])

    def padded(self, users: int) -> Interactions:
        """Return the same interactions with empty rows for further users."""
        more = numpy.full(users - self.users, self.offsets[-1])
        offsets = numpy.concatenate([self.offsets, more])
        parts = (
            (offsets, self.columns) if self.values is None else (offsets, self.columns, self.values)
        )
        return Interactions(parts, self.name)

    def places(self, users: Any) -> tuple[Any, Any]:
        """Return, for each item of these users, the place of the user and that of the item."""
        starts, ends = self.offsets[users], self.offsets[users + 1]
        counts = ends - starts
        rows = numpy.repeat(numpy.arange(len(users)), counts)
        # Where each user's items begin, minus the number of items before them.
        shifts = numpy.repeat(starts - (numpy.cumsum(counts) - counts), counts)
        return rows, shifts + numpy.arange(len(rows))

    def pairs(self, users: Any, first: int, last: int) -> tuple[Any, Any]:
        """Return the place of the user and item − first, for a range of items of users."""
        rows, places = self.places(users)
        columns = self.columns[places] - first
        inside = (columns >= 0) & (columns < last - first)
        return rows[inside], columns[inside]
