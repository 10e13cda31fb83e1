"""UUIDs, 16 bytes in Parquet and Arrow, are the same ids as their texts."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.errors import ColumnError
from repeated_tests import for_each
from requirements import need

pa = need("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

IDS = [uuid.uuid5(uuid.NAMESPACE_URL, str(number)) for number in range(6)]
#: Ties are ordered by the texts of ids, descending.
ORDER = sorted(map(str, IDS[1:]), reverse=True)
RELEVANT = ORDER[2]
QRELS = {str(IDS[0]): {RELEVANT: 1}}


def column(ids: list[uuid.UUID | None]) -> Any:
    return pa.array([None if one is None else one.bytes for one in ids], pa.uuid())


def table(ids: list[uuid.UUID | None] | None = None) -> Any:
    ids = list(IDS[1:]) if ids is None else ids
    count = len(ids)
    return pa.table(
        {"query_id": column([IDS[0]] * count), "doc_id": column(ids), "score": [1.0] * count}
    )


def written(run: Any, way: str, folder: Path) -> Any:
    if way == "stream":
        return run
    path = folder / f"run.{way}"
    if way == "parquet":
        pq.write_table(run, path, row_group_size=2)
    elif way == "arrow":
        with pa.ipc.new_file(path, run.schema) as sink:
            sink.write_table(run)
    else:
        with pa.ipc.new_stream(path, run.schema) as sink:
            sink.write_table(run)
    return path


WAYS = ["stream", "parquet", "arrow", "arrows"]


@for_each("way", WAYS)
def test_uuids_are_read_as_text(way: str, tmp_path: Path) -> None:
    run = written(table(), way, tmp_path)
    result = gainful.evaluate(QRELS, run, ["RR", "AP"])
    assert result.per_query("RR") == {str(IDS[0]): 1 / 3}
    held = gainful.Run(run)
    assert gainful.evaluate(QRELS, held, "RR").per_query() == {str(IDS[0]): 1 / 3}


@for_each("way", WAYS)
def test_judgments_with_uuids(way: str, tmp_path: Path) -> None:
    judged = table().rename_columns(["query_id", "doc_id", "grade"])
    qrels = written(judged, way, tmp_path)
    run = {str(IDS[0]): {"other": 2.0, RELEVANT: 1.0}}
    assert gainful.evaluate(qrels, run, "RR").mean() == 0.5


def test_files_written_by_duckdb(tmp_path: Path) -> None:
    duckdb = need("duckdb")
    path = tmp_path / "run.parquet"
    connection = duckdb.connect()
    documents = [str(one) for one in IDS[1:]]
    texts = {"query_id": [str(IDS[0])] * 5, "doc_id": documents, "score": [1.0] * 5}
    connection.register("texts", pa.table(texts))
    rows = "SELECT query_id::UUID AS query_id, doc_id::UUID AS doc_id, score FROM texts"
    connection.sql(f"COPY ({rows}) TO '{path}' (FORMAT parquet)")
    for run in (path, connection.sql(rows)):
        assert gainful.evaluate(QRELS, run, "RR").per_query() == {str(IDS[0]): 1 / 3}


def test_other_columns_of_bytes_are_unchanged(tmp_path: Path) -> None:
    run = pa.table(
        {
            "query_id": pa.array([b"0123456789abcdef"], pa.binary(16)),
            "doc_id": ["d1"],
            "score": [1.0],
        }
    )
    pq.write_table(run, tmp_path / "run.parquet")
    qrels = {"0123456789abcdef": {"d1": 1}}
    assert gainful.evaluate(qrels, tmp_path / "run.parquet", "RR").mean() == 1.0


@for_each("way", WAYS)
def test_a_null_among_uuids_is_an_error(way: str, tmp_path: Path) -> None:
    run = written(table([IDS[1], None, IDS[2]]), way, tmp_path)
    with pytest.raises(ColumnError, match="row 1.*null in column 'doc_id'"):
        gainful.evaluate(QRELS, run, "RR")


@for_each("kind", ["binary(16)", "binary", "large_binary", "binary_view"])
@for_each("name", ["query_id", "doc_id"])
def test_uuids_in_columns_of_bytes_are_refused(name: str, kind: str, tmp_path: Path) -> None:
    type_ = pa.binary(16) if "(" in kind else getattr(pa, kind)()
    columns = {"query_id": ["q1"], "doc_id": ["d1"], "score": [1.0]}
    run = pa.table({**columns, name: pa.array([IDS[0].bytes], type_)})
    for way in ("stream", "arrow"):
        with pytest.raises(ColumnError, match=f"column '{name}' has UUIDs as bytes"):
            gainful.evaluate(QRELS, written(run, way, tmp_path), "RR")
    pd = need("pandas")
    frame = pd.DataFrame({**columns, name: [uuid.uuid4().bytes]})
    with pytest.raises(ColumnError, match="UUIDs as bytes"):
        gainful.Run(frame)
    frame[name] = [str(IDS[0])]
    assert gainful.Run(frame).to_arrow()[name].to_pylist() == [str(IDS[0])]
