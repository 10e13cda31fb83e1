"""The answers of systems in Python, and the hits in them."""

from __future__ import annotations

from itertools import islice

from gainful._kernel import names_of, names_with, plain_name
from gainful.errors import ArgumentError, FormatError, ParameterError
from gainful.systems.protocol import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeAlias

    Picker: TypeAlias = Callable[[Any], Any]
    Columns: TypeAlias = tuple[list[str], Callable[[int], list[Any]]]

__all__ = ["AnswerReader", "describe"]

#: Marks a missing field, because None may be a value.
_ABSENT: Any = object()


def _signed(path: str) -> tuple[float, str]:
    """Return the sign of a path, and the path without it."""
    return (-1.0, path[1:]) if path.startswith("-") else (1.0, path)


def _path_of(path: str | None) -> Picker | None:
    """Return a function that follows a dotted path.

    Examples
    --------
    >>> pick = _path_of("hits.0.distance")
    >>> pick({"hits": [{"distance": 0.5}]}), pick({"hits": []}) is _ABSENT
    (0.5, True)
    """
    if path is None:
        return None
    sign, bare = _signed(path)
    steps = bare.split(".")

    def pick(item: Any) -> Any:
        for name in steps:
            item = _step(item, name)
            if item is _ABSENT or item is None:
                return item
        return -item if sign < 0 and _is_number(item) else item

    return pick


def _step(item: Any, name: str) -> Any:
    """Return the value of a key, an attribute or an element; else `_ABSENT`."""
    if item is _ABSENT:
        return _ABSENT
    if isinstance(item, dict):
        return item.get(name, _ABSENT)
    if _is_mapping(item):
        try:
            return item[name]
        except (LookupError, TypeError):
            return _ABSENT
    if isinstance(item, (list, tuple)) and name.isdigit():
        return item[int(name)] if int(name) < len(item) else _ABSENT
    if isinstance(item, (str, bytes)):
        return _ABSENT
    return getattr(item, name, _ABSENT)


# --- kinds --------------------------------------------------------------------------------------


def _is_mapping(found: Any) -> bool:
    """Return whether an object has keys, like dictionaries and database rows."""
    return isinstance(found, dict) or (hasattr(found, "keys") and hasattr(found, "__getitem__"))


def _is_number(found: Any) -> bool:
    """Return whether an object is a number, including NumPy's but not booleans."""
    if isinstance(found, bool):
        return False
    if isinstance(found, (int, float)):
        return True
    return hasattr(found, "__float__") and hasattr(found, "__add__") and not hasattr(found, "keys")


def _is_identifier(found: Any) -> bool:
    """Return whether an object may be an id: a text, a whole number or a UUID."""
    return isinstance(found, (str, int)) or (
        hasattr(found, "__index__") or type(found).__name__ == "UUID"
    )


def describe(found: Any) -> str:
    """Describe an object without its content, which may be long or secret."""
    kind = type(found)
    name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
    if _is_mapping(found):
        names = [str(name) for name in list(found.keys())[:8]]
        return f"a {name} with {', '.join(names)}" if names else f"an empty {name}"
    if isinstance(found, (bool, int, float)) or found is None:
        return repr(found)
    return f"a {name}" + (f" of {len(found)}" if isinstance(found, (list, tuple)) else "")


def _is_table(found: Any) -> bool:
    """Return whether an object has named columns.

    Examples
    --------
    >>> import polars, pyarrow
    >>> table = pyarrow.table({"doc_id": ["d1"]})
    >>> _is_table(table), _is_table(polars.DataFrame(table).lazy()), _is_table(table["doc_id"])
    (True, True, False)
    """
    if _is_lazy(found):
        return True
    if hasattr(found, "columns") and hasattr(found, "__getitem__"):
        return True
    return hasattr(found, "schema") and _is_arrow(found)


