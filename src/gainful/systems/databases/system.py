"""A database as a system: one SQL statement answers a query."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from json import dumps
from math import isfinite
from numbers import Integral, Real
from threading import Lock
from typing import Any, Literal, NamedTuple, Protocol

from gainful.errors import FormatError, GainfulError, SearchError
from gainful.systems.description.description import Placeholder, parse_text
from gainful.systems.protocol import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from gainful.systems.protocol import Query

    #: Maps a placeholder, the query and k to a value.
    Resolve = Callable[[Placeholder, Query, int], Any]
    #: The style of parameters: ``?``, or ``$1``, ``$2`` and so on.
    Marks = Literal["question", "dollar"]

__all__ = ["DatabaseSystem", "Driver", "ResultColumns", "SqlCommand", "Statement"]


class SqlCommand(NamedTuple):
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

    def connect(self, setup: Sequence[SqlCommand]) -> Any:
        """Open a read-only connection, and run the commands of the description."""
        ...

    def ask(self, connection: Any, command: SqlCommand, k: int) -> tuple[list[str], list[Any]]:
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


# Parts of a statement that are not parsed as SQL, with their names in messages.
_ASIDE = {
    "comment": r"--[^\n]*|/\*.*?(?:\*/|\Z)",
    "escaped": r"\b[eE]'(?:[^'\\]|\\.|'')*(?:'|\Z)",
    "string": r"'(?:[^']|'')*(?:'|\Z)",
    "identifier": r'"(?:[^"]|"")*(?:"|\Z)|`(?:[^`]|``)*(?:`|\Z)',
    "dollars": r"\$(?P<tag>[A-Za-z_]\w*)?\$.*?(?:\$(?P=tag)\$|\Z)|\$\$.*?(?:\$\$|\Z)",
}
# Only SQLite uses square brackets to quote names; elsewhere they are arrays.
_BRACKETS = r"\[[^\]]*\]"
_PLACEHOLDER = r"\{\{(?P<placeholder>.*?)\}\}"
_OPEN = r"(?P<open>\{\{)"
_PARAMETER = r"(?P<parameter>\$\d+|\?\d*)"

_CALLED = {
    "escaped": "a string",
    "string": "a string",
    "identifier": "a quoted name",
    "dollars": "a string in dollars",
    "brackets": "a name in brackets",
}


class Statement:
    """A statement and its placeholders.

    Parameters
    ----------
    sql : str
        With placeholders, which may repeat.
    where : str
        The statement's name in messages.
    marks : {"question", "dollar"}
        The engine's style of parameters.
    brackets : bool, default False
        Whether square brackets quote names.
    file : str, optional
        The file of the description, for messages.

    Attributes
    ----------
    text : str
        The SQL with parameters.
    placeholders : tuple of Placeholder
        One per parameter, in order.

    Raises
    ------
    FormatError
        If there is no SQL, a filter is unknown, a placeholder is inside quotes, or a parameter is
        not a placeholder.

    Examples
    --------
    >>> statement = Statement("select id from t where t = {{query}} limit {{k}}", "sql", "dollar")
    >>> statement.text
    'select id from t where t = $1 limit $2'
    >>> [str(name) for name in statement.placeholders]
    ['{{query}}', '{{k}}']
    """

    def __init__(
        self,
        sql: str,
        where: str,
        marks: Marks,
        *,
        brackets: bool = False,
        file: str | None = None,
    ) -> None:
        writer = _Writer(where, marks, file)
        if not sql.strip():
            raise writer.wrong("nothing", "a statement in SQL")
        self.text = _tokens(brackets).sub(writer.write, sql)
        self.placeholders = tuple(writer.placeholders)


def _tokens(brackets: bool) -> re.Pattern[str]:
    aside = {**_ASIDE, "brackets": _BRACKETS} if brackets else _ASIDE
    # Order matters: a string with escapes is tried before a plain one.
    parts = [f"(?P<{name}>{pattern})" for name, pattern in aside.items()]
    return re.compile("|".join([*parts, _PLACEHOLDER, _OPEN, _PARAMETER]), re.DOTALL)


@dataclass
class _Writer:
    """Replaces placeholders by parameters."""

    where: str
    marks: Marks
    file: str | None
    placeholders: list[Placeholder] = field(default_factory=list)

    def wrong(self, found: str, expected: str, hint: str | None = None) -> FormatError:
        return FormatError(
            where=self.where, file=self.file, found=found, expected=expected, hint=hint
        )

    def write(self, token: re.Match[str]) -> str:
        if token["placeholder"] is not None:
            parsed = parse_text(token[0], self.where, self.file)
            self.placeholders += [part for part in parsed if isinstance(part, Placeholder)]
            return "?" if self.marks == "question" else f"${len(self.placeholders)}"
        if token["open"] is not None:
            rest = token.string[token.start() :][:40]
            raise self.wrong(f"unclosed braces in {rest!r}", "{{name}}")
        parameter = token["parameter"]
        # Some operators of PostgreSQL contain question marks.
        if parameter is not None and (self.marks == "question" or parameter[0] == "$"):
            raise self.wrong(f"the parameter {parameter}", "a placeholder such as {{query}}")
        kind = token.lastgroup if token.lastgroup != "tag" else "dollars"
        inside = re.search(_PLACEHOLDER, token[0])
        if inside and kind in _CALLED:
            raise self.wrong(
                f"{inside[0]} inside {_CALLED[kind]}",
                "a placeholder outside of quotes",
                "write it without quotes, and join texts with ||: values are bound as parameters",
            )
        return token[0]


class ResultColumns:
    """The columns of the documents' ids and scores.

    Parameters
    ----------
    document, score : str, optional
        Their names, ignoring case. By default the id is the column ``id``, or else the first, and
        the score the column ``score``, or else the second of two; a single column is a ranking
        without scores. ``-distance`` is a column in which smaller numbers are better.

    Examples
    --------
    >>> ResultColumns().answer(["id", "score"], [("d2", 1.5), (7, 1)], 10)
    Answer(documents=['d2', '7'], scores=[1.5, 1.0])
    >>> ResultColumns(score="-rank").answer(["id", "rank"], [("d4", -8.5), ("d1", -2.0)], 10)
    Answer(documents=['d4', 'd1'], scores=[8.5, 2.0])
    >>> ResultColumns().answer(["title", "id"], [("Lamp", "d1"), ("Bed", "d3")], 1)
    Answer(documents=['d1'], scores=None)
    """

    def __init__(self, document: str | None = None, score: str | None = None) -> None:
        self.document = document
        self.sign = -1.0 if score is not None and score.startswith("-") else 1.0
        self.score = None if score is None else score.removeprefix("-")

    def places(self, names: Sequence[str]) -> tuple[int, int | None]:
        """Return the indexes of the columns, counted from 0; None without scores."""
        lower = [name.lower() for name in names]
        document = self._named(self.document, lower, names)
        if document is None:
            document = lower.index("id") if "id" in lower else 0
        score = self._named(self.score, lower, names)
        if score is None and "score" in lower:
            score = lower.index("score")
        if score is None and len(names) == 2 and document == 0:
            score = 1
        return document, score

    @staticmethod
    def _named(name: str | None, lower: Sequence[str], names: Sequence[str]) -> int | None:
        if name is None:
            return None
        if name.lower() not in lower:
            raise SearchError(
                f"no column {name!r}",
                where="[results]",
                hint="the statement returns " + ", ".join(names),
            )
        return lower.index(name.lower())

    def answer(self, names: Sequence[str], rows: Sequence[Sequence[Any]], k: int) -> Answer:
        """Return the first `k` rows as an answer."""
        document, score = self.places(names)
        rows = rows[:k]
        documents = [_id(row[document], index) for index, row in enumerate(rows, 1)]
        if score is None:
            return Answer(documents)
        scores = [self.sign * _score(row[score], index) for index, row in enumerate(rows, 1)]
        for place in range(1, len(scores)):
            if scores[place] > scores[place - 1]:
                raise SearchError(
                    f"score {scores[place]:g} is higher than the one before, {scores[place - 1]:g}",
                    where=f"row {place + 1}",
                    hint="end the statement with `order by score desc`; if smaller is better, as "
                    'for distances and SQLite\'s bm25(), write [results] score = "-NAME"',
                )
        return Answer(documents, scores)


def _id(value: Any, row: int) -> str:
    if isinstance(value, str):
        return value
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    # A UUID, or a decimal number without a fraction, such as PostgreSQL's numeric.
    if whole or type(value).__name__ == "UUID":
        return str(value)
    if type(value).__name__ == "Decimal" and value == value.to_integral_value():
        return str(int(value))
    raise SearchError(
        "the id is NULL"
        if value is None
        else f"the id is a {type(value).__name__}, not text or a whole number",
        where=f"row {row}",
        hint="cast it to text in the statement" if value is not None else None,
    )


def _score(value: Any, row: int) -> float:
    number = isinstance(value, Real) or type(value).__name__ == "Decimal"
    if number and not isinstance(value, bool) and isfinite(value):
        return float(value)
    problem = "no score (NULL)" if value is None else f"the score {value!r}"
    raise SearchError(where=f"row {row}", found=problem, expected="a finite number")


_LONGEST = 200


def shown(
    identity: Mapping[str, Any],
    setup: Sequence[SqlCommand],
    command: SqlCommand,
    placeholders: Sequence[Placeholder],
) -> str:
    """Return the database, the setup, the statement and its parameters as text."""
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
    setup : sequence of SqlCommand
        The commands for every new connection.
    columns : ResultColumns
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
        setup: Sequence[SqlCommand] = (),
        columns: ResultColumns,
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

    def _command(self, query: Query, k: int) -> SqlCommand:
        values = [
            self._resolve(placeholder, query, k) for placeholder in self._statement.placeholders
        ]
        return SqlCommand(self._statement.text, values)

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
