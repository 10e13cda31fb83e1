"""Columns that expand beyond the limits when they are decoded: an error, in little memory."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

import gainful
from combinations import pairwise
from evaluation_words import sorted_rows
from gainful.errors import SourceError
from limited_memory import run_limited
from requirements import need
from thrift_compact import footer, with_footer, with_header

pa = need("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

LONG = "d" * (1 << 20)
#: Of all ids of a file; the memory of the readers is less.
LONGEST = 96 << 20
ROWS = LONGEST >> 20
READ = """
import gainful
for path in sys.argv[1:]:
    for read in (
        lambda: gainful.evaluate({"q2": {"d1": 1}}, path, "AP", threads=2),
        lambda: gainful.read_run(path),
    ):
        try:
            read()
            print(path, "read")
        except gainful.errors.SourceError as error:
            print(error)
"""


def table(documents: Any, rows: int, **columns: Any) -> Any:
    """Return a run of one query."""
    queries = pa.array(["q1"]).take(pa.array([0] * rows))
    scores = pa.array([float(-row) for row in range(rows)])
    return pa.table({"query_id": queries, "doc_id": documents, "score": scores, **columns})


def in_parquet(own: Any, **options: Any) -> Callable[[Path], None]:
    return lambda path: pq.write_table(own(), path, **options)


def in_arrow(own: Any, compression: str | None = None) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        whole = own()
        options = pa.ipc.IpcWriteOptions(compression=compression)
        new = pa.ipc.new_stream if path.suffix == ".arrows" else pa.ipc.new_file
        with new(str(path), whole.schema, options=options) as writer:
            writer.write_table(whole)

    return write


def repeated(rows: int) -> Any:
    """Return a run with one long document id in every row."""
    keys = pa.array([0] * rows, pa.int32())
    return table(pa.DictionaryArray.from_arrays(keys, pa.array([LONG])), rows)


def views(rows: int) -> Any:
    import struct

    view = struct.pack("<i4sii", len(LONG), LONG[:4].encode(), 0, 0)
    buffers = [None, pa.py_buffer(view * rows), pa.py_buffer(LONG.encode())]
    return table(pa.Array.from_buffers(pa.string_view(), rows, buffers), rows)


@cache
def long_id() -> Any:
    return table(["d" * LONGEST], 1)


def many_rows() -> Any:
    """Return equal rows, which take almost no space in a file."""
    import numpy

    zeros = numpy.zeros(1_500_000, "int64")
    return pa.table({"query_id": zeros, "doc_id": zeros, "score": zeros})


def overrun(path: Path) -> None:
    """Write the page of the file before, longer than its header declares."""
    header = partial(set_field, 2, 100)
    path.write_bytes(with_header(path.with_name("gzip.parquet").read_bytes(), header, 1))


def set_field(id: int, value: int, header: Any) -> None:
    header.at(id).value = value


def same_pages(path: Path) -> None:
    """Write a footer in which a hundred row groups share their bytes."""
    pq.write_table(repeated(60), path)
    found = footer(path.read_bytes())
    found[4].items *= 100
    path.write_bytes(with_footer(path.read_bytes(), found))


PLAIN = {"use_dictionary": False, "write_statistics": False}
DELTA = {"query_id": "PLAIN", "doc_id": "DELTA_BYTE_ARRAY", "score": "PLAIN"}
FILES: dict[str, Callable[[Path], None]] = {
    "dictionary.parquet": in_parquet(partial(repeated, 2000), compression="zstd"),
    "delta.parquet": in_parquet(
        lambda: table([LONG] * ROWS, ROWS), compression="zstd", column_encoding=DELTA, **PLAIN
    ),
    "large.parquet": in_parquet(
        lambda: table(pa.array([LONG] * ROWS, pa.large_string()), ROWS),
        compression="zstd",
        column_encoding=DELTA,
        **PLAIN,
    ),
    "zstd.parquet": in_parquet(long_id, compression="zstd", **PLAIN),
    "gzip.parquet": in_parquet(long_id, compression="gzip", **PLAIN),
    "overrun.parquet": overrun,
    "rows.parquet": in_parquet(many_rows),
    "same.parquet": same_pages,
    "zstd.arrow": in_arrow(long_id, "zstd"),
    "lz4.arrow": in_arrow(long_id, "lz4"),
    "zstd.arrows": in_arrow(long_id, "zstd"),
    "dictionary.arrow": in_arrow(partial(repeated, 2000)),
    "views.arrow": in_arrow(partial(views, 2000)),
    "views.arrows": in_arrow(partial(views, 2000)),
    "rows.arrow": in_arrow(many_rows, "zstd"),
}


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_files_that_expand_too_much_are_errors(kind: str, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in FILES if name.rpartition(".")[2].startswith(kind)]
    for path in paths:
        FILES[path.name](path)
    done = run_limited(READ, *paths)
    assert done.status == 0, done.error
    lines = done.out.splitlines()
    assert len(lines) == 2 * len(paths)
    for path, line in zip(sorted(paths * 2, key=paths.index), lines, strict=True):
        assert line.startswith(f"{path}: found ")
        assert " of compressed data, expected at most 200 times the compressed size" in line
        assert line.endswith("GAINFUL_MAX_RATIO=1000")
    assert done.peak < LONGEST >> 20


def test_the_limit_is_adjustable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.arrow"
    queries = pa.DictionaryArray.from_arrays(pa.array([0] * 100, pa.int32()), pa.array([LONG]))
    documents = [f"d{row}" for row in range(100)]
    scores = pa.array([float(-row) for row in range(100)])
    whole = pa.table({"query_id": queries, "doc_id": documents, "score": scores})
    in_arrow(lambda: whole)(path)
    # The default allows 200 times the megabyte of the file.
    assert gainful.evaluate({LONG: {"d1": 1}}, path, "RR").mean() == 0.5
    monkeypatch.setenv("GAINFUL_MAX_RATIO", "50")
    with pytest.raises(SourceError, match="expected at most 50 times the compressed size"):
        gainful.evaluate({LONG: {"d1": 1}}, path, "RR")
    monkeypatch.setenv("GAINFUL_MAX_RATIO", "none")
    assert gainful.evaluate({LONG: {"d1": 1}}, path, "RR").mean() == 0.5
    monkeypatch.setenv("GAINFUL_MAX_SIZE", "80MB")
    with pytest.raises(SourceError, match="the file has more than 80 MB of data"):
        gainful.evaluate({LONG: {"d1": 1}}, path, "RR")


@cache
def long_ids() -> tuple[Any, Any, Any]:
    """Return a run with ids of 400 KB, judgments, and their values."""
    chance = random.Random(7)
    names = [chance.randbytes(200_000).hex() for _ in range(16)]
    rows = [(f"q{query}", document) for query in range(16) for document in chance.sample(names, 10)]
    queries, documents = zip(*rows, strict=True)
    scores = [chance.random() for _ in rows]
    run = pa.table({"query_id": queries, "doc_id": documents, "score": scores})
    qrels = {f"q{query}": {names[query]: 1, names[0]: 2} for query in range(16)}
    return run, qrels, sorted_rows(gainful.evaluate(qrels, run, ["nDCG@10", "AP"]))


@pytest.mark.parametrize(
    ("kind", "encoding", "version"),
    pairwise(["string", "large_string"], ["dictionary", "DELTA_BYTE_ARRAY"], ["1.0", "2.0"]),
)
def test_long_ids_are_decoded_in_small_batches(
    kind: str, encoding: str, version: str, tmp_path: Path
) -> None:
    """Ids of 400 KB fill a batch before it has its full number of rows."""
    own, qrels, expected = long_ids()
    own = own.set_column(1, "doc_id", own["doc_id"].cast(getattr(pa, kind)()))
    path = tmp_path / "run.parquet"
    options: dict[str, Any] = {"dictionary_pagesize_limit": 64 << 20}
    if encoding != "dictionary":
        options = {"use_dictionary": False, "column_encoding": {**DELTA, "doc_id": encoding}}
    pq.write_table(own, path, data_page_version=version, row_group_size=120, **options)
    found = gainful.evaluate(qrels, path, ["nDCG@10", "AP"])
    assert sorted_rows(found) == expected
