"""The driver for DuckDB."""

from __future__ import annotations

import os
from threading import Lock, Timer

from gainful.errors import GainfulError, SearchError
from gainful.systems.databases.state import MEMORY, database_identity
from gainful.systems.databases.system import no_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal

    from gainful.systems.databases.driver import Command

__all__ = ["DuckDB"]


class DuckDB:
    """A file opened read-only, or a database in memory whose tables the setup creates.

    Parameters
    ----------
    database : str or path
        The file. ``:memory:`` is an empty database that all connections share.
    timeout : float
        Seconds per statement.
    called : str, optional
        The path as written in the description, which does not depend on the working directory.

    Raises
    ------
    GainfulError
        If DuckDB is not installed.
    SourceNotFoundError
        If the file does not exist.
    """

    marks: Literal["question"] = "question"
    brackets = False

    def __init__(self, database: str | os.PathLike[str], timeout: float, called: str = "") -> None:
        try:
            import duckdb
        except ImportError:
            raise GainfulError(
                "the package duckdb is not installed",
                where='engine = "duckdb"',
                hint="pip install duckdb",
            ) from None
        self._duckdb = duckdb
        self.path = os.fspath(database)
        self.timeout = timeout
        self.identity = database_identity(self.path, called, ".wal")
        self._opening = Lock()
        self._root: Any = None

    def connect(self, setup: Sequence[Command]) -> Any:
        """Return another connection to this process's database."""
        # One at a time: concurrent setups of the same table would conflict.
        with self._opening:
            if self._root is None:
                self._root = self._duckdb.connect(self.path, read_only=self.path != MEMORY)
            connection = self._root.cursor()
            try:
                for command in setup:
                    connection.execute(command.text, [_bound(value) for value in command.values])
            except BaseException:
                connection.close()
                raise
        return connection

    def ask(self, connection: Any, command: Command, k: int) -> tuple[list[str], list[Any]]:
        """Return the columns and the first rows."""
        late = Timer(self.timeout, connection.interrupt)
        late.daemon = True
        late.start()
        try:
            done = connection.execute(command.text, [_bound(value) for value in command.values])
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


def _bound(value: Any) -> Any:
    """Convert a value for DuckDB; arrays become lists of numbers."""
    return value.tolist() if hasattr(value, "tolist") else value
