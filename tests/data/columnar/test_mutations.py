"""Randomly changed Parquet and Arrow files: correct rows or one error."""

from __future__ import annotations

import io
import random
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.data.columnar import files
from gainful.errors import GainfulError, SourceError
from requirements import need

pa = need("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

QRELS = {f"q{query}": {f"d{query}": 1} for query in range(6)}
ROWS = [(f"q{query}", f"d{document}", document / 4) for query in range(6) for document in range(8)]


def run(kind: str) -> Any:
    queries, documents, scores = zip(*ROWS, strict=True)
    types = {"views": pa.string_view(), "large": pa.large_string()}
    columns = [pa.array(ids, types.get(kind, pa.string())) for ids in (queries, documents)]
    if kind == "dictionary":
        columns = [ids.dictionary_encode() for ids in columns]
    return pa.table({"query_id": columns[0], "doc_id": columns[1], "score": scores})


def parquet(compression: str, **options: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(run("text"), sink, compression=compression, row_group_size=20, **options)
    return sink.getvalue()


def arrow(kind: str, compression: str | None, new: Any) -> bytes:
    sink = io.BytesIO()
    table = run(kind)
    with new(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table, max_chunksize=30)
    return sink.getvalue()


FILES = {
    "snappy.parquet": lambda: parquet("snappy"),
    "zstd.parquet": lambda: parquet("zstd", use_dictionary=False, data_page_version="2.0"),
    "lz4.parquet": lambda: parquet("lz4", write_page_index=True),
    "delta.parquet": lambda: parquet(
        "gzip", use_dictionary=False, column_encoding={"query_id": "DELTA_BYTE_ARRAY"}
    ),
    "text.arrow": lambda: arrow("text", None, pa.ipc.new_file),
    "dictionary.arrow": lambda: arrow("dictionary", "zstd", pa.ipc.new_file),
    "views.arrows": lambda: arrow("views", None, pa.ipc.new_stream),
    "large.arrows": lambda: arrow("large", "lz4", pa.ipc.new_stream),
}


def changed(content: bytes, chance: random.Random) -> bytes:
    """Return a file with a few random changes, most of them in its metadata."""
    made = bytearray(content)
    for _ in range(chance.choice([1, 1, 2, 4])):
        place = chance.randrange(len(made))
        if chance.random() < 0.6:
            place = max(len(made) - 1 - chance.randrange(600), 0)
        kind = chance.randrange(5)
        if kind == 0:
            made[place] ^= 1 << chance.randrange(8)
        elif kind == 1:
            made[place : place + 4] = chance.choice([b"\xff", b"\0", b"\x7f"]) * 4
        elif kind == 2:
            del made[place : place + chance.randrange(1, 9)]
        elif kind == 3:
            made[place:place] = made[place : place + chance.randrange(1, 30)]
        else:
            number = chance.choice([0, 1, 2**31 - 1, 2**40, 2**63 - 1])
            made[place : place + 8] = number.to_bytes(8, "little")
    return bytes(made)


@pytest.mark.parametrize("name", list(FILES))
def test_random_changes(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    content = FILES[name]()
    path = tmp_path / name
    refused = 0
    for seed in range(120):
        path.write_bytes(changed(content, random.Random(seed)))
        try:
            gainful.evaluate(QRELS, path, ["nDCG@10", "AP"])
        except GainfulError as error:
            refused += 1
            assert len(str(error).splitlines()) == 1, seed
            assert str(error).isprintable() or "column" in str(error), seed
    assert refused > 60
    # Not even a caught panic prints anything.
    assert capfd.readouterr() == ("", "")


def test_a_file_overwritten_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    # Its row groups would be those of two different files.
    path = tmp_path / "run.parquet"
    path.write_bytes(parquet("snappy"))
    opened = files([str(path)], "parquet", "run", None)
    path.write_bytes(parquet("zstd"))
    with pytest.raises(SourceError, match=r"run\.parquet: the file changed while it"):
        opened.rows(threads=1)


def test_a_rare_type(tmp_path: Path) -> None:
    polars = need("polars")
    frame = polars.from_arrow(run("text")).with_columns(wide=polars.lit(1, dtype=polars.Int128))
    frame.write_parquet(tmp_path / "run.parquet")
    frame.write_ipc(tmp_path / "run.arrow")
    for name in ("run.parquet", "run.arrow"):
        with pytest.raises(SourceError, match="128.*not supported.*without that column"):
            gainful.evaluate(QRELS, tmp_path / name, "AP")
    assert gainful.evaluate(QRELS, frame, "AP").mean() > 0
