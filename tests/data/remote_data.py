"""Judgments and a run at addresses: in fsspec's memory and on a web server."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from uuid import uuid4

import pytest

from columnar_data import Row, batches, table
from http_files import Files, serving_files
from requirements import need

MEASURES = ["nDCG@10", "AP", "RR", "R@5"]
QUERIES, DOCUMENTS = 40, 60


def rows(queries: int = QUERIES, documents: int = DOCUMENTS) -> list[Row]:
    """Return rows of a run, with ties."""
    draw = random.Random(7)
    return [
        Row(f"q{query}", f"d{number}", rank, draw.randrange(documents) / 4)
        for query in range(queries)
        for rank, number in enumerate(draw.sample(range(4 * documents), documents), 1)
    ]


ROWS = rows()
QRELS = {
    f"q{query}": {f"d{number}": number % 4 for number in range(query, 200, 3)}
    for query in range(QUERIES + 2)
}
TEXT = "".join(f"{r.query} Q0 {r.document} {r.rank} {r.score} t\n" for r in ROWS).encode()
JUDGED = "".join(
    f"{query} 0 {document} {grade}\n"
    for query, own in QRELS.items()
    for document, grade in own.items()
).encode()


def parquet(whole: Any = None, **options: Any) -> bytes:
    """Return a table as a Parquet file."""
    pa, pq = need("pyarrow"), pytest.importorskip("pyarrow.parquet")
    sink = pa.BufferOutputStream()
    pq.write_table(table(ROWS) if whole is None else whole, sink, **options)
    return bytes(sink.getvalue())


def arrow(kind: str, own: list[Row] = ROWS, *sizes: int) -> bytes:
    """Return rows as an Arrow file or stream."""
    pa = need("pyarrow")
    whole, sink = table(own), pa.BufferOutputStream()
    new = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
    with new(sink, whole.schema) as writer:
        for batch in batches(whole, list(sizes or (700, 0, 90))):
            writer.write_batch(batch)
    return bytes(sink.getvalue())


def stored() -> Iterator[Callable[[str, bytes], str]]:
    """Yield a function that puts bytes into fsspec's memory and returns their address."""
    fsspec = need("fsspec")
    folder = uuid4().hex
    system = fsspec.filesystem("memory")

    def put(name: str, content: bytes) -> str:
        system.pipe_file(f"/{folder}/{name}", content)
        return f"memory://{folder}/{name}"

    yield put
    if system.exists(f"/{folder}"):
        system.rm(f"/{folder}", recursive=True)


def served() -> Iterator[Files]:
    """Yield files behind a web server that sends parts."""
    need("fsspec"), need("aiohttp")
    with serving_files() as files:
        yield files


def run_command(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command that must succeed; return its outputs."""
    done = subprocess.run(
        [sys.executable, "-m", "gainful", *command],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    return done
