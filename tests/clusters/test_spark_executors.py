"""An executor that dies: its JVM is killed in the middle of the work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import evaluation_words
from requirements import need

ROWS = 60
PROGRAM = Path(__file__).with_name("dying_executor.py")


def test_an_executor_that_is_killed(tmp_path: Path) -> None:
    """Its tasks are done again elsewhere, in ranges of files and after a shuffle."""
    need("pyspark")
    pa = need("pyarrow")
    from pyarrow import parquet

    queries = [q for q in range(ROWS) for _ in range(20)]
    documents = [d for _ in range(ROWS) for d in range(20)]
    qrels = pa.table(
        {"query_id": queries, "doc_id": documents, "grade": [d % 3 for d in documents]}
    )
    run = pa.table(
        {"query_id": queries, "doc_id": documents, "score": [d * 7 % 20 for d in documents]}
    )
    for name, table in (("qrels", qrels), ("run", run)):
        parquet.write_table(table, tmp_path / f"{name}.parquet", row_group_size=100)
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(tmp_path)],
        env={
            **os.environ,
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": str(Path(evaluation_words.__file__).parent),
        },
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-5000:]
    assert done.stdout.split() == ["files", "killed", "same", "tables", "killed", "same"]
