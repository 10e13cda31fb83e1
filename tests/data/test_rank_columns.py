"""A column of ranks is never used as scores."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import gainful
from columnar_data import Row, as_rows, reader, table
from combinations import pairwise
from gainful.errors import FormatError
from repeated_tests import for_each
from requirements import need

ROWS = "q1\td1\t1\nq1\td2\t2\nq1\td3\t3\nq2\td9\t1\n"


def test_an_unnamed_column_of_ranks_is_the_order(tmp_path: Path) -> None:
    path = tmp_path / "run.tsv"
    path.write_text(ROWS)
    assert gainful.read_run(path).to_dict() == {"q1": ["d1", "d2", "d3"], "q2": ["d9"]}
    assert gainful.evaluate({"q1": {"d1": 1}}, path, "RR").mean() == 1.0


def test_a_named_column_of_ranks_is_the_order(tmp_path: Path) -> None:
    path = tmp_path / "run.tsv"
    path.write_text(ROWS)
    run = gainful.read_run(path, columns=["query_id", "doc_id", "rank"])
    assert gainful.evaluate({"q1": {"d1": 1}}, run, "RR").mean() == 1.0
    path.write_text("qid\tdocid\trank\n" + ROWS)
    assert gainful.evaluate({"q1": {"d1": 1}}, path, "RR").mean() == 1.0


def test_unnamed_columns_of_other_numbers_are_scores(tmp_path: Path) -> None:
    path = tmp_path / "run.tsv"
    path.write_text("q1\td1\t3\nq1\td2\t2\nq1\td3\t1\n")
    assert gainful.evaluate({"q1": {"d1": 1}}, path, "RR").mean() == 1.0


QRELS = {str(query): {str(document): document % 4 for document in range(9)} for query in range(6)}
MEASURES = ["nDCG@3", "AP", "RR", "Judged@3"]


def columns(held: str, ranked: Any, tmp_path: Path) -> Any:
    """Return a ranking as a table, a stream that can be read once, or a file."""
    if held == "table":
        return ranked
    if held == "reader":
        return reader(ranked, [5])
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(ranked, tmp_path / "run.parquet", row_group_size=7)
    return tmp_path / "run.parquet"


@for_each(
    ("held", "ids", "order", "rows"),
    pairwise(
        ["table", "reader", "parquet"],
        ["int64", "string", "dictionary"],
        ["score", "given", "rank"],
        ["sorted", "shuffled in a query", "scattered"],
    ),
)
def test_ranks_alone_are_the_order(
    held: str, ids: str, order: str, rows: str, tmp_path: Path
) -> None:
    """They are evaluated while they are read, with the same values as lists."""
    need("pyarrow")
    made = [Row(str(q), str((d * 5 + q) % 12), d + 1, 0.0) for q in range(6) for d in range(12)]
    lists = {str(q): [row.document for row in made if row.query == str(q)] for q in range(6)}
    if rows != "sorted":
        random.Random(3).shuffle(made)
    if rows == "shuffled in a query":
        made.sort(key=lambda row: row.query)
    ranked = table(made, ids).drop_columns(["score"])
    convention = gainful.conventions.get("gainful-1").replace(order=order)
    expected = gainful.evaluate(
        QRELS, lists, MEASURES, convention=convention.replace(order="given")
    )
    result = gainful.evaluate(
        QRELS, columns(held, ranked, tmp_path), MEASURES, convention=convention, threads=2
    )
    assert as_rows(result) == as_rows(expected)
    assert bool(result.scattered) is (rows == "scattered")


@for_each("held", ["table", "reader", "parquet"])
@for_each(
    ("rank", "found"),
    [(3.0, "duplicate rank"), (float("nan"), "the rank is not a number")],
)
def test_ambiguous_ranks_are_errors(held: str, rank: float, found: str, tmp_path: Path) -> None:
    pa = need("pyarrow")
    ranks = [1.0, 4.0, 3.0, 2.0, 5.0, 6.0, rank, 7.0]
    ranked = pa.table({"query_id": ["1"] * 8, "doc_id": list("abcdefgh"), "rank": ranks})
    with pytest.raises(FormatError, match="row 6") as raised:
        gainful.evaluate(QRELS, columns(held, ranked, tmp_path), MEASURES)
    error = raised.value
    assert (error.query, error.document, error.found) == ("1", "g", found)
    with pytest.raises(FormatError, match=found):
        gainful.Run(ranked)
