"""The journal of a judging session: an append-only SQLite file."""

from __future__ import annotations

import os
import sqlite3
from collections import deque
from contextlib import ExitStack, contextmanager
from threading import Condition, Lock
from uuid import uuid4

from gainful.errors import SourceError, SourceNotFoundError
from gainful.judging.sessions.events import Event, Kind
from gainful.judging.sessions.file_systems import network_file_system
from gainful.locking import locked
from gainful.systems.fetching.journal_file import has_one_byte

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gainful.judging.sessions.tasks import Task

__all__ = ["Journal"]

#: "GanJ", SQLite's application id of these files.
_APPLICATION = 0x47616E4A
_SCHEMA_VERSION = 1

_SCHEMA = """
CREATE TABLE setting (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
CREATE TABLE task (
    id INTEGER PRIMARY KEY,            -- the order of the pool
    query TEXT NOT NULL,
    document TEXT NOT NULL,
    judges INTEGER NOT NULL,           -- how many people should judge it
    content TEXT NOT NULL,             -- a digest of the text; empty if it is unknown
    UNIQUE (query, document)
);
CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    client TEXT NOT NULL UNIQUE,       -- the client's id: an event that is sent twice counts once
    kind TEXT NOT NULL,
    judge TEXT NOT NULL,
    query TEXT NOT NULL,
    document TEXT NOT NULL,
    grade REAL,
    text TEXT NOT NULL,
    time REAL NOT NULL,                -- seconds since 1970
    seconds REAL,                      -- how long the judge took
    guidelines TEXT NOT NULL           -- their version
);
CREATE TRIGGER event_is_not_changed BEFORE UPDATE ON event
BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER event_is_not_deleted BEFORE DELETE ON event
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END
"""


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
        self._pending: deque[Event] = deque()
        #: Who commits, and how many events are queued and committed.
        self._turn = Condition()
        self._is_writing = False
        self._queued, self._committed = 0, 0
        self._broken: SourceError | None = None
        self._closing = ExitStack()
        exists = os.path.exists(path)
        _check_place(path, exists or create)
        with ExitStack() as opening:
            if not read_only:
                opening.enter_context(_one_writer(path))
            with _errors(path):
                self._connection = _connected(path)
                opening.callback(self._connection.close)
                if read_only:
                    self._connection.execute("PRAGMA query_only = ON")
                    if self._is_empty():
                        raise _foreign(path, "the file is empty")
                else:
                    with _transaction(self._connection):
                        if self._is_empty():
                            self._create()
                    self._connection.execute("PRAGMA journal_mode = WAL")
                    # A commit is on the disk when it returns; on macOS, fsync alone does not do so.
                    self._connection.execute("PRAGMA synchronous = FULL")
                    self._connection.execute("PRAGMA fullfsync = ON")
                self._identity = self._read_identity()
            self._closing = opening.pop_all()

    def _read_identity(self) -> str:
        row = self._connection.execute("SELECT value FROM setting WHERE name = 'identity'")
        (found,) = row.fetchone()
        return str(found)

    @property
    def identity(self) -> str:
        """The random id of the file."""
        return self._identity

    def _is_empty(self) -> bool:
        """Return whether the file is empty; raise if it is not an intact journal."""
        execute = self._connection.execute
        (application,) = execute("PRAGMA application_id").fetchone()
        (version,) = execute("PRAGMA user_version").fetchone()
        (tables,) = execute("SELECT count(*) FROM sqlite_master").fetchone()
        if application == 0 and tables == 0:
            return True
        if application != _APPLICATION:
            raise _foreign(self.path, "another database")
        if version != _SCHEMA_VERSION:
            raise _foreign(self.path, f"format {version} of another version of Gainful")
        (state,) = execute("PRAGMA quick_check(1)").fetchone()
        if state != "ok":
            raise _foreign(self.path, f"the file is damaged ({state})")
        return False

    def _create(self) -> None:
        for statement in _statements(_SCHEMA):
            self._connection.execute(statement)
        self._connection.execute("INSERT INTO setting VALUES ('identity', ?)", (uuid4().hex,))
        self._connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        self._connection.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")

    # --- settings and tasks ---------------------------------------------------------------------

    def setting(self, name: str) -> str | None:
        """Return the value of a setting."""
        with self._lock, _errors(self.path):
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
        with self._lock, _errors(self.path):
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

    # --- events ---------------------------------------------------------------------------------

    def events(self) -> Iterator[Event]:
        """Yield all committed events in order."""
        with self._lock, _errors(self.path):
            rows = self._connection.execute("SELECT * FROM event ORDER BY id").fetchall()
        for row in rows:
            yield Event(row[0], row[1], Kind(row[2]), *row[3:])

    def queue(self, event: Event) -> None:
        """Add an event to the next commit. Events must be queued in the order of their numbers."""
        self._pending.append(event)
        self._queued += 1

    def commit(self) -> None:
        """Commit all queued events; they are on the disk when this returns.

        One of several threads writes the events of all in one transaction. The others wait for it,
        and then either their events are written, or one of them writes all that came since.

        Raises
        ------
        SourceError
            If they cannot be written, now and in all later calls.
        """
        with self._turn:
            own = self._queued
            self._turn.wait_for(lambda: not self._is_writing or self._committed >= own)
            if self._broken is not None:
                raise self._broken
            if self._committed >= own:
                return
            self._is_writing = True
            taken = [self._pending.popleft() for _ in range(len(self._pending))]
        failed: SourceError | None = SourceError("the last events are lost", file=self.path)
        try:
            self._write(taken)
            failed = None
        except SourceError as error:
            failed = error
            raise
        finally:
            with self._turn:
                self._is_writing = False
                self._committed += len(taken)
                if failed is not None:
                    self._broken = failed
                self._turn.notify_all()

    def _write(self, events: list[Event]) -> None:
        with self._lock:
            if self._broken is not None:
                raise self._broken
            with _errors(self.path), _transaction(self._connection):
                self._connection.executemany(
                    f"INSERT INTO event VALUES ({', '.join('?' * len(Event._fields))})",
                    [(*event[:2], event.kind.value, *event[3:]) for event in events],
                )

    def close(self) -> None:
        """Close the file and release its lock."""
        with self._lock:
            self._broken = SourceError("the session is closed", file=self.path)
            self._closing.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            if self._broken is not None:
                raise self._broken
            with _errors(self.path), _transaction(self._connection):
                yield self._connection


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # If the disk is full, SQLite has rolled back already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    yield statement


