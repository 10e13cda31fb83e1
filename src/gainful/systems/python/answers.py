"""What Python systems return for a query, as an `Answer`.

Lists of ids, of pairs of id and score, of mappings or of objects; a mapping of ids to scores; two
arrays of ids and scores; a data frame or another table; and whatever holds one of these under a
name that is usual. Everything is known by what it looks like; PyArrow alone may be imported.
"""

from __future__ import annotations

from itertools import islice

from gainful.data.columns import ALIASES
from gainful.errors import ArgumentError, FormatError, ParameterError
from gainful.systems.protocol import Answer
from gainful.systems.python.hits import IDS, SCORES, HitReader
from gainful.systems.python.steps import (
    ABSENT,
    described,
    is_identifier,
    is_mapping,
    is_number,
    path_of,
    signed,
    step,
)
from gainful.systems.python.tables import columns_of, is_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

__all__ = ["AnswerReader"]

#: Where the documents stand in what holds them; the first that is there.
HOLDERS = ("documents", "results", "hits", "matches", "points", "docs", "nodes", "source_nodes")
_NAMES = ("documents", "id", "score")


class AnswerReader:
    """Reads what a system returned for one query.

    Parameters
    ----------
    fields : mapping of str to str or None, optional
        Where things stand: ``"documents"`` in what is returned, ``"id"`` and ``"score"`` in each
        of them. A value is a name or several with dots between, such as ``"metadata.source"``;
        each step is a key, an attribute, or the number of an element. A score that begins with
        ``-`` is turned round, for distances: ``{"score": "-distance"}``. ``{"score": None}``
        leaves scores alone, so that the order alone counts.

    Raises
    ------
    ParameterError
        For another name, or a value that is no such path.

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
        given = dict(fields or {})
        for name, path in given.items():
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
                    expected="a name, or names with dots between, such as metadata.source",
                )
            if path.startswith("-") and name != "score":
                raise ParameterError(
                    where=f"fields[{name!r}]", found=repr(path), expected="a minus only of a score"
                )
        #: As given, to tell one reader from another.
        self.fields = given
        self._documents = path_of(given.get("documents"))
        self._hits = HitReader(given)
        self._scored = "score" not in given or given["score"] is not None

    def __call__(self, found: Any, k: int, query: str | None = None) -> Answer:
        """Return the answer that something is.

        Parameters
        ----------
        found
            What the system returned.
        k : int
            How many documents stay, the first.
        query : str, optional
            The query's id, for messages.

        Raises
        ------
        ArgumentError
            For what is no answer.
        FormatError
            For a document without an id, or a score that is no finite number.
        """
        if isinstance(found, Answer):
            documents, scores = found
        else:
            documents, scores = self._parts(found, k, query)
        ids = list(documents[:k])
        # What most systems return is checked without a step for each document.
        if set(map(type, ids)) != {str} or "" in ids:
            ids = [_identifier(one, rank, query) for rank, one in enumerate(ids, start=1)]
        if scores is None or not self._scored:
            return Answer(ids)
        return Answer(ids, _numbers(ids, scores, query))

    # --- what is returned as a whole --------------------------------------------------------------

    def _parts(
        self, found: Any, k: int, query: str | None
    ) -> tuple[Sequence[Any], Sequence[Any] | None]:
        if self._documents is not None:
            inner = self._documents(found)
            if inner is ABSENT:
                raise ArgumentError(
                    where="an answer",
                    query=query,
                    found=f"{described(found)} without {self.fields['documents']!r}",
                    expected="the documents there, as fields['documents'] says",
                )
            found = inner
        else:
            found = _held(found)
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
        """``{id: score}``, in whatever order it is."""
        items = list(found.items())
        if not all(is_number(value) for _, value in items):
            raise _no_answer(found, query)
        # By score, for a mapping has no order that means anything; equal scores stay as they are.
        ordered = sorted(items, key=lambda item: -_as_float(item[1]))
        return [document for document, _ in ordered], [score for _, score in ordered]

    def _of_table(
        self, found: Any, k: int, query: str | None
    ) -> tuple[Sequence[Any], Sequence[Any] | None]:
        written, values = columns_of(found, k)
        places = {name.strip().lower(): at for at, name in enumerate(written)}
        # A name that is given is meant to the letter; lower case is only a second try.
        places |= {name: at for at, name in enumerate(written)}
        wanted = self.fields.get("id")
        ids = (wanted,) if wanted else (*ALIASES["doc_id"], *IDS)
        place = next((places[name] for name in ids if name in places), None)
        if place is None:
            raise FormatError(
                where="an answer",
                query=query,
                found=f"a table with the columns {', '.join(written)}",
                expected="one of the document's id, such as doc_id",
                hint='fields={"id": NAME} says which it is',
            )
        documents = values(place)
        wanted = self.fields.get("score")
        sign, wanted = signed(wanted) if wanted else (1.0, None)
        scores = (wanted,) if wanted else SCORES
        place = next((places[name] for name in scores if name in places), None)
        if place is None or not self._scored:
            return documents, None
        return documents, [
            -each if sign < 0 and is_number(each) else each for each in values(place)
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
        # A tuple whose elements have names is a hit; so is one whose elements are numbered.
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
                    where=f"an answer, document {rank}",
                    query=query,
                    found=described(item),
                    expected="a pair of id and score, as the first is",
                )
            ids.append(item[0])
            scores.append(item[1])
        if not all(map(is_identifier, ids)):
            ids = self._hits.ids(ids, query)
        return ids, scores


# --- whole answers ------------------------------------------------------------------------------


def _first_of(found: Any, k: int) -> list[Any]:
    """Return the first `k` of what can be iterated over, however much that is."""
    if isinstance(found, (list, tuple)):
        return list(found[:k])
    return list(islice(found, k))


def _held(found: Any) -> Any:
    """Return the documents of what holds them: a response, or a component's output."""
    if isinstance(found, (list, tuple, str, bytes)) or is_table(found):
        return found
    for name in HOLDERS:
        inner = step(found, name)
        if inner is ABSENT or inner is None or callable(inner) or is_number(inner):
            continue
        # Elasticsearch's hits are in hits, twice.
        return _held(inner) if is_mapping(inner) and name in inner.keys() else inner  # noqa: SIM118
    return found


