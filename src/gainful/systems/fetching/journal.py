"""The journal: stores the results of jobs as they arrive, so that work can be resumed.

A job is a query for a system, or a request to a language model.
"""

from __future__ import annotations

import json
import os
import sys
from array import array
from collections import deque
from dataclasses import dataclass
from hashlib import blake2b
from heapq import nsmallest
from secrets import token_bytes
from threading import Lock
from time import time
from typing import Any, NamedTuple

from gainful.errors import ArgumentError, SearchError, SourceError
from gainful.references import refer
from gainful.sqlite_files import FileKind, transaction
from gainful.systems.masking import masked

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator, Mapping

    Row = tuple[object, ...]

__all__ = [
    "Content",
    "Figures",
    "Job",
    "SearchJournal",
    "SearchSession",
    "journal_path",
    "short",
    "ways_out",
]


#: Characters of a value that a message shows.
_LENGTH = 60


def short(value: object) -> str:
    """Return a value for a message, shortened if it is long.

    Examples
    --------
    >>> short("red  shoes"), short({"title": 2})
    ("'red shoes'", '{"title": 2}')
    """
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    text = text if len(text) <= _LENGTH else f"{text[: _LENGTH - 1]}…"
    return repr(text) if isinstance(value, str) else text


def changes(before: object, after: object, place: str = "") -> list[str]:
    """Return the differences between two JSON values, key by key.

    Examples
    --------
    >>> changes({"url": "a", "boost": {"title": 1}}, {"url": "a", "boost": {"title": 2}})
    ['boost.title: 1 → 2']
    """
    if isinstance(before, dict) and isinstance(after, dict):
        listed = []
        for key in sorted({*before, *after}):
            inner = f"{place}.{key}" if place else key
            if key not in before:
                listed.append(f"{inner}: none → {short(after[key])}")
            elif key not in after:
                listed.append(f"{inner}: {short(before[key])} → none")
            else:
                listed += changes(before[key], after[key], inner)
        return listed
    # Compare as text, because NaN does not equal itself.
    if json.dumps(before, sort_keys=True) == json.dumps(after, sort_keys=True):
        return []
    return [f"{place or 'the system'}: {short(before)} → {short(after)}"]


# Rows are only added, and the last one of a job counts. Without an index, a commit writes a page or
# two. Small columns come first. Only one session writes at a time, so its rows are consecutive.
_SCHEMA = """
CREATE TABLE work (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    identity TEXT NOT NULL,            -- the identity of the system, as JSON
    k INTEGER NOT NULL,                -- the number of documents per query
    seed BLOB NOT NULL                 -- chooses the queries that are repeated to compare answers
);
CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    work INTEGER NOT NULL,
    began REAL NOT NULL,               -- seconds since 1970
    first INTEGER NOT NULL             -- the id of its first job
);
CREATE TABLE job (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,                 -- the id of the query, or a digest of the request
    session INTEGER NOT NULL,
    at REAL NOT NULL CHECK (typeof(at) = 'real'),            -- when it ended, since 1970
    seconds REAL NOT NULL CHECK (typeof(seconds) = 'real'),  -- the duration of the call
    tries INTEGER NOT NULL CHECK (typeof(tries) = 'integer'),
    failure TEXT,                      -- why there is no answer
    fields TEXT NOT NULL,              -- a digest of attributes other than the text
    found INTEGER,                     -- the number of documents
    repeated INTEGER,                  -- the number of duplicates among them
    falling INTEGER,                   -- whether scores never increase; null without scores
    text TEXT NOT NULL,
    answer TEXT,                       -- as JSON: documents, best first, or a model's answer
    scores BLOB,                       -- as 64-bit floats, little-endian
    CHECK ((failure IS NULL) = (answer IS NOT NULL)),
    CHECK (scores IS NULL OR (typeof(found) = 'integer' AND length(scores) = 8 * found))
);
CREATE TABLE retry (
    work INTEGER NOT NULL,
    key TEXT NOT NULL,
    reason TEXT NOT NULL
);
"""

