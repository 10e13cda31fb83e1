"""Databases for the tests of SQL, each with a table of judgments and one of a run."""

from __future__ import annotations

import atexit
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Protocol
from urllib.request import Request, urlopen

import pytest

from mariadb_server import MariaDBServer
from requirements import need

Judgment = tuple[str, str, float]
Row = tuple[str, str, float, int]


class Database(Protocol):
    """The interface of a database in the tests."""

    dialect: str
    #: What quotes names.
    mark: str

    def execute(self, statement: str) -> None: ...

    def schema(self, name: str) -> None: ...

    def fill(self, qrels: Iterable[Judgment], run: Iterable[Row]) -> None: ...

    def ask(self, query: str) -> list[dict[str, Any]]: ...


class OfDuckDB:
    """DuckDB, within the process."""

    dialect = "duckdb"
    mark = '"'

    def __init__(self) -> None:
        import duckdb

        self._connection = duckdb.connect()

    def execute(self, statement: str) -> None:
        self._connection.execute(statement)

    def schema(self, name: str) -> None:
        self.execute(f'DROP SCHEMA IF EXISTS "{name}" CASCADE')
        self.execute(f'CREATE SCHEMA "{name}"')

    def fill(self, qrels: Iterable[Judgment], run: Iterable[Row]) -> None:
        self.execute("CREATE OR REPLACE TABLE qrels (query_id TEXT, doc_id TEXT, grade DOUBLE)")
        self.execute(
            'CREATE OR REPLACE TABLE run (query_id TEXT, doc_id TEXT, score DOUBLE, "at" INTEGER)'
        )
        for table, rows in (("qrels", list(qrels)), ("run", list(run))):
            if rows:
                marks = ", ".join("?" * len(rows[0]))
                values = [value for row in rows for value in row]
                many = ", ".join([f"({marks})"] * len(rows))
                self._connection.execute(f"INSERT INTO {table} VALUES {many}", values)

    def ask(self, query: str) -> list[dict[str, Any]]:
        found = self._connection.execute(query)
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def close(self) -> None:
        self._connection.close()