def _columns_of(found: Any, k: int) -> Columns:
    """Return the names of a table's columns, and a function from a position to the values.

    Examples
    --------
    >>> import pyarrow
    >>> names, column = _columns_of(pyarrow.table({"doc_id": ["d1", "d2"], "score": [2.0, 1.0]}), 1)
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
        return list(arrow.schema.names), lambda place: list(arrow.column(place).to_pylist())
    names = list(found.columns)
    return [str(name) for name in names], lambda place: list(found[names[place]])


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
        self._id = _path_of(self._path)
        self._score = _path_of(fields.get("score"))
        paths = (fields.get("id"), fields.get("score"))
        #: Whether hits are tuples, with element numbers as paths.
        self.by_place = any(path and path.lstrip("-")[:1].isdigit() for path in paths)

    def ids(self, hits: Sequence[Any], query: str | None = None) -> list[Any]:
        """Return the id of each hit."""
        path = self._id
        identifiers = _values(hits, _names_of_id) if path is None else [path(hit) for hit in hits]
        for rank, (hit, one) in enumerate(zip(hits, identifiers, strict=True), start=1):
            if one is _ABSENT or one is None:
                raise self._without_id(hit, rank, query)
        return identifiers

    def scores(self, hits: Sequence[Any]) -> list[Any] | None:
        """Return the scores of hits, None for hits without; None if no hit has one."""
        path = self._score
        if path is None:
            values = _values(hits, lambda hit: _name_in(hit, "score"))
        else:
            values = [path(hit) for hit in hits]
        scores = [None if score is _ABSENT else score for score in values]
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
        value = _value(hit, names) if names else _ABSENT
        if value is _ABSENT:
            names = names_of_hit(hit)
            value = _value(hit, names) if names else _ABSENT
        values.append(value)
    return values


def _names_of_id(hit: Any) -> tuple[str, ...]:
    """Return the names of a hit's id; empty if it has none."""
    name = _name_in(hit, "hit.id")
    if name:
        return name
    for outer in _NAMES["hit.part"]:
        inner = _step(hit, outer)
        if inner is not _ABSENT and inner is not None:
            name = _name_in(inner, "hit.id")
            if name:
                return (outer, *name)
    return ()


def _name_in(item: Any, part: str) -> tuple[str, ...]:
    names: Sequence[str] = _NAMES[part]
    if isinstance(item, dict):
        names = names_with([key for key in item if isinstance(key, str)], part)
    return next(((name,) for name in names if _value(item, (name,)) is not _ABSENT), ())


def _value(item: Any, names: tuple[str, ...]) -> Any:
    """Return the value at nested names; methods called `key` or `score` do not count."""
    for name in names:
        item = _step(item, name)
    return _ABSENT if item is None or callable(item) else item


def _of_one_query(found: Any, query: str | None = None) -> Any:
    """Return the answer to the only query of a batch; other results are returned unchanged.

    Read are Chroma's mapping of columns, Milvus's list of lists of hits, and the arrays
    ``(scores, ids)`` of FAISS, in which -1 stands for no document. Distances of Chroma become
    negative scores; FAISS and Milvus return the documents in order, and their scores may be
    distances, so only the order counts.

    Examples
    --------
    >>> _of_one_query({"ids": [["d2", "d1"]], "distances": [[0.25, 0.5]]})
    [('d2', -0.25), ('d1', -0.5)]
    >>> _of_one_query([[{"id": 7, "distance": 0.9}]])
    [{'id': 7, 'distance': 0.9}]
    >>> _of_one_query(["d2", "d1"])
    ['d2', 'd1']
    """
    if _is_mapping(found) and isinstance(found.get("ids"), list):
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
        _is_identifier(one) or isinstance(one, (float, list)) for one in found
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


#: Names of the list of documents; the first match counts.
HOLDERS = names_of("results")

_ANSWER_FIELDS = ("documents", "id", "score")


