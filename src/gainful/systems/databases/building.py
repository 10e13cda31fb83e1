"""Create the system of a database from a description."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import isfinite
from numbers import Integral, Real

from gainful.errors import FormatError, ParameterError, SearchError
from gainful.keywords import suggest_keywords
from gainful.systems.databases.engines import MEMORY, DuckDB
from gainful.systems.databases.system import Command, DatabaseSystem, Driver
from gainful.systems.description.description import (
    Placeholder,
    apply_filters,
    parse_text,
    query_value,
    unknown_placeholder,
)
from gainful.systems.protocol import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal

    from gainful.systems.databases.system import Resolve
    from gainful.systems.description.description import Description
    from gainful.systems.protocol import Query

    #: The style of parameters: ``?``, or ``$1``, ``$2`` and so on.
    Marks = Literal["question", "dollar"]

__all__ = ["Columns", "Statement", "build", "declared_files"]


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
    >>> found = Statement("select id from t where t match {{query}} limit {{k}}", "sql", "dollar")
    >>> found.text
    'select id from t where t match $1 limit $2'
    >>> [str(each) for each in found.placeholders]
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


class Columns:
    """The columns of the documents' ids and scores.

    Parameters
    ----------
    document, score : str, optional
        Their names, ignoring case. By default the id is the column ``id``, or else the first, and
        the score the column ``score``, or else the second of two; a single column is a ranking
        without scores. ``-distance`` is a column in which smaller numbers are better.

    Examples
    --------
    >>> Columns().answer(["id", "score"], [("d2", 1.5), (7, 1)], 10)
    Answer(documents=['d2', '7'], scores=[1.5, 1.0])
    >>> Columns(score="-rank").answer(["id", "rank"], [("d4", -8.5), ("d1", -2.0)], 10)
    Answer(documents=['d4', 'd1'], scores=[8.5, 2.0])
    >>> Columns().answer(["title", "id"], [("Lamp", "d1"), ("Bed", "d3")], 1)
    Answer(documents=['d1'], scores=None)
    """

    def __init__(self, document: str | None = None, score: str | None = None) -> None:
        self.document = document
        self.sign = -1.0 if score is not None and score.startswith("-") else 1.0
        self.score = None if score is None else score.removeprefix("-")

    def places(self, names: Sequence[str]) -> tuple[int, int | None]:
        """Return the indexes of the columns, counted from 0; None without scores.

        Raises
        ------
        SearchError
            If a column is not among the names.
        """
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
        """Return the first `k` rows as an answer.

        Raises
        ------
        SearchError
            If an id is missing or invalid, a score is not a number, or scores increase.
        """
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


#: The default timeout of a statement in seconds.
TIMEOUT = 30.0
LONGEST = 1e6


@suggest_keywords
def build(read: Description) -> DatabaseSystem:
    """Create the system of a description whose engine is a database.

    Parameters
    ----------
    read : Description
        With the keys ``connection`` for PostgreSQL, ``database`` for the others, ``sql``, and
        optionally ``setup``, ``timeout`` and ``[results]`` with ``id`` and ``score``; for DuckDB
        ``[files]`` and ``extensions``.

    Raises
    ------
    FormatError
        If a key is missing, or a key or statement is invalid.
    SourceNotFoundError
        If the database does not exist.
    GainfulError
        If the driver is not installed.

    Examples
    --------
    >>> from gainful.systems import Query
    >>> from gainful.systems.loading import load_system
    >>> system = load_system(
    ...     {
    ...         "engine": "sqlite",
    ...         "database": ":memory:",
    ...         "sql": "select 'd' || value as id from json_each({{query|json}}) limit {{k}}",
    ...     }
    ... )
    >>> system.ask([Query("q1", "ay")], 10)
    [Answer(documents=['day'], scores=None)]
    >>> system.close()
    """
    timeout = read.number("timeout", TIMEOUT)
    if not 0 < timeout < LONGEST:
        raise read.wrong("timeout", timeout, "seconds above 0")
    results = read.table("results")
    columns = Columns()
    if results is not None:
        columns = Columns(results.text("id", None), results.text("score", None))
    sql = read.source("sql")
    setup = read.sources("setup")
    driver = _driver(read, timeout)
    statement = _statement(read, driver, "sql", sql)
    if not any(
        placeholder.of_query and placeholder.name != "k" for placeholder in statement.placeholders
    ):
        raise read.wrong("sql", sql, "{{query}}, or another part of the query")
    return DatabaseSystem(
        driver,
        statement,
        setup=[_command(read, driver, command) for command in setup],
        columns=columns,
        resolve=_resolve(read),
        name=read.name,
        identity={
            "engine": read.engine,
            **driver.identity,
            "sql": sql,
            "setup": setup,
            "results": [columns.document, columns.score, columns.sign],
            "fields": dict(read.fields),
            "settings": dict(read.settings),
        },
    )


def _statement(read: Description, driver: Driver, where: str, sql: str) -> Statement:
    statement = Statement(sql, where, driver.marks, brackets=driver.brackets, file=read.file)
    for placeholder in statement.placeholders:
        if placeholder.of_query:
            continue
        if placeholder.name not in read.settings:
            raise unknown_placeholder(placeholder, read.settings, where, read.file)
        read.use(placeholder.name)
    return statement


def _command(read: Description, driver: Driver, sql: str) -> Command:
    parsed = _statement(read, driver, "setup", sql)
    for placeholder in parsed.placeholders:
        if placeholder.of_query:
            raise read.wrong("setup", sql, "no part of a query: it runs before the first one")
    return Command(parsed.text, [_setting(read, field) for field in parsed.placeholders])


def _setting(read: Description, placeholder: Placeholder) -> Any:
    return apply_filters(placeholder, read.settings[placeholder.name])


def _resolve(read: Description) -> Resolve:
    fields = read.fields

    def resolve(placeholder: Placeholder, query: Query, k: int) -> Any:
        if placeholder.of_query:
            return query_value(placeholder, query, k, fields)
        return _setting(read, placeholder)

    return resolve


def _driver(read: Description, timeout: float) -> Driver:
    if read.engine == "postgres":
        from gainful.systems.databases.engines import PostgreSQL, literal_password

        secret = read.secret("connection", None)
        try:
            driver = PostgreSQL("" if secret is None else secret.reveal(), timeout)
        except ParameterError as error:
            raise (error.inside(read.file) if read.file else error) from None
        if secret is not None and literal_password(secret.written):
            raise read.wrong(
                "connection",
                "…***…",
                "${NAME} in place of the password",
                hint="set it in an environment variable, because files are shared",
            )
        return driver
    written = read.text("database")
    database = MEMORY if written == MEMORY else read.path("database")
    if read.engine == "duckdb":
        return DuckDB(
            database,
            timeout,
            written,
            files=declared_files(read),
            extensions=read.texts("extensions", []),
        )
    from gainful.systems.databases.engines import SQLite

    return SQLite(database, timeout, written)


def declared_files(read: Description) -> dict[str, str]:
    """Return the paths of ``[files]`` by name."""
    files = read.table("files")
    if files is None:
        return {}
    return {name: files.path(name) for name in files.keys()}  # noqa: SIM118, not a mapping
