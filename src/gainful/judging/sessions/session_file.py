"""The SQLite file of a judging session: where it may be, who may write it, and its backup."""

from __future__ import annotations

import os
import sqlite3
from contextlib import ExitStack, closing, contextmanager

from gainful.errors import SourceError, SourceNotFoundError
from gainful.judging.sessions.file_systems import network_file_system
from gainful.locking import locked
from gainful.systems.fetching.journal_file import check_path_of_database, has_one_byte
from gainful.writing import write_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "backup_of",
    "check_place",
    "connected",
    "create_private",
    "damaged_error",
    "deleted_error",
    "inode_of",
    "keep_backup",
    "not_a_session",
    "one_writer",
    "sqlite_errors",
]


def connected(path: str) -> sqlite3.Connection:
    """Open a file with SQLite."""
    # SQLite has special names, such as `:memory:`, none of which is an absolute path. A process
    # that reads the file may lock it for a moment.
    return sqlite3.connect(
        os.path.abspath(path), timeout=5.0, isolation_level=None, check_same_thread=False
    )


def check_place(path: str, usable: bool) -> None:
    """Refuse names, folders and file systems that cannot contain a session."""
    check_path_of_database(path, "session")
    if has_one_byte(path):
        raise damaged_error(path)
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


@contextmanager
def sqlite_errors(path: str) -> Iterator[None]:
    """Convert the errors of SQLite to ours, which name the file."""
    try:
        yield
    except UnicodeDecodeError:
        raise damaged_error(path) from None
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)
        if code is not None and code & 0xFF in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            raise damaged_error(path) from None
        why = "no space left on the device" if code == sqlite3.SQLITE_FULL else str(error)
        raise SourceError(f"the session cannot be used: {why}", file=path) from None


def not_a_session(path: str, found: str) -> SourceError:
    """Return the error for a file that is not an intact session."""
    return SourceError(
        f"not a judging session: {found}",
        where="session",
        file=path,
        hint="use a new name; the file was not changed",
    )


def damaged_error(path: str, why: str = "") -> SourceError:
    """Return the error for a session that SQLite cannot read."""
    return SourceError(
        f"not a judging session: the file is damaged or of another kind{why and f' ({why})'}",
        where="session",
        file=path,
        hint="the file was not changed; ⟪recover⟫ saves the labels of a damaged session",
    )


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
