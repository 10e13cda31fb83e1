"""Rows of scattered queries that do not fit into memory: temporary files and full disks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import gainful
from gainful.errors import SourceError
from scattered_data import given, measured


@pytest.mark.parametrize("kind", ["table", "reader"])
def test_a_folder_without_room_is_named(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = given(kind, tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "missing"))
    with pytest.raises(SourceError) as error:
        measured(run, memory=1000)
    assert str(error.value).startswith(f"{tmp_path / 'missing'}: cannot write a")
    assert "set TMPDIR to another folder" in str(error.value)


@pytest.mark.parametrize("kind", ["text", "table", "reader"])
def test_nothing_is_left_on_disk(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Other programs write to the usual folder, too.
    room = tmp_path / "room"
    room.mkdir()
    for name in ("TMPDIR", "TMP", "TEMP"):
        monkeypatch.setenv(name, str(room))
    found = measured(given(kind, tmp_path), memory=1000)
    assert list(room.iterdir()) == []
    assert found.state() == measured(given(kind, tmp_path), memory=1 << 27).state()


FULL = """
import resource, sys
import gainful
from scattered_data import given, measured
from pathlib import Path
runs = [given(kind, Path(sys.argv[1])) for kind in ("table", "reader")]
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
for run in runs:
    try:
        measured(run, memory=1000)
    except gainful.errors.SourceError as error:
        print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process")
def test_a_full_disk_is_an_error(tmp_path: Path) -> None:
    # A file size limit imitates a full disk.
    room = tmp_path / "room"
    room.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)],
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
    table, reader = done.stdout.splitlines()
    for message in (table, reader):
        assert message.startswith(f"{room}: cannot write a temporary file (")
    assert done.stderr == ""
    assert not list(room.iterdir())
