"""The driver for DuckDB."""

from __future__ import annotations

import os
from threading import Lock, Timer

from gainful.errors import SearchError
from gainful.extras import load_package
from gainful.systems.databases.state import MEMORY, database_identity
from gainful.systems.databases.system import no_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    from gainful.systems.databases.driver import Command

__all__ = ["DuckDB"]


#: Statements that neither write a file nor run another statement, by DuckDB's names.
_ALLOWED = {
    "SELECT", "SET", "CREATE", "INSERT", "UPDATE", "DELETE", "MERGE_INTO", "ALTER", "DROP",
    "VACUUM", "TRANSACTION", "PRAGMA", "MULTI",
}  # fmt: skip
#: Names of databases that DuckDB itself uses.
_RESERVED = ("memory", "system", "temp")


class DuckDB:
    """A file attached read-only, or a database in memory whose tables the setup creates.

    Statements can access no other file than the declared ones, and cannot change the configuration.

    Parameters
    ----------
    database : str or path
        The file. ``:memory:`` is an empty database that all connections share.
    timeout : float
        Seconds per statement.
    called : str, optional
        The path as written in the description, which does not depend on the working directory.
    files : mapping of str to str
        Declared files by the names of their views.
    extensions : sequence of str
        Installed extensions to load.

    Raises
    ------
    GainfulError
        If DuckDB is not installed.
    SourceNotFoundError
        If the file does not exist.
    """

    marks: Literal["question"] = "question"
    brackets = False

    def __init__(
        self,
        database: str | os.PathLike[str],
        timeout: float,
        called: str = "",
        *,
        files: Mapping[str, str] | None = None,
        extensions: Sequence[str] = (),
    ) -> None:
        self._duckdb = load_package("duckdb", where='engine = "duckdb"')
        self.path = os.fspath(database)
        self.timeout = timeout
        self._files = {name: os.path.abspath(file) for name, file in (files or {}).items()}
        self._extensions = extensions
        self.identity = database_identity(self.path, called, ".wal")
        if files:
            self.identity["files"] = {
                name: database_identity(file, name, ".wal")["database"]
                for name, file in files.items()
            }
        self._opening = Lock()
        self._root: Any = None

    def connect(self, setup: Sequence[Command]) -> Any:
        """Return another connection to this process's database."""
        # One at a time: concurrent setups of the same table would conflict.
        with self._opening:
            if self._root is None:
                self._root = self._open()
            connection = self._root.cursor()
            try:
                if self.path != MEMORY:
                    connection.execute(f"use {_name(_catalog(self.path))}")
                for name, file in self._files.items():
                    connection.execute(f"create temp view {_name(name)} as from {_text(file)}")
                for command in setup:
                    self._run(connection, command)
            except BaseException:
                connection.close()
                raise
        return connection

    def _open(self) -> Any:
        # Another connection of this process to the file would share the locked configuration.
        root = self._duckdb.connect(MEMORY)
        for extension in self._extensions:
            root.load_extension(extension)
        if self.path != MEMORY:
            catalog = _name(_catalog(self.path))
            root.execute(f"attach {_text(self.path)} as {catalog} (type duckdb, read_only)")
        files = ", ".join(map(_text, self._files.values()))
        root.execute(f"set allowed_paths = [{files}]")
        root.execute("set enable_external_access = false")
        root.execute("set lock_configuration = true")
        return root

    def _run(self, connection: Any, command: Command) -> Any:
        for statement in self._duckdb.extract_statements(command.text):
            if statement.type.name not in _ALLOWED:
                raise SearchError(
                    f"{statement.type.name} statements are not allowed",
                    where="DuckDB",
                    hint="declare files with [files] NAME = PATH, and read them as tables",
                )
        return connection.execute(command.text, [_bound(value) for value in command.values])

    def ask(self, connection: Any, command: Command, k: int) -> tuple[list[str], list[Any]]:
        """Return the columns and the first rows."""
        late = Timer(self.timeout, connection.interrupt)
        late.daemon = True
        late.start()
        try:
            done = self._run(connection, command)
            if not done.description:
                raise no_rows()
            return [column[0] for column in done.description], done.fetchmany(k)
        finally:
            late.cancel()

    def usable(self, connection: Any) -> bool:
        """Return True."""
        return True

    def cancel(self, connection: Any) -> None:
        """Cancel the statement."""
        connection.interrupt()

    def close(self, connection: Any) -> None:
        """Close the connection."""
        connection.close()

    def end(self) -> None:
        """Close the file."""
        # DuckDB closes it with the last connection, which may still be in use.
        with self._opening:
            self._root = None

    def failure(self, error: Exception) -> SearchError | None:
        """Convert an error."""
        if isinstance(error, self._duckdb.InterruptException):
            return SearchError(
                f"no answer within {self.timeout:g} s", where="DuckDB", transient=True
            )
        if not isinstance(error, (self._duckdb.Error, UnicodeEncodeError)):
            return None
        transient = isinstance(error, self._duckdb.TransactionException) or (
            isinstance(error, self._duckdb.IOException) and "lock on file" in str(error)
        )
        return SearchError(str(error), where="DuckDB", transient=transient)


def _catalog(path: str) -> str:
    """Return the name of an attached file, as DuckDB chooses it."""
    stem = os.path.splitext(os.path.basename(path))[0]
    return f"{stem}_db" if stem.lower() in _RESERVED else stem


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _bound(value: Any) -> Any:
    """Convert a value for DuckDB; arrays become lists of numbers."""
    return value.tolist() if hasattr(value, "tolist") else value