class AnswerReader:
    """Read the result of a system for one query.

    Parameters
    ----------
    fields : mapping of str to str or None, optional
        Locations: ``"documents"`` in the result, ``"id"`` and ``"score"`` in each document. A value
        is a name, or several separated by dots, such as ``"metadata.source"``; each step is a key,
        an attribute, or the index of an element. A leading ``-`` negates a score, for distances:
        ``{"score": "-distance"}``. ``{"score": None}`` ignores scores, so that only the order
        counts.

    Raises
    ------
    ParameterError
        For an unknown name or an invalid path.

    Examples
    --------
    >>> read = AnswerReader()
    >>> read(["d2", 7], k=10)
    Answer(documents=['d2', '7'], scores=None)
    >>> read([("d2", 1.5), ("d1", 0.5)], k=1)
    Answer(documents=['d2'], scores=[1.5])
    >>> read({"hits": [{"_id": "d2", "_score": 1.5}]}, k=10)
    Answer(documents=['d2'], scores=[1.5])
    >>> near = AnswerReader({"id": "meta.file", "score": "-distance"})
    >>> near([{"meta": {"file": "a.md"}, "distance": 0.25}], k=10)
    Answer(documents=['a.md'], scores=[-0.25])
    """

    def __init__(self, fields: Mapping[str, str | None] | None = None) -> None:
        if fields is not None and not hasattr(fields, "keys"):
            raise ArgumentError(
                where="fields", found=repr(fields), expected='a mapping, such as {"id": "sku"}'
            )
        known = dict(fields or {})
        for name, path in known.items():
            if name not in _ANSWER_FIELDS:
                raise ParameterError(
                    where="fields", found=repr(name), expected=f"one of {', '.join(_ANSWER_FIELDS)}"
                )
            if path is None and name == "score":
                continue
            if not isinstance(path, str) or not all(path.removeprefix("-").split(".")):
                raise ParameterError(
                    where=f"fields[{name!r}]",
                    found=repr(path),
                    expected="a name, or names separated by dots, such as metadata.source",
                )
            if path.startswith("-") and name != "score":
                raise ParameterError(
                    where=f"fields[{name!r}]",
                    found=repr(path),
                    expected="a path without -, which is for scores only",
                )
        #: As given; part of the identity.
        self.fields = known
        self._documents = _path_of(known.get("documents"))
        self._hits = HitReader(known)
        self._scored = "score" not in known or known["score"] is not None

    def __call__(self, found: Any, k: int, query: str | None = None) -> Answer:
        """Convert a result to an answer.

        Parameters
        ----------
        found
            The result.
        k : int
            The maximum number of documents.
        query : str, optional
            The query's id, for messages.

        Raises
        ------
        ArgumentError
            For a result that is not an answer.
        FormatError
            For a document without an id, or a score that is not finite.
        """
        if isinstance(found, Answer):
            documents, scores = found
        else:
            documents, scores = self._parts(found, k, query)
        ids = list(documents[:k])
        # The most common results are checked without a loop over documents.
        if set(map(type, ids)) != {str} or "" in ids:
            ids = [_identifier(one, rank, query) for rank, one in enumerate(ids, start=1)]
        if scores is None or not self._scored:
            return Answer(ids)
        return Answer(ids, _numbers(ids, scores, query))

    # --- results as a whole -----------------------------------------------------------------------

    def _parts(
        self, found: Any, k: int, query: str | None
    ) -> tuple[Sequence[Any], Sequence[Any] | None]:
        if self._documents is not None:
            inner = self._documents(found)
            if inner is _ABSENT:
                raise ArgumentError(
                    f"no {self.fields['documents']!r} in {describe(found)}",
                    where="an answer",
                    query=query,
                    hint="fields['documents'] has to name the list of documents",
                )
            found = inner
        else:
            found = _documents_in(_of_one_query(found, query))
        if _is_table(found):
            return self._of_table(found, k, query)
        if _is_mapping(found) and not _lists_ids(found):
            return self._of_mapping(found, query)
        found = _listed(found)
        if isinstance(found, (str, bytes)) or not hasattr(found, "__iter__"):
            raise _no_answer(found, query)
        two = _two_columns(found, query)
        if two is not None:
            return two
        return self._of_items(list(islice(found, k)), query)

    def _of_mapping(
        self, found: Mapping[Any, Any], query: str | None
    ) -> tuple[Sequence[Any], Sequence[Any] | None]:
        """Return ids and scores of ``{id: score}``, sorted by score."""
        items = list(found.items())
        if not all(_is_number(value) for _, value in items):
            raise _no_answer(found, query)
        # The order of a mapping has no meaning, except among equal scores.
        ordered = sorted(items, key=lambda item: -_as_float(item[1]))
        return [document for document, _ in ordered], [score for _, score in ordered]

    def _of_table(
        self, found: Any, k: int, query: str | None
    ) -> tuple[Sequence[Any], Sequence[Any] | None]:
        written, values = _columns_of(found, k)
        place = _place(written, self.fields.get("id"), "hit.id", "document")
        if place is None:
            raise FormatError(
                f"no column of ids among {', '.join(written)}",
                where="an answer",
                query=query,
                hint='name it, as in fields={"id": NAME}',
            )
        documents = values(place)
        score_name = self.fields.get("score")
        sign, score_name = _signed(score_name) if score_name else (1.0, None)
        place = _place(written, score_name, "score")
        if place is None or not self._scored:
            return documents, None
        return documents, [
            -value if sign < 0 and _is_number(value) else value for value in values(place)
        ]

    # --- each document ----------------------------------------------------------------------------

    def _of_items(
        self, items: list[Any], query: str | None
    ) -> tuple[Sequence[Any], Sequence[Any] | None]:
        if not items:
            return [], None
        first = items[0]
        if _is_identifier(first):
            return items, None
        # A named tuple is a hit, and so is a tuple if the paths number its elements.
        pair = (
            isinstance(first, (tuple, list)) and len(first) == 2 and not hasattr(first, "_fields")
        )
        if pair and not self._hits.by_place:
            return self._of_pairs(items, query)
        return self._hits.ids(items, query), self._hits.scores(items)

    def _of_pairs(
        self, items: list[Any], query: str | None
    ) -> tuple[Sequence[Any], Sequence[Any] | None]:
        if set(map(type, items)) == {tuple} and set(map(len, items)) == {2}:
            ids, scores = map(list, zip(*items, strict=True))
            if set(map(type, ids)) == {str}:
                return ids, scores
        ids, scores = [], []
        for rank, item in enumerate(items, start=1):
            if not isinstance(item, (tuple, list)) or len(item) != 2:
                raise FormatError(
                    f"found {describe(item)}, but the first is a pair of id and score",
                    where=f"an answer, document {rank}",
                    query=query,
                )
            ids.append(item[0])
            scores.append(item[1])
        if not all(map(_is_identifier, ids)):
            ids = self._hits.ids(ids, query)
        return ids, scores


