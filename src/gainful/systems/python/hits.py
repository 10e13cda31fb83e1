"""The shapes in which Python functions return hits, tables and batches."""

from __future__ import annotations

from gainful._kernel import names_of, names_with, plain_name
from gainful.errors import ArgumentError, FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeAlias

    Picker: TypeAlias = Callable[[Any], Any]

    Columns: TypeAlias = tuple[list[str], Callable[[int], list[Any]]]

__all__ = [
    "ABSENT",
    "HitReader",
    "columns_of",
    "describe",
    "is_identifier",
    "is_mapping",
    "is_number",
    "is_table",
    "of_one_query",
    "path_of",
    "signed",
    "step",
]


#: Marks a missing field, because None may be a value.
ABSENT: Any = object()


def signed(path: str) -> tuple[float, str]:
    """Return the sign of a path, and the path without it."""
    return (-1.0, path[1:]) if path.startswith("-") else (1.0, path)


def path_of(path: str | None) -> Picker | None:
    """Return a function that follows a dotted path.

    Examples
    --------
    >>> pick = path_of("hits.0.distance")
    >>> pick({"hits": [{"distance": 0.5}]}), pick({"hits": []}) is ABSENT
    (0.5, True)
    """
    if path is None:
        return None
    sign, bare = signed(path)
    steps = bare.split(".")

    def pick(item: Any) -> Any:
        for name in steps:
            item = step(item, name)
            if item is ABSENT or item is None:
                return item
        return -item if sign < 0 and is_number(item) else item

    return pick


def step(item: Any, name: str) -> Any:
    """Return the value of a key, an attribute or an element; else `ABSENT`."""
    if item is ABSENT:
        return ABSENT
    if isinstance(item, dict):
        return item.get(name, ABSENT)
    if is_mapping(item):
        try:
            return item[name]
        except (LookupError, TypeError):
            return ABSENT
    if isinstance(item, (list, tuple)) and name.isdigit():
        return item[int(name)] if int(name) < len(item) else ABSENT
    if isinstance(item, (str, bytes)):
        return ABSENT
    return getattr(item, name, ABSENT)


# --- kinds --------------------------------------------------------------------------------------


def is_mapping(found: Any) -> bool:
    """Return whether an object has keys, like dictionaries and database rows."""
    return isinstance(found, dict) or (hasattr(found, "keys") and hasattr(found, "__getitem__"))


def is_number(found: Any) -> bool:
    """Return whether an object is a number, including NumPy's but not booleans."""
    if isinstance(found, bool):
        return False
    if isinstance(found, (int, float)):
        return True
    return hasattr(found, "__float__") and hasattr(found, "__add__") and not hasattr(found, "keys")


def is_identifier(found: Any) -> bool:
    """Return whether an object may be an id: a text, a whole number or a UUID."""
    return isinstance(found, (str, int)) or (
        hasattr(found, "__index__") or type(found).__name__ == "UUID"
    )


def describe(found: Any) -> str:
    """Describe an object without its content, which may be long or secret."""
    kind = type(found)
    name = kind.__qualname__ if kind.__module__ == "builtins" else _full_name(kind)
    if is_mapping(found):
        names = [str(name) for name in list(found.keys())[:8]]
        return f"a {name} with {', '.join(names)}" if names else f"an empty {name}"
    if isinstance(found, (bool, int, float)) or found is None:
        return repr(found)
    return f"a {name}" + (f" of {len(found)}" if isinstance(found, (list, tuple)) else "")


def _full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def is_table(found: Any) -> bool:
    """Return whether an object has named columns.

    Examples
    --------
    >>> import polars, pyarrow
    >>> table = pyarrow.table({"doc_id": ["d1"]})
    >>> is_table(table), is_table(polars.DataFrame(table).lazy()), is_table(table["doc_id"])
    (True, True, False)
    """
    if _is_lazy(found):
        return True
    if hasattr(found, "columns") and hasattr(found, "__getitem__"):
        return True
    return hasattr(found, "schema") and _is_arrow(found)


