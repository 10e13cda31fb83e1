"""Queries for a system as jobs, and their answers, which are checked as they arrive."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from math import isfinite

from gainful.errors import SearchError
from gainful.systems.fetching.journal import Content, Job
from gainful.systems.masking import exposes
from gainful.systems.protocol import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence
    from typing import Any, NoReturn

    from gainful.systems.protocol import Query, System

__all__ = ["SystemWork", "check_answers", "query_job"]


def query_job(query: Query) -> Job:
    """Return the job of a query; other fields than the text are part of it as a digest.

    Examples
    --------
    >>> from gainful.systems import Query
    >>> query_job(Query("q1", "red shoes", {"locale": "de", "size": 42})).fields
    '63429dfa0edffc15'
    """
    digest = ""
    if query.fields:
        content = json.dumps(dict(query.fields), sort_keys=True, default=_plain)
        digest = sha256(content.encode()).hexdigest()[:16]
    return Job(query.id, query.text, digest, query)


def _plain(value: Any) -> object:
    """Return a substitute of what JSON lacks: a vector as a digest of its numbers."""
    if hasattr(value, "__array__"):
        import numpy as np

        array = np.ascontiguousarray(value)
        if not array.dtype.hasobject:
            return [str(array.dtype), array.shape, sha256(array.data).hexdigest()]
    # The default representation has an address, which differs in another process.
    shown = repr(value)
    return type(value).__qualname__ if shown == object.__repr__(value) else shown


@dataclass(frozen=True)
class SystemWork:
    """The queries of a search.

    Attributes
    ----------
    system : System
        The system.
    k : int
        The number of documents to request.
    """

    system: System
    k: int

    def ask(self, jobs: Sequence[Job]) -> Sequence[Answer] | Awaitable[Sequence[Answer]]:
        """Send queries."""
        return self.system.ask([job.request for job in jobs], self.k)

    def contents(self, answers: Sequence[Answer], count: int) -> list[Content]:
        """Check answers."""
        return check_answers(answers, count, self.k)

    def close(self) -> Awaitable[None] | None:
        """Close all connections."""
        return self.system.close()


def check_answers(answers: Sequence[Answer], count: int, k: int) -> list[Content]:
    """Return answers in the form in which they are stored.

    Parameters
    ----------
    answers : sequence of Answer
        The result of a call.
    count : int
        The number of queries in the call.
    k : int
        The maximum number of documents to keep per answer.

    Raises
    ------
    SearchError
        For a wrong number of answers, invalid ids, scores that are not finite numbers, or a key
        that was sent and that an id repeats.

    Examples
    --------
    >>> from gainful.systems import Answer
    >>> check_answers([Answer(["d2", "d1", "d2", "d3"], None)], 1, 3)
    [Content(answer='["d2", "d1", "d2"]', scores=None, found=3, repeated=1, falling=None)]
    """
    try:
        number = len(answers)
    except TypeError:
        raise SearchError(
            f"the system returned {type(answers).__name__}, not a list of answers"
        ) from None
    if number != count:
        raise SearchError(f"the system returned {number:,} answers to {count:,} queries")
    return [_content(answer, k) for answer in answers]


def _content(answer: Answer, k: int) -> Content:
    documents, scores = _parts(answer)
    if scores is not None and len(scores) != len(documents):
        raise SearchError(f"an answer has {len(documents):,} documents and {len(scores):,} scores")
    # Convert any sequence to a list of at most k.
    documents = list(documents[:k])
    if not set(map(type, documents)) <= {str}:
        _raise_not_text(documents)
    text = "\n".join(documents)
    if exposes(text):
        raise SearchError("a document id contains the key or password that was sent")
    if not text.isascii():
        _check_characters(documents)
    if scores is None:
        return Content.of_documents(documents, None)
    scores = list(scores[:k])
    try:
        if all(map(isfinite, scores)):
            return Content.of_documents(documents, scores)
    except (TypeError, OverflowError):
        pass
    wrong = next(score for score in scores if not _finite(score))
    raise SearchError(f"score {wrong!r} is not a finite number")


def _parts(answer: Answer) -> Answer:
    """Check an answer: a custom `System` may return anything."""
    try:
        documents, scores = answer.documents, answer.scores
    except AttributeError:
        raise SearchError(f"the system returned {type(answer).__name__}, not an Answer") from None
    for what, values in (("documents", documents), ("scores", scores)):
        if what == "scores" and values is None:
            continue
        if isinstance(values, (str, bytes)) or not hasattr(values, "__getitem__"):
            raise SearchError(f"the {what} of an answer are {type(values).__name__}, not a list")
    return Answer(documents, scores)


def _raise_not_text(documents: list[str]) -> NoReturn:
    wrong = next(each for each in documents if type(each) is not str)
    raise SearchError(f"document id {wrong!r} is not text")


def _check_characters(documents: list[str]) -> None:
    for document in documents:
        try:
            document.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise SearchError(f"document id {document!r} has a lone surrogate") from None


def _finite(score: object) -> bool:
    try:
        return isfinite(score)  # type: ignore[arg-type]
    except (TypeError, OverflowError):
        return False
