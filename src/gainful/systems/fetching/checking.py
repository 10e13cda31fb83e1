"""Check answers as they arrive, so that an invalid one fails only its own call."""

from __future__ import annotations

from math import isfinite

from gainful.errors import SearchError
from gainful.systems.fetching.encoding import Content, encode_documents, encode_scores
from gainful.systems.masking import exposes
from gainful.systems.protocol import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

__all__ = ["check_answers"]


def check_answers(answers: Sequence[Answer], count: int, k: int) -> list[Content]:
    r"""Return answers in the form in which they are stored.

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
    [Content(documents='d2\nd1\nd2', scores=None, found=3, repeated=1, falling=None)]
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
    different = set(documents) if set(map(type, documents)) <= {str} else _raise_not_text(documents)
    if exposes("\n".join(documents)):
        raise SearchError("a document id contains the key or password that was sent")
    content = encode_documents(documents)
    if isinstance(content, bytes):
        _check_characters(documents)
    encoded = falling = None
    if scores is not None:
        scores = list(scores[:k])
        try:
            finite = all(map(isfinite, scores))
            encoded = encode_scores(scores)
        except (TypeError, OverflowError):
            finite = False
        if not finite:
            wrong = next(score for score in scores if not _finite(score))
            raise SearchError(f"score {wrong!r} is not a finite number")
        falling = sorted(scores, reverse=True) == scores
    return Content(content, encoded, len(documents), len(documents) - len(different), falling)


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
