"""Kinds of SQLite files that Gainful writes: how they are opened, recognized and refused."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, contextmanager
from dataclasses import dataclass

from gainful.errors import SourceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FileKind", "transaction"]


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of SQLite files.

    Attributes
    ----------
    word, title : str
        What messages call it, briefly and in full.
    application : int
        SQLite's application id.
    version : int
        The version of the schema.
    schema : str
        The SQL statements that create its tables.
    busy : tuple of str
        The message and the hint if another process uses the file.
    damaged_hint : str
        The hint if it is damaged.
    """

    word: str
    title: str
    application: int
    version: int
    schema: str
    busy: tuple[str, str]
    damaged_hint: str

    def connect(self, path: str | None, *, timeout: float = 0.0) -> sqlite3.Connection:
        """Open a file, or a database in memory without a path."""
        # SQLite has special names, such as `:memory:`, none of which is an absolute path.
        place = ":memory:" if path is None else os.path.abspath(path)
        return sqlite3.connect(
            place, timeout=timeout, isolation_level=None, check_same_thread=False
        )

    def check_path(self, path: str) -> None:
        """Refuse names and folders that cannot contain a database, and files that are not one."""
        if not path or "\0" in path:
            raise SourceError(
                "the file name is empty or contains a null character", where=self.word
            )
        folder = os.path.dirname(os.path.abspath(path))
        if not os.path.isdir(folder):
            raise SourceError(f"no such folder: {folder}", where=self.word, file=path)
        if os.path.isdir(path):
            raise SourceError("this is a folder, not a file", where=self.word, file=path)
        # SQLite takes a file of one byte for empty, and may add such a byte to others. The file is
        # not opened here: closing it would release the locks of other connections.
        if os.path.exists(path) and os.path.getsize(path) == 1:
            raise self.damaged(path)

    def create(self, connection: sqlite3.Connection) -> None:
        """Create the tables, within a transaction."""
        statement = ""
        for line in self.schema.splitlines(keepends=True):
            statement += line
            if sqlite3.complete_statement(statement):
                connection.execute(statement)
                statement = ""
        connection.execute(f"PRAGMA application_id = {self.application}")
        connection.execute(f"PRAGMA user_version = {self.version}")

    def is_empty(self, connection: sqlite3.Connection, path: str) -> bool:
        """Return whether a file is empty; raise if it is not an intact file of this kind."""
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        schema = _schema_of(connection)
        if application == 0 and not schema:
            return True
        if application != self.application:
            raise self.foreign(path, "another database")
        if version != self.version:
            raise self.foreign(path, f"format {version} of another version of Gainful")
        # This also checks the constraints of all rows.
        (state,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if state != "ok":
            raise self.damaged(path, state)
        with closing(self.connect(None)) as new:
            self.create(new)
            if schema != _schema_of(new):
                raise self.damaged(path, "its tables have changed")
        return False

    @contextmanager
    def errors(self, path: str) -> Iterator[None]:
        """Convert the errors of SQLite to ours, which name the file."""
        try:
            yield
        except UnicodeDecodeError:
            # The names in a damaged schema may not be valid UTF-8, even in SQLite's messages.
            raise self.damaged(path) from None
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", None)
            primary = None if code is None else code & 0xFF
            if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                message, hint = self.busy
                raise SourceError(message, where=self.word, file=path, hint=hint) from None
            if primary in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
                raise self.damaged(path) from None
            full = primary == sqlite3.SQLITE_FULL
            why = "no space left on the device" if full else str(error)
            raise SourceError(f"the {self.word} cannot be used: {why}", file=path) from None

    def foreign(self, path: str, found: str) -> SourceError:
        """Return the error of a file of another kind."""
        return SourceError(
            f"not a {self.title}: {found}",
            where=self.word,
            file=path,
            hint="use a new name; the file was not changed",
        )

    def damaged(self, path: str, why: str = "") -> SourceError:
        """Return the error of a file that cannot be read."""
        return SourceError(
            f"not a {self.title}: the file is damaged or of another kind{why and f' ({why})'}",
            where=self.word,
            file=path,
            hint=self.damaged_hint,
        )


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Commit the writes of a block, all or none."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        # If the disk is full, SQLite has rolled back already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _schema_of(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    rows = "SELECT name, sql FROM sqlite_master ORDER BY name"
    return connection.execute(rows).fetchall()