def columns_of(found: Any, k: int) -> Columns:
    """Return the names of a table's columns, and a function from a position to the values.

    Parameters
    ----------
    found
        A table, as `is_table` recognizes it.
    k : int
        The number of rows needed; more may be returned.

    Raises
    ------
    FormatError
        If it only exports Arrow data and PyArrow is not installed.

    Examples
    --------
    >>> import pyarrow
    >>> names, column = columns_of(pyarrow.table({"doc_id": ["d1", "d2"], "score": [2.0, 1.0]}), 1)
    >>> names, column(0), column(1)
    (['doc_id', 'score'], ['d1'], [2.0])
    """
    if _is_lazy(found):
        found = found.head(k).collect()
    if _is_relation(found):
        rows = found.limit(k).fetchall()
        return list(found.columns), lambda place: [row[place] for row in rows]
    # The columns of PyArrow are arrays; a query of Ibis has no length until it is executed.
    if _is_arrow(found) and (hasattr(found, "to_pydict") or not hasattr(found, "__len__")):
        arrow = _table(found).slice(0, k)
        return list(arrow.schema.names), lambda at: list(arrow.column(at).to_pylist())
    names = list(found.columns)
    return [str(name) for name in names], lambda at: list(found[names[at]])


def _is_arrow(found: Any) -> bool:
    return hasattr(found, "__arrow_c_stream__") or hasattr(found, "__arrow_c_array__")


def _is_lazy(found: Any) -> bool:
    """Return whether an object is a lazy frame of Polars, whose columns are not known yet."""
    return hasattr(type(found), "collect_schema") and hasattr(type(found), "collect")


def _is_relation(found: Any) -> bool:
    return all(hasattr(found, name) for name in ("fetchall", "limit", "columns"))


def _table(found: Any) -> Any:
    """Convert an object that exports Arrow data to a PyArrow table or record batch."""
    if hasattr(found, "slice") and hasattr(found, "column"):
        return found
    try:
        import pyarrow
    except ModuleNotFoundError:
        raise FormatError(
            f"a {type(found).__qualname__} cannot be read without pyarrow",
            where="an answer",
            hint="pip install pyarrow",
        ) from None
    return pyarrow.table(found)


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
        identifiers = _values(hits, _names_of_id) if path is None else [path(hit) for hit in hits]
        for rank, (hit, one) in enumerate(zip(hits, identifiers, strict=True), start=1):
            if one is ABSENT or one is None:
                raise self._without_id(hit, rank, query)
        return identifiers

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


def of_one_query(found: Any, query: str | None = None) -> Any:
    """Return the answer to the only query of a batch; other results are returned unchanged.

    Read are Chroma's mapping of columns, Milvus's list of lists of hits, and the arrays
    ``(scores, ids)`` of FAISS, in which -1 stands for no document. Distances of Chroma become
    negative scores; FAISS and Milvus return the documents in order, and their scores may be
    distances, so only the order counts.

    Raises
    ------
    ArgumentError
        For answers to several queries.

    Examples
    --------
    >>> of_one_query({"ids": [["d2", "d1"]], "distances": [[0.25, 0.5]]})
    [('d2', -0.25), ('d1', -0.5)]
    >>> of_one_query([[{"id": 7, "distance": 0.9}]])
    [{'id': 7, 'distance': 0.9}]
    >>> of_one_query(["d2", "d1"])
    ['d2', 'd1']
    """
    if is_mapping(found) and isinstance(found.get("ids"), list):
        return _of_chroma(found, query)
    if type(found) is tuple and len(found) == 2 and all(hasattr(one, "dtype") for one in found):
        return _of_faiss(found, query)
    # A list, or Milvus's own class of one.
    if isinstance(found, list) and found and all(map(_is_hits, found)):
        _check_one(len(found), found, query)
        return list(found[0])
    return found


def _is_hits(found: Any) -> bool:
    """Return whether an element of a list is a list of hits, not a pair of id and score."""
    return isinstance(found, list) and not any(
        is_identifier(one) or isinstance(one, (float, list)) for one in found
    )


def _of_chroma(found: Any, query: str | None) -> Any:
    ids, distances = found["ids"], found.get("distances")
    if ids and isinstance(ids[0], list):
        _check_one(len(ids), found, query)
        ids = ids[0]
        distances = distances[0] if distances else None
    if distances is None:
        return ids
    return [(id, -distance) for id, distance in zip(ids, distances, strict=True)]


def _of_faiss(found: Any, query: str | None) -> Any:
    scores, ids = found
    if scores.dtype.kind != "f" or ids.dtype.kind not in "iu":
        return found
    if ids.ndim == 2:
        _check_one(len(ids), found, query)
        ids = ids[0]
    return [id for id in ids.tolist() if id >= 0]


def _check_one(number: int, found: object, query: str | None) -> None:
    if number > 1:
        raise ArgumentError(
            f"answers to {number} queries in {describe(found)}",
            where="an answer",
            query=query,
            hint="search with one query at a time",
        )
