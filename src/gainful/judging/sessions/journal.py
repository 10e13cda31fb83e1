"""The journal of a judging session: an append-only SQLite file."""

from __future__ import annotations

import os
import sqlite3
from collections import deque
from contextlib import ExitStack, closing, contextmanager
from threading import Condition, Lock
from uuid import uuid4

from gainful.errors import SourceError
from gainful.judging.sessions.assignment import ANSWERS, Event, Kind, Lease
from gainful.judging.sessions.session_file import (
    SESSION_FILE,
    check_place,
    connected,
    create_private,
    deleted_error,
    inode_of,
    keep_backup,
    one_writer,
)
from gainful.sqlite_files import transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gainful.judging.sessions.state import Task

__all__ = ["Journal"]


class Queued:
    """An event that waits to be written; `error` is why it was not."""

    __slots__ = ("error", "event", "is_done")

    def __init__(self, event: Event) -> None:
        self.event = event
        self.is_done = False
        self.error: SourceError | None = None


class Journal:
    """A file of settings, tasks and events, which one process at a time can write.

    Parameters
    ----------
    path : str
        The file.
    create : bool
        Whether to create it if it does not exist.
    read_only : bool
        Whether to only read it, also while another process writes it.

    Raises
    ------
    SourceError
        If another process writes it, if it is damaged, not a journal, of another version, or on a
        network file system.
    SourceNotFoundError
        If it does not exist.
    """

    def __init__(self, path: str, *, create: bool, read_only: bool = False) -> None:
        self.path = path
        self._lock = Lock()
        self._pending: deque[Queued] = deque()
        #: The event that was queued last; None if nothing is queued since the last failure.
        self.last: Queued | None = None
        self._turn = Condition()
        self._is_writing = False
        #: Why the last events were not written, and these events, until `discard`.
        self._failure: SourceError | None = None
        self._failed: list[Event] = []
        #: Why nothing can be written any more.
        self.end: SourceError | None = None
        self._closing = ExitStack()
        exists = os.path.exists(path)
        check_place(path, exists or create)
        with ExitStack() as opening:
            if not read_only:
                opening.enter_context(one_writer(path))
                create_private(path)
            with SESSION_FILE.errors(path):
                self._connection = connected(path)
                opening.callback(self._connection.close)
                if read_only:
                    self._connection.execute("PRAGMA query_only = ON")
                    if SESSION_FILE.is_empty(self._connection, path):
                        raise SESSION_FILE.foreign(path, "the file is empty")
                else:
                    with transaction(self._connection):
                        if SESSION_FILE.is_empty(self._connection, path):
                            self._create()
                    (mode,) = self._connection.execute("PRAGMA journal_mode = WAL").fetchone()
                    self._log = f"{os.path.realpath(path)}-wal" if mode == "wal" else path
                    opening.callback(keep_backup, self._connection, path)
                    # On macOS, fsync alone does not put a commit on the disk.
                    self._connection.execute("PRAGMA fullfsync = ON")
                self._identity = self._read_identity()
                self._inode = inode_of(path)
            self._closing = opening.pop_all()
        if not read_only:
            keep_backup(self._connection, path)

    def _read_identity(self) -> str:
        row = self._connection.execute("SELECT value FROM setting WHERE name = 'identity'")
        (identity,) = row.fetchone()
        return str(identity)

    @property
    def identity(self) -> str:
        """The random id of the file."""
        return self._identity

    def _create(self) -> None:
        SESSION_FILE.create(self._connection)
        self._connection.execute("INSERT INTO setting VALUES ('identity', ?)", (uuid4().hex,))

    # --- settings and tasks ---------------------------------------------------------------------

    def setting(self, name: str) -> str | None:
        """Return the value of a setting."""
        with self._lock, SESSION_FILE.errors(self.path):
            row = self._connection.execute(
                "SELECT value FROM setting WHERE name = ?", (name,)
            ).fetchone()
        return None if row is None else row[0]

    def set(self, name: str, value: str) -> None:
        """Change a setting."""
        with self._transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", (name, value))

    def tasks(self) -> list[tuple[str, str, int, str]]:
        """Return query, document, number of judges and digest of the text, in pool order."""
        with self._lock, SESSION_FILE.errors(self.path):
            return self._connection.execute(
                "SELECT query, document, judges, content FROM task ORDER BY id"
            ).fetchall()

    def add_tasks(self, tasks: Iterable[Task], contents: dict[str, str]) -> None:
        """Add tasks; for known ones, increase the number of judges."""
        with self._transaction() as connection:
            connection.executemany(
                "INSERT INTO task (query, document, judges, content) VALUES (?, ?, ?, '')"
                " ON CONFLICT DO UPDATE SET judges = max(judges, excluded.judges)",
                tasks,
            )
            connection.executemany(
                "UPDATE task SET content = ? WHERE document = ? AND content = ''",
                [(content, document) for document, content in contents.items()],
            )

    # --- leases ---------------------------------------------------------------------------------

    def leases(self) -> list[Lease]:
        """Return the leases of all judges, in order."""
        with self._lock, SESSION_FILE.errors(self.path):
            rows = self._connection.execute("SELECT * FROM lease ORDER BY rowid").fetchall()
        return [Lease(*row) for row in rows]

    def set_leases(self, judge: str, leases: Iterable[Lease]) -> None:
        """Replace the leases of a judge. They survive the end of the process, not a power cut."""
        with self._transaction(durable=False) as connection:
            connection.execute("DELETE FROM lease WHERE judge = ?", (judge,))
            connection.executemany("INSERT INTO lease VALUES (?, ?, ?, ?)", leases)

    # --- events ---------------------------------------------------------------------------------

    def events(self) -> Iterator[Event]:
        """Yield all committed events in order."""
        with self._lock, SESSION_FILE.errors(self.path):
            rows = self._connection.execute("SELECT * FROM event ORDER BY id").fetchall()
        for row in rows:
            try:
                yield Event(row[0], row[1], Kind(row[2]), *row[3:])
            except ValueError:
                raise SESSION_FILE.damaged(self.path, "an event of an unknown kind") from None

    def queue(self, event: Event) -> Queued:
        """Add an event to the next commit. Events must be queued in the order of their numbers."""
        self.last = Queued(event)
        self._pending.append(self.last)
        return self.last

    def commit(self, queued: Queued) -> None:
        """Commit all events up to one; they are on the disk when this returns.

        One of several threads writes the events of all in one transaction. The others wait for it,
        and then either their events are written, or one of them writes all that came since.

        Raises
        ------
        SourceError
            If they cannot be written. Nothing is written until `discard` is called.
        """
        taken: list[Queued] = []
        with self._turn:
            self._turn.wait_for(lambda: queued.is_done or not self._is_writing)
            if not queued.is_done:
                self._check_usable()
                self._is_writing = True
                taken = [self._pending.popleft() for _ in range(len(self._pending))]
        if taken:
            self._write(taken)
        if queued.error is not None:
            raise queued.error

    def _write(self, taken: list[Queued]) -> None:
        failure: SourceError | None = SourceError("the last events are lost", file=self.path)
        try:
            with self._transaction() as connection:
                connection.executemany(
                    f"INSERT INTO event VALUES ({', '.join('?' * len(Event._fields))})",
                    [(*event[:2], event.kind.value, *event[3:]) for event in _events(taken)],
                )
                connection.executemany(
                    "DELETE FROM lease WHERE judge = ? AND query = ? AND document = ?",
                    [event[3:6] for event in _events(taken) if event.kind in ANSWERS],
                )
            failure = None
        except SourceError as error:
            failure = error
        finally:
            with self._turn:
                self._is_writing = False
                self._finish(taken, failure)

    def _finish(self, queued: Iterable[Queued], failure: SourceError | None) -> None:
        if failure is not None:
            self._failure = failure
            self._failed += _events(queued)
        for waiting in queued:
            waiting.error, waiting.is_done = failure, True
        self._turn.notify_all()

    @property
    def has_failed(self) -> bool:
        """Whether there are events to `discard`."""
        return self._failure is not None

    def discard(self) -> list[Event]:
        """Forget the events that could not be written, so that others can be; return them.

        No event may be queued meanwhile.
        """
        with self._turn:
            self._turn.wait_for(lambda: not self._is_writing)
            self._finish(self._pending, self._failure)
            failed, self._failed = self._failed, []
            self._pending.clear()
            self._failure, self.last = None, None
            return failed

    def back_up(self, path: str) -> None:
        """Write a copy of the file, with all committed events."""
        with self._lock, SESSION_FILE.errors(path):
            if os.path.exists(path):
                raise SourceError("the file exists", file=path)
            create_private(path)
            with closing(connected(path)) as copy:
                self._connection.backup(copy)

    def close(self) -> None:
        """Close the file and release its lock."""
        with self._lock:
            self.end = self.end or SourceError("the session is closed", file=self.path)
            self._closing.close()

    @contextmanager
    def _transaction(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """Commit what a block does; if `durable`, it is on the disk afterwards."""
        with self._lock:
            self._check_usable()
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            with SESSION_FILE.errors(self.path), transaction(self._connection):
                yield self._connection
            if inode_of(self.path) != self._inode or inode_of(self._log) is None:
                is_saved = keep_backup(self._connection, self.path)
                self.end = deleted_error(self.path, is_saved=is_saved)
                raise self.end

    def _check_usable(self) -> None:
        failure = self.end or self._failure
        if failure is not None:
            raise failure


def _events(queued: Iterable[Queued]) -> list[Event]:
    return [waiting.event for waiting in queued]
