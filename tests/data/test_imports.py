"""Reading objects imports no library other than their own."""

from __future__ import annotations

import subprocess
import sys

import pytest

from requirements import need

HEAVY = {
    "numpy", "scipy", "pandas", "polars", "pyarrow", "duckdb", "typing", "dataclasses", "enum",
    "inspect", "re", "json", "collections", "functools", "importlib.metadata",
}  # fmt: skip


def loaded(code: str, brought: str = "sys") -> set[str]:
    """Return the large modules that code imports, beyond those of its setup."""
    script = (
        f"import sys, {brought}; before = set(sys.modules)\n{code}\n"
        "print(*(set(sys.modules) - before))"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return set(done.stdout.split()) & HEAVY


def test_python_objects() -> None:
    codes = [
        "from gainful import Qrels, Run, read_qrels, read_run",
        "import gainful; run = gainful.Run({'q': {'d': 1.0}}); run['q'], run.top(1), repr(run)",
        "import gainful; dict(gainful.Qrels([('q', 'd', 1)])['q'])",
        "import gainful; gainful.Run({'q': ['d']}).rename(documents=str.upper).to_dict()",
        "from gainful.data.read_options import ReadOptions; ReadOptions(columns='query,doc,score')",
    ]
    assert loaded("\n".join(codes)) == set()


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_frames_import_only_their_own_library(library: str) -> None:
    need(library)
    make = "table" if library == "pyarrow" else "DataFrame"
    columns = "{'query_id': ['q'], 'doc_id': ['d'], 'grade': [1]}"
    # Modules that the library itself imports to create a frame do not count.
    bring = f"{library}; frame = {library}.{make}({columns}); frame.slice(0, 1)"
    found = loaded("import gainful; gainful.Qrels(frame).to_dict()", bring)
    assert not found & {"numpy", "pandas", "polars", "pyarrow", "duckdb", "scipy"}