_KIND = FileKind(
    word="journal",
    title="journal of gainful.search",
    application=0x4761696E,  # "Gain"
    version=4,
    schema=_SCHEMA,
    busy=("another search is writing the journal", "wait for it, or use another journal"),
    damaged_hint="use a new name, or delete the file to send all queries again",
)

#: Each session, its work, its first job and the next session's first job.
_SESSIONS = (
    "SELECT id, work, first, lead(first, 1, 9223372036854775807) OVER (ORDER BY id) "
    "FROM session ORDER BY id"
)
_INSERTION = f"INSERT INTO job VALUES (NULL{', ?' * 13})"


class Job(NamedTuple):
    """What is sent to a system or server.

    Attributes
    ----------
    id : str
        What identifies it in the journal.
    text, fields : str
        What else its answer depends on: the text of a query, and a digest of its other fields.
    request : object
        What the caller sends.
    """

    id: str
    text: str = ""
    fields: str = ""
    request: Any = None


class Content(NamedTuple):
    """An answer in the form in which it is stored.

    Attributes
    ----------
    answer : str
        JSON: a list of documents, or whatever the caller reads.
    scores : bytes or None
        The scores of the documents; see `Content.of_documents`.
    found : int or None
        The number of documents.
    repeated : int or None
        The number of duplicates among them.
    falling : bool or None
        Whether scores never increase; None without scores.
    """

    answer: str
    scores: bytes | None = None
    found: int | None = None
    repeated: int | None = None
    falling: bool | None = None

    @classmethod
    def of_documents(cls, documents: list[str], scores: list[float] | None) -> Content:
        """Return documents and scores without loss.

        Examples
        --------
        >>> Content.of_documents(["d2", "d1", "d2"], None)
        Content(answer='["d2", "d1", "d2"]', scores=None, found=3, repeated=1, falling=None)
        """
        encoded = falling = None
        if scores is not None:
            numbers = array("d", scores)
            if sys.byteorder == "big":
                numbers.byteswap()
            encoded, falling = numbers.tobytes(), sorted(scores, reverse=True) == scores
        repeated = len(documents) - len(set(documents))
        return cls(json.dumps(documents), encoded, len(documents), repeated, falling)

    def ranking(self) -> tuple[list[str], array[float] | None]:
        """Return the documents and scores.

        Examples
        --------
        >>> Content.of_documents(["d2"], [1.5]).ranking()
        (['d2'], array('d', [1.5]))
        """
        documents = json.loads(self.answer)
        if not isinstance(documents, list) or len(documents) != self.found:
            raise ValueError("the number of documents")
        if not all(isinstance(name, str) for name in documents):
            raise ValueError("a document")
        if self.scores is None:
            return documents, None
        numbers = array("d", self.scores)
        if sys.byteorder == "big":
            numbers.byteswap()
        return documents, numbers


class Figures(NamedTuple):
    """The journal's entry for a job, without its answer.

    Attributes
    ----------
    row : int
        The number of its row.
    key : str
        The job's id.
    session : int
        The number of the session of the last call.
    at, seconds : float
        The end of the last call, in seconds since 1970, and its duration.
    tries : int
        The number of calls.
    failure : str or None
        The reason of a failure; None for an answer.
    found, repeated, falling : int or None
        See `Content`.
    """

    row: int
    key: str
    session: int
    at: float
    seconds: float
    tries: int
    failure: str | None
    found: int | None
    repeated: int | None
    falling: int | None


def journal_path(journal: str | os.PathLike[str] | None) -> str | None:
    """Return the path of a journal as text; None for a journal in memory."""
    if journal is None:
        return None
    try:
        return os.fsdecode(journal)
    except TypeError:
        raise ArgumentError(
            where="journal", found=repr(journal), expected="a path, or None"
        ) from None


def ways_out(*, keep: bool) -> str:
    """Return the hint of a search that differs from the one in the journal."""
    hint = f"use another name or journal, or {refer('restart', 'True')} to send all queries again"
    kept = f"; {refer('keep_answers', 'True')} keeps the existing answers"
    return hint + (kept if keep else "")


