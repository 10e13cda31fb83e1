"""Errors of columnar tables name the file and the row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gainful
from columnar_data import MEASURES, QRELS, as_rows, batches, made, reader, table
from gainful.errors import ColumnError, DuplicateError, FormatError, GainfulError, SourceError
from requirements import need

ROWS = made([(q, d, float(d)) for q in range(5) for d in range(8)], together=True, once=True)


@pytest.fixture
def parquet(tmp_path: Path) -> Any:
    """Return a function that writes columns to a Parquet file with four rows per group."""
    pa, pq = need("pyarrow"), pytest.importorskip("pyarrow.parquet")

    def write(name: str = "run.parquet", **changed: Any) -> Path:
        columns = {
            "query_id": [int(row.query) for row in ROWS],
            "doc_id": [int(row.document) for row in ROWS],
            "score": [row.score for row in ROWS],
        }
        columns.update(changed)
        given = pa.table({name: own for name, own in columns.items() if own is not None})
        pq.write_table(given, tmp_path / name, row_group_size=4)
        return tmp_path / name

    return write


def refused(run: Any) -> GainfulError:
    """Return the error of a run, which is the same if the run is read into memory."""
    with pytest.raises(GainfulError) as measured:
        gainful.evaluate(QRELS, run, MEASURES)
    with pytest.raises(GainfulError) as held:
        gainful.Run(run)
    assert (type(held.value), str(held.value)) == (type(measured.value), str(measured.value))
    return measured.value


@pytest.mark.parametrize("column", ["query_id", "doc_id", "score"])
def test_a_null_names_file_group_and_row(parquet: Any, column: str) -> None:
    values = [1.5 if column == "score" else at for at in range(len(ROWS))]
    values[21] = None
    error = refused(parquet(**{column: values}))
    assert isinstance(error, ColumnError)
    assert f"run.parquet, row group 5, row 21: null in column '{column}'" in str(error)


def test_a_score_that_is_not_finite(parquet: Any) -> None:
    scores = [1.0 * at for at in range(len(ROWS))]
    scores[30] = scores[11] = float("nan")
    error = refused(parquet(score=scores))
    assert isinstance(error, FormatError)
    assert "run.parquet, row group 2, row 11, query '1', document '3': found NaN" in str(error)


def test_a_duplicate_document_is_an_error(parquet: Any) -> None:
    documents = [int(row.document) for row in ROWS]
    documents[13] = documents[9]
    error = refused(parquet(doc_id=documents))
    assert isinstance(error, DuplicateError)
    assert (error.query, error.document) == ("1", str(documents[9]))
    assert "run.parquet, row group 3, row 13" in str(error)


def test_a_duplicate_in_a_scattered_query(parquet: Any) -> None:
    queries = [at % 4 for at in range(len(ROWS))]
    documents = list(range(len(ROWS)))
    documents[33] = 1
    documents[38] = 2
    with pytest.raises(DuplicateError, match="run.parquet, row group 8, row 33, query '1'"):
        gainful.evaluate(QRELS, parquet(query_id=queries, doc_id=documents), MEASURES)


def test_the_first_error_in_file_order_is_reported(parquet: Any) -> None:
    documents = [int(row.document) for row in ROWS]
    documents[3] = documents[2]
    scores = [1.0 * at for at in range(len(ROWS))]
    scores[6] = float("inf")
    run = parquet(doc_id=documents, score=scores)
    for threads in (1, 2, 4):
        with pytest.raises(DuplicateError, match="row 3"):
            gainful.evaluate(QRELS, run, MEASURES, threads=threads)


def test_a_missing_column_is_an_error(parquet: Any) -> None:
    error = refused(parquet(doc_id=None))
    assert isinstance(error, ColumnError)
    assert "expected a column doc_id (or" in str(error)


def test_a_column_missing_from_a_later_file(parquet: Any, tmp_path: Path) -> None:
    parquet("a.parquet")
    parquet("b.parquet", score=None)
    error = refused(str(tmp_path / "*.parquet"))
    assert isinstance(error, ColumnError)
    assert "b.parquet: found columns 'query_id', 'doc_id', expected a column 'score'" in str(error)


def test_text_scores_in_a_later_file(parquet: Any, tmp_path: Path) -> None:
    parquet("a.parquet", query_id=[0] * 40, doc_id=list(range(40)))
    parquet("b.parquet", query_id=[1] * 40, doc_id=list(range(40)), score=["high"] * 40)
    error = refused([tmp_path / "a.parquet", tmp_path / "b.parquet"])
    assert isinstance(error, ColumnError)
    assert "b.parquet" in str(error)
    assert "column 'score' of type Utf8" in str(error)


def test_ids_may_be_integers_in_one_file_and_text_in_another(parquet: Any, tmp_path: Path) -> None:
    pa, pq = need("pyarrow"), pytest.importorskip("pyarrow.parquet")
    whole = table(ROWS, "int64")
    kinds = ["int64", "uint64", "string", "dictionary", "uint8", "int32"]
    for number, kind in enumerate(kinds):
        part = table(ROWS[number * 7 : (number + 1) * 7], kind)
        pq.write_table(pa.table(part), tmp_path / f"part-{number}.parquet", row_group_size=3)
    result = gainful.evaluate(QRELS, tmp_path, MEASURES)
    assert as_rows(result) == as_rows(gainful.evaluate(QRELS, whole, MEASURES))
    assert not result.scattered


def test_float_ids_are_errors(parquet: Any) -> None:
    error = refused(parquet(doc_id=[1.0 * at for at in range(len(ROWS))]))
    assert isinstance(error, ColumnError)
    assert "run.parquet: found column 'doc_id' of type Float64" in str(error)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_an_error(parquet: Any, share: float) -> None:
    path = parquet()
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    error = refused(path)
    assert isinstance(error, SourceError)
    assert "run.parquet: cannot read a Parquet file" in str(error)


def test_a_damaged_file_is_an_error(parquet: Any) -> None:
    path = parquet(score=[0.125 * at for at in range(len(ROWS))])
    content = bytearray(path.read_bytes())
    for at in range(60, 200):
        content[at] ^= 0x5A
    path.write_bytes(bytes(content))
    with pytest.raises(GainfulError, match="run.parquet"):
        gainful.evaluate(QRELS, path, MEASURES)


@pytest.mark.parametrize("kind", ["file", "stream"])
def test_a_truncated_arrow_file(kind: str, tmp_path: Path) -> None:
    pa = need("pyarrow")
    whole = table(ROWS, "string")
    path = tmp_path / "run.arrow"
    new = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
    with new(str(path), whole.schema) as writer:
        for batch in batches(whole, [10]):
            writer.write_batch(batch)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * 2 // 3])
    error = refused(path)
    assert isinstance(error, SourceError)
    assert "run.arrow: cannot read Arrow data" in str(error)


def test_no_rows(parquet: Any) -> None:
    error = refused(parquet(query_id=[], doc_id=[], score=[]))
    assert isinstance(error, (FormatError, ColumnError))
    assert "run.parquet" in str(error)


def test_a_pattern_without_files(tmp_path: Path) -> None:
    error = refused(str(tmp_path / "*.parquet"))
    assert isinstance(error, SourceError)
    assert "no file matches the pattern" in str(error)


def test_the_row_of_a_stream_is_named() -> None:
    pa = need("pyarrow")
    whole = table(ROWS, "string")
    scores = [row.score for row in ROWS]
    scores[25] = float("nan")
    whole = whole.set_column(3, "score", pa.array(scores))
    for run in (whole, reader(whole, [3])):
        with pytest.raises(FormatError, match="row 25, query '3', document '1': found NaN"):
            gainful.evaluate(QRELS, run, MEASURES)


def test_a_stream_whose_producer_fails() -> None:
    pa = need("pyarrow")
    whole = table(ROWS, "string")

    def failing() -> Any:
        yield from batches(whole.slice(0, 10), [5])
        raise RuntimeError("the network is gone")

    run = pa.RecordBatchReader.from_batches(whole.schema, failing())
    with pytest.raises(SourceError, match="the network is gone"):
        gainful.evaluate(QRELS, run, MEASURES)
