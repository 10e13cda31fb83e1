"""Convert results of Python systems to an `Answer`.

Supports lists of ids, of pairs of id and score, of mappings or of objects; a mapping of ids to
scores; two arrays of ids and scores; data frames and other tables; and objects that contain one of
these under a usual name. Types are recognized by their attributes; only PyArrow may be imported.
"""

from __future__ import annotations

from itertools import islice

from gainful._kernel import names_of, names_with
from gainful.errors import ArgumentError, FormatError, ParameterError
from gainful.systems.protocol import Answer
from gainful.systems.python.hits import (
    ABSENT,
    HitReader,
    columns_of,
    describe,
    is_identifier,
    is_mapping,
    is_number,
    is_table,
    of_one_query,
    path_of,
    signed,
    step,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

__all__ = ["AnswerReader"]

#: Names of the list of documents; the first match counts.
HOLDERS = names_of("results")
_NAMES = ("documents", "id", "score")


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
            if name not in _NAMES:
                raise ParameterError(
                    where="fields", found=repr(name), expected=f"one of {', '.join(_NAMES)}"
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
        self._documents = path_of(known.get("documents"))
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
            if inner is ABSENT:
                raise ArgumentError(
                    f"no {self.fields['documents']!r} in {describe(found)}",
                    where="an answer",
                    query=query,
                    hint="fields['documents'] has to name the list of documents",
                )
            found = inner
        else:
            found = _documents_in(of_one_query(found, query))
        if is_table(found):
            return self._of_table(found, k, query)
        if is_mapping(found) and not _lists_ids(found):
            return self._of_mapping(found, query)
        found = _listed(found)
        if isinstance(found, (str, bytes)) or not hasattr(found, "__iter__"):
            raise _no_answer(found, query)
        two = _two_columns(found, query)
        if two is not None:
            return two
        return self._of_items(_first_of(found, k), query)

    def _of_mapping(
        self, found: Mapping[Any, Any], query: str | None
    ) -> tuple[Sequence[Any], Sequence[Any] | None]:
        """Return ids and scores of ``{id: score}``, sorted by score."""
        items = list(found.items())
        if not all(is_number(value) for _, value in items):
            raise _no_answer(found, query)
        # The order of a mapping has no meaning, except among equal scores.
        ordered = sorted(items, key=lambda item: -_as_float(item[1]))
        return [document for document, _ in ordered], [score for _, score in ordered]

    def _of_table(
        self, found: Any, k: int, query: str | None
    ) -> tuple[Sequence[Any], Sequence[Any] | None]:
        written, values = columns_of(found, k)
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
        sign, score_name = signed(score_name) if score_name else (1.0, None)
        place = _place(written, score_name, "score")
        if place is None or not self._scored:
            return documents, None
        return documents, [
            -value if sign < 0 and is_number(value) else value for value in values(place)
        ]

    # --- each document ----------------------------------------------------------------------------

    def _of_items(
        self, items: list[Any], query: str | None
    ) -> tuple[Sequence[Any], Sequence[Any] | None]:
        if not items:
            return [], None
        first = items[0]
        if is_identifier(first):
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
        if not all(map(is_identifier, ids)):
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


def _first_of(found: Any, k: int) -> list[Any]:
    """Return the first `k` items of an iterable of any length."""
    if isinstance(found, (list, tuple)):
        return list(found[:k])
    return list(islice(found, k))


def _documents_in(found: Any) -> Any:
    """Return the list of documents in a response or in the output of a component."""
    if isinstance(found, (list, tuple, str, bytes)) or is_table(found) or _is_array(found):
        return found
    for name in HOLDERS:
        inner = step(found, name)
        if inner is ABSENT or inner is None or callable(inner) or is_number(inner):
            continue
        # Elasticsearch nests hits in hits.
        return _documents_in(inner) if is_mapping(inner) and name in inner.keys() else inner  # noqa: SIM118
    return found


def _is_array(found: Any) -> bool:
    return hasattr(found, "tolist") or hasattr(found, "to_pylist")


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
    if len(ids) != len(scores) or not all(is_number(score) for score in scores):
        return None
    if not all(is_identifier(one) for one in ids):
        return None
    if len(ids) == 2 and all(map(is_number, ids)) and not hasattr(found[0], "tolist"):
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
        return float(score) if is_number(score) else float("nan")
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
