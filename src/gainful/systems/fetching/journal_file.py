"""Open, lock and recognize the file of a journal."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing, contextmanager
from functools import cache

from gainful.errors import SourceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "SCHEMA_VERSION",
    "check_path_of_database",
    "convert_errors",
    "damaged",
    "has_one_byte",
    "opened",
]

#: "Gain", SQLite's application id of our files.
_APPLICATION = 0x4761696E
SCHEMA_VERSION = 3

# Rows are only added, and the last one of a query counts. Without an index, a commit writes a page
# or two, and damage to an index cannot hide rows. Small columns come first. The checksum of each
# row covers its other columns; see `checksums`.
_SCHEMA = """
CREATE TABLE search (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    identity TEXT NOT NULL,            -- the identity of the system, as JSON
    k INTEGER NOT NULL,
    key BLOB NOT NULL,                 -- the key of the checksums of this search's rows
    checksum BLOB NOT NULL
);
CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    search INTEGER NOT NULL,
    began REAL NOT NULL,               -- seconds since 1970
    first INTEGER NOT NULL,            -- the id of its first answer
    checksum BLOB NOT NULL
);
CREATE TABLE answer (
    id INTEGER PRIMARY KEY,
    search INTEGER NOT NULL,
    query TEXT NOT NULL,
    session INTEGER NOT NULL,
    at REAL NOT NULL,                  -- the time of the answer, in seconds since 1970
    seconds REAL NOT NULL,             -- the duration of the call
    tries INTEGER NOT NULL,
    failure TEXT,                      -- why there is no answer
    fields TEXT NOT NULL,              -- a digest of attributes other than the text
    found INTEGER,                     -- the number of documents
    repeated INTEGER,                  -- the number of duplicates among them
    falling INTEGER,                   -- whether scores never increase; null without scores
    text TEXT NOT NULL,
    documents TEXT,                    -- one per line, best first; or a JSON list, as a blob
    scores BLOB,                       -- as 64-bit floats, little-endian
    checksum BLOB NOT NULL
);
CREATE TABLE retry (
    search INTEGER NOT NULL,
    query TEXT NOT NULL,
    session INTEGER NOT NULL,
    at REAL NOT NULL,
    reason TEXT NOT NULL,
    checksum BLOB NOT NULL
);
"""


@contextmanager
def convert_errors(path: str) -> Iterator[None]:
    """Convert the errors of SQLite to ours, which name the file.

    Raises
    ------
    SourceError
        If the file is in use, damaged, not a journal, or cannot be read or written.
    """
    try:
        yield
    except (json.JSONDecodeError, UnicodeDecodeError):
        # The names in a damaged schema may not be valid UTF-8, even in SQLite's messages.
        raise _foreign(path, "the file is damaged or of another kind") from None
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)
        primary = None if code is None else code & 0xFF
        if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise SourceError(
                "another search is writing the journal",
                where="journal",
                file=path,
                hint="wait for it, or use another journal",
            ) from None
        if primary in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            raise _foreign(path, "the file is damaged or of another kind") from None
        raise SourceError(f"cannot be used: {error}", where="journal", file=path) from None


def opened(path: str | None) -> sqlite3.Connection:
    """Open or create the file of a journal, and lock it until it is closed.

    Parameters
    ----------
    path : str, optional
        The file; without one the journal is in memory.

    Raises
    ------
    SourceError
        As in `convert_errors`. A file that is not a journal is not changed.
    """
    if path is None:
        connection = _connected(":memory:")
        _made(connection)
        return connection
    check_path_of_database(path, "journal")
    if has_one_byte(path):
        raise _foreign(path, "the file is damaged or of another kind")
    with convert_errors(path):
        # SQLite has special names, such as `:memory:`, none of which begins with a slash.
        connection = _connected(os.path.abspath(path))
        try:
            # The lock excludes readers, too, lasts as long as the connection, and is released if
            # the process is killed. No shared memory file is needed then.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("BEGIN EXCLUSIVE")
            fresh = _checked(connection, path)
            connection.execute("COMMIT")
            # Commits survive kill -9; after a power failure the last answers may be missing.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            if fresh:
                _made(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def _connected(path: str) -> sqlite3.Connection:
    # The journal has a lock for the threads that write.
    connection = sqlite3.connect(path, timeout=0.0, isolation_level=None, check_same_thread=False)
    # Damaged text is read as well: its checksum reports it.
    connection.text_factory = lambda content: content.decode("utf-8", "surrogateescape")
    return connection


def _made(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN EXCLUSIVE")
    for statement in _SCHEMA.split(";\n"):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    connection.execute("COMMIT")


def _checked(connection: sqlite3.Connection, path: str) -> bool:
    """Return whether the file is empty; raise if it is not an intact journal."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application == 0 and tables == 0:
        return True
    if application != _APPLICATION:
        raise _foreign(path, "another database")
    if version != SCHEMA_VERSION:
        raise _foreign(path, f"format {version} of another version of Gainful")
    (state,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    # A changed bit in a column's declaration changes how values are stored.
    if state != "ok" or _columns(connection) != _expected_columns():
        raise damaged(path)
    return False


def check_path_of_database(path: str, where: str) -> None:
    """Refuse names and folders that cannot contain a database of SQLite."""
    if not path or "\0" in path:
        raise SourceError("the file name is empty or contains a null character", where=where)
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise SourceError(f"no such folder: {folder}", where=where, file=path)
    if os.path.isdir(path):
        raise SourceError("this is a folder, not a file", where=where, file=path)


def has_one_byte(path: str) -> bool:
    """Return whether a file has one byte, which SQLite takes for empty.

    Call it before SQLite opens the file, to which it may add this byte. The file is not opened
    here: closing it would release the locks of other connections of this process.
    """
    return os.path.exists(path) and os.path.getsize(path) == 1


def _columns(connection: sqlite3.Connection) -> list[list[tuple[object, ...]]]:
    tables = ("search", "session", "answer", "retry")
    return [connection.execute(f"PRAGMA table_info({table})").fetchall() for table in tables]


@cache
def _expected_columns() -> list[list[tuple[object, ...]]]:
    with closing(_connected(":memory:")) as connection:
        _made(connection)
        return _columns(connection)


def damaged(path: str, what: str = "") -> SourceError:
    """Return the error of a journal with damage that cannot be repaired."""
    return SourceError(
        f"the journal is damaged{what and f' ({what})'}",
        where="journal",
        file=path,
        hint="use a new name, or delete the file to send all queries again",
    )


def _foreign(path: str, found: str) -> SourceError:
    return SourceError(
        f"not a journal of gainful.search: {found}",
        where="journal",
        file=path,
        hint="use a new name; the file was not changed",
    )
