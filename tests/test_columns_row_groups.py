"""A row group that is larger than what a thread takes at a time is read in parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gainful
from columnar_data import as_rows
from gainful.errors import ColumnError
from requirements import need

QUERIES, DEPTH = 2_300, 1_000  # more than two parts of 2^20 rows
QRELS = {str(query): {str(query * 7): 2, str(query * 7 + 1): 1} for query in range(QUERIES)}


@pytest.fixture(scope="module")
def run() -> Any:
    pa = need("pyarrow")
    rows = range(QUERIES * DEPTH)
    return pa.table(
        {
            "query_id": pa.array([row // DEPTH for row in rows], pa.int32()),
            "doc_id": pa.array([row // DEPTH * 7 + row * 31 % DEPTH for row in rows], pa.int64()),
            "score": pa.array([row * 7919 % 1_000_003 / 64 for row in rows], pa.float64()),
        }
    )


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"data_page_version": "2.0", "use_dictionary": False, "compression": "none"},
        {"data_page_size": 1 << 14, "write_page_index": True, "compression": "zstd"},
    ],
    ids=["plain", "pages of version 2", "small pages with an index"],
)
def test_parts_make_the_same_rows(run: Any, options: Any, tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "run.parquet"
    pq.write_table(run, path, row_group_size=len(run), **options)
    assert pq.ParquetFile(path).metadata.num_row_groups == 1
    expected = gainful.evaluate(QRELS, run, ["nDCG@10", "R@100"])
    for threads in (1, 3):
        result = gainful.evaluate(QRELS, path, ["nDCG@10", "R@100"], threads=threads)
        assert not result.scattered
        assert as_rows(result) == as_rows(expected)


def test_text_and_gaps(run: Any, tmp_path: Path) -> None:
    """A row of the last part is named by its number in the file."""
    pa, pq = need("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "run.parquet"
    documents = run["doc_id"].cast(pa.string())
    pq.write_table(run.set_column(1, "doc_id", documents), path, row_group_size=len(run))
    result = gainful.evaluate(QRELS, path, "nDCG@10")
    assert as_rows(result) == as_rows(gainful.evaluate(QRELS, run, "nDCG@10"))
    row = 2_200_000
    gap = pa.chunked_array([documents[:row], pa.array([None], pa.string()), documents[row + 1 :]])
    pq.write_table(run.set_column(1, "doc_id", gap), path, row_group_size=len(run))
    with pytest.raises(ColumnError, match=f"row group 0, row {row}: found a null in column"):
        gainful.evaluate(QRELS, path, "nDCG@10")
