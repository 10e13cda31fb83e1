"""Create the system of a database from a description."""

from __future__ import annotations

from gainful.errors import ParameterError
from gainful.keywords import suggest_keywords
from gainful.systems.databases.engines import MEMORY, DuckDB
from gainful.systems.databases.system import (
    DatabaseSystem,
    Driver,
    ResultColumns,
    SqlCommand,
    Statement,
)
from gainful.systems.description.description import (
    Placeholder,
    apply_filters,
    query_value,
    unknown_placeholder,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from gainful.systems.databases.system import Resolve
    from gainful.systems.description.description import Description
    from gainful.systems.protocol import Query

    #: The style of parameters: ``?``, or ``$1``, ``$2`` and so on.
    Marks = Literal["question", "dollar"]

__all__ = ["build", "declared_files"]


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
    columns = ResultColumns()
    if results is not None:
        columns = ResultColumns(results.text("id", None), results.text("score", None))
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


def _command(read: Description, driver: Driver, sql: str) -> SqlCommand:
    parsed = _statement(read, driver, "setup", sql)
    for placeholder in parsed.placeholders:
        if placeholder.of_query:
            raise read.wrong("setup", sql, "no part of a query: it runs before the first one")
    return SqlCommand(parsed.text, [_setting(read, field) for field in parsed.placeholders])


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
