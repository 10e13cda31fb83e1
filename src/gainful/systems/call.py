"""Run every query against a system."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from warnings import warn

from gainful import _kernel
from gainful.data.run import Run, with_search
from gainful.data.table import kernel_rows, table_of_rows
from gainful.errors import ArgumentError, NoAnswerError, ParameterError, SearchWarning
from gainful.keywords import suggest_keywords
from gainful.progress import QueryBar, show_progress
from gainful.systems.fetching.account import Account, Latency, describe_verification
from gainful.systems.fetching.base import LEAST_FAILURES, LOG, JobQueue, Options
from gainful.systems.fetching.in_threads import SequentialFetching, ThreadsFetching
from gainful.systems.fetching.journal import SearchJournal, journal_path
from gainful.systems.fetching.query_jobs import (
    VERIFIED,
    RepeatedAnswers,
    SystemWork,
    query_job,
    verify_answers,
)
from gainful.systems.loading import as_system
from gainful.systems.protocol import System
from gainful.systems.queries import Queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from gainful.systems.fetching.base import Fetching
    from gainful.systems.fetching.journal import Figures, Job, SearchSession

__all__ = ["no_answer", "search"]


@show_progress(QueryBar)
@suggest_keywords
def search(
    system: Any,
    queries: Any,
    k: int = 100,
    *,
    name: str | None = None,
    workers: int = 8,
    batch: int | None = None,
    rate: float | None = None,
    retries: int = 4,
    timeout: float = 30.0,
    journal: str | os.PathLike[str] | None = None,
    restart: bool = False,
    keep_answers: bool = False,
    on_failure: str = "mark",
    fields: Any = None,
    version: str | None = None,
    quiet: bool = False,
    progress: Callable[[int, int, int], object] | None = None,
) -> Run:
    """Run every query against a system and return the run.

    Parameters
    ----------
    system : callable, object, System or path
        A function ``f(text, k)``, synchronous or asynchronous, an object with
        ``search(query, top_k)``, a retriever of LangChain, LlamaIndex or Haystack, a
        `gainful.systems.System`, or the path of a description in TOML. A system is closed at the
        end, and reopens at the next call.
    queries : path, mapping, iterable or Queries
        ``{id: text}``, texts, pairs of id and text, or a file of queries.
    k : int
        The number of documents to request, at least 1. Additional documents are dropped.
    name : str, optional
        The name of the run, and of the search in the journal. Default: the system's name.
    workers : int
        The maximum number of concurrent calls. With 1, a blocking function is called in the calling
        thread, which a connection of sqlite3 requires; such a call cannot be abandoned.
    batch : int, optional
        The maximum number of queries per call, if the system accepts several. Default: as many as
        it accepts.
    rate : float, optional
        The maximum number of queries per second, including retries.
    retries : int
        The maximum number of retries per query, after errors that may be temporary: a
        `ConnectionError`, a `TimeoutError`, or a transient `gainful.errors.SearchError`. The wait
        is random: up to half a second at first, then up to 1, 2, 4, ... 30; if the system requests
        a wait (up to two minutes), all queries wait.
    timeout : float
        Seconds per call. Asynchronous calls are then cancelled. Synchronous calls cannot be: their
        thread is replaced, and their answer is discarded.
    journal : path, optional
        A file that stores every answer as it arrives. The same call resumes an interrupted search
        and retries failed queries. It first requests up to 8 of the answers again, chosen at random
        with the journal's seed, and refuses a system whose answers have changed: see Notes. A file
        can contain several searches, by name. Default: none.
    restart : bool
        Whether to delete the journal's search of that name first.
    keep_answers : bool
        Whether to keep the journal's answers although the system has changed, and request none of
        them again. Changes of `k` or of the text of a query are still refused.
    on_failure : {"mark", "raise"}
        Whether failed queries are listed in `Run.failed`, or the first one raises a `SearchError`.
        The search stops early if the first queries all fail: at least 20, and at least twice the
        number of workers.
    fields : optional
        The location of id and score in a callable's result.
    version : str, optional
        The version of the system, for example of its index. Answers of two versions are never
        mixed. Without a version, a Python system is identified by the qualified name of its
        function or class.
    quiet : bool
        Whether to report failures and reused answers in `Run.account` only, without a warning, and
        without an error if no query was answered.
    progress : callable, optional
        Called twenty times a second with (queries finished, queries in total, queries that failed).
        Default: a progress bar, as in `gainful.evaluate`.

    Returns
    -------
    Run
        With its `Run.account`. If queries failed it is `Run.incomplete`, and cannot be evaluated
        except through `Run.as_complete`. Duplicate documents in an answer are dropped. If scores
        increase within an answer, or some answers have none, the run has no scores: it keeps the
        order of the answers.

    Raises
    ------
    SearchError
        If the journal has a search of this name by another system, with another depth or other
        texts, or answers that the system would not give any more, or that it cannot repeat; or for
        the first failed query, depending on `on_failure`.
    NoAnswerError
        If no query was answered.
    SourceError
        If the journal cannot be used.
    ArgumentError, ParameterError
        For invalid arguments.

    Warns
    -----
    SearchWarning
        If queries failed, or answers came from the journal.

    Notes
    -----
    Answers of a journal equal new ones if they have the same documents in the same order, with
    scores that differ by at most 0.01% of the answer's largest score. Documents with scores as
    close as that may change places. If an answer differs, the same queries are sent once more: if
    answers vary from call to call, as those of an approximate index or of copies of an index in
    different states may, the system has changed if the answers of the journal differ more than
    twice as much from the new ones as these among each other, by 1 − average overlap (W. Webber,
    A. Moffat and J. Zobel, ACM TOIS 28(4), 2010).

    With k answers, a change that affects a share s of all answers is noticed with probability
    1 − (1 − s)^k: with 8 answers, of a change in 30% of them, 94%.

    Examples
    --------
    >>> import gainful
    >>> titles = {"d1": "red shoes", "d2": "blue shoes", "d3": "red hat"}
    >>> def find(text, k):
    ...     words = set(text.split())
    ...     found = [(d, len(words & set(t.split()))) for d, t in titles.items()]
    ...     return sorted(found, key=lambda pair: -pair[1])[:k]
    >>> run = gainful.search(find, {"q1": "red shoes", "q2": "blue hat"}, k=2)
    >>> run
    <Run 'find': 2 queries, 4 documents>
    >>> run["q1"]
    [('d1', 2.0), ('d2', 1.0)]
    >>> run.account.answered, run.incomplete
    (2, False)
    """
    options = Options(k, workers, batch, rate, retries, timeout, on_failure)
    path = journal_path(journal)
    run = search_with(
        system,
        queries,
        options,
        name=name,
        journal=path,
        restart=restart,
        keep_answers=keep_answers,
        fields=fields,
        version=version,
        progress=progress,
    )
    if not quiet:
        _report(run, path)
    return run


def search_with(
    system: Any,
    queries: Any,
    options: Options,
    *,
    name: str | None,
    journal: str | None,
    restart: bool,
    keep_answers: bool,
    fields: Any,
    version: str | None,
    progress: Callable[[int, int, int], object] | None,
    verified: int = VERIFIED,
) -> Run:
    """Run every query without a report; compare at most `verified` answers of the journal."""
    options = options.checked()
    by_id = {query.id: query for query in Queries.of(queries)}
    if not by_id:
        raise ParameterError("no queries", where="queries")
    one: System = as_system(system, fields=fields, version=version, batch=options.batch)
    _check_name(one.name if name is None else name)
    identity = dict(one.identity)
    if version is not None:
        identity.setdefault("version", version)
    with closing(SearchJournal(journal)) as opened:
        session = opened.session(
            name or one.name, identity, options.k, restart=restart, keep_answers=keep_answers
        )
        jobs = [query_job(query) for query in by_id.values()]
        missing = session.missing(jobs)
        agenda = _agenda(one, missing, options)
        new = {job.id for job in missing}
        kept = [job for job in jobs if job.id not in new]
        LOG.info("%s: %d queries to send, %d in the journal", one.name, len(missing), len(kept))

        def report() -> None:
            if progress is not None:
                progress(len(kept) + agenda.finished, len(by_id), agenda.refused)

        def send(chosen: Sequence[Job]) -> RepeatedAnswers:
            answers = RepeatedAnswers()
            # One failure does not end the comparison.
            once = options._replace(on_failure="mark")
            _fetch(one, _agenda(one, chosen, once), answers, once, report)
            return answers

        try:
            compared = 0
            if kept and not keep_answers:
                compared = verify_answers(session, kept, verified, send)
            _fetch(one, agenda, session, options, report)
        except KeyboardInterrupt as interrupt:
            # Shown in Python's traceback.
            interrupt.add_note(_interrupted(session, len(by_id)))
            raise
        report()
        LOG.info("%s: finished, %d queries failed", one.name, agenda.refused)
        unsent = {job.id: agenda.hopeless for job in agenda.unsent()} if agenda.hopeless else {}
        return _assemble_run(
            session,
            by_id,
            identity=identity,
            k=options.k,
            reused=len(kept),
            verified=compared,
            unsent=unsent,
            temporary=agenda.temporary,
        )


def _agenda(system: System, jobs: Sequence[Job], options: Options) -> JobQueue:
    agenda = JobQueue(
        batch=options.batch_for(system.name, system.batch),
        retries=options.retries,
        rate=options.rate,
        patience=max(LEAST_FAILURES, 2 * options.workers),
    )
    agenda.add(jobs)
    return agenda


def _report(run: Run, journal: str | None) -> None:
    """Warn of failed queries and of reused answers."""
    account = run.account
    assert account is not None  # every run of a search has one
    if not account.answered:
        raise no_answer(account)
    if account.failed:
        query, reason = next(iter(account.failed.items()))
        warn(
            f"{len(account.failed):,} of {account.queries:,} queries failed and are missing from"
            f" the run, such as {query!r}: {reason}. Run.failed lists them.",
            SearchWarning,
            stacklevel=3,
        )
    if account.reused:
        warn(
            f"{account.reused:,} of {account.answered:,} answers came from the journal"
            f" {journal!r}, started {account.started}. {_verified(account)}"
            "restart=True sends all queries again.",
            SearchWarning,
            stacklevel=3,
        )


def _verified(account: Account) -> str:
    return f"{describe_verification(account.verified)}. " if account.verified else ""


def no_answer(account: Account, where: str | None = None) -> NoAnswerError:
    """Return the error of a search without any answers."""
    query, reason = next(iter(account.failed.items()))
    return NoAnswerError(
        f"no query was answered ({account.queries:,} failed): {reason}",
        transient=account.temporary,
        where=where,
        query=query,
    )


def _fetch(
    system: System,
    agenda: JobQueue,
    answers: SearchSession | RepeatedAnswers,
    options: Options,
    report: Callable[[], object],
) -> None:
    """Send the queries of an agenda, and store their answers."""
    fetching = _kind(system, options.workers)(
        SystemWork(system, options.k),
        agenda,
        answers,
        timeout=options.timeout,
        strict=options.on_failure == "raise",
    )
    fetching.run(options.workers, report)
    if fetching.error is not None:
        raise fetching.error


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise ArgumentError(where="name", found=repr(name), expected="a text")
    try:
        name.encode()
    except UnicodeEncodeError:
        raise ParameterError(
            where="name", found=repr(name), expected="text without lone surrogates"
        ) from None


def _kind(system: System, workers: int) -> type[Fetching]:
    if system.asynchronous:
        from gainful.systems.fetching.on_loop import LoopFetching

        return LoopFetching
    return SequentialFetching if workers == 1 else ThreadsFetching


def _interrupted(session: SearchSession, total: int) -> str:
    if session.file is None:
        return "The answers are lost. With journal=FILE a search can be resumed."
    answered = sum(answered for _, answered in session.jobs().values())
    return (
        f"{answered:,} of {total:,} answers are stored in {session.file}. "
        "The same call resumes the search."
    )


class _Rankings:
    """The answers as a mapping that the kernel iterates once, to save memory."""

    def __init__(self, session: SearchSession, answers: Sequence[Figures], *, scored: bool) -> None:
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


def _assemble_run(
    session: SearchSession,
    queries: Mapping[str, object],
    *,
    identity: Mapping[str, Any],
    k: int,
    reused: int,
    verified: int,
    unsent: Mapping[str, str],
    temporary: bool,
) -> Run:
    """Return the run of a search."""
    stored = session.figures()
    missing = [query for query in queries if query not in stored and query not in unsent]
    if missing:
        raise session.damaged(f"it lost the answer to query {missing[0]}")
    answered_queries = [stored[query] for query in queries if query in stored]
    answered = [answer for answer in answered_queries if answer.failure is None]
    failures = {
        answer.key: answer.failure for answer in answered_queries if answer.failure is not None
    }
    failures.update(unsent)
    unsorted = sum(answer.falling == 0 for answer in answered)
    # Scores that contradict the order, or are missing in some answers, are dropped.
    scored = not unsorted and not any(
        answer.found and answer.falling is None for answer in answered
    )
    reasons = Counter(reason for query, reason in session.retries() if query in queries)
    begins = session.begins()
    ends = dict(begins)
    for query_answer in answered_queries:
        ends[query_answer.session] = max(ends[query_answer.session], query_answer.at)
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
        retried=sum(answer.tries > 1 for answer in answered_queries),
        retries=dict(reasons.most_common()),
        empty=sum(answer.found == 0 for answer in answered),
        short=sum((answer.found or 0) < k for answer in answered),
        repeated=sum(answer.repeated or 0 for answer in answered),
        unsorted=unsorted,
        latency=Latency.of([answer.seconds for answer in answered]),
        seconds=sum(ends[number] - start for number, start in begins.items()),
        sessions=len(begins),
        started=datetime.fromtimestamp(min(begins.values()), UTC).isoformat(timespec="seconds"),
    )
    if answered:
        rankings = _Rankings(session, answered, scored=scored)
        rows = _kernel.rows_from_mapping(rankings, "run", duplicates="first")
    else:
        rows = kernel_rows(Run({"": {}})).select([])
    return with_search(table_of_rows(Run, rows, name=session.name), account, account.failed)
