"""A collection for tests of partitions, as separate tables and as one."""

from __future__ import annotations

from typing import Any

from random_rankings import draw
from requirements import need

pyarrow = need("pyarrow")

MEASURES = ["nDCG@10", "nDCG(gain='exponential')@3", "AP", "RR", "P@5", "GMAP", "NumRel", "DCG@10"]

Graded = dict[str, dict[str, Any]]


def collection(seed: int, queries: int = 20) -> tuple[Graded, Graded]:
    """Return judgments and a run; some queries are in only one of them."""
    drawn = draw(seed, queries=queries)
    names = list(drawn.qrels)
    qrels = {name: drawn.qrels[name] for name in names[2:]}
    run = {name: drawn.run[name] for name in names[:-3]}
    return qrels, run


def of(table: Graded, queries: list[str]) -> Graded:
    return {query: table[query] for query in queries if query in table}


def columns(table: Graded, value: str) -> Any:
    rows = [(query, doc, number) for query, own in table.items() for doc, number in own.items()]
    kind = pyarrow.int64() if value == "grade" else pyarrow.float64()
    return pyarrow.table(
        {
            "query_id": pyarrow.array([row[0] for row in rows], "string"),
            "doc_id": pyarrow.array([row[1] for row in rows], "string"),
            value: pyarrow.array([row[2] for row in rows], kind),
        }
    )


def both(qrels: Graded, run: Graded, queries: list[str], **more: list[str]) -> Any:
    """Return judgments and run as one table, grouped by query."""
    tables = []
    for query in queries:
        for table, value in ((of(run, [query]), "score"), (of(qrels, [query]), "grade")):
            own = columns(table, value)
            tables.append(own.append_column("is_judgment", [[value == "grade"] * len(own)]))
    return pyarrow.concat_tables(tables, promote_options="default")
