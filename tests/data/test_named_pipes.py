"""Named pipes, such as ``<(zcat run.gz)`` in a shell, are read from the beginning."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import gainful
from awaiting import await_blocked, await_reader
from combinations import in_turn
from gainful.errors import FormatError
from gainful_program import COMMAND
from requirements import need

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")

QRELS = {"q1": {"d1": 1, "d2": 0}}
RUN = b"q1 Q0 d2 1 2.0 s\nq1 Q0 d1 2 1.0 s\n"


def pipe(path: Path, content: bytes) -> Path:
    """Return a named pipe that a thread writes to once it has a reader."""
    os.mkfifo(path)

    def write() -> None:
        # A reader that does not recognize the first bytes stops reading.
        try:
            path.write_bytes(content)
        except BrokenPipeError:
            pass

    threading.Thread(target=write, daemon=True).start()
    return path


def binary(kind: str, name: str, folder: Path) -> bytes:
    pa = need("pyarrow")
    table = pa.table({"query_id": ["q1"], "doc_id": ["d1"], name: [1.0]})
    path = folder / "table"
    if kind == "Parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, path)
    else:
        new = pa.ipc.new_file if kind == "an Arrow file" else pa.ipc.new_stream
        with new(path, table.schema) as sink:
            sink.write_table(table)
    return path.read_bytes()


def test_text_is_read(tmp_path: Path) -> None:
    assert gainful.evaluate(QRELS, pipe(tmp_path / "run", RUN), "RR").mean() == 0.5


KINDS = ["Parquet", "an Arrow file", "an Arrow stream"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_in_columns_is_detected(kind: str, tmp_path: Path) -> None:
    content = binary(kind, "score", tmp_path)
    with pytest.raises(FormatError, match=f"cannot read {kind}") as error:
        gainful.evaluate(QRELS, pipe(tmp_path / "run", content), "RR")
    assert "name the file itself" in str(error.value)


@pytest.mark.parametrize("kind", KINDS)
def test_judgments_in_columns_are_detected(kind: str, tmp_path: Path) -> None:
    content: Any = binary(kind, "grade", tmp_path)
    with pytest.raises(FormatError, match=f"cannot read {kind}"):
        gainful.evaluate(pipe(tmp_path / "qrels", content), {"q1": ["d1"]}, "RR")


READING = [
    "evaluate qrels pipe",
    "evaluate pipe bm25.run",
    "evaluate qrels -",
    "compare qrels bm25.run pipe",
    "convert pipe out.csv --kind run --from tsv",
    "convert pipe out.csv --kind run --from arrow",
    "convert pipe out.csv --kind run --from json",
]


def test_ctrl_c_ends_the_reading_of_a_silent_pipe(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "bm25.run").write_bytes(RUN)
    with ExitStack() as stack:
        processes = []
        for number, (words, begun) in enumerate(in_turn(READING, [False, True], 2)):
            path = tmp_path / f"pipe{number}"
            os.mkfifo(path)
            process = subprocess.Popen(
                [*COMMAND, *words.replace("pipe", path.name).split()],
                cwd=tmp_path,
                stdin=subprocess.PIPE if words.endswith("-") else subprocess.DEVNULL,
                # What a shell starts in the background ignores the signal, and so would this.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            )
            stack.callback(process.kill)
            processes.append((words, begun, path, process))
        for words, begun, path, process in processes:
            target = stack.enter_context(
                process.stdin or os.fdopen(await_reader(path, process), "wb")
            )
            if begun:
                target.write(b"\xff\xff\xff\xff" if words.endswith("arrow") else RUN[:-5])
            target.flush()
        for words, _, _, process in processes:
            await_blocked(process)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 130, words
