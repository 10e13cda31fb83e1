"""Small whole files that the fuzzers begin from: without them they find their way into no format.

``python kernel/fuzz/seeds.py`` writes them into ``kernel/fuzz/corpus``, a folder a target, where
``cargo fuzz run`` looks for them. It needs pyarrow.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

CORPUS = Path(__file__).resolve().parent / "corpus"

#: Queries and documents of which the targets that measure have judgments, and some that they lack.
ROWS = [
    *(("q1", "d1", 1, 2.5), ("q1", "d3", 2, 1.0), ("q2", "d2", 1, 0.25)),
    *(("q2", "d1", 2, -1.0), ("q3", "a document with a longer id", 1, 7.0)),
]


def text() -> Iterator[tuple[str, str, str]]:
    """Yield the target, the name and the content of files of text."""
    lines = [f"{q} Q0 {d} {rank} {score} own\n" for q, d, rank, score in ROWS]
    yield "trec_run", "plain", "".join(lines)
    yield "trec_run", "spaces", "".join(line.replace(" ", "\t ") for line in lines)
    yield "trec_run", "numbers", "1 Q0 d 1 -1e-3 t\n1 Q0 e 2 1E+20 t\n1\tQ0\tf\t3\t.5\tt\r\n"
    yield "trec_qrels", "plain", "".join(f"{q} 0 {d} {rank - 1}\n" for q, d, rank, _ in ROWS)
    yield "trec_qrels", "grades", "1 0 d -1\n1 0 e 0.5\n1 2 f 1e3\r\n"
    nested = {q: {d: score for p, d, _, score in ROWS if p == q} for q, *_ in ROWS}
    yield "json", "mapping", json.dumps(nested)
    yield "json", "escapes", '{"q\\u00e9\\ud83d\\ude00": {"\\"d\\\\": 1, "e": 2.5e-3}}'
    names = ("query_id", "doc_id", "rank", "score")
    yield (
        "jsonl",
        "plain",
        "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in ROWS),
    )
    yield "jsonl", "other names", '{"qid": 1, "docno": "d", "relevance": 1}\n'
    for name, mark in (("tsv", "\t"), ("csv", ",")):
        rows = [names, *ROWS]
        yield "delimited", name, "".join(mark.join(map(str, row)) + "\n" for row in rows)
    yield "delimited", "quotes", 'query_id,doc_id,score\nq1,"a ""b"", c",1\r\nq1,"\n",2\n'
    yield "svmlight", "plain", "2 qid:1 1:0.5 2:1 # a comment\n0 qid:1 1:0\n1 qid:2 3:-1e3\n"


def tables() -> Iterator[tuple[str, pa.Table]]:
    """Yield tables whose ids have each of the types that ids may have."""
    query, document, rank, score = (list(column) for column in zip(*ROWS, strict=True))
    numbers = {"score": pa.array(score), "rank": pa.array(rank, pa.int32())}
    ids: dict[str, tuple[Any, Any]] = {
        "text": (pa.array(query), pa.array(document)),
        "large": (pa.array(query, pa.large_string()), pa.array(document, pa.large_binary())),
        "view": (pa.array(query, pa.string_view()), pa.array(document, pa.binary_view())),
        "dictionary": (pa.array(query).dictionary_encode(), pa.array(document).dictionary_encode()),
        "fixed": (pa.array([b"q1"] * 5, pa.binary(2)), pa.array([b"d0", b"d1"] * 2 + [b"d2"])),
        "int64": (pa.array([1, 1, 2, 2, 3]), pa.array([10, 11, 10, 12, -1])),
        "narrow": (
            pa.array([1, 1, 2, 2, 3], pa.uint8()),
            pa.array([10, 11, 10, 12, 9], pa.int16()),
        ),
    }
    for name, (queries, documents) in ids.items():
        yield name, pa.table({"query_id": queries, "doc_id": documents, **numbers})
    queries, documents = ids["text"]
    own = {"query_id": queries, "doc_id": documents}
    for kind in (pa.float16(), pa.float32(), pa.int8(), pa.uint64(), pa.decimal128(9, 2)):
        values: list[Any] = [Decimal(2)] * 5 if pa.types.is_decimal(kind) else [3, 2, 1, 0, 1]
        yield str(kind), pa.table({**own, "score": pa.array(values, kind)})
    yield "nulls", pa.table({**own, "score": pa.array([1.0, None, 0.5, 0.25, None])})
    yield "nested", pa.table({**own, "score": score, "more": [[{"a": 1}], [], None, [], []]})
    yield "none", pa.table({**own, "score": score}).slice(0, 0)
    many = pa.table({name: own[name].take([at // 60 for at in range(300)]) for name in own})
    scores = pa.array([float(at % 97) for at in range(300)])
    yield "many", many.append_column("score", scores)


LENGTHS, CHANGES = "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"
ENCODED = {"doc_id": CHANGES, "score": "BYTE_STREAM_SPLIT"}

#: How Parquet is written: compressions, pages of both versions, small pages, encodings.
PARQUET: dict[str, dict[str, Any]] = {
    "plain": {"compression": "none", "use_dictionary": False},
    "snappy": {"compression": "snappy", "row_group_size": 2},
    "zstandard": {"compression": "zstd", "data_page_version": "2.0"},
    "gzip": {"compression": "gzip", "data_page_size": 64, "write_page_index": True},
    "lz4": {"compression": "lz4", "row_group_size": 100},
    "lengths": {"use_dictionary": False, "column_encoding": ENCODED | {"query_id": LENGTHS}},
    "changes": {"use_dictionary": False, "column_encoding": ENCODED | {"query_id": CHANGES}},
}

#: How Arrow files and streams are.
ARROW = {"plain": None, "lz4": "lz4", "zstandard": "zstd"}


def write_columns(name: str, table: pa.Table) -> None:
    """Write a table as Parquet and as Arrow, in many ways."""
    for way, options in PARQUET.items():
        if "column_encoding" in options and name not in ("text", "large", "many"):
            continue
        pq.write_table(table, folder("parquet") / f"{name} {way}", **options)
    for way, compression in ARROW.items():
        settings = pa.ipc.IpcWriteOptions(compression=compression)
        for kind, opened in (("file", pa.ipc.new_file), ("stream", pa.ipc.new_stream)):
            place = folder("arrow") / f"{name} {kind} {way}"
            with opened(str(place), table.schema, options=settings) as writer:
                writer.write_table(table, max_chunksize=100 if name == "many" else 3)


def folder(target: str) -> Path:
    """Return the folder of a target."""
    place = CORPUS / target
    place.mkdir(parents=True, exist_ok=True)
    return place


def main() -> None:
    """Write all of them."""
    for target, name, content in text():
        (folder(target) / name).write_text(content, encoding="utf-8", newline="")
    for name, table in tables():
        write_columns(name, table)


if __name__ == "__main__":
    main()
