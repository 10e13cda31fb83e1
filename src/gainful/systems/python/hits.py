"""Ids and scores of hits: mappings or objects returned by search clients and retrievers."""

from __future__ import annotations

from gainful._kernel import names_of, names_with, plain_name
from gainful.errors import FormatError
from gainful.systems.python.steps import ABSENT, describe, path_of, step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

__all__ = ["HitReader"]

#: Names of a document's id and score in objects, and of the attributes of the document, as opposed
#: to the hit, in order of precedence. With and without underscores.
_NAMES = {
    part: tuple(dict.fromkeys(form for name in names_of(part) for form in (name, plain_name(name))))
    for part in ("hit.id", "score", "hit.part")
}


class HitReader:
    """Read ids and scores of hits.

    Parameters
    ----------
    fields : mapping of str to str or None
        The locations of ``"id"`` and ``"score"``, as in `AnswerReader`. Default: the usual names.

    Examples
    --------
    >>> hits = [{"payload": {"sku": "d2"}, "score": 1.5}, {"payload": {"sku": "d1"}, "score": 0.5}]
    >>> HitReader({}).ids(hits), HitReader({}).scores(hits)
    (['d2', 'd1'], [1.5, 0.5])
    """

    def __init__(self, fields: Mapping[str, str | None]) -> None:
        self._path = fields.get("id")
        self._id = path_of(self._path)
        self._score = path_of(fields.get("score"))
        paths = (fields.get("id"), fields.get("score"))
        #: Whether hits are tuples, with element numbers as paths.
        self.by_place = any(path and path.lstrip("-")[:1].isdigit() for path in paths)

    def ids(self, hits: Sequence[Any], query: str | None = None) -> list[Any]:
        """Return the id of each hit.

        Raises
        ------
        FormatError
            For a hit without an id.
        """
        path = self._id
        found = _values(hits, _names_of_id) if path is None else [path(hit) for hit in hits]
        for rank, (hit, one) in enumerate(zip(hits, found, strict=True), start=1):
            if one is ABSENT or one is None:
                raise self._without_id(hit, rank, query)
        return found

    def scores(self, hits: Sequence[Any]) -> list[Any] | None:
        """Return the scores of hits, None for hits without; None if no hit has one."""
        path = self._score
        if path is None:
            values = _values(hits, lambda hit: _name_in(hit, "score"))
        else:
            values = [path(hit) for hit in hits]
        scores = [None if score is ABSENT else score for score in values]
        return None if all(score is None for score in scores) else scores

    def _without_id(self, hit: Any, rank: int, query: str | None) -> FormatError:
        if self._path is not None:
            return FormatError(
                f"no {self._path!r} in {describe(hit)}",
                where=f"an answer, document {rank}",
                query=query,
                hint="fields['id'] has to name the id",
            )
        return FormatError(
            f"no id in {describe(hit)}",
            where=f"an answer, document {rank}",
            query=query,
            hint='set its location, as in fields={"id": "metadata.source"}',
        )


def _values(hits: Sequence[Any], names_of_hit: Callable[[Any], tuple[str, ...]]) -> list[Any]:
    """Return a value of each hit at the names of the first, or its own without one there."""
    names: tuple[str, ...] = ()
    values = []
    for hit in hits:
        value = _value(hit, names) if names else ABSENT
        if value is ABSENT:
            names = names_of_hit(hit)
            value = _value(hit, names) if names else ABSENT
        values.append(value)
    return values


def _names_of_id(hit: Any) -> tuple[str, ...]:
    """Return the names of a hit's id; empty if it has none."""
    name = _name_in(hit, "hit.id")
    if name:
        return name
    for outer in _NAMES["hit.part"]:
        inner = step(hit, outer)
        if inner is not ABSENT and inner is not None:
            name = _name_in(inner, "hit.id")
            if name:
                return (outer, *name)
    return ()


def _name_in(item: Any, part: str) -> tuple[str, ...]:
    names: Sequence[str] = _NAMES[part]
    if isinstance(item, dict):
        names = names_with([key for key in item if isinstance(key, str)], part)
    return next(((name,) for name in names if _value(item, (name,)) is not ABSENT), ())


def _value(item: Any, names: tuple[str, ...]) -> Any:
    """Return the value at nested names; methods called `key` or `score` do not count."""
    for name in names:
        item = step(item, name)
    return ABSENT if item is None or callable(item) else item
