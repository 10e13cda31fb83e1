"""Parquet files that declare too large numbers: an error before memory is allocated.

The Parquet library would allocate more than any machine has, which ends the process.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.errors import SourceError
from repeated_tests import for_each
from requirements import need

ROWS = 300
QRELS = {"q1": {"d1": 1, "d2": 0}, "q4": {"d59": 2}}


def run(**changed: Any) -> Any:
    """Return a run of five queries as a table."""
    columns = {
        "query_id": [f"q{row // 60}" for row in range(ROWS)],
        "doc_id": [f"d{row % 60}" for row in range(ROWS)],
        "score": [float(-row) for row in range(ROWS)],
    }
    return need("pyarrow").table({**columns, **changed})


def written(table: Any, path: Path, **options: Any) -> bytearray:
    """Write a table as Parquet without compression; return the bytes."""
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(table, path, compression="none", **options)
    return bytearray(path.read_bytes())


def varint(value: int) -> bytes:
    """Return a number encoded with seven bits per byte."""
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def refused(content: bytes, path: Path, message: str) -> None:
    """Check the error message for a file as a run and as judgments."""
    path.write_bytes(content)
    for read in (
        lambda: gainful.evaluate(QRELS, path, "nDCG@10", threads=2),
        lambda: gainful.read_run(path),
    ):
        with pytest.raises(SourceError, match=message) as caught:
            read()
        assert str(path) in str(caught.value.file)


@for_each("version", ["1.0", "2.0"])
@for_each("optional", [False, True])
@for_each("encoding", ["DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"])
def test_lengths(encoding: str, optional: bool, version: str, tmp_path: Path) -> None:
    pa = need("pyarrow")
    text = pa.field("", pa.string(), nullable=optional)
    fields = [text.with_name("query_id"), text.with_name("doc_id")]
    schema = pa.schema([*fields, pa.field("score", pa.float64())])
    path = tmp_path / "run.parquet"
    content = written(
        run().cast(schema),
        path,
        use_dictionary=False,
        column_encoding={"query_id": encoding, "doc_id": encoding, "score": "PLAIN"},
        data_page_version=version,
    )
    whole = gainful.evaluate(QRELS, path, "nDCG@10")
    assert whole.mean() == gainful.evaluate(QRELS, run(), "nDCG@10").mean()

    # 128 values in a block of 4, and the total count: of lengths, or of prefixes and suffixes.
    begins = b"\x80\x01\x04" + varint(ROWS)
    places = [at for at in range(len(content)) if content.startswith(begins, at)]
    assert len(places) == (2 if encoding == "DELTA_LENGTH_BYTE_ARRAY" else 4)
    for place in places:
        for more in (ROWS + 1, 1 << 33, 1 << 45, (1 << 64) - 1):
            claim = varint(more)
            changed = content[:]
            changed[place + 3 : place + 3 + len(claim)] = claim
            refused(changed, path, "more lengths than it has room for")


def test_a_dictionary(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    pq = pytest.importorskip("pyarrow.parquet")
    content = written(run(score=[float(row % 7) for row in range(ROWS)]), path)
    score = pq.ParquetFile(path).metadata.row_group(0).column(2)
    # The last column; the data after it is located from the end.
    place = content.index(b"\x4c\x15\x0e", score.dictionary_page_offset) + 2
    content[place : place + 1] = varint(2 * ((1 << 31) - 1))
    refused(content, path, "a dictionary has more values than its page has bytes")


@pytest.mark.parametrize("encoding", ["PLAIN", "BYTE_STREAM_SPLIT"])
def test_values_of_a_fixed_length(encoding: str, tmp_path: Path) -> None:
    pa = need("pyarrow")
    path = tmp_path / "run.parquet"
    ids = pa.array([f"{row // 60}".encode() for row in range(ROWS)], pa.binary(1))
    encodings = {"query_id": encoding, "doc_id": "PLAIN", "score": "PLAIN"}
    options = {"use_dictionary": False, "column_encoding": encodings}
    content = written(run(query_id=ids), path, store_schema=False, **options)
    # The type and the length of the column, in the footer.
    place = content.rindex(b"\x15\x0e\x15\x02") + 3
    claim = varint(2 * (1 << 27))
    content[place : place + 1] = claim
    (length,) = struct.unpack("<I", content[-8:-4])
    content[-8:-4] = struct.pack("<I", length + len(claim) - 1)
    refused(content, path, "FIXED_LEN_BYTE_ARRAY|insufficient values")


def test_large_values_of_a_fixed_length(tmp_path: Path) -> None:
    pa = need("pyarrow")
    path = tmp_path / "run.parquet"
    width = 100_000
    table = run(
        doc_id=pa.array([f"d{row % 60}".ljust(width) for row in range(ROWS)]).cast("binary")
    )
    table = table.set_column(1, "doc_id", table["doc_id"].cast(pa.binary(width)))
    written(table, path)
    qrels = {"q1": {"d1".ljust(width): 1}}
    assert gainful.evaluate(qrels, path, "RR").mean() == 0.5
