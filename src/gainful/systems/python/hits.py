"""Ids and scores of hits: the mappings or objects that clients of engines and retrievers return."""

from __future__ import annotations

from gainful.data.corpus_fields import DOCUMENT
from gainful.errors import FormatError
from gainful.systems.python.steps import ABSENT, described, path_of, step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

__all__ = ["IDS", "SCORES", "HitReader"]

#: Names of a document's id and score in mappings and objects; the first that is there. `docno`
#: comes before `docid`, which is then an internal number of one index.
_FIRST, _LAST = ("_id", "doc_id", "docno"), ("node_id", "point_id", "uuid", "key", "url")
IDS = tuple(dict.fromkeys((*_FIRST, *DOCUMENT.ids, *_LAST)))
SCORES = ("score", "_score", "similarity", "sim", "relevance_score", "rsv", "prediction")
#: Where they keep what belongs to the document and not to the hit.
_INNER = ("metadata", "meta", "payload", "node", "document", "_source", "fields")


class HitReader:
    """Reads ids and scores of hits.

    Parameters
    ----------
    fields : mapping of str to str or None
        Where ``"id"`` and ``"score"`` stand, as `AnswerReader` has it; without them they are looked
        for under the usual names.

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
        #: Whether a hit is a tuple whose elements the paths number.
        self.by_place = any(path and path.lstrip("-")[:1].isdigit() for path in paths)

    def ids(self, hits: Sequence[Any], query: str | None = None) -> list[Any]:
        """Return the id of each hit.

        Raises
        ------
        FormatError
            For one without an id.
        """
        if self._id is not None:
            found = [self._id(hit) for hit in hits]
        else:
            # Hits of an answer look alike: what the first has is looked for in the others.
            names: tuple[str, ...] = ()
            found = []
            for hit in hits:
                one = _value(hit, names) if names else ABSENT
                if one is ABSENT:
                    names = _names_of_id(hit)
                    one = _value(hit, names) if names else ABSENT
                found.append(one)
        for rank, (hit, one) in enumerate(zip(hits, found, strict=True), start=1):
            if one is ABSENT or one is None:
                raise self._without_id(hit, rank, query)
        return found

    def scores(self, hits: Sequence[Any]) -> list[Any] | None:
        """Return the score of each hit, None for one without; None if none has one."""
        if self._score is not None:
            found = [None if one is ABSENT else one for one in map(self._score, hits)]
        else:
            name: tuple[str, ...] = ()
            found = []
            for hit in hits:
                one = _value(hit, name) if name else ABSENT
                if one is ABSENT:
                    name = _name_in(hit, SCORES)
                    one = _value(hit, name) if name else ABSENT
                found.append(None if one is ABSENT else one)
        return None if all(one is None for one in found) else found

    def _without_id(self, hit: Any, rank: int, query: str | None) -> FormatError:
        if self._path is not None:
            return FormatError(
                where=f"an answer, document {rank}",
                query=query,
                found=f"{described(hit)} without {self._path!r}",
                expected="an id there, as fields['id'] says",
            )
        return FormatError(
            where=f"an answer, document {rank}",
            query=query,
            found=described(hit),
            expected=f"an id, in a field such as {', '.join(IDS[:3])} or id",
            hint='fields={"id": "metadata.source"}, for instance, says where it stands',
        )


def _names_of_id(hit: Any) -> tuple[str, ...]:
    """Return under which name or names a hit has its id; nothing where it has none."""
    name = _name_in(hit, IDS)
    if name:
        return name
    for outer in _INNER:
        inner = step(hit, outer)
        if inner is not ABSENT and inner is not None:
            name = _name_in(inner, IDS)
            if name:
                return (outer, *name)
    return ()


def _name_in(item: Any, names: Sequence[str]) -> tuple[str, ...]:
    return next(((name,) for name in names if _value(item, (name,)) is not ABSENT), ())


def _value(item: Any, names: tuple[str, ...]) -> Any:
    """Return what stands under names; a method that is called `key` or `score` is no value."""
    for name in names:
        item = step(item, name)
    return ABSENT if item is None or callable(item) else item