class OfPostgres:
    """PostgreSQL, on a server that the tests start."""

    dialect = "postgres"
    mark = '"'

    def __init__(self, url: str) -> None:
        import psycopg

        self._connection = psycopg.connect(url, autocommit=True)

    def execute(self, statement: str) -> None:
        self._connection.execute(statement)

    def schema(self, name: str) -> None:
        self.execute(f'DROP SCHEMA IF EXISTS "{name}" CASCADE')
        self.execute(f'CREATE SCHEMA "{name}"')

    def fill(self, qrels: Iterable[Judgment], run: Iterable[Row]) -> None:
        for table, last in (("qrels", "grade float8"), ("run", 'score float8, "at" integer')):
            self.execute(f"DROP TABLE IF EXISTS {table}")
            # A natural-language collation, whose order differs from that of bytes.
            id = 'text COLLATE "und-x-icu"'
            self.execute(f"CREATE TABLE {table} (query_id {id}, doc_id {id}, {last})")
        for table, rows in (("qrels", list(qrels)), ("run", list(run))):
            with self._connection.cursor() as cursor:
                if rows:
                    marks = ", ".join(["%s"] * len(rows[0]))
                    cursor.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)

    def ask(self, query: str) -> list[dict[str, Any]]:
        with self._connection.cursor() as cursor:
            cursor.execute(query)
            names = [column.name for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def close(self) -> None:
        self._connection.close()


class OfMariaDB:
    """MariaDB, on a server that the tests start; the dialect is MySQL's."""

    dialect = "mysql"
    mark = "`"

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.execute("CREATE OR REPLACE DATABASE tests CHARACTER SET utf8mb4")
        self.execute("USE tests")

    def execute(self, statement: str, rows: Iterable[Any] = ()) -> None:
        with self._connection.cursor() as cursor:
            if rows:
                cursor.executemany(statement, rows)
            else:
                cursor.execute(statement)

    def schema(self, name: str) -> None:
        self.execute(f"CREATE OR REPLACE DATABASE `{name}`")

    def fill(self, qrels: Iterable[Judgment], run: Iterable[Row]) -> None:
        for table, last in (("qrels", "grade double"), ("run", "score double, `at` integer")):
            # A natural-language collation, whose order differs from that of bytes.
            id = "varchar(100) COLLATE utf8mb4_unicode_ci"
            columns = f"query_id {id}, doc_id {id}, {last}"
            self.execute(f"CREATE OR REPLACE TABLE {table} ({columns}) ENGINE=MEMORY")
        for table, rows in (("qrels", list(qrels)), ("run", list(run))):
            if rows:
                marks = ", ".join(["%s"] * len(rows[0]))
                self.execute(f"INSERT INTO {table} VALUES ({marks})", rows)

    def ask(self, query: str) -> list[dict[str, Any]]:
        with self._connection.cursor() as cursor:
            cursor.execute(query)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def close(self) -> None:
        self._connection.close()


class OfClickHouse:
    """ClickHouse, within the process."""

    dialect = "clickhouse"
    mark = "`"

    def __init__(self) -> None:
        import chdb

        self._connection = chdb.connect(":memory:")
        self.execute("SET output_format_json_quote_denormals = 1")

    def execute(self, statement: str) -> None:
        self._connection.query(statement)

    def schema(self, name: str) -> None:
        self.execute(f"DROP DATABASE IF EXISTS `{name}`")
        self.execute(f"CREATE DATABASE `{name}`")

    def fill(self, qrels: Iterable[Judgment], run: Iterable[Row]) -> None:
        for table, last in (
            ("qrels", "grade Nullable(Float64)"),
            ("run", "score Nullable(Float64), at Int32"),
        ):
            columns = f"query_id Nullable(String), doc_id Nullable(String), {last}"
            self.execute(f"CREATE OR REPLACE TABLE {table} ({columns}) ENGINE = Memory")
        for table, rows in (("qrels", list(qrels)), ("run", list(run))):
            if rows:
                values = ", ".join(f"({', '.join(map(_written, row))})" for row in rows)
                self.execute(f"INSERT INTO {table} VALUES {values}")

    def ask(self, query: str) -> list[dict[str, Any]]:
        text = str(self._connection.query(query, "JSONCompactEachRowWithNames"))
        names, *rows = [json.loads(line) for line in text.splitlines()]
        return [dict(zip(names, map(_number, row), strict=True)) for row in rows]

    def close(self) -> None:
        self._connection.close()


class OfTrino:
    """Trino, on a server that the tests start."""

    dialect = "trino"
    mark = '"'

    def __init__(self, url: str) -> None:
        self._url = url
        self.schema("tests")

    def execute(self, statement: str) -> None:
        self._answers(statement)

    def schema(self, name: str) -> None:
        self.execute(f'CREATE SCHEMA IF NOT EXISTS "{name}"')

    def fill(self, qrels: Iterable[Judgment], run: Iterable[Row]) -> None:
        for table, last in (("qrels", "grade double"), ("run", 'score double, "at" integer')):
            self.execute(f"DROP TABLE IF EXISTS {table}")
            self.execute(f"CREATE TABLE {table} (query_id varchar, doc_id varchar, {last})")
        for table, rows in (("qrels", list(qrels)), ("run", list(run))):
            if rows:
                values = ", ".join(f"({', '.join(map(_literal, row))})" for row in rows)
                self.execute(f"INSERT INTO {table} VALUES {values}")

    def ask(self, query: str) -> list[dict[str, Any]]:
        columns, rows = self._answers(query)
        names = [column["name"] for column in columns]
        return [dict(zip(names, map(_number, row), strict=True)) for row in rows]

    def _answers(self, statement: str) -> tuple[list[dict[str, str]], list[list[Any]]]:
        """Send a statement; return the columns and rows of all pages of the answer."""
        headers = {"X-Trino-User": "tests", "X-Trino-Catalog": "memory", "X-Trino-Schema": "tests"}
        request = Request(f"{self._url}/v1/statement", statement.encode(), headers)
        columns: list[dict[str, str]] = []
        rows: list[list[Any]] = []
        while True:
            with urlopen(request, timeout=60) as response:
                page = json.load(response)
            if "error" in page:
                raise RuntimeError(page["error"]["message"])
            columns = page.get("columns", columns)
            rows += page.get("data", [])
            if "nextUri" not in page:
                return columns, rows
            request = Request(page["nextUri"], headers=headers)

    def close(self) -> None:
        """Do nothing: the server ends with its fixture."""


def _literal(value: Any) -> str:
    """Return a value as a literal of Trino."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, float):
        # It reads `Infinity` and `NaN`, in this spelling.
        return f"double '{value}'".replace("inf", "Infinity").replace("nan", "NaN")
    return "NULL" if value is None else repr(value)


def _written(value: Any) -> str:
    """Return a value as a literal of ClickHouse."""
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return "NULL" if value is None else repr(value)


def _number(value: Any) -> Any:
    """Return NaN, which JSON has as text, as a number."""
    return float("nan") if value in ("nan", "NaN") else value


class OfSpark:
    """Spark SQL, in a new session of the Spark in this process."""

    dialect = "spark"

    def __init__(self, spark: Any) -> None:
        self._session = spark.newSession()
        # For small data, compiling a query takes longer than interpreting it.
        self.set("spark.sql.codegen.wholeStage", "false")
        self.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        self.set("spark.sql.shuffle.partitions", "1")
        self.set("spark.sql.adaptive.enabled", "false")

    def set(self, name: str, value: str) -> None:
        self._session.conf.set(name, value)

    def execute(self, statement: str) -> None:
        self._session.sql(statement)

    def view(self, name: str, rows: Iterable[Any], columns: str) -> None:
        frame = self._session.createDataFrame(list(rows), columns)
        frame.coalesce(1).createOrReplaceTempView(name)

    def fill(self, qrels: Iterable[Judgment], run: Iterable[Row]) -> None:
        self.view("qrels", qrels, "query_id string, doc_id string, grade double")
        self.view("run", run, "query_id string, doc_id string, score double, at int")

    def ask(self, query: str) -> list[dict[str, Any]]:
        return [row.asDict() for row in self._session.sql(query).collect()]


@cache
def mariadb(program: str) -> MariaDBServer:
    """Return a server that runs until this process ends."""
    server = MariaDBServer(program)
    atexit.register(server.remove)
    return server


@contextmanager
def database_of(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Open the database that a fixture's parameter names."""
    needed = need(request.param)
    if request.param == "duckdb":
        made: Any = OfDuckDB()
    elif request.param == "mariadb":
        need("sqlglot")
        made = OfMariaDB(mariadb(needed).connect())
    else:
        made = OfPostgres(request.getfixturevalue("postgres").url())
    yield made
    made.close()
