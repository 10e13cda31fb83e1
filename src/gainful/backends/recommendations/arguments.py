"""Arguments of the evaluation of recommenders: scores, numbers of items, ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from collections.abc import Mapping as AnyMapping
from importlib.util import find_spec
from itertools import chain
from os import PathLike
from typing import Any, NamedTuple

import numpy

from gainful.backends.arrays.ranking import namespace_of
from gainful.backends.recommendations.top import Interactions
from gainful.data import Qrels, Run
from gainful.data.coercion import as_qrels, as_run
from gainful.data.table import kernel_rows
from gainful.errors import ArgumentError, DuplicateError, GainfulError, MatchError, ParameterError

__all__ = ["Factors", "Inputs", "Listed", "items_of_own_id", "systems_of", "whole_number"]


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
    if isinstance(table, Run) and not kernel_rows(table).scored:
        rows = {
            user: {item: -float(place) for place, item in enumerate(items, 1)}
            for user, items in rows.items()
        }
    every = list(chain.from_iterable(rows.values()))
    values = list(chain.from_iterable(ratings.values() for ratings in rows.values()))
    numbers = {item: number for number, item in enumerate(dict.fromkeys(every))}
    return _Columns(
        list(rows),
        list(numbers),
        numpy.repeat(numpy.arange(len(rows)), [len(ratings) for ratings in rows.values()]),
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


class Factors:
    """A recommender that scores items by the dot product of user and item vectors.

    Parameters
    ----------
    users : array, shape (users, d)
    items : array, shape (items, d)
        Arrays of one library, on one device.

    Raises
    ------
    ArgumentError, ParameterError
        If they are not arrays of one library, or their shapes do not match.

    Examples
    --------
    >>> import numpy as np
    >>> Factors(np.ones((3, 2)), np.ones((5, 2)))
    <Factors: 3 users, 5 items, 2 dimensions>
    """

    def __init__(self, users: Any, items: Any) -> None:
        namespace_of(users=users, items=items)
        shapes = tuple(users.shape), tuple(items.shape)
        if any(len(shape) != 2 for shape in shapes) or shapes[0][1] != shapes[1][1]:
            raise ParameterError(
                where="factors",
                found=f"shapes {shapes[0]} and {shapes[1]}",
                expected="(users, d) and (items, d)",
            )
        self.users = users
        self.items = items

    def __repr__(self) -> str:
        (users, dimensions), items = self.users.shape, self.items.shape[0]
        return f"<Factors: {users} users, {items} items, {dimensions} dimensions>"


def systems_of(scores: Any, systems: Any) -> dict[str, Any]:
    """Return recommenders by name, from the argument that is given."""
    if (scores is None) == (systems is None):
        raise ArgumentError(
            "set scores or systems" if scores is None else "set scores or systems, not both",
            where="scores",
            hint="systems={'name': scores, ...} takes several",
        )
    if systems is None:
        if isinstance(scores, Mapping) and not is_table(scores):
            raise ArgumentError(
                where="scores",
                found=type(scores).__name__,
                expected="a callable, Factors, an array or a table of recommendations",
                hint="systems= takes several recommenders with their names",
            )
        return {"recommender": scores}
    named = isinstance(systems, Mapping)
    if not named or not all(isinstance(name, str) for name in systems):
        raise ArgumentError(
            where="systems",
            found="a name that is not text" if named else type(systems).__name__,
            expected="a mapping of names to scores",
        )
    if not systems:
        raise ParameterError("no systems", where="systems")
    return dict(systems)


class Inputs:
    """The arguments with numbered users and items.

    Attributes
    ----------
    systems : dict of str to scores
        The recommenders; tables became `Listed`.
    judged, seen : Interactions
        The held-out items, and those that are not recommended; None for none.
    user_ids, item_ids : list or None
        The ids by number.
    items : int
        The number of items with a number.
    catalogue : int
        The number of all items.
    """

    def __init__(
        self,
        held_out: Any,
        systems: Mapping[str, Any],
        seen: Any,
        user_ids: Iterable[Any] | None,
        item_ids: Iterable[Any] | None,
        items: int | None,
    ) -> None:
        self.user_ids = ids_of(user_ids, "user_ids")
        self.item_ids = ids_of(item_ids, "item_ids")
        numbers = Numbers(self.user_ids, self.item_ids)
        matrices = {"held_out": held_out} if seen is None else {"held_out": held_out, "seen": seen}
        tables = [name for name, matrix in matrices.items() if is_table(matrix)]
        listed = [name for name, system in systems.items() if is_table(system)]
        numbered = len(tables) < len(matrices) or len(listed) < len(systems)
        if (tables or listed) and numbered and None in (self.user_ids, self.item_ids):
            raise refuse_numbers((tables or [f"the scores of {listed[0]}"])[0])
        read = {
            name: numbers.interactions(
                matrix, name, duplicates="error" if name == "held_out" else "first"
            )
            if name in tables
            else Interactions(matrix, name)
            for name, matrix in matrices.items()
        }
        self.systems = {
            name: numbers.listed(system, f"the scores of {name}") if name in listed else system
            for name, system in systems.items()
        }
        if tables and not numbered:
            self.user_ids, self.item_ids = numbers.users, numbers.items
            read = {name: matrix.padded(len(self.user_ids)) for name, matrix in read.items()}
            for system in self.systems.values():
                system.lists = system.lists.padded(len(self.user_ids))
        self.judged = read["held_out"]
        self.seen = read.get("seen")
        if self.seen is not None and self.seen.users != self.judged.users:
            raise ParameterError(
                f"found {self.seen.users} rows, but held_out has {self.judged.users}", where="seen"
            )
        if self.user_ids is not None and len(self.user_ids) != self.judged.users:
            raise ParameterError(
                where="user_ids",
                found=f"{len(self.user_ids)} ids",
                expected=f"{self.judged.users}",
            )
        is_open = item_ids is None and self.item_ids is not None
        count = None if is_open else items
        self.items = item_count(self.systems, self.judged, self.seen, self.item_ids, count)
        self.catalogue = self.items
        if is_open and items is not None:
            self.catalogue = whole_number(items, "items", "a whole number of 1 or more")
            if self.catalogue < self.items:
                raise ParameterError(
                    f"{items}, but the tables have {self.items} items", where="items"
                )


def item_count(
    systems: Mapping[str, Any],
    judged: Interactions,
    seen: Interactions | None,
    ids: list[Any] | None,
    items: int | None,
) -> int:
    """Return the number of items; refuse arguments that disagree."""
    if items is not None:
        items = whole_number(items, "items", "a whole number of 1 or more")
    said = {"items": items, "item_ids": None if ids is None else len(ids)}
    for interactions in (judged, seen):
        if interactions is not None:
            said[interactions.name] = interactions.items
    for name, system in systems.items():
        if isinstance(system, Listed):
            said[f"the items of {name}"] = None
        elif isinstance(system, Factors):
            said[f"the factors of {name}"] = int(system.items.shape[0])
        elif not callable(system):
            namespace_of(scores=system)
            if len(system.shape) != 2:
                raise ParameterError(
                    where=f"the scores of {name}",
                    found=f"shape {tuple(system.shape)}",
                    expected=f"({judged.users} users, items)",
                )
            said[f"the scores of {name}"] = int(system.shape[1])
    known = {name: number for name, number in said.items() if number is not None}
    if not known:
        raise ArgumentError(
            "the number of items is unknown",
            where="items",
            hint="set items=: scores is a callable, and held_out has no shape",
        )
    (first, count), *others = known.items()
    for name, number in others:
        if number != count:
            raise ParameterError(f"{number} items, but {first} has {count}", where=name)
    lists = [system.lists for system in systems.values() if isinstance(system, Listed)]
    for interactions in (judged, seen, *lists):
        if interactions is not None:
            interactions.check_items(count)
    return count


def items_of_own_id(
    users: int, user_ids: list[Any] | None, items: int, item_ids: list[Any] | None
) -> Any:
    """Return, for each user, the item that has the user's id; −1 if none has."""

    def texts(ids: list[Any] | None, count: int) -> Iterable[str]:
        for position in range(count) if ids is None else ids:
            yield (
                position.decode(errors="surrogateescape")
                if isinstance(position, bytes)
                else str(position)
            )

    numbers = {item: number for number, item in enumerate(texts(item_ids, items))}
    return numpy.array([numbers.get(user, -1) for user in texts(user_ids, users)], numpy.int64)


def whole_number(number: object, name: str, expected: str) -> int:
    """Return a whole number of 1 or more."""
    if isinstance(number, (int, numpy.integer)) and not isinstance(number, bool) and number >= 1:
        return int(number)
    raise ParameterError(where=name, found=repr(number), expected=expected)


def ids_of(ids: Iterable[Any] | None, name: str) -> list[Any] | None:
    """Return ids in a list; refuse unordered collections and duplicate ids."""
    if ids is None:
        return None
    if isinstance(ids, (str, bytes, Set, Mapping)) or not isinstance(ids, Iterable):
        raise ArgumentError(
            where=name, found=type(ids).__name__, expected="a sequence of ids, in order of number"
        )
    listed = list(ids)
    if len(set(map(str, listed))) < len(listed):
        again, _ = Counter(map(str, listed)).most_common(1)[0]
        raise DuplicateError(f"duplicate id {again!r}", where=name)
    return listed