def _place(names: Sequence[str], chosen: str | None, *parts: str) -> int | None:
    """Return the place of the column that a caller chooses, else of the best name of a part."""
    if chosen is None:
        matches = [name for part in parts for name in names_with(list(names), part)]
    else:
        alike = [name for name in names if name.strip().lower() == chosen]
        matches = [name for name in names if name == chosen] or alike
    return names.index(matches[0]) if matches else None


# --- whole answers ------------------------------------------------------------------------------


def _documents_in(found: Any) -> Any:
    """Return the list of documents in a response or in the output of a component."""
    is_array = hasattr(found, "tolist") or hasattr(found, "to_pylist")
    if isinstance(found, (list, tuple, str, bytes)) or is_array or _is_table(found):
        return found
    for name in HOLDERS:
        inner = _step(found, name)
        if inner is _ABSENT or inner is None or callable(inner) or _is_number(inner):
            continue
        # Elasticsearch nests hits in hits.
        return _documents_in(inner) if _is_mapping(inner) and name in inner.keys() else inner  # noqa: SIM118
    return found


def _listed(found: Any) -> Any:
    """Return an array as a list, and other objects unchanged."""
    for method in ("tolist", "to_pylist"):
        if hasattr(found, method):
            return getattr(found, method)()
    return found


