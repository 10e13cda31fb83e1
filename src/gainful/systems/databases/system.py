"""A database as a system: one SQL statement answers a query."""

from __future__ import annotations

from contextlib import contextmanager
from json import dumps
from threading import Lock
from typing import Any, NamedTuple, Protocol

from gainful.errors import GainfulError, SearchError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from gainful.systems.databases.building import Columns, Marks, Statement
    from gainful.systems.description.description import Placeholder
    from gainful.systems.protocol import Answer, Query

    #: Maps a placeholder, the query and k to a value.
    Resolve = Callable[[Placeholder, Query, int], Any]

__all__ = ["Command", "DatabaseSystem", "Driver"]


class Command(NamedTuple):
    """A statement with its parameters."""

    text: str
    values: Sequence[Any] = ()


class Driver(Protocol):
    """A database driver.

    Attributes
    ----------
    marks : {"question", "dollar"}
        The style of parameters.
    brackets : bool
        Whether square brackets quote names.
    identity : mapping
        Identifies the database, without passwords.
    """

    @property
    def marks(self) -> Marks: ...  # noqa: D102
    @property
    def brackets(self) -> bool: ...  # noqa: D102
    @property
    def identity(self) -> Mapping[str, Any]: ...  # noqa: D102

    def connect(self, setup: Sequence[Command]) -> Any:
        """Open a read-only connection, and run the commands of the description."""
        ...

    def ask(self, connection: Any, command: Command, k: int) -> tuple[list[str], list[Any]]:
        """Return the names of the columns and the first `k` rows."""
        ...

    def usable(self, connection: Any) -> bool:
        """Return whether the connection is usable after an error."""
        ...

    def cancel(self, connection: Any) -> None:
        """Cancel the running statement; the thread that uses the connection closes it."""
        ...

    def close(self, connection: Any) -> None:
        """Close the connection."""
        ...

    def end(self) -> None:
        """Release all other resources."""
        ...

    def failure(self, error: Exception) -> SearchError | None:
        """Convert an error of the driver; return None for other errors."""
        ...


_LONGEST = 200


def shown(
    identity: Mapping[str, Any],
    setup: Sequence[Command],
    command: Command,
    placeholders: Sequence[Placeholder],
) -> str:
    """Return the database, the setup, the statement and its parameters as text.

    Parameters
    ----------
    identity : mapping
        The identity of the system.
    setup : sequence of Command
        The commands for a new connection.
    command : Command
        The statement.
    placeholders : sequence of Placeholder
        The placeholders of the command's parameters.
    """
    database = identity.get("database")
    if isinstance(database, dict):
        known = {name: value for name, value in database.items() if name != "state"}
        database = known.get("file") or " ".join(f"{value}={known[value]}" for value in known)
    parts = [f"{identity['engine']} {database or ''}".rstrip()]
    for setting in setup:
        values = ", ".join(map(_value, setting.values))
        parts.append(setting.text.strip() + (f"\n-- with {values}" if values else ""))
    parts.append(command.text.strip("\n"))
    parts.append(
        "\n".join(
            f"{index}  {placeholder} = {_value(value)}"
            for index, (placeholder, value) in enumerate(
                zip(placeholders, command.values, strict=True), 1
            )
        )
    )
    return "\n\n".join(parts)


def _value(value: Any) -> str:
    text = dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters)"


class Connections:
    """A pool with one connection per concurrent thread.

    Parameters
    ----------
    driver : Driver
        The database's driver.
    connect : callable
        Opens a connection.
    """

    def __init__(self, driver: Driver, connect: Callable[[], Any]) -> None:
        self._driver = driver
        self._connect = connect
        self._lock = Lock()
        self._idle: list[Any] = []
        self._busy: list[Any] = []
        # Incremented by `close`: connections opened before are not reused.
        self._closings = 0

    @contextmanager
    def borrow(self) -> Iterator[Any]:
        """Borrow a connection for exclusive use."""
        with self._lock:
            closings = self._closings
            connection = self._idle.pop() if self._idle else None
            if connection is not None:
                self._busy.append(connection)
        if connection is None:
            connection = self._connect()
            with self._lock:
                self._busy.append(connection)
        try:
            yield connection
        finally:
            self._give_back(connection, closings)

    def _give_back(self, connection: Any, closings: int) -> None:
        usable = self._driver.usable(connection)
        closing = [connection]
        with self._lock:
            self._busy = [other for other in self._busy if other is not connection]
            current = closings == self._closings
            if usable and current:
                self._idle.append(connection)
                return
            if current:
                # The server has probably closed the idle ones, too: open new ones.
                closing += self._idle
                self._idle = []
        for command in closing:
            self._driver.close(command)

    def close(self) -> None:
        """Close all connections; cancel those in use, which close when they are returned.

        Later requests open new ones.
        """
        with self._lock:
            self._closings += 1
            idle, self._idle = self._idle, []
            busy = list(self._busy)
        for connection in busy:
            self._driver.cancel(connection)
        for connection in idle:
            self._driver.close(connection)


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
        values = [
            self._resolve(placeholder, query, k) for placeholder in self._statement.placeholders
        ]
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
