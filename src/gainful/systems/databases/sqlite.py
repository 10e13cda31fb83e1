"""The driver for SQLite, with its full-text engine FTS5."""

from __future__ import annotations

import os
import sqlite3
from json import dumps
from pathlib import Path
from time import monotonic

from gainful.errors import SearchError
from gainful.systems.databases.state import MEMORY, database_identity
from gainful.systems.databases.system import no_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal

    from gainful.systems.databases.driver import Command

__all__ = ["SQLite"]

#: The timeout is checked once in this many virtual machine instructions.
_INSTRUCTIONS = 10_000

# UnicodeEncodeError: a text that is not valid Unicode. OverflowError: a number over 64 bits.
_OWN = (sqlite3.Error, sqlite3.Warning, UnicodeEncodeError, OverflowError)

_TRANSIENT = {"SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_SCHEMA", "SQLITE_PROTOCOL"}


class SQLite:
    """A file opened read-only, as are files that the setup attaches.

    Parameters
    ----------
    database : str or path
        The file. ``:memory:`` is an empty database per connection.
    timeout : float
        Seconds per statement, including waits for locks.
    called : str, optional
        The path as written in the description, which does not depend on the working directory.

    Raises
    ------
    SourceNotFoundError
        If the file does not exist.
    """

    marks: Literal["question"] = "question"
    brackets = True

    def __init__(self, database: str | os.PathLike[str], timeout: float, called: str = "") -> None:
        self.path = os.fspath(database)
        self.timeout = timeout
        self.identity = database_identity(self.path, called, "-wal")

    def connect(self, setup: Sequence[Command]) -> Reader:
        """Open the file for reading."""
        return Reader(self.path, self.timeout, setup)

    def ask(self, connection: Reader, command: Command, k: int) -> tuple[list[str], list[Any]]:
        """Return the columns and the first rows."""
        cursor = connection.execute(command)
        if cursor.description is None:
            raise no_rows()
        try:
            return [column[0] for column in cursor.description], cursor.fetchmany(k)
        finally:
            # An open cursor would keep its read lock.
            cursor.close()

    def usable(self, connection: Reader) -> bool:
        """Return whether the connection was not cancelled."""
        return not connection.ended

    def cancel(self, connection: Reader) -> None:
        """Cancel the statement."""
        connection.ended = True
        connection.database.interrupt()

    def close(self, connection: Reader) -> None:
        """Close the file."""
        connection.database.close()

    def end(self) -> None:
        """Do nothing."""

    def failure(self, error: Exception) -> SearchError | None:
        """Convert an error."""
        if not isinstance(error, _OWN):
            return None
        code = getattr(error, "sqlite_errorname", "").split("_")
        kind = "_".join(code[:2])
        if kind == "SQLITE_INTERRUPT":
            return SearchError(
                f"no answer within {self.timeout:g} s", where="SQLite", transient=True
            )
        hint = None
        if kind == "SQLITE_AUTH":
            hint = "attach files read-only: attach 'file:NAME?mode=ro' as other"
        return SearchError(str(error), where="SQLite", transient=kind in _TRANSIENT, hint=hint)


class Reader:
    """A connection with a timeout for statements."""

    def __init__(self, path: str, timeout: float, setup: Sequence[Command]) -> None:
        self.ended = False
        self.timeout = timeout
        self.deadline = 0.0
        target = path
        if path != MEMORY:
            target = _address(path)
        # Each is used by one thread at a time, but not always the same one.
        self.database = sqlite3.connect(
            target,
            uri=True,
            timeout=timeout,
            check_same_thread=False,
            isolation_level=None,
        )
        self.database.set_progress_handler(self._late, _INSTRUCTIONS)
        self.database.set_authorizer(_allowed)
        try:
            for command in setup:
                self.execute(command).fetchall()
            self.database.execute("PRAGMA query_only = 1")
        except BaseException:
            self.database.close()
            raise

    def execute(self, command: Command) -> sqlite3.Cursor:
        """Run a statement, starting the timeout."""
        self.deadline = monotonic() + self.timeout
        return self.database.execute(command.text, [_bound(value) for value in command.values])

    def _late(self) -> bool:
        return self.ended or monotonic() > self.deadline


def _allowed(action: int, file: str | None, *others: object) -> int:
    """Refuse to attach writable files, which `vacuum into` does, too."""
    if action == sqlite3.SQLITE_ATTACH and file not in ("", MEMORY):
        name, _, options = (file or "").partition("?")
        if not name.startswith("file:") or options != "mode=ro":
            return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def _address(path: str) -> str:
    return Path(path).absolute().as_uri() + "?mode=ro"


def _bound(value: Any) -> Any:
    """Convert a value for SQLite: lists and tables become JSON."""
    if value is None or isinstance(value, (str, int, float, bytes)):
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    return value if isinstance(value, (int, float)) else dumps(value)
