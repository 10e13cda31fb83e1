"""Columns are detected by name, and missing ones are reported."""

from __future__ import annotations

import pytest

import gainful
from gainful.data.columns import find_columns
from gainful.errors import ArgumentError, ColumnError
from requirements import need


@pytest.mark.parametrize(
    ("names", "table", "expected"),
    [
        (["query_id", "doc_id", "grade"], "qrels", ["query_id", "doc_id", "grade"]),
        (["grade", "doc_id", "query_id"], "qrels", ["query_id", "doc_id", "grade"]),
        (["query_id", "doc_id", "relevance", "tag"], "qrels", ["query_id", "doc_id", "relevance"]),
        (["query-id", "corpus-id", "score"], "qrels", ["query-id", "corpus-id", "score"]),
        (["qid", "docid", "docno", "label"], "qrels", ["qid", "docno", "label"]),
        (["qid", "query", "docid", "docno", "score"], "run", ["qid", "docno", "score"]),
        (["qid", "docid", "score", "rank"], "run", ["qid", "docid", "score", "rank"]),
        (["Query ID", "Document ID", "Rank"], "run", ["Query ID", "Document ID", "Rank"]),
        (["user", "item", "rating"], "qrels", ["user", "item", "rating"]),
        (["topic", "docno", "sim"], "run", ["topic", "docno", "sim"]),
    ],
)  # fmt: skip
def test_names_of_the_field(names: list[str], table: str, expected: list[str]) -> None:
    assert list(find_columns(names, table).values()) == expected


def test_a_missing_column_is_reported_with_the_present_ones() -> None:
    with pytest.raises(ColumnError) as caught:
        find_columns(["a", "query_id", "b"], "qrels")
    message = str(caught.value)
    assert "found columns 'a', 'query_id', 'b', expected columns doc_id (or docno" in message
    assert "grade (or relevance" in message
    assert "columns='doc=NAME,grade=NAME'" in message
    assert isinstance(caught.value, KeyError)


def test_a_run_without_scores_needs_ranks() -> None:
    with pytest.raises(ColumnError, match="expected a column score or rank .*'score=NAME'"):
        find_columns(["query_id", "doc_id"], "run")


def test_columns_can_be_named() -> None:
    polars = need("polars")
    frame = polars.DataFrame({"session": ["s"], "sku": [7], "bm25": [1.5], "score": [9.0]})
    columns = {"query_id": "session", "doc_id": "sku", "score": "bm25"}
    assert gainful.Run(frame, columns=columns).to_dict() == {"s": {"7": 1.5}}
    rows = frame.to_dicts()
    assert gainful.Run(rows, columns=columns).to_dict() == {"s": {"7": 1.5}}


def test_a_named_column_must_exist() -> None:
    with pytest.raises(ColumnError, match="expected a column 'bm52'"):
        find_columns(["query_id", "doc_id", "bm25"], "run", {"score": "bm52"})


def test_only_known_columns_can_be_named() -> None:
    with pytest.raises(ArgumentError, match="'importance', expected query_id, doc_id, grade"):
        find_columns(["query_id"], "qrels", {"importance": "w"})


@pytest.mark.parametrize("library", ["polars", "pyarrow", "pandas"])
def test_other_columns_do_not_matter(library: str) -> None:
    module = need(library)
    content = {
        "x": [[1], [2]],
        "qid": [1, 1],
        "docno": ["a", "b"],
        "text": [None, "t"],
        "rel": [1, 0],
    }
    frame = module.table(content) if library == "pyarrow" else module.DataFrame(content)
    assert gainful.Qrels(frame).to_dict() == {"1": {"a": 1, "b": 0}}
