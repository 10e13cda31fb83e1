"""Rows of scattered queries that do not fit into memory: where they go, if there is room."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful import _kernel
from gainful.conventions import get
from gainful.data.coercion import run_input
from gainful.errors import SourceError
from gainful.measures import parse_measures
from requirements import need

QRELS = gainful.Qrels({f"q{query}": {f"d{query}": 1} for query in range(20)})

#: At least a megabyte of rows is held in memory.
LONG = "d" * 60


def rows(chance: random.Random) -> list[tuple[str, str, float]]:
    made = [(f"q{query}", f"{LONG}{doc}", 1.0) for query in range(20) for doc in range(1000)]
    chance.shuffle(made)
    return made


def measured(run: Any, memory: int) -> _kernel.Evaluated:
    """Return the table of a run whose scattered rows take at most so many bytes of memory."""
    policies = get("gainful-1")
    kernels = [(repr(each), *each.spec(policies)) for each in parse_measures("nDCG@10")]
    return _kernel.evaluate(
        QRELS._rows, run_input(run), policies.spec(), kernels, threads=1, memory=memory
    )


def given(kind: str, folder: Path) -> Any:
    made = rows(random.Random(5))
    if kind == "text":
        path = folder / "scattered.run"
        path.write_text("".join(f"{query} Q0 {doc} 1 {score} s\n" for query, doc, score in made))
        return path
    pa = need("pyarrow")
    columns = zip(*made, strict=True)
    table = pa.table(dict(zip(("query_id", "doc_id", "score"), columns, strict=True)))
    return table.to_reader(max_chunksize=100) if kind == "reader" else table


@pytest.mark.parametrize("kind", ["table", "reader"])
def test_a_folder_without_room_is_named(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = given(kind, tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "missing"))
    with pytest.raises(SourceError) as error:
        measured(run, memory=1000)
    assert str(error.value).startswith(f"{tmp_path / 'missing'}: found an error while writing a")
    assert "TMPDIR names another place" in str(error.value)


@pytest.mark.parametrize("kind", ["text", "table", "reader"])
def test_nothing_is_left_on_disk(kind: str, tmp_path: Path) -> None:
    before = set(os.listdir(tempfile.gettempdir()))
    found = measured(given(kind, tmp_path), memory=1000)
    assert set(os.listdir(tempfile.gettempdir())) - before == set()
    assert found.state() == measured(given(kind, tmp_path), memory=1 << 27).state()


FULL = """
import resource, sys
import gainful
from test_scattered_on_disk import given, measured
from pathlib import Path
run = given(sys.argv[1], Path(sys.argv[2]))
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    measured(run, memory=1000)
except gainful.errors.SourceError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process")
@pytest.mark.parametrize("kind", ["table", "reader"])
def test_a_full_disk_is_said(kind: str, tmp_path: Path) -> None:
    # What a full disk looks like from inside.
    room = tmp_path / "room"
    room.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", FULL, kind, str(tmp_path)],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(Path(gainful.__file__).parents[1]), *sys.path]),
            "TMPDIR": str(room),
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.startswith(f"{room}: found an error while writing a temporary file (")
    assert done.stderr == ""
    assert not list(room.iterdir())
