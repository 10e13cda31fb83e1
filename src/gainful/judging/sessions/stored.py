"""The file of a judging session: open it, and read what it contains."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from hashlib import sha256
from os import fspath
from threading import RLock

from gainful.data import Qrels
from gainful.data.corpus import read_documents, read_queries
from gainful.errors import ParameterError, SourceError
from gainful.input_files import check_output
from gainful.judging.ratings import Ratings
from gainful.judging.sessions.assignment import Leases, QueryLeases
from gainful.judging.sessions.events import ANSWERS, Kind, Scale, check_name
from gainful.judging.sessions.journal import SESSION_FILE, SessionJournal
from gainful.judging.sessions.progress import (
    COLUMNS,
    decisions_of,
    disagreements_of,
    export,
    final_grades,
    grades_of_judges,
    judge_progress_of,
    label_rows,
    progress_of,
)
from gainful.judging.sessions.state import State, choose_practice, tasks_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from os import PathLike
    from types import TracebackType
    from typing import Self

    from gainful.data.corpus import Text, TextsLike
    from gainful.data.qrels import QrelsLike
    from gainful.judging.sessions.events import Event
    from gainful.judging.sessions.journal import Queued
    from gainful.judging.sessions.progress import Disagreement, JudgeGrades, JudgeProgress, Progress
    from gainful.judging.sessions.state import PoolLike

__all__ = ["StoredSession"]

#: The number of practice documents.
PRACTICE = 5

_SCALE = "0=irrelevant,1=relevant"


class StoredSession:
    """The contents of a session; `Session` adds what judges do.

    Parameters
    ----------
    path, pool, queries, documents, scale, guidelines, practice, suggestions, lease, read_only
        As for `Session`.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        pool: PoolLike | None = None,
        *,
        queries: TextsLike | None = None,
        documents: TextsLike | None = None,
        scale: str | None = None,
        guidelines: str = "",
        practice: QrelsLike | None = None,
        suggestions: QrelsLike | None = None,
        lease: float = 600.0,
        read_only: bool = False,
    ) -> None:
        if guidelines:
            check_name("guidelines", guidelines)
        parsed = None if scale is None else Scale.parse(scale)
        tasks = None if pool is None else tasks_of(pool)
        if not lease > 0:
            raise ParameterError(where="lease", found=repr(lease), expected="a positive number")
        self._lock = RLock()
        self._read_only = read_only
        self._guidelines = guidelines
        self._leases = Leases(lease)
        self._query_leases = QueryLeases(lease)
        self._suggestions = {} if suggestions is None else Qrels(suggestions).to_dict()
        self._practice: dict[tuple[str, str], float] = {}
        self._sources = (queries, documents)
        self._query_texts: Mapping[str, Text] = {}
        self._document_texts: Mapping[str, Text] = {}
        create = tasks is not None and not read_only
        self._journal = SessionJournal(fspath(path), create=create, read_only=read_only)
        try:
            if not read_only:
                self._journal.add_tasks(tasks or (), {})
            self._scale = self._choose_scale(parsed)
            if practice is not None:
                grades = Qrels(practice).to_dict()
                self._practice = choose_practice(grades, self._scale.names, PRACTICE)
            self._read_texts()
            self._state = self._derived()
            if not read_only:
                leases = self._journal.leases()
                self._leases.restore(self._state, leases)
                self._query_leases.restore(leases)
        except BaseException:
            self._journal.close()
            raise

    def _read_texts(self) -> None:
        queries, documents = self._sources
        rows = self._journal.tasks()
        if queries is not None:
            self._query_texts = read_queries(
                queries,
                {row[0] for row in rows}.union(query for query, _ in self._practice),
                all_fields=True,
            ).found
        if documents is not None:
            self._document_texts = read_documents(
                documents,
                {row[1] for row in rows}.union(document for _, document in self._practice),
                all_fields=True,
            ).found
            if not self._read_only:
                digests = {
                    document: _digest(text)
                    for document, text in self._document_texts.items()
                    if text.snippet
                }
                self._journal.add_tasks((), digests)

    def _choose_scale(self, given: Scale | None) -> Scale:
        stored = self._journal.setting("scale")
        scale = given or Scale.parse(stored or _SCALE)
        used = {
            event.grade
            for event in self._journal.events()
            if event.grade is not None and event.kind is not Kind.PREFER
        }
        missing = sorted(used - set(scale.names))
        if missing:
            raise ParameterError(
                where="scale",
                found=repr(str(scale)),
                expected=f"the grade {missing[0]:g}, which documents of the session have",
            )
        if not self._read_only and str(scale) != stored:
            self._journal.set("scale", str(scale))
        return scale

    # --- contents -------------------------------------------------------------------------------

    @property
    def identity(self) -> str:
        """A random id of the session, which clients use to tell sessions apart."""
        return self._journal.identity

    @property
    def scale(self) -> dict[float, str]:
        """The grades and their names, from the lowest to the highest."""
        return dict(self._scale.names)

    @property
    def queries(self) -> list[str]:
        """The ids of the queries, in pool order."""
        return list(self._state.queries)

    def events(self) -> list[Event]:
        """Return all events, oldest first."""
        return list(self._journal.events())

    def add(self, pool: PoolLike) -> None:
        """Add documents to the session, such as the next ones of an adaptive strategy."""
        tasks = tasks_of(pool)
        with self._lock:
            self._check_writable()
            self._commit(self._journal.last)
            self._journal.add_tasks(tasks, {})
            self._read_texts()
            self._restore()

    def _restore(self) -> None:
        """Derive the state from the file again."""
        self._state = self._derived()
        self._leases.move(self._state)

    def _commit(self, queued: Queued | None) -> None:
        """Write events up to one; those that cannot be written are forgotten."""
        if queued is None:
            return
        try:
            self._journal.commit(queued)
        except SourceError:
            with self._lock:
                if self._journal.has_failed:
                    self._restore()
                    self._lease_again(self._journal.discard())
            raise

    def _derived(self) -> State:
        try:
            return State(self._journal.tasks(), self._journal.events())
        except KeyError:
            raise SESSION_FILE.damaged(self._journal.path, "parts are missing") from None

    @contextmanager
    def _reserving(self, judge: str) -> Iterator[None]:
        """Let a block reserve documents or a query for a judge, also over a restart."""
        check_name("judge", judge)
        with self._lock:
            self._check_writable()
            yield
            leases = [*self._leases.leases_of(judge), *self._query_leases.leases_of(judge)]
        # On a full disk, they are only in memory.
        with suppress(SourceError):
            self._journal.set_leases(judge, leases)

    def _lease_again(self, events: list[Event]) -> None:
        """Reserve the documents of answers that were not written: judges send them again."""
        for event in events:
            if event.kind in ANSWERS:
                self._leases.take(event.judge, self._state.unit(event.query_id, event.doc_id))

    @property
    def end(self) -> SourceError | None:
        """Why no further labels can be stored, such as that the file was deleted; else None."""
        return self._journal.end

    def _check_writable(self) -> None:
        if self._read_only:
            raise ParameterError("the session was opened to read it", where="session")
        if self._journal.end is not None:
            raise self._journal.end

    # --- results --------------------------------------------------------------------------------

    def progress(self) -> Progress:
        """Return how much is judged, by whom, and how much work remains."""
        with self._lock:
            return progress_of(self._state)

    def judge_progress(self, judge: str) -> JudgeProgress:
        """Return the work of one judge."""
        with self._lock:
            return judge_progress_of(self._state, judge)

    @property
    def event_count(self) -> int:
        """Number of events."""
        return len(self._state.events)

    @property
    def requested(self) -> int:
        """Number of requested labels: a document that two people should judge counts twice."""
        return self._state.requested

    @property
    def needed(self) -> int:
        """Number of requested labels that are still missing."""
        return self._state.needed

    def disagreements(
        self, priority: Mapping[tuple[str, str], float] | None = None
    ) -> list[Disagreement]:
        """Return the documents with different grades and no decision, the largest spread first."""
        with self._lock:
            disputes = disagreements_of(self._state)
        first = priority or {}
        return sorted(
            disputes,
            key=lambda disagreement: (
                -first.get((disagreement.query_id, disagreement.doc_id), 0.0),
                -disagreement.spread,
            ),
        )

    def decisions(self) -> list[Disagreement]:
        """Return the documents with a decision, the latest first. To change it, decide again."""
        with self._lock:
            return decisions_of(self._state)

    def final_grades(self) -> dict[str, dict[str, float]]:
        """Return one grade per query and document.

        It is the decision of an adjudicator, else the median of the grades, for an even number the
        lower one in the middle. Documents without a grade are missing.
        """
        with self._lock:
            return final_grades(self._state)

    def grades_of_judges(self) -> list[JudgeGrades]:
        """Return the distribution of the grades of each judge, and the agreement with the model."""
        with self._lock:
            return grades_of_judges(self._state, self._scale.names, self._suggestions)

    def ratings(self) -> Ratings:
        """Return the labels with their raters, for agreement; decisions are final grades."""
        with self._lock:
            rows = [dict(zip(COLUMNS, row, strict=True)) for row in label_rows(self._state)]
        return Ratings(rows)

    def export(
        self,
        path: str | PathLike[str],
        format: str | None = None,
        *,
        judged: QrelsLike | None = None,
    ) -> None:
        """Write the labels to a file, atomically."""
        check_output(fspath(path), [self._journal.path])
        with self._lock:
            export(self._state, path, format, {} if judged is None else Qrels(judged).to_dict())

    def back_up(self, path: str | PathLike[str]) -> None:
        """Write a copy of the session to a new file, which can be opened like the session."""
        self._journal.back_up(fspath(path))

    # --- closing --------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the file, so that another process can judge in this session."""
        self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        queries, documents = len(self._state.queries), len(self._state.units)
        return f"<Session {self._journal.path!r}: {documents} documents of {queries} queries>"


def _digest(text: Text) -> str:
    """Return a digest of what a judge reads, ignoring white space and links."""
    shown = [text.title, text.text]
    shown += [f"{name}: {field}" for name, field in text.fields if "://" not in field]
    parts = (" ".join(part.split()) for part in shown)
    return sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()
