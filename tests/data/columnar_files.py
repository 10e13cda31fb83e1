"""Small runs as Parquet and Arrow, in every encoding that matters to the readers, and changes."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from functools import partial
from typing import Any

from arrow_metadata import lied, numbers
from thrift_compact import footer, lie, with_footer, with_header

__all__ = ["ARROW", "PARQUET", "changed", "mutant", "run"]

ROWS = [(f"q{query}", f"d{document}", document / 4) for query in range(6) for document in range(8)]


def run(kind: str) -> Any:
    """Return a run of 48 rows as a table."""
    import pyarrow as pa

    queries, documents, scores = zip(*ROWS, strict=True)
    types = {"views": pa.string_view(), "large": pa.large_string()}
    columns = [pa.array(ids, types.get(kind, pa.string())) for ids in (queries, documents)]
    if kind == "dictionary":
        columns = [ids.dictionary_encode() for ids in columns]
    return pa.table({"query_id": columns[0], "doc_id": columns[1], "score": scores})


def _parquet(compression: str, **options: Any) -> bytes:
    from pyarrow import parquet

    sink = io.BytesIO()
    parquet.write_table(run("text"), sink, compression=compression, row_group_size=20, **options)
    return sink.getvalue()


def _arrow(kind: str, compression: str | None, *, stream: bool = False) -> bytes:
    from pyarrow import ipc

    sink = io.BytesIO()
    table = run(kind)
    new = ipc.new_stream if stream else ipc.new_file
    with new(sink, table.schema, options=ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table, max_chunksize=30)
    return sink.getvalue()


PARQUET: dict[str, Callable[[], bytes]] = {
    "snappy.parquet": lambda: _parquet("snappy"),
    "zstd.parquet": lambda: _parquet("zstd", use_dictionary=False, data_page_version="2.0"),
    "lz4.parquet": lambda: _parquet("lz4", write_page_index=True),
    "delta.parquet": lambda: _parquet(
        "gzip", use_dictionary=False, column_encoding={"query_id": "DELTA_BYTE_ARRAY"}
    ),
}
ARROW: dict[str, Callable[[], bytes]] = {
    "text.arrow": lambda: _arrow("text", None),
    "dictionary.arrow": lambda: _arrow("dictionary", "zstd"),
    "views.arrows": lambda: _arrow("views", None, stream=True),
    "large.arrows": lambda: _arrow("large", "lz4", stream=True),
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


def mutant(content: bytes, chance: random.Random) -> bytes:
    """Return a file with wrong numbers in its metadata, or with other random changes."""
    how = chance.randrange(3)
    if how == 0:
        return changed(content, chance)
    if not content.startswith(b"PAR1"):
        return lied(content, numbers(content), chance)
    if how == 1:
        return with_header(content, partial(lie, chance=chance), chance.randrange(3))
    found = footer(content)
    lie(found, chance)
    return with_footer(content, found)
