"""A database as a system: one SQL statement answers a query."""

from __future__ import annotations

from gainful.errors import GainfulError, SearchError
from gainful.systems.databases.connections import Connections
from gainful.systems.databases.driver import Command, Driver
from gainful.systems.databases.statement_text import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gainful.systems.databases.rows import Columns
    from gainful.systems.databases.sql import Statement
    from gainful.systems.description.templates import Placeholder
    from gainful.systems.protocol import Answer, Query

    #: Maps a placeholder, the query and k to a value.
    Resolve = Callable[[Placeholder, Query, int], Any]

__all__ = ["DatabaseSystem"]


class DatabaseSystem:
    """A statement in a database, as a `System`.

    Each concurrent thread has its own connection.

    Parameters
    ----------
    driver : Driver
        The driver.
    statement : Statement
        The statement.
    setup : sequence of Command
        The commands for every new connection.
    columns : Columns
        The columns of ids and scores.
    resolve : callable
        Returns the value of a placeholder.
    name : str
        The name of the run.
    identity : mapping
        Identifies the system.
    """

    asynchronous = False
    batch = 1

    def __init__(
        self,
        driver: Driver,
        statement: Statement,
        *,
        setup: Sequence[Command] = (),
        columns: Columns,
        resolve: Resolve,
        name: str,
        identity: Mapping[str, Any],
    ) -> None:
        self.name = name
        self.identity = identity
        self._driver = driver
        self._resolve = resolve
        self._columns = columns
        self._statement = statement
        self._setup = setup
        self._connections = Connections(driver, lambda: driver.connect(setup))

    def ask(self, queries: Sequence[Query], k: int) -> list[Answer]:
        """Answer each query with its first `k` documents.

        Raises
        ------
        SearchError
            If the database cannot be reached or refuses the statement, or returns an invalid
            answer.
        """
        return [self._ask(query, k) for query in queries]

    def _ask(self, query: Query, k: int) -> Answer:
        command = self._command(query, k)
        try:
            with self._connections.borrow() as connection:
                columns, rows = self._driver.ask(connection, command, k)
        except GainfulError:
            raise
        except Exception as error:
            failure = self._driver.failure(error)
            if failure is None:
                raise
            # The driver's error may contain the connection string.
            raise failure from None
        return self._columns.answer(columns, rows, k)

    def show(self, query: Query, k: int) -> str:
        """Return the statement and parameters of a query, without connecting.

        Parameters
        ----------
        query : Query
            The query.
        k : int
            The number of documents to request.
        """
        command = self._command(query, k)
        return shown(self.identity, self._setup, command, self._statement.placeholders)

    def _command(self, query: Query, k: int) -> Command:
        values = [self._resolve(each, query, k) for each in self._statement.placeholders]
        return Command(self._statement.text, values)

    def close(self) -> None:
        """Close the connections; running statements are cancelled."""
        self._connections.close()
        self._driver.end()

    def __repr__(self) -> str:
        return f"<System {self.name}: {self.identity.get('engine', 'a database')}>"


def no_rows() -> SearchError:
    """Return the error of a statement that returns no rows, such as an insert."""
    return SearchError(
        "the statement returns no rows", where="sql", hint="use one that does, such as a select"
    )
