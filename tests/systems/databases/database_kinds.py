"""Databases for the tests: one small table in each, and its connection in a description."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from gainful.systems import Query
from gainful.systems.loading import load_system
from requirements import need

KINDS = ["sqlite", "duckdb", "postgres"]

#: Titles that would be something else if they were pasted into SQL, or read by a driver.
HOSTILE = [
    "plain",
    "it's",
    "'; drop table docs; --",
    '" or ""="',
    "back\\slash \\' \\x41",
    "100 % of %s and %(name)s",
    "$1 ? ?1 :name @name $tag$",
    "{{k}} {{query}} ${HOME}",
    "/* -- */",
    "line\nbreak\ttab",
    "💡 ẞ 電球 \u0301",
    "x" * 100_000,
    "",
]

ROWS = [(f"d{at}", title, float(at)) for at, title in enumerate(HOSTILE)]

_TABLE = "create table docs (id {text} primary key, title {text}, price {number})"


class Place:
    """A database with the table ``docs (id, title, price)``.

    Attributes
    ----------
    kind
        One of `KINDS`.
    keys
        What a description says to reach it.
    number, text
        What the engine calls the types.
    """

    def __init__(self, kind: str, keys: Mapping[str, Any], run: Callable[[str], Any]) -> None:
        self.kind = kind
        self.keys = keys
        self.run = run
        self._open: list[Any] = []

    def system(self, sql: str, **keys: Any) -> Any:
        """Return the system of a statement."""
        made = load_system({"engine": self.kind, **self.keys, "sql": sql, **keys})
        self._open.append(made)
        return made

    def close(self) -> None:
        """Close what was made."""
        while self._open:
            self._open.pop().close()


def asked(system: Any, text: str = "", k: int = 10, **fields: Any) -> Any:
    """Return the answer of one query."""
    (answer,) = system.ask([Query("q1", text, fields)], k)
    return answer


def ids(system: Any, text: str = "", k: int = 10, **fields: Any) -> list[str]:
    """Return the documents of one query."""
    return list(asked(system, text, k, **fields).documents)


def make(kind: str, folder: Path, request: pytest.FixtureRequest) -> Place:
    """Return the database with its table."""
    if kind == "postgres":
        return _postgres(request)
    path = folder / f"docs.{kind}"
    connect: Any = sqlite3.connect if kind == "sqlite" else need("duckdb").connect
    number = "real" if kind == "sqlite" else "double"
    database = connect(path)
    _fill(database, _TABLE.format(text="text", number=number), "?", ROWS)
    database.commit()
    database.close()

    def run(sql: str) -> Any:
        # DuckDB wants all connections of a process to be opened alike.
        opened = connect(path, **({} if kind == "sqlite" else {"read_only": True}))
        try:
            return opened.execute(sql).fetchall()
        finally:
            opened.close()

    return Place(kind, {"database": str(path)}, run)


def _fill(database: Any, table: str, mark: str, rows: Sequence[Sequence[Any]]) -> None:
    database.execute(table)
    for row in rows:
        database.execute(f"insert into docs values ({mark}, {mark}, {mark})", row)


def _postgres(request: pytest.FixtureRequest) -> Place:
    import psycopg

    server = request.getfixturevalue("postgres")
    with psycopg.connect(server.url(), autocommit=True) as database:
        database.execute("drop table if exists docs")
        _fill(database, _TABLE.format(text="text", number="float8"), "%s", ROWS)

    def run(sql: str) -> Any:
        with psycopg.connect(server.url(), autocommit=True) as database:
            cursor = database.execute(sql)
            return cursor.fetchall() if cursor.description else []

    return Place("postgres", {"connection": server.url()}, run)
