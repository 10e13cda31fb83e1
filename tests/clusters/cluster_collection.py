"""Judgments and a run of a few hundred queries, some of which only one of them has."""

from __future__ import annotations

from typing import Any

from random_rankings import draw
from requirements import need

pyarrow = need("pyarrow")

MEASURES = ["nDCG@10", "AP", "RR", "GMAP"]


def collection(seed: int, queries: int = 200) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return judgments and a run; each has queries that the other lacks."""
    drawn = draw(seed, queries=queries)
    names = list(drawn.qrels)
    qrels = {name: drawn.qrels[name] for name in names[5:]}
    run = {name: drawn.run[name] for name in names[:-9]}
    return qrels, run


def columns(table: dict[str, Any], value: str, ids: str = "string") -> Any:
    """Return judgments or a run as columns, the queries' ids as integers where that is asked."""
    rows = [(query, doc, number) for query, own in table.items() for doc, number in own.items()]
    queries = [int(row[0][1:]) if ids == "int64" else row[0] for row in rows]
    return pyarrow.table(
        {
            "query_id": pyarrow.array(queries, ids),
            "doc_id": [row[1] for row in rows],
            value: pyarrow.array([row[2] for row in rows], "double"),
        }
    )
