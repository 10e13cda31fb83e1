"""Runs in TREC text, and the same rows in columns of every kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import gainful
from requirements import need

MEASURES = ["nDCG@3", "nDCG", "AP", "RR", "P@2", "R@5", "ERR@4", "Judged@3"]
QRELS = {
    str(query): {str(document): (query * document) % 4 for document in range(0, 12, query + 1)}
    for query in range(5)
}


class Row(NamedTuple):
    """A row of a run."""

    query: str
    document: str
    rank: int
    score: float


def made(rows: list[tuple[int, int, float]], together: bool, once: bool) -> list[Row]:
    """Return rows of a run, optionally grouped by query and without duplicates."""
    if once:
        rows = list(
            {(query, document): (query, document, s) for query, document, s in rows}.values()
        )
    if together:
        rows = sorted(rows, key=lambda row: row[0])
    return [Row(str(q), str(d), at, s) for at, (q, d, s) in enumerate(rows, 1)]


def write_text(rows: list[Row], path: Path) -> Path:
    """Write rows as TREC text."""
    lines = [f"{row.query} Q0 {row.document} {row.rank} {row.score!r} t\n" for row in rows]
    path.write_text("".join(lines))
    return path


def table(rows: list[Row], ids: str = "string") -> Any:
    """Return rows as a pyarrow table, with ids of an Arrow type."""
    pa = need("pyarrow")
    if ids.startswith(("int", "uint")):
        queries, documents = ([int(row[at]) for row in rows] for at in (0, 1))
    else:
        queries, documents = ([row[at] for row in rows] for at in (0, 1))
    own = {
        "dictionary": pa.dictionary(pa.int32(), pa.string()),
        "string": pa.string(),
        "large_string": pa.large_string(),
        "string_view": pa.string_view(),
        "binary": pa.binary(),
    }
    kind = own.get(ids) or getattr(pa, ids)()

    def column(values: list[Any]) -> Any:
        if ids == "dictionary":
            return pa.array(values, pa.string()).dictionary_encode()
        if ids == "binary":
            values = [value.encode() for value in values]
        return pa.array(values, kind)

    return pa.table(
        {
            "query_id": column(queries),
            "doc_id": column(documents),
            "rank": pa.array([row.rank for row in rows], pa.int32()),
            "score": pa.array([row.score for row in rows], pa.float64()),
        }
    )


def batches(whole: Any, sizes: list[int]) -> Iterator[Any]:
    """Yield a table in batches of these sizes, in a cycle; 0 is an empty batch."""
    pa = need("pyarrow")
    at, turn = 0, 0
    while at < len(whole):
        size = sizes[turn % len(sizes)]
        turn += 1
        columns = [column.combine_chunks() for column in whole.slice(at, size).columns]
        if size == 0:
            # An Arrow file has one dictionary per column, which empty batches share.
            columns = [column.chunk(0).slice(0, 0) for column in whole.columns]
        yield pa.RecordBatch.from_arrays(columns, schema=whole.schema)
        at += size
        assert any(sizes)


def reader(whole: Any, sizes: list[int]) -> Any:
    """Return a stream that can be read once."""
    pa = need("pyarrow")
    return pa.RecordBatchReader.from_batches(whole.schema, batches(whole, sizes))


def as_rows(result: gainful.Evaluation) -> Any:
    """Return the queries' rows in a form that compares bit for bit."""
    cells = [[repr(cell) for cell in list(row.values())[1:]] for row in result.rows()]
    return result.columns, cells
