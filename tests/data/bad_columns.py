"""A small valid run in columns, as a basis for invalid ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from requirements import need

QRELS = {"1": {"1": 1, "2": 2}, "2": {"3": 1}}
RUN = {"1": ["1", "2"], "2": ["3", "4"]}
COLUMNS: dict[str, list[Any]] = {
    "query_id": ["1", "1", "2", "2"],
    "doc_id": ["1", "2", "3", "4"],
    "score": [3.0, 2.0, 1.0, 0.5],
}


def whole(**changed: Any) -> Any:
    """Return a small run as a table, with some columns changed; None leaves one out."""
    pa = need("pyarrow")
    columns = {**COLUMNS, **changed}
    return pa.table({name: values for name, values in columns.items() if values is not None})


def parquet(table: Any, path: Path, **options: Any) -> Path:
    """Write a table as Parquet."""
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(table, path, **options)
    return path


def arrow(table: Any, path: Path, kind: str = "file", **options: Any) -> Path:
    """Write a table as an Arrow file or stream."""
    pa = need("pyarrow")
    new = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
    with new(str(path), table.schema, **options) as writer:
        writer.write_table(table, max_chunksize=2)
    return path
