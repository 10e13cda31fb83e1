"""Data that Gainful rejects also ends a SQL query with a message."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

import gainful
from combinations import in_turn
from gainful.backends import sql
from gainful.conventions import Convention
from gainful.errors import GainfulError
from requirements import need
from sql_collections import asked, compare_rows, drawn
from sql_databases import OfDuckDB, database_of
from sql_faults import FAULTS, QRELS, RUN, check_fault


@pytest.fixture(scope="module", params=["duckdb", "postgres", "mariadb"])
def database(request: pytest.FixtureRequest) -> Iterator[Any]:
    with database_of(request) as database:
        yield database


#: All in the process, and each on one of the servers. The tables of MariaDB have finite numbers.
CASES = [("duckdb", *fault) for fault in FAULTS] + [
    (name, *fault)
    for name, fault in in_turn(["postgres", "mariadb"], FAULTS, 2)
    if name == "postgres" or all(math.isfinite(row[2] or 0) for row in (*fault[1], *fault[2]))
]


@pytest.mark.parametrize(
    ("database", "policies", "judged", "listed", "message"), CASES, indirect=["database"]
)
def test_a_fault_ends_the_query(
    database: Any, policies: dict[str, Any], judged: list[Any], listed: list[Any], message: str
) -> None:
    first = next(fault for fault in FAULTS if fault[0] == policies)
    check_fault(database, policies, judged, listed, message, accepts=first[-1] == message)
    # The engine agrees, but for copies, which it measures.
    if policies != {"duplicates": "copies"}:
        rows = [row[:3] for row in [*RUN, *listed]]
        with pytest.raises(GainfulError):
            gainful.evaluate([*QRELS, *judged], rows, "RR", convention=Convention(**policies))


def test_invalid_data_is_an_error_without_selected_columns(database: Any) -> None:
    database.fill(QRELS, [*RUN, RUN[0]])
    text = sql.query("RR", dialect=database.dialect)
    with pytest.raises(Exception, match="duplicate document"):
        database.ask(f"SELECT COUNT(*) AS n FROM ({text}) rows_found")


def test_no_query_in_common(database: Any) -> None:
    database.fill(QRELS, [("q7", "a", 1.0, 1)])
    with pytest.raises(Exception, match="no query in common"):
        database.ask(sql.query("RR", dialect=database.dialect))


@pytest.mark.parametrize("policy", ["first", "last", "blank"])
def test_which_row_is_the_first_is_asked_only_of_duplicates(database: Any, policy: str) -> None:
    convention = Convention(duplicates=policy)
    text = sql.query("RR", convention=convention, dialect=database.dialect)
    database.fill(QRELS, RUN)
    assert [row["RR"] for row in database.ask(text)] == [0.5, 1.0]
    database.fill(QRELS, [*RUN, RUN[0]])
    with pytest.raises(Exception, match="duplicate document"):
        database.ask(text)


def test_a_duplicate_position_is_an_error(database: Any) -> None:
    convention = Convention(ties="given")
    text = sql.query("RR", convention=convention, dialect=database.dialect, position="at")
    database.fill(QRELS, RUN)
    assert [row["RR"] for row in database.ask(text)] == [0.5, 1.0]
    for wrong in (2, None):
        database.fill(QRELS, [*RUN, ("q1", "z", 0.0, wrong)])
        with pytest.raises(Exception, match="query q1: duplicate or missing position"):
            database.ask(text)


def test_grades_beyond_a_measure(database: Any) -> None:
    database.fill([*QRELS, ("q2", "d", 6.0)], RUN)
    for measure in ("ERR(max_grade=5)", "RBP(max_grade=5)"):
        text = sql.query(measure, dialect=database.dialect)
        with pytest.raises(Exception, match="the grade is above 5, for "):
            database.ask(text)
    database.fill([*QRELS, ("q2", "d", 1100.0)], RUN)
    convention = Convention(defaults={"nDCG": {"gain": "exponential"}})
    text = sql.query("nDCG", convention=convention, dialect=database.dialect)
    # MariaDB computes the power before it looks at the faults, and has no infinity.
    with pytest.raises(Exception, match=r"the grade is above 1022, for nDCG|out of range in 'pow"):
        database.ask(text)


AWKWARD = ['two "words"', "it's", "select", "Näme", "back`tick", "a%b", "x-- y"]


@pytest.mark.parametrize("name", AWKWARD)
def test_names_are_quoted(database: Any, name: str) -> None:
    def quoted(name: str) -> str:
        return database.mark + name.replace(database.mark, database.mark * 2) + database.mark

    columns = [f"{name}{letter}" for letter in "qdgs"]
    written = [quoted(column) for column in columns]
    database.schema("my schema")
    ids = f"{written[0]} varchar(9), {written[1]} varchar(9)"
    for table, column in (("j", written[2]), ("r", written[3])):
        place = f"{quoted('my schema')}.{quoted(name + table)}"
        database.execute(f"CREATE TABLE {place} ({ids}, {column} float)")
        database.execute(f"INSERT INTO {place} VALUES ('q', 'd', 1.0)")
    text = sql.query(
        "nDCG@5",
        dialect=database.dialect,
        qrels=f"my schema.{name}j",
        run=f"my schema.{name}r",
        query_id=columns[0],
        doc_id=columns[1],
        grade=columns[2],
        score=columns[3],
    )
    assert [row["nDCG@5"] for row in database.ask(text)] == [1.0]


def test_numbers_are_ids_as_they_are_written(database: Any) -> None:
    for table, last in (("qrels", "grade"), ("run", "score")):
        database.execute(f"DROP TABLE IF EXISTS {table}")
        ids = (
            "query_id bigint, doc_id smallint" if table == "qrels" else "query_id int, doc_id text"
        )
        database.execute(f"CREATE TABLE {table} ({ids}, {last} integer)")
    database.execute("INSERT INTO qrels VALUES (10, 9, 1), (9, 1, 1)")
    database.execute("INSERT INTO run VALUES (10, '10', 5), (10, '9', 5), (9, '1', 0)")
    found = database.ask(sql.query("RR", dialect=database.dialect))
    # As text, "10" comes before "9": first of the queries, and last of the tied documents.
    assert [(row["query_id"], row["RR"]) for row in found] == [("10", 1.0), ("9", 1.0)]
    rows = [("10", "10", 5.0), ("10", "9", 5.0), ("9", "1", 0.0)]
    whole = gainful.evaluate([(10, 9, 1), (9, 1, 1)], rows, "RR")
    assert [row["RR"] for row in found] == list(whole.per_query().values())


def test_duckdb_reads_files(tmp_path: Any) -> None:
    need("duckdb")
    need("pyarrow")
    import pyarrow.parquet

    columns = ["query_id", "doc_id", "grade"]
    rows = [dict(zip(columns, row, strict=True)) for row in QRELS]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "it's.parquet")
    for at, row in enumerate(RUN):
        part = dict(zip(["query_id", "doc_id", "score"], row, strict=False))
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist([part]), tmp_path / f"r.{at}.parquet")
    text = sql.query("RR", qrels=str(tmp_path / "it's.parquet"), run=str(tmp_path / "r.*.parquet"))
    found = OfDuckDB().ask(text)
    assert [(row["query_id"], row["RR"]) for row in found] == [("q1", 0.5), ("q2", 1.0)]


@pytest.mark.parametrize("name", ["ascending", "expected", "last", "optimistic", "first"])
def test_settings_of_the_database_change_nothing(name: str) -> None:
    need("duckdb")
    made = OfDuckDB()
    for setting in ("default_order='DESC'", "default_collation='nocase'", "integer_division=true"):
        made.execute(f"SET {setting}")
    convention, measures, twice, listed = asked(name)
    qrels, run = drawn(3, twice=twice)
    made.fill(qrels, run)
    text = sql.query(measures, convention=convention, position="at" if listed else None)
    compare_rows(made.ask(text), qrels, run, measures, convention)
    made.close()
