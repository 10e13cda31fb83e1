"""Arguments of the evaluation of recommenders: scores, numbers of items, ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set

import numpy

from gainful.backends.arrays.namespace import namespace_of
from gainful.backends.recommendations.sparse import Interactions
from gainful.backends.recommendations.tables import Listed, Numbers, is_table, refuse_numbers
from gainful.errors import ArgumentError, DuplicateError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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
    for each in (judged, seen):
        if each is not None:
            said[each.name] = each.items
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
    for each in (judged, seen, *lists):
        if each is not None:
            each.check_items(count)
    return count


def items_of_own_id(
    users: int, user_ids: list[Any] | None, items: int, item_ids: list[Any] | None
) -> Any:
    """Return, for each user, the item that has the user's id; −1 if none has."""

    def texts(ids: list[Any] | None, count: int) -> Iterable[str]:
        for each in range(count) if ids is None else ids:
            yield each.decode(errors="surrogateescape") if isinstance(each, bytes) else str(each)

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
