"""Large row groups and record batches are read in parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gainful
from columnar_data import as_rows
from combinations import in_turn
from gainful.errors import ColumnError, SourceError
from requirements import need

QUERIES, DEPTH = 2_100, 1_000  # more than two parts of 2^20 rows
GAP = 2_099_000
MEASURES = ["nDCG@10", "R@100"]
QRELS = {str(query): {str(query * 7): 2, str(query * 7 + 1): 1} for query in range(QUERIES)}


@pytest.fixture(scope="module")
def run() -> Any:
    pa = need("pyarrow")
    rows = np.arange(QUERIES * DEPTH)
    return pa.table(
        {
            "query_id": (rows // DEPTH).astype(np.int32),
            "doc_id": rows // DEPTH * 7 + rows * 31 % DEPTH,
            "score": rows * 7919 % 1_000_003 / 64,
        }
    )


@pytest.fixture(scope="module")
def with_gap(run: Any) -> Any:
    """Return the run with a null in the last part."""
    pa = need("pyarrow")
    documents = run["doc_id"].cast(pa.string())
    chunks = [*documents[:GAP].chunks, pa.nulls(1, pa.string()), *documents[GAP + 1 :].chunks]
    return run.set_column(1, "doc_id", pa.chunked_array(chunks))


@pytest.fixture(scope="module")
def expected(run: Any) -> Any:
    return as_rows(gainful.evaluate(QRELS, run, MEASURES))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"data_page_version": "2.0", "use_dictionary": False, "compression": "none"},
        {"data_page_size": 1 << 14, "write_page_index": True, "compression": "zstd"},
    ],
    ids=["plain", "pages of version 2", "small pages with an index"],
)
def test_parts_give_the_same_rows(run: Any, expected: Any, options: Any, tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "run.parquet"
    pq.write_table(run, path, row_group_size=len(run), **options)
    assert pq.ParquetFile(path).metadata.num_row_groups == 1
    # How pages are decoded does not depend on the number of threads.
    for threads in (3,) if options else (1, 3):
        result = gainful.evaluate(QRELS, path, MEASURES, threads=threads)
        assert not result.scattered
        assert as_rows(result) == expected


def one_batch(whole: Any, path: Path, kind: str, **options: Any) -> Path:
    """Write a table to an Arrow file as one record batch."""
    pa = need("pyarrow")
    new = {"file": pa.ipc.new_file, "stream": pa.ipc.new_stream}[kind]
    with new(str(path), whole.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_batch(whole.combine_chunks().to_batches()[0])
    return path


@pytest.mark.parametrize(
    ("ids", "kind"),
    in_turn(["integers", "string", "large_string", "dictionary"], ["file", "stream"], 2),
)
def test_slices_give_the_same_rows(
    run: Any, expected: Any, kind: str, ids: str, tmp_path: Path
) -> None:
    """Other columns are before and between those that are read."""
    pa = need("pyarrow")
    whole = run
    if ids == "dictionary":
        whole = run.set_column(0, "query_id", run["query_id"].cast(pa.string()).dictionary_encode())
    elif ids != "integers":
        whole = run.set_column(1, "doc_id", run["doc_id"].cast(getattr(pa, ids)()))
    rows = np.arange(len(run))
    places = pa.ListArray.from_arrays(
        np.arange(len(run) + 1, dtype=np.int32), (rows % 7).astype(np.int8)
    )
    whole = whole.add_column(0, "places", places)
    whole = whole.add_column(2, "seen", pa.array(rows % 3 == 0))
    path = one_batch(whole, tmp_path / "run.arrow", kind)
    assert as_rows(gainful.evaluate(QRELS, path, MEASURES)) == expected


@pytest.mark.parametrize("held", ["parquet", "file", "stream"])
def test_nulls_in_the_last_part_are_errors(with_gap: Any, held: str, tmp_path: Path) -> None:
    """Errors name rows of the last part by their numbers in the file."""
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "run"
    if held == "parquet":
        pq.write_table(with_gap, path, row_group_size=len(with_gap))
    else:
        one_batch(with_gap, path, held)
    group = "row group 0, " if held == "parquet" else ""
    with pytest.raises(ColumnError, match=f"{group}row {GAP}: null in column 'doc_id'"):
        gainful.evaluate(QRELS, path, MEASURES)


@pytest.mark.parametrize("kind", ["file", "stream"])
def test_a_truncated_large_batch_is_an_error(run: Any, kind: str, tmp_path: Path) -> None:
    path = one_batch(run, tmp_path / "run.arrow", kind)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(SourceError, match=r"run.arrow: cannot read Arrow data"):
        gainful.evaluate(QRELS, path, MEASURES)


@pytest.mark.parametrize("compression", ["lz4", "zstd"])
@pytest.mark.parametrize("kind", ["file", "stream"])
def test_wrong_compressed_lengths_are_errors(kind: str, compression: str, tmp_path: Path) -> None:
    """Allocating the declared length of a damaged file would exceed the memory."""
    pa = need("pyarrow")
    whole = pa.table({"query_id": [1] * 4096, "doc_id": range(4096), "score": [0.5] * 4096})
    path = one_batch(whole, tmp_path / "run.arrow", kind, compression=compression)
    content = path.read_bytes()
    claim = (8 * 4096).to_bytes(8, "little")
    assert claim in content
    path.write_bytes(content.replace(claim, (1 << 41).to_bytes(8, "little")))
    with pytest.raises(SourceError, match="shorter than its|cannot read|of compressed data"):
        gainful.evaluate(QRELS, path, MEASURES)


@pytest.mark.parametrize("compression", ["lz4", "zstd"])
def test_a_large_compressed_batch(
    run: Any, expected: Any, compression: str, tmp_path: Path
) -> None:
    """Buffers with correct lengths are read, whatever their compression ratio."""
    pa = need("pyarrow")
    whole = run.append_column("note", pa.repeat("x" * 10, len(run)))
    path = one_batch(whole, tmp_path / "run.arrow", "file", compression=compression)
    assert as_rows(gainful.evaluate(QRELS, path, MEASURES)) == expected
