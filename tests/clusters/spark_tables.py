"""Judgments and runs as tables of Spark, with ids of every type that it has for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

Nested = Mapping[str, Mapping[str, float]]

#: Of each of Spark's types, what an id is in it.
ENCODED: dict[str, Callable[[str], object]] = {
    "string": str,
    "binary": lambda id: bytearray(id.encode()),
    "bigint": int,
    "int": int,
    "smallint": int,
    "decimal(20,0)": Decimal,
}


def rows_of(table: Nested) -> Iterator[tuple[str, str, float]]:
    """Yield query, document and number."""
    for query, documents in table.items():
        for document, number in documents.items():
            yield query, document, float(number)


def frame(
    session: Any, table: Nested, number: str, ids: str = "string", *, position: bool = False
) -> Any:
    """Return judgments (``number="grade"``) or a run (``"score"``) as a table of Spark."""
    encoded = ENCODED[ids]
    rows = [
        (encoded(query), encoded(document), value, at)
        for at, (query, document, value) in enumerate(rows_of(table))
    ]
    schema = f"query_id {ids}, doc_id {ids}, {number} double, position int"
    made = session.createDataFrame(rows, schema)
    return made if position else made.drop("position")


def numbered(table: Nested) -> dict[str, dict[str, float]]:
    """Return a table with ids that are digits alone: q012 becomes 12, and d007 1007."""

    def digits(id: str) -> str:
        return str(1000 * "qde".index(id[0]) + int(id[1:]))

    return {
        digits(query): {digits(document): value for document, value in documents.items()}
        for query, documents in table.items()
    }
