"""Tables of users and items with ids, as numbered interactions."""

from __future__ import annotations

from collections.abc import Mapping as AnyMapping
from itertools import chain
from os import PathLike

import numpy

from gainful.backends.recommendations.sparse import Interactions
from gainful.data import Qrels, Run
from gainful.data.coercion import as_qrels, as_run
from gainful.errors import ArgumentError, GainfulError, MatchError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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
            rows = as_qrels(data, duplicates=duplicates).to_dict()
        except GainfulError as error:
            raise error.inside(name) from None
        return self._numbered(rows, name)

    def listed(self, data: Any, name: str) -> Listed:
        """Return a run as lists; without scores, documents score by their ranks."""
        try:
            run = as_run(data)
            rows = run.to_dict()
            if not run._rows.scored:
                rows = {
                    user: {item: -float(place) for place, (item, _) in enumerate(run[user])}
                    for user in rows
                }
        except GainfulError as error:
            raise error.inside(name) from None
        return Listed(self._numbered(rows, name))

    def _numbered(self, rows: dict[Any, dict[Any, float]], name: str) -> Interactions:
        users = self._users.of(list(rows), name)
        sizes = numpy.fromiter(map(len, rows.values()), numpy.int64, len(rows))
        total = int(sizes.sum())
        columns = self._items.of(list(chain.from_iterable(rows.values())), name)
        values = numpy.fromiter(
            chain.from_iterable(own.values() for own in rows.values()), numpy.float64, total
        )
        if (users[1:] < users[:-1]).any():
            order = numpy.argsort(numpy.repeat(users, sizes), kind="stable")
            columns, values = columns[order], values[order]
        counts = numpy.zeros(len(self._users.numbers), numpy.int64)
        counts[users] = sizes
        offsets = numpy.concatenate([[0], numpy.cumsum(counts)])
        return Interactions((offsets, columns, values), name)


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
