"""Runs with more files than a process may open."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

import gainful
from gainful.data.columns import expand_paths
from requirements import need

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits of a process")

EVALUATE = """
import resource, sys
import gainful
from scattered_data import measured
memory, *folders = sys.argv[1:]
# What is open already stays open.
resource.setrlimit(resource.RLIMIT_NOFILE, (48, 48))
for folder in folders:
    run = f"{folder}/part-*"
    if memory != "0":
        print(measured(run, int(memory)).counts)
    else:
        print(gainful.evaluate(f"{folder}/qrels.txt", run, "nDCG@10").mean())
"""


def evaluated(*folders: Path, memory: int = 0) -> list[str]:
    """Evaluate ``part-*`` of folders in a process that may have 48 files open."""
    done = subprocess.run(
        [sys.executable, "-c", EVALUATE, str(memory), *folders],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(Path(gainful.__file__).parents[1]), *sys.path]),
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def write_parts(kind: str, folder: Path) -> None:
    """Write judgments and a run in 120 files."""
    (folder / "qrels.txt").write_text("".join(f"q{n} 0 d{n % 7} 1\n" for n in range(60)))
    for part in range(120):
        # Half of each query's rows are in this file, and half in the next or a distant one.
        query, half = (part % 60, part // 60) if kind == "scattered" else divmod(part, 2)
        rows = [(f"q{query}", f"d{n}", 10 - n) for n in range(half, 8, 2)]
        lines = "".join(f"{query} Q0 {document} 1 {score} t\n" for query, document, score in rows)
        path = folder / f"part-{part:03}"
        if kind == "parquet":
            pa = need("pyarrow")
            columns = zip(*rows, strict=True)
            table = pa.table(dict(zip(("query_id", "doc_id", "score"), columns, strict=True)))
            parquet = pytest.importorskip("pyarrow.parquet")
            parquet.write_table(table, path.with_suffix(".parquet"))
        elif kind == "compressed":
            path.with_suffix(".gz").write_bytes(gzip.compress(lines.encode()))
        else:
            path.with_suffix(".run").write_text(lines)


def test_files_are_not_all_open_at_once(tmp_path: Path) -> None:
    folders, expected = [], []
    for kind in ("sorted", "scattered", "compressed", "parquet"):
        folder = tmp_path / kind
        folder.mkdir()
        write_parts(kind, folder)
        files = expand_paths([str(folder / "part-*")], "run")
        assert len(files) == 120
        found = gainful.evaluate(folder / "qrels.txt", runs={"all": files}, measures="nDCG@10")
        folders.append(folder)
        expected.append(repr(found.mean()))
    assert evaluated(*folders) == expected


def test_scattered_rows_of_all_files_share_one_file_on_disk(tmp_path: Path) -> None:
    # More than the megabyte per part of the run that stays in memory.
    for part in range(30):
        lines = [f"q{n % 20} Q0 {part}-{n}-{'d' * 1000} 1 1.0 t\n" for n in range(1300)]
        (tmp_path / f"part-{part:03}.run").write_text("".join(lines))
    assert evaluated(tmp_path, memory=1)[0].startswith("[20, 20, 0, 0, ")
