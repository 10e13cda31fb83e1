"""A database as a system: one statement in SQL answers a query."""

from __future__ import annotations

from gainful.errors import GainfulError, SearchError
from gainful.systems.databases.connections import Connections
from gainful.systems.databases.driver import Command
from gainful.systems.databases.sql import Statement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gainful.systems.databases.driver import Driver
    from gainful.systems.databases.rows import Columns
    from gainful.systems.protocol import Answer, Query

    #: What a placeholder stands for: what is between its braces, the query, and how many
    #: documents are asked for. There is no query where a connection is set up.
    Resolve = Callable[[str, "Query | None", int], Any]

__all__ = ["DatabaseSystem"]


class DatabaseSystem:
    """A statement that a database answers, as a `System`.

    Each thread that asks at the same time has a connection of its own.

    Parameters
    ----------
    driver : Driver
        The database.
    sql : str
        The statement, with placeholders.
    setup : sequence of str
        Statements that are run on every new connection, with placeholders for settings.
    columns : Columns
        Where ids and scores stand.
    resolve : callable
        Says what a placeholder stands for.
    name : str
        Of the run.
    identity : mapping
        What tells it from others, the database apart.
    """

    asynchronous = False
    batch = 1

    def __init__(
        self,
        driver: Driver,
        sql: str,
        *,
        setup: Sequence[str] = (),
        columns: Columns,
        resolve: Resolve,
        name: str,
        identity: Mapping[str, Any],
    ) -> None:
        self.name = name
        self.identity: Mapping[str, Any] = {**identity, **driver.identity}
        self._driver = driver
        self._resolve = resolve
        self._columns = columns
        self._statement = _statement(driver, sql, "sql")
        before = [_statement(driver, each, f"setup[{at}]") for at, each in enumerate(setup)]
        self._setup = [
            Command(each.text, [resolve(name, None, 0) for name in each.placeholders])
            for each in before
        ]
        self._connections = Connections(driver, lambda: driver.connect(self._setup))

    def ask(self, queries: Sequence[Query], k: int) -> list[Answer]:
        """Answer each query with its first `k` documents.

        Raises
        ------
        SearchError
            If the database cannot be reached or refuses the statement, or what it returns is no
            answer.
        """
        return [self._ask(query, k) for query in queries]

    def _ask(self, query: Query, k: int) -> Answer:
        names = self._statement.placeholders
        values = [self._resolve(name, query, k) for name in names]
        try:
            with self._connections.one() as connection:
                command = Command(self._statement.text, values)
                columns, rows = self._driver.ask(connection, command, k)
        except GainfulError:
            raise
        except Exception as error:
            failure = self._driver.failure(error)
            if failure is None:
                raise
            # What the driver raised may hold the connection string.
            raise failure from None
        return self._columns.answer(columns, rows, k)

    def close(self) -> None:
        """Close the connections; a statement that still runs is ended."""
        self._connections.close()
        self._driver.end()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


def _statement(driver: Driver, sql: str, where: str) -> Statement:
    return Statement(sql, where, driver.marks, brackets=driver.brackets)


def no_rows() -> SearchError:
    """Return the error of a statement that returns none, such as an insert."""
    return SearchError(
        where="sql",
        found="a statement that returns no rows",
        expected="one that does, such as a select",
    )
