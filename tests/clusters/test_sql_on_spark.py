"""Queries of the dialect spark, run by Spark: the kernel's rows and errors."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from itertools import cycle, product
from typing import Any

import pytest

import gainful
from combinations import ALL, share
from gainful.backends import sql
from requirements import need
from sql_collections import (
    CONVENTIONS,
    asked,
    compare_rows,
    compare_under,
    drawn,
    drawn_for_presets,
    written_presets,
)
from sql_databases import OfSpark
from sql_faults import FAULTS, QRELS, RUN, check_fault


@pytest.fixture
def database(classic_spark: Any) -> OfSpark:
    return OfSpark(classic_spark)


@pytest.mark.parametrize("name", share(list(CONVENTIONS), 0, 6))
def test_rows_are_those_of_the_engine(database: OfSpark, name: str) -> None:
    compare_under(database, name)


@pytest.mark.parametrize("name", share(list(CONVENTIONS), 1, 12))
def test_queries_for_databricks(database: OfSpark, name: str) -> None:
    need("sqlglot")
    database.dialect = "databricks"
    compare_under(database, name)


@cache
def texts_of_presets() -> dict[str, str]:
    """Return the different queries of all presets, each by the first preset that asks it so."""
    found: dict[str, str] = {}
    for name, convention in written_presets().items():
        text = sql.query(["nDCG@3", "nDCG"], convention=convention, dialect="spark", position="at")
        body = text[text.index("WITH ") :]
        if body not in found.values():
            found[name] = body
    return found


@pytest.mark.parametrize("name", share(list(texts_of_presets()), 0, 12))
def test_presets(database: OfSpark, name: str) -> None:
    qrels, run = drawn_for_presets(name)
    database.fill(qrels, run)
    found = database.ask(texts_of_presets()[name])
    compare_rows(found, qrels, run, ["nDCG@3", "nDCG"], written_presets()[name])


MODES = ("true", "false")
ENCODED = {
    "string": lambda number: str(number),
    "binary": lambda number: bytearray(str(number).encode()),
    "long": lambda number: number,
    "decimal(20,0)": Decimal,
}


@pytest.mark.parametrize(
    ("kind", "ansi"), list(product(ENCODED, MODES) if ALL else zip(ENCODED, cycle(MODES)))
)
def test_ids_and_numbers_of_other_types(database: OfSpark, kind: str, ansi: str) -> None:
    database.set("spark.sql.ansi.enabled", ansi)
    encode = ENCODED[kind]
    qrels = [(10, 9, 1), (9, 1, 1), (9, 2**60, 3)]
    run = [(10, 10, 5.0), (10, 9, 5.0), (9, 1, 0.5), (9, 2**60, 0.5), (9, 2**60 + 1, 0.25)]
    ids = f"query_id {kind}, doc_id {kind}"
    database.view("qrels", [(encode(q), encode(d), g) for q, d, g in qrels], f"{ids}, grade int")
    database.view("run", [(encode(q), encode(d), s) for q, d, s in run], f"{ids}, score float")
    measures = ["nDCG@10", "RR", "AP", "R@2"]
    texts = [(str(q), str(d), float(v)) for q, d, v in run]
    judged = [(str(q), str(d), float(g)) for q, d, g in qrels]
    found = database.ask(sql.query(measures, dialect="spark"))
    # As text, "10" comes before "9": first of the queries, and last of the tied documents.
    compare_rows(found, judged, texts, measures, gainful.Convention())


def test_ids_are_compared_by_bytes_whatever_their_collation(database: OfSpark) -> None:
    ids = "query_id string collate UTF8_LCASE, doc_id string collate UNICODE_CI"
    qrels = [("Q", "a", 1.0), ("q", "A", 2.0), ("q", "a", 1.0), ("q", "é", 1.0)]
    run = [("Q", "a", 1.0), ("q", "a", 1.0), ("q", "A", 1.0), ("q", "b", 1.0), ("q", "Z", 1.0)]
    database.view("qrels", qrels, f"{ids}, grade double")
    database.view("run", run, f"{ids}, score double")
    found = database.ask(sql.query(["nDCG@10", "AP"], dialect="spark"))
    compare_rows(found, qrels, run, ["nDCG@10", "AP"], gainful.Convention())


@pytest.mark.parametrize("ansi", MODES)
def test_no_quotient_by_zero_is_ever_asked(database: OfSpark, ansi: str) -> None:
    """It is an error in one mode and NULL in the other."""
    database.set("spark.sql.ansi.enabled", ansi)
    convention, measures, *_ = asked("expected")
    qrels, run = drawn(4)
    database.fill(qrels, run)
    text = sql.query(measures, convention=convention, dialect="spark")
    compare_rows(database.ask(text), qrels, run, measures, convention)


@pytest.mark.parametrize(("policies", "judged", "listed", "message"), share(FAULTS, 1, 2))
def test_a_fault_ends_the_query(
    database: OfSpark, policies: dict[str, Any], judged: list[Any], listed: list[Any], message: str
) -> None:
    check_fault(database, policies, judged, listed, message, accepts=False)


@pytest.mark.parametrize("ansi", MODES)
def test_a_fault_is_not_passed_over_where_no_column_is_asked_for(
    database: OfSpark, ansi: str
) -> None:
    database.set("spark.sql.ansi.enabled", ansi)
    database.fill(QRELS, [*RUN, RUN[0]])
    text = sql.query("RR", dialect="spark")
    with pytest.raises(Exception, match="duplicate document"):
        database.ask(f"SELECT COUNT(*) AS n FROM ({text}) rows_found")


def test_no_query_in_common(database: OfSpark) -> None:
    database.fill(QRELS, [("q7", "a", 1.0, 1)])
    with pytest.raises(Exception, match="no query in common"):
        database.ask(sql.query("RR", dialect="spark"))


@pytest.mark.parametrize("name", ["it's", 'two "words"', "back`tick", "a\\b", "select", "x-- y"])
def test_names_are_quoted(database: OfSpark, name: str) -> None:
    quoted = ["`" + f"{name}{letter}".replace("`", "``") + "`" for letter in "qdgs"]
    ids = f"{quoted[0]} string, {quoted[1]} string"
    database.view("judged", [("q", "d", 1.0)], f"{ids}, {quoted[2]} double")
    database.view("found", [("q", "d", 1.0)], f"{ids}, {quoted[3]} double")
    columns = dict(
        zip(["query_id", "doc_id", "grade", "score"], [f"{name}{at}" for at in "qdgs"], strict=True)
    )
    text = sql.query("nDCG@5", dialect="spark", qrels="judged", run="found", **columns)
    assert [row["nDCG@5"] for row in database.ask(text)] == [1.0]
