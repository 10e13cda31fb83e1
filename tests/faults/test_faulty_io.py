"""Reading and writing while calls of the operating system fail.

A reader returns the value of the file or raises an error of Gainful. A file is the old or the new
one, and no temporary file remains. Journals lose nothing that they acknowledged.
"""

from __future__ import annotations

import gzip
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import gainful
from combinations import share
from faulty_io import preloaded
from gainful.errors import SourceError
from requirements import need

SCRIPTS = Path(__file__).parent

#: Whether to read all seeds of each reader and to fail all calls, not only the first and last ones.
ALL = os.environ.get("GAINFUL_FAULTS") == "all"


@pytest.mark.long
def test_readers_and_writers(tmp_path: Path) -> None:
    found = preloaded(
        SCRIPTS / "fail_calls.py",
        tmp_path / "files",
        *((99, 999) if ALL else (1, 4)),
        library=tmp_path / "faulty_io.so",
    )
    for name, least in (
        ("readers", {"refused": 200, "unchanged": 100}),
        ("writers", {"refused": 120, "written": 100}),
    ):
        wrong, count = found[name]["wrong"], found[name]["count"]
        assert not wrong, "\n".join(wrong)
        print(f"failing calls, {name}: {count}")
        assert all(count[end] > number for end, number in least.items()), count


@pytest.mark.parametrize("error", share(["EACCES", "EIO", "ENOSPC"], 0, 3))
def test_a_file_that_cannot_be_renamed(error: str, tmp_path: Path) -> None:
    """The kernel renames without the C library."""
    strace = need("strace")
    path = tmp_path / "a.run"
    path.write_text("old")
    inject = f"inject=rename,renameat,renameat2:error={error}"
    code = (
        "import sys, gainful\n"
        "try:\n"
        "    gainful.Run({'q': ['d']}).write(sys.argv[1])\n"
        "except gainful.errors.SourceError as error:\n"
        "    print(error)\n"
    )
    trace = [strace, "-f", "-o", os.devnull, "-e", "trace=rename,renameat,renameat2", "-e", inject]
    command = [*trace, sys.executable, "-c", code, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"{path}: ")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.run"]


needs_pipes = pytest.mark.skipif(os.name != "posix", reason="no named pipes")

RUN = "".join(f"q{row // 50} Q0 d{row % 50} 1 {-row} t\n" for row in range(2000)).encode()


@needs_pipes
@pytest.mark.parametrize("compressed", [False, True])
def test_a_slow_pipe(compressed: bool, tmp_path: Path) -> None:
    """The content arrives in pieces of random sizes, with pauses."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    content = gzip.compress(RUN) if compressed else RUN

    def write() -> None:
        chance, at = random.Random(1), 0
        with open(fifo, "wb", buffering=0) as pipe:
            while at < len(content):
                size = chance.choice([1, 1, 7, 500, 4096])
                pipe.write(content[at : at + size])
                at += size
                if chance.random() < 0.05:
                    time.sleep(0.001)

    writer = threading.Thread(target=write)
    writer.start()
    found = gainful.read_run(fifo)
    writer.join()
    (tmp_path / "run").write_bytes(RUN)
    assert found == gainful.read_run(tmp_path / "run")


@needs_pipes
def test_a_compressed_pipe_that_ends_early(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    content = gzip.compress(RUN)
    writer = threading.Thread(target=lambda: fifo.write_bytes(content[: len(content) // 2]))
    writer.start()
    with pytest.raises(SourceError, match="truncated"):
        gainful.read_run(fifo)
    writer.join()