def _lists_ids(found: Any) -> bool:
    """Return whether a pandas Series is a list of ids, not a mapping of ids to scores.

    Its index then numbers the rows, and its values are not fractions.
    """
    numbered = type(getattr(found, "index", None)).__name__ == "RangeIndex"
    return numbered and getattr(getattr(found, "dtype", None), "kind", "O") != "f"


def _two_columns(found: Any, query: str | None) -> tuple[list[Any], list[Any]] | None:
    """Return ids and scores of a tuple of two lists or arrays; None for other objects."""
    if type(found) is not tuple or len(found) != 2:
        return None
    parts = [_listed(one) for one in found]
    if not all(isinstance(one, list) for one in parts):
        return None
    ids, scores = parts
    if len(ids) != len(scores) or not all(_is_number(score) for score in scores):
        return None
    if not all(_is_identifier(one) for one in ids):
        return None
    if len(ids) == 2 and all(map(_is_number, ids)) and not hasattr(found[0], "tolist"):
        raise ArgumentError(
            f"ambiguous: {found!r} may be two pairs, or ids and scores",
            where="an answer",
            query=query,
            hint="return a list of (id, score) tuples",
        )
    return ids, scores


def _identifier(found: Any, rank: int, query: str | None) -> str:
    if isinstance(found, str):
        if found:
            # Not a subclass, such as NumPy's.
            return str(found)
    elif not isinstance(found, bool):
        if hasattr(found, "__index__"):
            return str(found.__index__())
        if type(found).__name__ == "UUID":
            return str(found)
    raise FormatError(
        "the id is empty"
        if found == ""
        else f"the id is {describe(found)}, not text or a whole number",
        where=f"an answer, document {rank}",
        query=query,
    )


def _numbers(ids: list[str], scores: Sequence[Any], query: str | None) -> list[float]:
    """Return the scores; refuse values that are not finite."""
    plain = list(scores[: len(ids)])
    if len(plain) == len(ids) and set(map(type, plain)) == {float}:
        total = sum(plain)
        # The difference of a number with itself is 0 only if it is finite.
        if total - total == 0.0:
            return plain
    numbers: list[float] = []
    if len(scores) < len(ids):
        raise FormatError(
            f"{len(ids)} documents and {len(scores)} scores", where="an answer", query=query
        )
    for document, score in zip(ids, scores, strict=False):
        number = _as_float(score)
        if number - number != 0.0:
            raise FormatError(
                f"score {_shown(score)} is not a finite number",
                where="an answer",
                query=query,
                document=document,
                hint='with fields={"score": None} scores are ignored',
            )
        numbers.append(number)
    return numbers


def _as_float(score: Any) -> float:
    """Return a score as a float; NaN if that fails."""
    try:
        return float(score) if _is_number(score) else float("nan")
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def _shown(score: Any) -> str:
    text = repr(score)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _no_answer(found: Any, query: str | None) -> ArgumentError:
    hint = None
    if found is None:
        hint = "return the documents from the function"
    elif hasattr(found, "__aiter__"):
        hint = "return a list instead of yielding"
    elif hasattr(found, "__await__"):
        hint = "define the function with `async def`"
        close = getattr(found, "close", None)
        if close is not None:
            close()  # Close it, because Python warns of coroutines that are never awaited.
    return ArgumentError(
        where="an answer",
        query=query,
        found=describe(found),
        expected="a list of ids, of (id, score) pairs, of mappings or of objects",
        hint=hint,
    )
