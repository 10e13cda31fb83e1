"""The SQLite file of a judging session: where it may be, who may write it, and its backup."""

from __future__ import annotations

import os
import sqlite3
from contextlib import ExitStack, closing, contextmanager

from gainful.errors import SourceError, SourceNotFoundError
from gainful.judging.sessions.file_systems import network_file_system
from gainful.locking import locked
from gainful.sqlite_files import FileKind
from gainful.writing import write_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "SESSION_FILE",
    "backup_of",
    "check_place",
    "connected",
    "create_private",
    "deleted_error",
    "inode_of",
    "keep_backup",
    "one_writer",
]


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
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
CREATE TABLE lease (                   -- documents, or queries, that are reserved for a judge
    judge TEXT NOT NULL,
    query TEXT NOT NULL,
    document TEXT NOT NULL,
    end REAL NOT NULL,                 -- seconds since 1970
    UNIQUE (judge, query, document)
);
"""

SESSION_FILE = FileKind(
    word="session",
    title="judging session",
    application=0x47616E4A,  # "GanJ"
    version=2,
    schema=_SCHEMA,
    busy=("another process is using the session", "try again in a moment"),
    damaged_hint="the file was not changed; ⟪recover⟫ saves the labels of a damaged session",
)

#: Seconds to wait for a process that reads the file, and may lock it for a moment.
_READER = 5.0


def connected(path: str) -> sqlite3.Connection:
    """Open a session with SQLite."""
    return SESSION_FILE.connect(path, timeout=_READER)


def check_place(path: str, usable: bool) -> None:
    """Refuse names, folders and file systems that cannot contain a session."""
    SESSION_FILE.check_path(path)
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
def one_writer(path: str) -> Iterator[None]:
    """Refuse a session that another process writes."""
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


def inode_of(path: str) -> tuple[int, int] | None:
    """Return what tells a file from others of the same name; None if it is missing."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def create_private(path: str) -> None:
    """Create a file that only its owner can read, unless it exists; SQLite adds files like it."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    except OSError as error:
        raise write_error(path, error) from error


def backup_of(path: str) -> str:
    """Return the name of the backup of a session."""
    return f"{path}.backup"


def keep_backup(connection: sqlite3.Connection, path: str) -> bool:
    """Replace the backup of an intact session with events; return whether that was possible."""
    # A link may lead to another disk.
    target = backup_of(os.path.realpath(path))
    unfinished = f"{target}.new"
    try:
        create_private(unfinished)
        with closing(connected(unfinished)) as copy:
            connection.backup(copy)
            (state,) = copy.execute("PRAGMA quick_check(1)").fetchone()
            (count,) = copy.execute("SELECT count(*) FROM event").fetchone()
        if state != "ok" or not count:
            os.unlink(unfinished)
            return False
        os.replace(unfinished, target)
    except (OSError, sqlite3.Error):
        return False
    return True


def deleted_error(path: str, *, is_saved: bool) -> SourceError:
    """Return the error after a session was deleted while it was in use."""
    hint = f"confirmed labels are in {backup_of(path)}"
    return SourceError(
        "the session was deleted, moved or replaced while it was in use, so it ends here",
        file=path,
        hint=hint if is_saved else None,
    )
