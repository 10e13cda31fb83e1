"""Judgments and runs are equal for every kind of object."""

from __future__ import annotations

import sqlite3

import numpy
import pytest

import gainful
from data_kinds import KINDS, QRELS, RUN, make, nested
from evaluation_words import sorted_rows
from gainful.data.coercion import as_qrels, as_run, run_input
from gainful.data.read_options import ReadOptions
from gainful.errors import ColumnError
from repeated_tests import for_each


@for_each("kind", KINDS)
def test_judgments(kind: str) -> None:
    qrels = gainful.Qrels(make(kind, QRELS, "grade"))
    assert qrels.to_dict() == nested(QRELS, "grade")
    assert list(qrels) == ["q1", "q2", "q3"]
    assert all(type(grade) is int for grade in qrels["q1"].values())


@for_each("kind", KINDS)
def test_runs(kind: str) -> None:
    run = gainful.Run(make(kind, RUN, "score"))
    assert run.to_dict() == nested(RUN, "score")
    assert run.scored


@for_each("kind", KINDS)
def test_numbers(kind: str) -> None:
    expected = gainful.evaluate(nested(QRELS, "grade"), nested(RUN, "score"), ["nDCG@10", "AP"])
    assert expected.per_query("nDCG@10")["q2"] == pytest.approx(0.6309297535714575)
    found = gainful.evaluate(
        make(kind, QRELS, "grade"), make(kind, RUN, "score"), ["nDCG@10", "AP"]
    )
    assert sorted_rows(found) == sorted_rows(expected)


#: An iterator in a mapping is the ranking of a query; with ``runs=`` it is a run.
NAMED = sorted(KINDS.keys() - {"generator", "ir_measures", "mapping"})


@for_each("kind", NAMED)
def test_a_run_of_every_kind_can_have_a_name(kind: str) -> None:
    qrels = nested(QRELS, "grade")
    found = gainful.evaluate(qrels, {"first": make(kind, RUN, "score")}, "RR")
    assert found.systems == ("first",)
    expected = gainful.evaluate(qrels, runs={"first": nested(RUN, "score")}, measures="RR")
    assert sorted_rows(found) == sorted_rows(expected)


def test_batches_and_rows_of_a_database_can_have_a_name() -> None:
    qrels = nested(QRELS, "grade")
    database = sqlite3.connect(":memory:")
    database.execute("create table run (score, doc_id, query_id)")
    database.executemany("insert into run values (?, ?, ?)", [row[::-1] for row in RUN])
    rows = database.execute("select * from run")
    reader = make("pyarrow", RUN, "score").to_reader()
    found = gainful.evaluate(qrels, {"rows": rows, "reader": reader}, "RR")
    assert found.systems == ("rows", "reader")
    assert found.mean("RR", "rows") == found.mean("RR", "reader")


def test_a_mapping_of_columns_is_a_table() -> None:
    columns = {"Search Term": ["soup", "soup"], "SKU": ["s1", "s2"], "Stars": [3, 0]}
    names = {"query": "Search Term", "doc": "SKU", "grade": "Stars"}
    assert gainful.Qrels(columns, columns=names).to_dict() == {"soup": {"s1": 3, "s2": 0}}
    ranks = {"query": ["q", "q"], "doc": numpy.array(["d1", "d2"]), "rank": (2, 1)}
    assert gainful.Run(ranks).to_dict() == {"q": ["d2", "d1"]}
    with pytest.raises(ColumnError, match="'query_id' with 1, 'doc_id' with 2, .*of equal length"):
        gainful.Qrels({"query_id": ["q"], "doc_id": ["d1", "d2"], "grade": [1, 0]})
    with pytest.raises(ColumnError, match="column 'grade': found 1, expected a list"):
        gainful.Qrels({"query_id": ["q"], "doc_id": ["d1"], "grade": 1})
    with pytest.raises(ColumnError, match="found columns 'q1', expected a column doc_id"):
        gainful.Qrels({"q1": {"d1": 1}}, columns={"query": "q1"})


@pytest.mark.parametrize("grades", [[0.5, 1.25], [-1, 2], [True, False]])
def test_grades_of_every_sort(grades: list[float]) -> None:
    rows = [("q", str(number), grade) for number, grade in enumerate(grades)]
    assert gainful.Qrels(rows).to_dict() == {"q": {"0": grades[0], "1": grades[1]}}


def test_qrels_and_runs_are_returned_unchanged() -> None:
    qrels, run = gainful.Qrels(QRELS), gainful.Run(RUN)
    assert as_qrels(qrels) is qrels
    assert as_run(run) is run
    assert run_input(run) is run._rows


def test_trec_text_is_read_by_the_kernel() -> None:
    assert run_input("run.txt", ReadOptions(format="trec")) == ["run.txt"]
