"""Interactions of users with items, in compressed sparse rows."""

from __future__ import annotations

import numpy

from gainful.backends.recommendations.top import on_host
from gainful.errors import ArgumentError, GradeError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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
            at = int(bad.argmax())
            user = int(numpy.searchsorted(self.offsets, at, side="right")) - 1
            raise GradeError(
                f"grade {self.values[at]} is not a finite number within ±2^53",
                where=self.name,
                query=str(user),
                document=str(self.columns[at]),
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
        own = numpy.repeat(numpy.arange(self.users), numpy.diff(self.offsets)) * items
        own = numpy.sort(own + self.columns)
        pairs = users * items + columns
        places = numpy.searchsorted(own, pairs)
        there = numpy.zeros(len(pairs), bool)
        inside = places < len(own)
        there[inside] = own[places[inside]] == pairs[inside]
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