class SearchJournal:
    """A file of jobs, by the name of the work that they belong to; in memory without a file.

    Parameters
    ----------
    path : str, optional
        The file, which is created if it does not exist.

    Raises
    ------
    SourceError
        If it is in use by another process, damaged, or not a journal. It is not changed then.
    """

    def __init__(self, path: str | None) -> None:
        self.path = path
        self._connection = _opened(path)
        self._lock = Lock()
        self._pending: deque[tuple[str, Row]] = deque()
        self._broken: SourceError | None = None

    def session(
        self,
        name: str,
        identity: Mapping[str, Any],
        k: int = 0,
        *,
        restart: bool = False,
        keep_answers: bool = False,
    ) -> SearchSession:
        """Begin or resume work.

        Work without answers is replaced if it differs, since no answers can be mixed.
        """
        try:
            described = json.dumps(identity, sort_keys=True)
        except (TypeError, ValueError, RecursionError) as error:
            raise ArgumentError(
                f"the identity is not valid JSON ({error})", where="a system"
            ) from None
        with self._lock, _KIND.errors(self.label), transaction(self._connection) as connection:
            statement = "SELECT id, identity, k, seed FROM work WHERE name = ?"
            row = connection.execute(statement, (name,)).fetchone()
            if row is not None:
                number, known, depth, seed = row
                others = changes(self._parsed(known), json.loads(described))
                differences = [f"k: {depth} → {k}"] if depth != k else []
                differences += others
                if restart or (differences and not self._has_answers(number)):
                    self._forget(number)
                    row = None
                elif keep_answers and depth == k:
                    statement = "UPDATE work SET identity = ? WHERE id = ?"
                    connection.execute(statement, (described, number))
                elif differences:
                    raise self.changed(name, differences, system=bool(others))
            if row is None:
                number, seed = self._next("work"), token_bytes(16)
                work: Row = (number, name, described, k, seed)
                connection.execute("INSERT INTO work VALUES (?, ?, ?, ?, ?)", work)
            session = self._next("session")
            begin: Row = (session, number, time(), self._next("job"))
            connection.execute("INSERT INTO session VALUES (?, ?, ?, ?)", begin)
        return SearchSession(self, name, number, session, seed)

    def _parsed(self, content: str) -> Any:
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise _KIND.damaged(self.label, "an identity") from None

    def _next(self, table: str) -> int:
        """Return the number of the next row."""
        (last,) = self._connection.execute(f"SELECT max(id) FROM {table}").fetchone()
        if last is not None and not 0 < last < 2**62:
            raise _KIND.damaged(self.label, "the number of a row")
        return (last or 0) + 1

    def _ranges(self, number: int) -> list[tuple[int, int]]:
        """Return the first job of each session of some work, and that of the session after it."""
        rows = self._connection.execute(_SESSIONS).fetchall()
        return [(first, stop) for _, work, first, stop in rows if work == number]

    def _has_answers(self, number: int) -> bool:
        statement = "SELECT 1 FROM job WHERE id >= ? AND id < ? AND failure IS NULL LIMIT 1"
        return any(
            self._connection.execute(statement, limits).fetchone() is not None
            for limits in self._ranges(number)
        )

    def _forget(self, number: int) -> None:
        for limits in self._ranges(number):
            self._connection.execute("DELETE FROM job WHERE id >= ? AND id < ?", limits)
        for table in ("retry", "session"):
            self._connection.execute(f"DELETE FROM {table} WHERE work = ?", (number,))
        self._connection.execute("DELETE FROM work WHERE id = ?", (number,))

    def changed(self, name: str, differences: list[str], *, system: bool = False) -> SearchError:
        """Return the error of a search that differs from the one in the journal."""
        shown = "; ".join(differences[:3])
        if len(differences) > 3:
            shown += f"; and {len(differences) - 3:,} more"
        return SearchError(
            f"{name!r} has other settings or queries ({shown})",
            where=f"journal {self.label}",
            hint=ways_out(keep=system),
        )

    def damaged(self, why: str) -> SourceError:
        """Return the error of a journal whose rows contradict each other."""
        return _KIND.damaged(self.label, why)

    def write(self, rows: Iterable[tuple[str, Row]]) -> None:
        """Write rows; they are committed when this returns.

        The first of several threads writes the rows of all in one transaction.
        """
        self._pending.extend(rows)
        with self._lock:
            if self._broken is None and self._pending:
                taken = [self._pending.popleft() for _ in range(len(self._pending))]
                try:
                    self._commit(taken)
                except SourceError as error:
                    self._broken = error
            if self._broken is not None:
                raise self._broken

    def _commit(self, rows: list[tuple[str, Row]]) -> None:
        with _KIND.errors(self.label):
            if len(rows) == 1:
                self._connection.execute(*rows[0])
                return
            with transaction(self._connection) as connection:
                for statement, values in rows:
                    connection.execute(statement, values)

    def read(self, statement: str, values: Row = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a SQL query."""
        with self._lock, _KIND.errors(self.label):
            return self._connection.execute(statement, values).fetchall()

    def rows_of(self, number: int, columns: str) -> Iterator[tuple[Any, ...]]:
        """Yield columns of all jobs of some work, oldest first."""
        with self._lock, _KIND.errors(self.label):
            ranges = self._ranges(number)
        for limits in ranges:
            yield from self.read(
                f"SELECT {columns} FROM job WHERE id >= ? AND id < ? ORDER BY id", limits
            )

    def close(self) -> None:
        """Close the file after pending writes."""
        with self._lock:
            self._broken = SourceError("the journal is closed")
            self._connection.close()

    @property
    def label(self) -> str:
        """Its name in messages."""
        return self.path or "in memory"


def _opened(path: str | None) -> sqlite3.Connection:
    """Open or create the file of a journal, and lock it until it is closed."""
    if path is None:
        connection = _KIND.connect(None)
        with transaction(connection):
            _KIND.create(connection)
        return connection
    _KIND.check_path(path)
    with _KIND.errors(path):
        connection = _KIND.connect(path)
        try:
            # The lock excludes readers, too, lasts as long as the connection, and is released if
            # the process is killed. No shared memory file is needed then.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("BEGIN EXCLUSIVE")
            fresh = _KIND.is_empty(connection, path)
            connection.execute("COMMIT")
            # Commits survive kill -9; after a power failure the last answers may be missing.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            if fresh:
                with transaction(connection):
                    _KIND.create(connection)
        except BaseException:
            connection.close()
            raise
    return connection


@dataclass(frozen=True)
class SearchSession:
    """One session of some work: its start or a resumption.

    Parameters
    ----------
    journal : SearchJournal
        The journal.
    name : str
        The name of the work.
    work, number : int
        Its row numbers in the tables of work and sessions.
    seed : bytes
        The seed of random choices.
    """

    _journal: SearchJournal
    name: str
    _work: int
    _number: int
    _seed: bytes

    @property
    def file(self) -> str | None:
        """The journal's path; None in memory."""
        return self._journal.path

    @property
    def label(self) -> str:
        """The journal's name in messages."""
        return self._journal.label

    def damaged(self, why: str) -> SourceError:
        """Return the error of a damaged journal."""
        return self._journal.damaged(why)

    def jobs(self) -> dict[str, tuple[Job, bool]]:
        """Return all jobs by id, and whether they were answered."""
        rows = self._journal.rows_of(self._work, "key, text, fields, failure IS NULL")
        return {
            job.id: (job, bool(answered))
            for key, text, fields, answered in rows
            for job in (Job(_text_of(key), _text_of(text), fields),)
        }

    def figures(self) -> dict[str, Figures]:
        """Return the entries of all jobs, without answers."""
        columns = "id, key, session, at, seconds, tries, failure, found, repeated, falling"
        figures = {}
        for row, key, *others in self._journal.rows_of(self._work, columns):
            name = _text_of(key)
            figures[name] = Figures(row, name, *others)
        return figures

    def answers(self, rows: Iterable[Figures]) -> Iterator[Content]:
        """Yield the stored answers of jobs."""
        statement = "SELECT answer, scores FROM job WHERE id = ?"
        for figures in rows:
            ((answer, scores),) = self._journal.read(statement, (figures.row,))
            falling = None if figures.falling is None else bool(figures.falling)
            yield Content(answer, scores, figures.found, figures.repeated, falling)

    def rankings(self, rows: Iterable[Figures]) -> Iterator[tuple[list[str], array[float] | None]]:
        """Yield the documents and scores of answers."""
        for content in self.answers(rows):
            try:
                yield content.ranking()
            except (ValueError, TypeError, RecursionError):
                raise self._journal.damaged("an answer") from None

    def retries(self) -> Iterator[tuple[str, str]]:
        """Yield the job and the reason of each retry."""
        for key, reason in self._journal.read(
            "SELECT key, reason FROM retry WHERE work = ?", (self._work,)
        ):
            yield _text_of(key), reason

    def begins(self) -> dict[int, float]:
        """Return the start of each session, in seconds since 1970."""
        rows = self._journal.read(
            "SELECT id, began FROM session WHERE work = ? ORDER BY id", (self._work,)
        )
        return dict(rows)

    def sample(self, jobs: Iterable[Job], most: int) -> list[Job]:
        """Return random jobs, always the same ones of the same jobs and journal."""

        def draw(job: Job) -> bytes:
            content = job.id.encode("utf-8", "surrogateescape")
            return blake2b(content, key=self._seed).digest()

        return nsmallest(most, jobs, key=draw)

    def withdraw(self) -> None:
        """Remove the session from the journal: it was refused, and has no jobs."""
        self._journal.write([("DELETE FROM session WHERE id = ?", (self._number,))])

    def keep(self, entries: Iterable[tuple[Job, Content, float, int]]) -> None:
        """Store answers: job, content, seconds and tries."""
        self._keep((job, content, None, seconds, tries) for job, content, seconds, tries in entries)

    def keep_failures(self, entries: Iterable[tuple[Job, str, float, int]]) -> None:
        """Store failures: job, reason, seconds and tries."""
        self._keep((job, None, why, seconds, tries) for job, why, seconds, tries in entries)

    def _keep(self, entries: Iterable[tuple[Job, Content | None, str | None, float, int]]) -> None:
        stored_at = time()
        rows = []
        for job, content, failure, seconds, tries in entries:
            answer, scores, *figures = content or (None,) * len(Content._fields)
            why = None if failure is None else masked(failure)
            head = (
                _key_of(job.id),
                self._number,
                stored_at,
                float(seconds),
                tries,
                why,
                job.fields,
            )
            rows.append((_INSERTION, (*head, *figures, _key_of(job.text), answer, scores)))
        self._journal.write(rows)

    def keep_retries(self, jobs: Iterable[Job], reason: str) -> None:
        """Store the reasons for retries."""
        reason = masked(reason)
        rows = [(self._work, _key_of(job.id), reason) for job in jobs]
        self._journal.write([("INSERT INTO retry VALUES (?, ?, ?)", row) for row in rows])

    def missing(self, jobs: Collection[Job]) -> list[Job]:
        """Return the jobs without an answer: new ones first, then failed ones.

        Failed jobs may fail again, and should not delay the others.
        """
        known = self.jobs()
        self._check(jobs, known)
        fresh = [job for job in jobs if job.id not in known]
        return fresh + [job for job in jobs if job.id in known and not known[job.id][1]]

    def _check(self, jobs: Iterable[Job], known: Mapping[str, tuple[Job, bool]]) -> None:
        differences = []
        for job in jobs:
            before, answered = known.get(job.id, (job, False))
            # A query without an answer is sent again with its current text.
            if not answered:
                continue
            if before.text != job.text:
                differences.append(f"query {job.id}: {short(before.text)} → {short(job.text)}")
            elif before.fields != job.fields:
                differences.append(f"query {job.id}: other fields")
        if differences:
            raise self._journal.changed(self.name, differences)


def _key_of(text: str) -> str | bytes:
    """Return a text in a form for SQLite: bytes if it is not valid UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape")
    return text


def _text_of(key: str | bytes) -> str:
    """Return a text from its form in SQLite."""
    return key if isinstance(key, str) else key.decode("utf-8", "surrogateescape")
