"""pandas frames: read by Arrow if pyarrow is installed, otherwise by column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.errors import ColumnError, FormatError
from repeated_tests import for_each
from requirements import need

pandas = need("pandas")


@pytest.fixture(params=["with pyarrow", "without pyarrow", "before 2.2"])
def arrow(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return whether frames export a stream, fail to, or have no stream."""

    def without(self: Any, requested_schema: object = None) -> object:
        raise ImportError("`Import pyarrow` failed.")

    if request.param == "with pyarrow":
        need("pyarrow")
    elif request.param == "without pyarrow":
        monkeypatch.setattr(pandas.DataFrame, "__arrow_c_stream__", without, raising=False)
    else:
        monkeypatch.delattr(pandas.DataFrame, "__arrow_c_stream__", raising=False)
    return str(request.param)


def frame(**columns: Any) -> Any:
    return pandas.DataFrame({"qid": ["q", "q", "p"], "docno": ["a", "b", "a"], **columns})


@for_each("kind", ["float64", "float32", "int64", "Int64", "Float64", "object"])
def test_scores(arrow: str, kind: str) -> None:
    run = gainful.Run(frame(score=pandas.Series([3, 2, 1], dtype=kind)))
    assert run.to_dict() == {"q": {"a": 3.0, "b": 2.0}, "p": {"a": 1.0}}


@for_each("kind", ["int64", "Int32", "object", "category"])
def test_ids_that_are_integers(arrow: str, kind: str) -> None:
    content = frame(docno=pandas.Series([1, 20, 300], dtype=kind), rel=[1, 0, 1])
    assert gainful.Qrels(content).to_dict() == {"q": {"1": 1, "20": 0}, "p": {"300": 1}}


def test_ids_of_both_types(arrow: str) -> None:
    content = frame(docno=pandas.Series([1, "b", 3], dtype=object), rel=[1, 0, 1])
    assert gainful.Qrels(content).to_dict() == {"q": {"1": 1, "b": 0}, "p": {"3": 1}}


def test_ranks_without_scores(arrow: str) -> None:
    run = gainful.Run(frame(rank=[2, 1, 1]))
    assert run.to_dict() == {"q": ["b", "a"], "p": ["a"]}


def test_integers_with_gaps_are_floats(arrow: str) -> None:
    with pytest.raises(ColumnError, match="integers with missing values to floats"):
        gainful.Qrels(frame(docno=pandas.Series([1, None, 3]), rel=[1, 0, 1]))


def test_a_missing_value_names_its_row(arrow: str) -> None:
    gap = pandas.Series(["a", None, "b"], dtype=object)
    with pytest.raises(ColumnError, match="row 1: "):
        gainful.Qrels(frame(docno=gap, rel=[1, 0, 1]))


def test_a_missing_score_names_its_row(arrow: str) -> None:
    with pytest.raises((ColumnError, FormatError), match="row 2"):
        gainful.Run(frame(score=[1.0, 2.0, float("nan")]))


def test_missing_columns(arrow: str) -> None:
    with pytest.raises(ColumnError, match="found columns 'qid', 'stars', expected a column doc_id"):
        gainful.Qrels(frame(stars=[3, 2, 1])[["qid", "stars"]])


def test_rows_without_numbers(arrow: str) -> None:
    assert gainful.Qrels(frame()).to_dict() == {"q": {"a": 1, "b": 1}, "p": {"a": 1}}
    assert gainful.Run(frame()[::-1]).to_dict() == {"p": ["a"], "q": ["b", "a"]}


def test_slices_of_frames(arrow: str) -> None:
    content = frame(score=[3.0, 2.0, 1.0])[lambda rows: rows.docno == "a"]
    assert gainful.Run(content).to_dict() == {"q": {"a": 3.0}, "p": {"a": 1.0}}


@for_each(
    ("index", "columns", "document"),
    [
        ("doc_id", ["query_id", "doc", "score"], "in the index"),
        ("doc", ["query_id", "doc_id", "score"], "in a column"),
        ("other", ["query_id", "doc_id", "score"], "in a column"),
    ],
)
def test_a_named_index_is_read_as_from_a_file(
    index: str, columns: list[str], document: str, arrow: str, tmp_path: Path
) -> None:
    table = pandas.DataFrame(
        [["q", "in a column", 1.0]],
        columns=columns,
        index=pandas.Index(["in the index"], name=index),
    )
    assert gainful.Run(table).to_dict() == {"q": {document: 1.0}}
    if arrow == "with pyarrow":
        table.to_parquet(tmp_path / "a.parquet")
        assert gainful.read_run(tmp_path / "a.parquet").to_dict() == {"q": {document: 1.0}}
