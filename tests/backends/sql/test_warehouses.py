"""Dialects that sqlglot writes: run in MariaDB, and read again by sqlglot."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from combinations import share
from gainful.backends import sql
from gainful.backends.sql.dialects import WAREHOUSES
from gainful.conventions import Convention
from gainful.errors import ConventionError, MissingPackageError, ParameterError
from requirements import need
from sql_collections import CONVENTIONS, asked, compare_rows, compare_under, drawn
from sql_databases import OfDuckDB, database_of

BY_NAME = {warehouse.name: warehouse for warehouse in WAREHOUSES}
NOT_RUN = [warehouse.name for warehouse in WAREHOUSES if not warehouse.run_in]


@pytest.fixture(scope="module", params=["mariadb"])
def database(request: pytest.FixtureRequest) -> Iterator[Any]:
    with database_of(request) as database:
        yield database


@pytest.mark.parametrize("name", share(list(CONVENTIONS), 0, 3))
def test_rows_are_those_of_the_engine(database: Any, name: str) -> None:
    compare_under(database, name, parts=2)


def test_the_package_is_named_where_it_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(MissingPackageError, match=r"sqlglot is not installed.*gainful\[warehouses"):
        sql.query("AP", dialect="snowflake")


#: Functions of the other dialects, for DuckDB.
FUNCTIONS = (
    "CREATE MACRO fail(message) AS error(message)",
    "CREATE MACRO to_number(message) AS CAST(message AS BIGINT)",
    "CREATE MACRO to_binary_double(number) AS CAST(number AS DOUBLE)",
)


def read_again(glot: Any, text: str, dialect: str) -> str:
    """Return a query of a dialect as DuckDB's SQL, as sqlglot reads it."""
    exp = glot.exp
    tree = glot.parse_one(text, read=dialect)
    for collated in list(tree.find_all(exp.Collate)):
        inner = exp.Paren(this=collated.this.copy())
        collated.replace(exp.Collate(this=inner, expression=exp.to_identifier("C", quoted=True)))
    if dialect == "tsql":
        # It joins text with a plus sign.
        for added in reversed(list(tree.find_all(exp.Add))):
            if any(each.is_string for each in added.find_all(exp.Literal)):
                added.replace(exp.DPipe(this=added.this.copy(), expression=added.expression.copy()))
    return str(tree.sql("duckdb"))


@pytest.mark.parametrize("name", share(["plain", "expected"], 1, 2))
@pytest.mark.parametrize("dialect", NOT_RUN)
def test_what_is_not_run_reads_again_as_a_query_with_the_same_rows(dialect: str, name: str) -> None:
    glot = need("sqlglot")
    need("duckdb")
    convention, measures, twice, listed = asked(name, dialect)
    measures = share(measures, NOT_RUN.index(dialect), 3)
    if BY_NAME[dialect].single_as is not None:
        convention = convention.replace(precision="float32")
    qrels, run = drawn(1, twice=twice)
    text = sql.query(
        measures, convention=convention, dialect=dialect, position="at" if listed else None
    )
    names = sql_columns(measures, convention, listed)
    assert [BY_NAME[dialect].column(name) for name in names] == glot.parse_one(
        text, read=dialect
    ).named_selects
    made = OfDuckDB()
    for function in FUNCTIONS:
        made.execute(function)
    made.fill(qrels, run)
    rows = [
        dict(zip(names, row.values(), strict=True))
        for row in made.ask(read_again(glot, text, dialect))
    ]
    compare_rows(rows, qrels, run, measures, convention)
    made.close()


def sql_columns(measures: list[str], convention: Convention, listed: bool) -> list[str]:
    """Return the names of the columns in DuckDB."""
    text = sql.query(measures, convention=convention, position="at" if listed else None)
    return list(need("sqlglot").parse_one(text, read="duckdb").named_selects)


@pytest.mark.parametrize("dialect", ["mysql", "tsql"])
def test_a_dialect_without_nan_refuses_it(dialect: str) -> None:
    with pytest.raises(
        ConventionError, match="no_relevant=nan is not available in .*cannot be NaN"
    ):
        sql.query("AP", convention=Convention(no_relevant="nan"), dialect=dialect)


@pytest.mark.parametrize("dialect", ["bigquery", "snowflake"])
def test_a_dialect_without_32_bit_numbers_refuses_them(dialect: str) -> None:
    with pytest.raises(ConventionError, match="precision=float32 is not available in "):
        sql.query("AP", convention=Convention(precision="float32"), dialect=dialect)


def test_two_columns_with_the_same_name_are_an_error() -> None:
    need("sqlglot")
    measures = ["AP(rel=2.5)", "AP(rel=2)@5"]
    assert sql.query(measures, dialect="snowflake")
    with pytest.raises(ParameterError, match="two columns are named 'AP_rel=2_5' in BigQuery"):
        sql.query(measures, dialect="bigquery")


@pytest.mark.parametrize("dialect", BY_NAME)
def test_words_of_a_dialect_are_in_its_queries(dialect: str) -> None:
    need("sqlglot")
    text = sql.query(["nDCG@3", "AP"], dialect=dialect, run="lake.it's")
    # No call of a template is left.
    assert "gainful_" not in text
    assert text.startswith("-- nDCG@3, AP of ")
    assert BY_NAME[dialect].title in text
