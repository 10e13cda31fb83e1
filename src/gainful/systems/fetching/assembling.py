"""Create the run and its account from a journal."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

from gainful import _kernel
from gainful.data.run import Run
from gainful.systems.fetching.account import Account, Latency

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from gainful.systems.fetching.journal import Figures, Session

__all__ = ["assemble_run"]


class _Rankings:
    """The answers as a mapping that the kernel iterates once, to save memory."""

    def __init__(self, session: Session, answers: Sequence[Figures], *, scored: bool) -> None:
        self._session = session
        self._answers = answers
        self._scored = scored

    def items(self) -> Iterator[tuple[str, Any]]:
        answers = zip(self._answers, self._session.rankings(self._answers), strict=True)
        for figures, (documents, scores) in answers:
            if not self._scored:
                yield figures.key, documents
            elif scores is None:
                yield figures.key, {}
            else:
                pairs = zip(documents, scores, strict=True)
                # The kernel reads dictionaries faster, but they cannot have duplicates.
                yield figures.key, list(pairs) if figures.repeated else dict(pairs)


def assemble_run(
    session: Session,
    queries: Mapping[str, object],
    *,
    identity: Mapping[str, Any],
    k: int,
    reused: int,
    verified: int,
    unsent: Mapping[str, str],
    temporary: bool,
) -> Run:
    """Return the run of a search.

    Parameters
    ----------
    session : Session
        The search.
    queries : mapping
        The queries by id, in the order of the run.
    identity, k
        The system's identity, and the depth.
    reused, verified : int
        The number of answers that were in the journal before, and that were requested again.
    unsent : dict of str to str
        The queries that were not sent, with the reasons.
    temporary : bool
        Whether a failure may be temporary.

    Raises
    ------
    SourceError
        If an answer is missing from the journal.
    """
    stored = session.figures()
    missing = [query for query in queries if query not in stored and query not in unsent]
    if missing:
        raise session.damaged(f"it lost the answer to query {missing[0]}")
    found = [stored[query] for query in queries if query in stored]
    answered = [each for each in found if each.failure is None]
    failures = {each.key: each.failure for each in found if each.failure is not None}
    failures.update(unsent)
    unsorted = sum(each.falling == 0 for each in answered)
    # Scores that contradict the order, or are missing in some answers, are dropped.
    scored = not unsorted and not any(each.found and each.falling is None for each in answered)
    reasons = Counter(reason for query, reason in session.retries() if query in queries)
    begins = session.begins()
    ends = dict(begins)
    for each in found:
        ends[each.session] = max(ends[each.session], each.at)
    account = Account(
        name=session.name,
        identity=dict(identity),
        k=k,
        queries=len(queries),
        answered=len(answered),
        reused=reused,
        verified=verified,
        failed={query: failures[query] for query in queries if query in failures},
        temporary=temporary,
        retried=sum(each.tries > 1 for each in found),
        retries=dict(reasons.most_common()),
        empty=sum(each.found == 0 for each in answered),
        short=sum((each.found or 0) < k for each in answered),
        repeated=sum(each.repeated or 0 for each in answered),
        unsorted=unsorted,
        latency=Latency.of([each.seconds for each in answered]),
        seconds=sum(ends[number] - start for number, start in begins.items()),
        sessions=len(begins),
        started=datetime.fromtimestamp(min(begins.values()), UTC).isoformat(timespec="seconds"),
    )
    if answered:
        rankings = _Rankings(session, answered, scored=scored)
        rows = _kernel.rows_from_mapping(rankings, "run", duplicates="first")
    else:
        rows = Run({"": {}})._rows.select([])
    return Run._of(rows, name=session.name)._with_search(account, account.failed)
