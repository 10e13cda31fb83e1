"""Ctrl-C while a file is written stops the writing and leaves the old file."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

import pytest

from awaiting import await_blocked, await_true
from gainful.writing import compressed, write_whole
from warm_process import GAINFUL, running

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends POSIX signals")


#: It takes a second to compress them.
ROWS = 150_000


@pytest.fixture(scope="module")
def big(tmp_path_factory) -> Path:
    """Return a run of many rows with ids that compress badly."""
    draw = random.Random(1)
    path = tmp_path_factory.mktemp("big") / "big.run"
    with open(path, "w") as file:
        for query in range(ROWS // 1000):
            for rank in range(1000):
                file.write(f"q{query} Q0 {draw.getrandbits(128):x} {rank} {1000 - rank} t\n")
    return path


CODE = """
import gainful, sys
run = gainful.read_run(sys.argv[1])
{before}
print("ready", flush=True)
try:
    {write}
except KeyboardInterrupt:
    sys.exit(130)
"""
JUDGED = "made = gainful.Qrels({query: {d: 1 for d, _ in ranked} for query, ranked in run.items()})"


@pytest.mark.parametrize(
    ("name", "before", "write"),
    [
        ("out.tsv.xz", "", "run.write(sys.argv[2])"),
        ("list.csv.xz", JUDGED, "made.write(sys.argv[2], 'quepid')"),
    ],
)
def test_ctrl_c_leaves_the_old_file(name, before, write, big: Path, tmp_path: Path) -> None:
    old = tmp_path / name
    old.write_text("old")
    code = CODE.format(before=before, write=write)
    with running(code, big, old) as process:

        def new() -> list[Path]:
            """Return the new file, which has another name until it is complete."""
            assert process.poll() is None, "it ended before it was interrupted"
            return [path for path in tmp_path.iterdir() if path != old]

        await_true(new, "a new file")
        with new()[0].open("rb") as file:
            await_true(lambda: os.fstat(file.fileno()).st_size, "content of the new file")
            process.send_signal(signal.SIGINT)
            assert process.wait() == 130
            # 16 random bytes per row cannot be compressed; it has stopped long before the last row.
            assert os.fstat(file.fileno()).st_size < ROWS * 16 / 2
    assert old.read_text() == "old"
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("written", ["out.tsv.xz", "list.csv.xz"])
def test_sigterm_removes_the_new_file(written: str, big: Path, tmp_path: Path) -> None:
    made = ["--to", "quepid"] if written.startswith("list") else []
    kind = "qrels" if made else "run"
    columns = ["--columns", "query,-,doc,grade,-,-"] if made else []
    words = ["convert", big, tmp_path / written, "--kind", kind, *made, *columns]
    with running(GAINFUL, *words) as process:
        await_true(lambda: process.poll() is None and os.listdir(tmp_path), "a new file")
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 143
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("target", ["-", "fifo"])
def test_ctrl_c_ends_the_wait_for_a_reader(target: str, big: Path, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    to = "-" if target == "-" else fifo
    with running(GAINFUL, "convert", big, to, "--kind", "run", "--to", "tsv") as process:
        # Nobody ever reads: without a signal it would wait forever.
        await_blocked(process)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130


def test_a_named_pipe_gets_all_of_it(big: Path, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    words = ["--kind", "run", "--to", "tsv"]
    with running(GAINFUL, "convert", big, fifo, *words) as process:
        piped = fifo.read_text()
        assert process.wait() == 0
    with running(GAINFUL, "convert", big, "-", *words) as process:
        assert process.output.read() == piped


def test_write_whole_keeps_the_old_file(tmp_path: Path) -> None:
    def chunks():
        yield b"new"
        raise KeyboardInterrupt

    old = tmp_path / ("n" * 250)
    old.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write_whole(str(old), chunks())
    assert old.read_text() == "old"
    write_whole(str(old), [b"new"])
    assert old.read_text() == "new"
    assert os.listdir(tmp_path) == [old.name]


@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz"])
def test_content_is_compressed_in_pieces(suffix: str) -> None:
    import bz2
    import gzip
    import lzma

    content = random.Random(2).randbytes(600_000)
    undo = {"gz": gzip.decompress, "bz2": bz2.decompress, "xz": lzma.decompress}[suffix]
    pieces = list(compressed(content, suffix))
    assert len(pieces) > 3
    assert undo(b"".join(pieces)) == content