def _listed(found: Any) -> Any:
    """Return an array as a list, and anything else as it is."""
    for method in ("tolist", "to_pylist"):
        if hasattr(found, method):
            return getattr(found, method)()
    return found


def _lists_ids(found: Any) -> bool:
    """Report whether a Series of pandas is a list of ids, and not a mapping of ids to scores.

    Its index then numbers the rows, and its values are no fractions.
    """
    numbered = type(getattr(found, "index", None)).__name__ == "RangeIndex"
    return numbered and getattr(getattr(found, "dtype", None), "kind", "O") != "f"


def _two_columns(found: Any, query: str | None) -> tuple[list[Any], list[Any]] | None:
    """Return ids and scores of a tuple of two lists or arrays; None for anything else."""
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
            where="an answer",
            query=query,
            found=f"{found!r}, which may be two pairs, or ids and scores",
            expected="one of them",
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
        where=f"an answer, document {rank}",
        query=query,
        found="an empty text as id" if found == "" else f"{described(found)} as id",
        expected="a text or a whole number",
    )


def _numbers(ids: list[str], scores: Sequence[Any], query: str | None) -> list[float]:
    """Return the scores, which are finite."""
    plain = list(scores[: len(ids)])
    if len(plain) == len(ids) and set(map(type, plain)) == {float}:
        total = sum(plain)
        # A difference of a number to itself is 0 only if it is finite.
        if total - total == 0.0:
            return plain
    numbers: list[float] = []
    if len(scores) < len(ids):
        raise FormatError(
            where="an answer",
            query=query,
            found=f"{len(scores)} scores of {len(ids)} documents",
            expected="one each",
        )
    for document, score in zip(ids, scores, strict=False):
        number = _as_float(score)
        if number - number != 0.0:
            raise FormatError(
                where="an answer",
                query=query,
                document=document,
                found=f"{_shown(score)} as score",
                expected="a finite number",
                hint='fields={"score": None} leaves scores alone',
            )
        numbers.append(number)
    return numbers


def _as_float(score: Any) -> float:
    """Return a score; no number, where it is none, or none that a float can be."""
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
        hint = "does the function return what it found?"
    elif hasattr(found, "__aiter__"):
        hint = "collect what it yields in a list, and return that"
    elif hasattr(found, "__await__"):
        hint = "write `async def` for a function that has to be awaited"
        close = getattr(found, "close", None)
        if close is not None:
            close()  # Nobody will await it, and Python would warn of that.
    return ArgumentError(
        where="an answer",
        query=query,
        found=described(found),
        expected="a list of ids, of (id, score) pairs, of mappings or of objects",
        hint=hint,
    )
