"""Queries as jobs, and answered queries that are asked again."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import sha256
from math import isfinite
from typing import NamedTuple

from gainful.errors import SearchError
from gainful.references import refer
from gainful.systems.fetching.journal import Content, Job, short, ways_out
from gainful.systems.masking import exposes
from gainful.systems.protocol import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence
    from typing import Any, NoReturn

    from gainful.systems.fetching.journal import SearchSession
    from gainful.systems.protocol import Query, System

__all__ = [
    "VERIFIED",
    "Ranking",
    "RepeatedAnswers",
    "SystemWork",
    "distance",
    "query_job",
    "verify_answers",
]


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
    wrong = next(document for document in documents if type(document) is not str)
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


#: The number of queries that are sent again: one round of the default number of workers.
VERIFIED = 8
#: The difference of equal scores, as a share of the largest score of an answer. Scores of 32 bits
#: and of other batches, threads or processors differ by less.
TOLERANCE = 1e-4
#: A system whose answers vary from call to call has changed if the answers of the journal differ
#: from the new ones more than this many times as much as these among each other.
VARIATION = 2.0
#: The maximum number of queries, and of ranks per query, in a message.
_QUERIES, _RANKS = 3, 3


class Ranking(NamedTuple):
    """The documents of an answer, best first, and their scores if it has some."""

    documents: Sequence[str]
    scores: Sequence[float] | None


@dataclass
class RepeatedAnswers:
    """New answers to queries of a journal, which are not stored.

    Attributes
    ----------
    rankings : dict of str to Ranking
        The answers by query.
    failures : dict of str to str
        The reasons of failed queries.
    """

    rankings: dict[str, Ranking] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    def keep(self, entries: Iterable[tuple[Job, Content, float, int]]) -> None:
        """Keep answers: job, content, seconds and tries."""
        self.rankings |= {job.id: Ranking(*content.ranking()) for job, content, _, _ in entries}

    def keep_failures(self, entries: Iterable[tuple[Job, str, float, int]]) -> None:
        """Keep failures: job, reason, seconds and tries."""
        self.failures |= {job.id: reason for job, reason, _, _ in entries}

    def keep_retries(self, jobs: Iterable[Job], reason: str) -> None:
        """Ignore retries."""


def verify_answers(
    session: SearchSession,
    queries: Sequence[Job],
    most: int,
    send: Callable[[Sequence[Job]], RepeatedAnswers],
) -> int:
    """Compare answers of a journal with new ones, and return how many were compared."""
    chosen = session.sample(queries, most)
    figures = session.figures()
    rankings = session.rankings(figures[job.id] for job in chosen)
    before = {job.id: Ranking(*ranking) for job, ranking in zip(chosen, rankings, strict=True)}
    new = send(chosen)
    if not new.rankings:
        session.withdraw()
        reason = next(iter(new.failures.values()), "the search stopped")
        raise SearchError(
            f"the answers of {session.name!r} cannot be compared with new ones: {reason}",
            where=f"journal {session.label}",
            hint=f"{refer('keep_answers', 'True')} uses them without a comparison",
        )
    # In the order of the queries: that of the draw or of the answers differs from run to run.
    answered = [job.id for job in queries if job.id in new.rankings]
    changed = {
        query: distance(before[query], new.rankings[query])
        for query in answered
        if not _are_equal(before[query], new.rankings[query])
    }
    if not changed:
        return len(new.rankings)
    # Approximate indexes, or copies of an index in different states, may vary from call to call.
    again = send([job for job in chosen if job.id in new.rankings]).rankings
    variation = sum(distance(new.rankings[query], again[query]) for query in again)
    if variation and sum(changed.values()) <= VARIATION * variation:
        return len(new.rankings)
    session.withdraw()
    shown = [
        f"query {query}: {_describe(before[query], new.rankings[query])}"
        for query in list(changed)[:_QUERIES]
    ]
    shown += [f"and {len(changed) - _QUERIES:,} more"] if len(changed) > _QUERIES else []
    raise SearchError(
        f"{session.name!r} has changed: {len(changed):,} of {len(new.rankings):,} answers that were"
        f" requested again differ ({'; '.join(shown)})",
        where=f"journal {session.label}",
        hint=ways_out(keep=True),
    )


def distance(one: Ranking, two: Ranking) -> float:
    """Return how much two answers differ, from 0 to 1: 0 if they are equal.

    This is 1 minus the overlap of the first documents, averaged over all ranks (W. Webber,
    A. Moffat and J. Zobel, ACM TOIS 28(4), 2010), or the largest difference of the scores at a
    rank, as a share of the largest score, if it is larger.

    Examples
    --------
    >>> a, b = Ranking(["d1", "d2"], [2.0, 1.0]), Ranking(["d1", "d3"], [2.0, 1.0])
    >>> distance(a, a), distance(a, b), distance(a, Ranking(["d1", "d2"], [2.0, 1.5]))
    (0.0, 0.25, 0.25)
    """
    if _are_equal(one, two):
        return 0.0
    if (one.scores is None) != (two.scores is None):
        return 1.0
    ranks = max(len(one.documents), len(two.documents))
    shares = [
        len(set(one.documents[:rank]) & set(two.documents[:rank])) / rank
        for rank in range(1, ranks + 1)
    ]
    scores = max((abs(a - b) for a, b in _score_pairs(one, two)), default=0.0)
    return max(1 - sum(shares) / ranks, min(1.0, scores / (_largest(one, two) or 1.0)))


def _are_equal(one: Ranking, two: Ranking) -> bool:
    """Return whether two answers have the same documents in the same order, with the same scores.

    Documents whose scores are equal within the tolerance may change places.
    """
    if one.scores is None or two.scores is None:
        return one == two
    if sorted(one.documents) != sorted(two.documents):
        return False
    near = TOLERANCE * _largest(one, two)
    if any(abs(a - b) > near for a, b in _score_pairs(one, two)):
        return False
    if one.documents == two.documents:
        return True
    falling = all(
        list(scores) == sorted(scores, reverse=True) for scores in (one.scores, two.scores)
    )
    known = dict(zip(one.documents, one.scores, strict=True))
    pairs = zip(two.documents, two.scores, strict=True)
    return falling and all(abs(score - known[name]) <= near for name, score in pairs)


def _score_pairs(one: Ranking, two: Ranking) -> Iterable[tuple[float, float]]:
    return zip(one.scores or (), two.scores or (), strict=False)


def _largest(one: Ranking, two: Ranking) -> float:
    return max(map(abs, [*(one.scores or ()), *(two.scores or ())]), default=0.0)


def _describe(before: Ranking, now: Ranking) -> str:
    """Return the first ranks at which documents, or else scores, differ."""
    old, new = list(before.documents), list(now.documents)
    if old == new:
        old, new = _with_scores(before), _with_scores(now)
    ranks = max(len(old), len(new))
    old += [""] * (ranks - len(old))
    new += [""] * (ranks - len(new))
    pairs = enumerate(zip(old, new, strict=True), start=1)
    changes = [
        f"rank {rank} {short(a) if a else 'none'} → {short(b) if b else 'none'}"
        for rank, (a, b) in pairs
        if a != b
    ]
    left = len(changes) - _RANKS
    return ", ".join(changes[:_RANKS]) + (f" and {left:,} more ranks" if left > 0 else "")


def _with_scores(ranking: Ranking) -> list[str]:
    if ranking.scores is None:
        return [f"{name} without a score" for name in ranking.documents]
    pairs = zip(ranking.documents, ranking.scores, strict=True)
    return [f"{name} {score:.6g}" for name, score in pairs]
