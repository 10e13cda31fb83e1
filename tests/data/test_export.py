"""Judgments and runs are exported as data frames, and read back."""

from __future__ import annotations

from typing import Any

import pytest

import gainful
from gainful import _kernel
from repeated_tests import for_each
from requirements import need

QRELS = gainful.Qrels({"q1": {"d1": 3, "d2": 0}, "q2": {"d3": 1}})
RUN = gainful.Run({"q1": {"d1": 1.0, "d2": 2.0}, "q2": {"d3": 0.5}})
RANKED = gainful.Run({"q1": ["d2", "d1"], "q2": ["d3"]})

JUDGED = {"query_id": ["q1", "q1", "q2"], "doc_id": ["d1", "d2", "d3"], "grade": [3, 0, 1]}
SCORED = {
    "query_id": ["q1", "q1", "q2"],
    "doc_id": ["d1", "d2", "d3"],
    "score": [1.0, 2.0, 0.5],
    "rank": [2, 1, 1],
}
PLACED = {"query_id": ["q1", "q1", "q2"], "doc_id": ["d2", "d1", "d3"], "rank": [1, 2, 1]}
TABLES = [(QRELS, JUDGED), (RUN, SCORED), (RANKED, PLACED)]


def by_polars(table: Any) -> dict[str, list[Any]]:
    return need("polars").DataFrame(table).to_dict(as_series=False)


def by_pyarrow(table: Any) -> dict[str, list[Any]]:
    return need("pyarrow").table(table).to_pydict()


def by_duckdb(table: Any) -> dict[str, list[Any]]:
    database = need("duckdb").connect()
    database.register("held", table)
    found = database.sql("from held")
    rows = found.fetchall()
    return {name: [row[at] for row in rows] for at, name in enumerate(found.columns)}


def by_pandas(table: Any) -> dict[str, list[Any]]:
    pandas = need("pandas")
    if not hasattr(pandas.DataFrame, "from_arrow"):
        pytest.skip("pandas reads Arrow streams from version 3 on")
    need("pyarrow")
    return pandas.DataFrame.from_arrow(table).to_dict(orient="list")


LIBRARIES = {"polars": by_polars, "pyarrow": by_pyarrow, "duckdb": by_duckdb, "pandas": by_pandas}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(("table", "expected"), TABLES, ids=["qrels", "run", "ranking"])
def test_columns(library: str, table: Any, expected: dict[str, list[Any]]) -> None:
    found = LIBRARIES[library](table)
    assert found == expected
    assert list(found) == list(expected)


@pytest.mark.parametrize("library", ["polars", "pyarrow", "pandas"])
@pytest.mark.parametrize(("table", "expected"), TABLES, ids=["qrels", "run", "ranking"])
def test_exported_frames_are_read_back(
    library: str, table: Any, expected: dict[str, list[Any]]
) -> None:
    module = need(library)
    frame = module.table(table) if library == "pyarrow" else module.DataFrame(expected)
    assert type(table)(frame) == table


def test_grades_that_are_not_whole_are_floats() -> None:
    pyarrow = need("pyarrow")
    found = pyarrow.table(gainful.Qrels({"q": {"a": 0.5, "b": 1}}))
    assert found["grade"].type == pyarrow.float64()
    assert found["grade"].to_pylist() == [0.5, 1.0]


def test_ids_that_are_not_utf8_are_bytes() -> None:
    pyarrow = need("pyarrow")
    found = pyarrow.table(gainful.Run({"q": {b"\xff": 1.0}}))
    assert found["doc_id"].to_pylist() == [b"\xff"]
    assert found["query_id"].to_pylist() == ["q"]


def test_streams_can_be_exported_repeatedly() -> None:
    pyarrow = need("pyarrow")
    assert pyarrow.table(QRELS) == pyarrow.table(QRELS)
    QRELS.__arrow_c_stream__()  # The unread stream is released with its capsule.


class Exported:
    """Columns of Python lists."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self.columns = columns

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return _kernel.arrow_stream(list(self.columns), list(self.columns.values()))


def test_columns_of_lists() -> None:
    pyarrow = need("pyarrow")
    columns = {
        "text": ["a", None, "\udcff"],
        "whole": [1, None, -3],
        "float": [1, 2.5, None],
        "flag": [True, None, False],
        "none": [None, None, None],
    }
    found = pyarrow.table(Exported(columns))
    kinds = ["large_string", "int64", "double", "bool", "double"]
    assert [str(field.type) for field in found.schema] == kinds
    assert found.to_pydict() == {**columns, "text": ["a", None, "�"]}


@for_each("columns", [{"a": [1, 2], "b": [1]}, {"a": [object()]}, {"a": ["x", 1]}, {"a": [2**80]}])
def test_invalid_columns_are_errors(columns: dict[str, list[Any]]) -> None:
    with pytest.raises((ValueError, TypeError, OverflowError)):
        Exported(columns).__arrow_c_stream__()


def test_no_rows() -> None:
    pyarrow = need("pyarrow")
    assert pyarrow.table(Exported({"a": []})).num_rows == 0
    assert pyarrow.table(QRELS.at_least(9)).to_pydict() == {
        "query_id": ["q1", "q2"],
        "doc_id": [None, None],
        "grade": [None, None],
    }
