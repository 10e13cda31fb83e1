"""Arrow files and streams with wrong lengths: an error, in little memory."""

from __future__ import annotations

import io
import itertools
import random
import struct
from functools import cache
from pathlib import Path

import pytest

import gainful
from combinations import ALL
from gainful.errors import SourceError
from limited_memory import READ_ALL, run_limited
from requirements import need

pa = need("pyarrow")


def content(suffix: str, kind: str, compression: str | None) -> bytes:
    """Return a run as an Arrow file or stream."""
    ids = pa.array([f"d{row % 10} with a name that no view has within" for row in range(40)])
    if kind == "dictionary":
        ids = ids.dictionary_encode()
    elif kind != "string":
        ids = ids.cast(getattr(pa, kind)())
    queries = [f"q{row // 10}" for row in range(40)]
    scores = [float(-row) for row in range(40)]
    whole = pa.table({"query_id": queries, "doc_id": ids, "score": scores})
    sink = io.BytesIO()
    new = pa.ipc.new_file if suffix == ".arrow" else pa.ipc.new_stream
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with new(sink, whole.schema, options=options) as writer:
        writer.write_table(whole, max_chunksize=20)
    return sink.getvalue()


KINDS = ["string", "large_string", "string_view", "dictionary"]
LIES = [-1, 1, 7, 2**20, 2**31 - 1, 2**32 + 5, 2**40, 2**62]


def test_random_wrong_lengths(tmp_path: Path) -> None:
    compressions = [None, "zstd", "lz4"]
    cases = list(
        itertools.product([".arrow", ".arrows"], compressions, KINDS, range(30 if ALL else 15))
    )
    contents = cache(content)
    for number, (suffix, compression, kind, _) in enumerate(cases):
        chance = random.Random(number)
        whole = bytearray(contents(suffix, kind, compression))
        for _ in range(chance.choice([1, 1, 2])):
            # Lengths are aligned, and mostly small.
            places = [at for at in range(8, len(whole) - 8, 4) if whole[at] and not whole[at + 3]]
            lie = chance.choice(LIES)
            wide = chance.random() < 0.5 or not -(2**31) <= lie < 2**31
            at = chance.choice(places)
            struct.pack_into("<q" if wide else "<i", whole, at, lie)
        (tmp_path / f"{number:03}{suffix}").write_bytes(whole)
    done = run_limited(READ_ALL, tmp_path)
    lines = done.out.splitlines()
    assert done.status == 0, (lines[-1:], done.error)
    assert len(lines) == 2 * len(cases)
    ends = [line.split(" ", 2)[1] for line in lines]
    assert set(ends) == {"read", "1"}
    assert ends.count("1") > len(cases) / 4
    assert done.peak < 500


@pytest.mark.parametrize("suffix", [".arrow", ".arrows"])
@pytest.mark.parametrize("compression", ["zstd", "lz4"])
def test_wrong_buffer_lengths_are_errors(suffix: str, compression: str, tmp_path: Path) -> None:
    path = tmp_path / f"run{suffix}"
    whole = bytearray(content(suffix, "string", compression))
    # The length before the bytes of a compressed buffer: 20 scores of 8 bytes.
    at = whole.rindex(struct.pack("<q", 160))
    for claimed, message in ((4 << 20, "cannot read Arrow data"), (1 << 40, "of compressed data")):
        struct.pack_into("<q", whole, at, claimed)
        path.write_bytes(whole)
        with pytest.raises(SourceError, match=message):
            gainful.read_run(path)
