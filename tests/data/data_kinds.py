"""The kinds of objects for judgments and runs, each made from the same rows."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any, NamedTuple

import gainful
from requirements import need

Rows = list[tuple[str, str, float]]

QRELS: Rows = [("q1", "d1", 3), ("q1", "d2", 0), ("q1", "d3", 2), ("q2", "d4", 1), ("q3", "d1", 1)]
RUN: Rows = [
    ("q1", "d2", 9.5),
    ("q1", "d3", 9.5),
    ("q1", "d1", 8.25),
    ("q2", "d9", 1.5),
    ("q2", "d4", 1.0),
    ("q4", "d4", -1.0),
]


class Kind(NamedTuple):
    """A function that makes an object from rows and the name of their third column."""

    make: Callable[[Rows, str], Any]
    needs: str | None = None


def nested(rows: Rows, value: str) -> dict[str, dict[str, float]]:
    """Return {query: {document: value}}."""
    found: dict[str, dict[str, float]] = {}
    for query, document, number in rows:
        found.setdefault(query, {})[document] = number
    return found


def columns(rows: Rows, value: str) -> dict[str, list[Any]]:
    """Return the three columns by name."""
    queries, documents, numbers = (list(column) for column in zip(*rows, strict=True))
    return {"query_id": queries, "doc_id": documents, value: numbers}


class Mapping:
    """A mapping that is not a dict."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content

    def __getitem__(self, key: str) -> Any:
        return self.content[key]

    def items(self) -> Any:
        """Return the pairs."""
        return self.content.items()


class Dataset:
    """The part of the interface of ir_datasets' datasets that Gainful uses."""

    def __init__(self, rows: Rows, value: str) -> None:
        judged = namedtuple("TrecQrel", ["query_id", "doc_id", "relevance", "iteration"])
        scored = namedtuple("GenericScoredDoc", ["query_id", "doc_id", "score"])
        if value == "grade":
            self.qrels_iter = lambda: iter([judged(*row, "0") for row in rows])
        else:
            self.scoreddocs_iter = lambda: iter([scored(*row) for row in rows])


def ir_measures(rows: Rows, value: str) -> Any:
    """Return the named tuples of ir_measures, from a generator."""
    package = need("ir_measures")
    kind = package.Qrel if value == "grade" else package.ScoredDoc
    return (kind(*row) for row in rows)


def duckdb(rows: Rows, value: str) -> Any:
    """Return a relation of DuckDB."""
    listed = ", ".join(f"('{query}', '{document}', {number})" for query, document, number in rows)
    kind = "bigint" if value == "grade" else "double"
    return need("duckdb").sql(
        f"select a as query_id, b as doc_id, c::{kind} as {value} from (values {listed}) t(a, b, c)"
    )


KINDS = {
    "dict": Kind(nested),
    "mapping": Kind(lambda rows, value: Mapping(nested(rows, value))),
    "triples": Kind(lambda rows, value: rows),
    "generator": Kind(lambda rows, value: (list(row) for row in rows)),
    "records": Kind(
        lambda rows, value: [
            dict(zip(["query-id", "corpus-id", value], row, strict=True)) for row in rows
        ]
    ),
    "dataset": Kind(Dataset),
    "ir_measures": Kind(ir_measures, "ir_measures"),
    "polars": Kind(lambda rows, value: need("polars").DataFrame(columns(rows, value)), "polars"),
    "pyarrow": Kind(lambda rows, value: need("pyarrow").table(columns(rows, value)), "pyarrow"),
    "pandas": Kind(lambda rows, value: need("pandas").DataFrame(columns(rows, value)), "pandas"),
    "duckdb": Kind(duckdb, "duckdb"),
    "lists": Kind(columns),
    "own": Kind(
        lambda rows, value: (gainful.Qrels if value == "grade" else gainful.Run)(
            nested(rows, value)
        )
    ),
}


def make(kind: str, rows: Rows, value: str) -> Any:
    """Return the rows as an object of a kind; skip the test if its library is missing."""
    how = KINDS[kind]
    if how.needs:
        need(how.needs)
    return how.make(rows, value)
