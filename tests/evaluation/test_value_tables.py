"""read_values(): the layouts of files and tables with values that were computed elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas
import pytest

from gainful.errors import ArgumentError, ColumnError, FormatError, ParameterError
from gainful.evaluation.value_tables import ValueTable, read_values

LONG = "query,system,value\nq1,old,0\nq1,new,1\nq2,old,\nq2,new,0.5\n"
KNOWN = {"old": {"q1": 0.0}, "new": {"q1": 1.0, "q2": 0.5}}


def read(tmp_path: Path, text: str, *measures: str, name: str = "scores.csv") -> ValueTable:
    (tmp_path / name).write_text(text)
    return read_values(tmp_path / name, measures or None)


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        (LONG, "values in value"),
        (LONG.replace(",", "\t"), "values in value"),
        (LONG.replace("value", "Score").replace("system", "run"), "values in Score"),
        ("qid,old,new\nq1,0,1\nq2,,0.5\n", "one column per system: old, new"),
        ("query_id;old;new\nq1;0;1\nq2;nan;0.5\n", "one column per system: old, new"),
        (
            "q,system,metric,value\nq1,old,v,0\nq1,new,v,1\nq2,old,v,\nq2,new,v,.5\n",
            "values in value, of the measures in metric",
        ),
        (
            "".join(
                json.dumps({"query_id": query, "system": system, "value": value}) + "\n"
                for query, system, value in [
                    ("q1", "old", 0),
                    ("q1", "new", True),
                    ("q2", "old", None),
                    ("q2", "new", 0.5),
                ]
            ),
            "values in value",
        ),
    ],
)
def test_layouts(tmp_path: Path, text: str, layout: str) -> None:
    table = read(tmp_path, text)
    assert list(table.scores.values()) == [KNOWN]
    assert list(table.queries) == ["q1", "q2"]
    assert table.layout == layout
    assert table.source == str(tmp_path / "scores.csv")


def test_a_measure_names_values_without_a_name(tmp_path: Path) -> None:
    for text in (LONG, "qid,old,new\nq1,0,1\nq2,,0.5\n"):
        assert read(tmp_path, text, "correct").scores == {"correct": KNOWN}
        assert list(read(tmp_path, text).scores) == ["value"]
        with pytest.raises(ParameterError, match="found 2 names, expected one"):
            read(tmp_path, text, "correct", "helpful")


def test_columns_of_measures(tmp_path: Path) -> None:
    rows = "system,query_id,correct,latency,ndcg_cut_10\nold,q1,1,20.5,.3\nnew,q1,0,10,\n"
    table = read(tmp_path, rows)
    assert list(table.scores) == ["correct", "latency", "nDCG@10"]
    assert table.scores["nDCG@10"] == {"old": {"q1": 0.3}, "new": {}}
    assert list(read(tmp_path, rows, "latency", "AP").scores) == ["latency"]
    with pytest.raises(ColumnError, match="found the measures correct, latency, nDCG@10"):
        read(tmp_path, rows, "clicks")
    # One system, whose file has the measures that trec_eval prints.
    table = read(tmp_path, "qid,map,P_5\nq1,.5,.2\n", name="bm25.csv")
    assert table.scores == {"AP": {"bm25": {"q1": 0.5}}, "P@5": {"bm25": {"q1": 0.2}}}
    table = read(tmp_path, "qid,latency\nq1,12\n", name="dense.tsv.gz".removesuffix(".gz"))
    assert table.scores == {"latency": {"dense": {"q1": 12.0}}}


def test_json_and_parquet(tmp_path: Path) -> None:
    nested = {system: dict(own, q2=own.get("q2")) for system, own in KNOWN.items()}
    assert read(tmp_path, json.dumps(nested), name="a.json").scores == {"value": KNOWN}
    deep = {"correct": nested, "latency": nested}
    assert list(read(tmp_path, json.dumps(deep), name="a.json").scores) == ["correct", "latency"]
    rows = [{"qid": "q1", "system": "old", "value": 1}]
    assert read(tmp_path, json.dumps(rows), name="a.json").scores == {"value": {"old": {"q1": 1}}}
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"query_id": ["q1", "q2"], "old": [0, np.nan], "new": [1, 0.5]})
    frame.to_parquet(tmp_path / "scores.parquet")
    assert read_values(tmp_path / "scores.parquet").scores == {"value": KNOWN}


def test_tables_in_memory() -> None:
    columns = {"query_id": ["q1", "q2"], "old": [0.0, None], "new": [1.0, 0.5]}
    frame = pandas.DataFrame(columns)
    polars = pytest.importorskip("polars")
    for values in (
        frame,
        frame.set_index("query_id"),
        pandas.DataFrame({"old": [0, np.nan], "new": [1, 0.5]}, index=["q1", "q2"]),
        polars.DataFrame(columns),
        frame.to_dict("records"),
        {"old": frame.set_index("query_id").old, "new": {"q1": np.float64(1), "q2": 0.5}},
    ):
        table = read_values(values)
        assert table.scores == {"value": KNOWN}
        assert table.source is None


def test_ids_of_queries_that_are_integers() -> None:
    assert read_values({"old": {1: 0.5}}).integers
    assert read_values([{"qid": 1, "old": 0.5, "new": 1}]).integers
    assert not read_values([{"qid": "1", "old": 0.5, "new": 1}]).integers
    assert not read_values({"old": {True: 0.5}}).integers


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("q1 0 d1 1\n", ColumnError, "expected a column for queries"),
        ("query,system\nq1,old\n", ColumnError, "at least one column with a measure"),
        ("query,system,value\n,old,1\n", FormatError, "line 2: query is missing"),
        ("query,system,value\nq1,,1\n", FormatError, "line 2: system is missing"),
        ("query,system,value\nq1,old,high\n", FormatError, "line 2: value: found 'high'"),
        ("query,old,new\nq1,1,inf\n", FormatError, "line 2: new: found 'inf'"),
        ("query,old,new\nq1,1,2\nq1,1,2\n", FormatError, "line 3: duplicate query 'q1' of 'old'"),
        ("query,system,measure,a,b\nq1,old,m,1,2\n", ColumnError, "expected a column for values"),
        ("query,qid,old,new\n", None, ""),
    ],
)
def test_wrong_files(tmp_path: Path, text: str, error: type[Exception], message: str) -> None:
    if error is None:
        assert read(tmp_path, text).scores == {}
        return
    with pytest.raises(error, match=message):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "values: found no system"),
        ({"old": 0.5}, r"values: found float by 'old', expected \{system: \{query: value\}\}"),
        (7, "values: found int"),
        ([1, 2], "values: found int"),
    ],
)
def test_wrong_types(values: object, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        read_values(values)  # type: ignore[arg-type]


def test_wrong_values_in_memory() -> None:
    with pytest.raises(FormatError, match="values, old, query 'q1': value: found 'x'"):
        read_values({"old": {"q1": "x"}})
    with pytest.raises(FormatError, match="duplicate query '1' of 'old'"):
        read_values({"old": {1: 0.5, "1": 0.5}})
