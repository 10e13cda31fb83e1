"""Send answered queries again: a system that has changed answers them differently."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from gainful.errors import SearchError
from gainful.references import refer
from gainful.systems.fetching.changes import short
from gainful.systems.fetching.journal import ways_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gainful.systems.fetching.journal import Content, Job, Session

__all__ = [
    "VERIFIED",
    "Ranking",
    "RepeatedAnswers",
    "distance",
    "verify_answers",
]

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
    session: Session,
    queries: Sequence[Job],
    most: int,
    send: Callable[[Sequence[Job]], RepeatedAnswers],
) -> int:
    """Compare answers of a journal with new ones, and return how many were compared.

    Parameters
    ----------
    session : Session
        The search.
    queries : sequence of Job
        Queries with an answer in the journal.
    most : int
        The maximum number of queries to send again.
    send : callable
        Sends queries and returns their answers.

    Raises
    ------
    SearchError
        If answers differ, or no query was answered.
    """
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