def _connected(path: str) -> sqlite3.Connection:
    # SQLite has special names, such as `:memory:`, none of which is an absolute path. A process
    # that reads the file may lock it for a moment.
    return sqlite3.connect(
        os.path.abspath(path), timeout=5.0, isolation_level=None, check_same_thread=False
    )


def _check_place(path: str, usable: bool) -> None:
    if not path or "\0" in path:
        raise SourceError("the file name is empty or contains a null character", where="session")
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise SourceError(f"no such folder: {folder}", where="session", file=path)
    if os.path.isdir(path):
        raise SourceError("this is a folder, not a file", where="session", file=path)
    if has_one_byte(path):
        raise _foreign(path, "the file is damaged or of another kind")
    if not usable:
        raise SourceNotFoundError(f"no such session: {path}", hint="pass a pool to begin one")
    kind = network_file_system(os.path.dirname(os.path.realpath(path)))
    if kind is not None:
        raise SourceError(
            f"labels cannot be stored safely on a network file system ({kind})",
            where="session",
            file=path,
            hint="use a file on a local disk",
        )


@contextmanager
def _one_writer(path: str) -> Iterator[None]:
    try:
        lock = locked(path, wait=False)
        lock.__enter__()
    except BlockingIOError:
        raise SourceError(
            "another process is judging in this session",
            where="session",
            file=path,
            hint="stop it first, or only read the session",
        ) from None
    with ExitStack() as stack:
        stack.push(lock)
        yield


@contextmanager
def _errors(path: str) -> Iterator[None]:
    """Convert the errors of SQLite to ours, which name the file."""
    try:
        yield
    except UnicodeDecodeError:
        raise _foreign(path, "the file is damaged") from None
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)
        if code is not None and code & 0xFF in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            raise _foreign(path, "the file is damaged or of another kind") from None
        raise SourceError(f"cannot be used: {error}", where="session", file=path) from None


def _foreign(path: str, found: str) -> SourceError:
    return SourceError(
        f"not a judging session: {found}",
        where="session",
        file=path,
        hint="use a new name; the file was not changed",
    )
