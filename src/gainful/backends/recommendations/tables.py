"""Tables of users and items with ids, as numbered interactions."""

from __future__ import annotations

from collections.abc import Mapping as AnyMapping
from importlib.util import find_spec
from itertools import chain
from os import PathLike
from typing import Any, NamedTuple

import numpy

from gainful.backends.recommendations.sparse import Interactions
from gainful.data import Qrels, Run
from gainful.data.coercion import as_qrels, as_run
from gainful.errors import ArgumentError, GainfulError, MatchError

__all__ = ["Listed", "Numbers", "is_table"]

_FRAMES = ("__dataframe__", "__arrow_c_stream__")


def is_table(data: object) -> bool:
    """Return whether data are rows with ids: a data frame, a mapping, a path, `Qrels` or `Run`."""
    if isinstance(data, (str, PathLike, Qrels, Run)):
        return True
    if isinstance(data, AnyMapping):
        # Of users, or of columns; other mappings name systems.
        return all(isinstance(value, (AnyMapping, list, tuple)) for value in data.values())
    return any(hasattr(data, name) for name in _FRAMES)


class Listed:
    """Recommendations that are listed, as interactions with scores."""

    def __init__(self, lists: Interactions) -> None:
        self.lists = lists

    def of(self, users: Any) -> tuple[Any, Any, Any]:
        """Return the places of users, their items, and the scores."""
        rows, places = self.lists.places(users)
        assert self.lists.values is not None
        return rows, self.lists.columns[places], self.lists.values[places]


class Numbers:
    """The numbers of users and items by id.

    Parameters
    ----------
    users, items : list of ids, or None
        The ids in the order of their numbers. None adds them in the order in which they are found.
    """

    def __init__(self, users: list[Any] | None, items: list[Any] | None) -> None:
        self._users = _Axis(users, "user")
        self._items = _Axis(items, "item")

    @property
    def users(self) -> list[str]:
        """The ids of the users in tables."""
        return list(self._users.numbers)

    @property
    def items(self) -> list[str]:
        """The ids of the items in tables."""
        return list(self._items.numbers)

    def interactions(self, data: Any, name: str, *, duplicates: str = "error") -> Interactions:
        """Return judgments as interactions of the users known so far."""
        try:
            qrels = as_qrels(data, duplicates=duplicates)
        except GainfulError as error:
            raise error.inside(name) from None
        return self._numbered(_columns(qrels), name)

    def listed(self, data: Any, name: str) -> Listed:
        """Return a run as lists; without scores, documents score by their ranks."""
        try:
            run = as_run(data)
        except GainfulError as error:
            raise error.inside(name) from None
        return Listed(self._numbered(_columns(run), name))

    def _numbered(self, rows: _Columns, name: str) -> Interactions:
        users = self._users.of(rows.users, name)[rows.user_of]
        columns = self._items.of(rows.items, name)[rows.item_of]
        values = rows.values
        if (users[1:] < users[:-1]).any():
            order = numpy.argsort(users, kind="stable")
            users, columns, values = users[order], columns[order], values[order]
        counts = numpy.bincount(users, minlength=len(self._users.numbers))
        offsets = numpy.concatenate([[0], numpy.cumsum(counts)])
        return Interactions((offsets, columns, values), name)


class _Columns(NamedTuple):
    """The rows of a table: its ids, and their numbers and values by row."""

    users: list[str]
    items: list[str]
    user_of: Any
    item_of: Any
    values: Any


def _columns(table: Qrels | Run) -> _Columns:
    """Return the rows of judgments, or of a run, whose items without scores score by rank."""
    return _arrow_columns(table) if find_spec("pyarrow") is not None else _dict_columns(table)


def _arrow_columns(table: Qrels | Run) -> _Columns:
    columns = table.to_arrow()
    users, user_of = _encoded(columns["query_id"])
    # A user without items has a row with nulls.
    is_row = columns["doc_id"].is_valid().to_numpy()
    items, item_of = _encoded(columns["doc_id"].drop_null())
    name = "grade" if isinstance(table, Qrels) else "score"
    is_ranked = name not in columns.column_names
    values = columns["rank" if is_ranked else name].to_numpy()[is_row].astype(numpy.float64)
    return _Columns(users, items, user_of[is_row], item_of, -values if is_ranked else values)


def _encoded(column: Any) -> tuple[list[str], Any]:
    """Return the ids of a column in the order of their first rows, and their numbers by row."""
    encoded = column.combine_chunks().dictionary_encode()
    ids = [_text(name) for name in encoded.dictionary.to_pylist()]
    return ids, encoded.indices.to_numpy(zero_copy_only=False)


def _dict_columns(table: Qrels | Run) -> _Columns:
    rows: dict[str, Any] = table.to_dict()
    if isinstance(table, Run) and not table._rows.scored:
        rows = {
            user: {item: -float(place) for place, item in enumerate(items, 1)}
            for user, items in rows.items()
        }
    every = list(chain.from_iterable(rows.values()))
    values = list(chain.from_iterable(own.values() for own in rows.values()))
    numbers = {item: number for number, item in enumerate(dict.fromkeys(every))}
    return _Columns(
        list(rows),
        list(numbers),
        numpy.repeat(numpy.arange(len(rows)), [len(own) for own in rows.values()]),
        numpy.fromiter(map(numbers.__getitem__, every), numpy.int64, len(every)),
        numpy.array(values, numpy.float64),
    )


class _Axis:
    """The numbers of the ids of one side of the matrix."""

    def __init__(self, ids: list[Any] | None, what: str) -> None:
        self.is_open = ids is None
        self.what = what
        self.numbers = {_text(name): number for number, name in enumerate(ids or ())}

    def of(self, ids: list[Any], name: str) -> Any:
        """Return the numbers of ids."""
        numbers = self.numbers
        if self.is_open:
            for item in dict.fromkeys(ids):
                numbers.setdefault(item, len(numbers))
        try:
            return numpy.fromiter(map(numbers.__getitem__, ids), numpy.int64, len(ids))
        except KeyError as missing:
            raise MatchError(
                where=name,
                found=f"the {self.what} {missing.args[0]!r}",
                expected=f"one of {self.what}_ids",
            ) from None


def _text(name: Any) -> str:
    return name.decode(errors="surrogateescape") if isinstance(name, bytes) else str(name)


def refuse_numbers(name: str) -> ArgumentError:
    """Return the error of a table with ids for scores with row numbers."""
    return ArgumentError(
        where=name,
        found="ids",
        expected="numbers of rows and columns, as other arguments have",
        hint="set user_ids= and item_ids=, the ids in the order of the rows and columns",
    )
