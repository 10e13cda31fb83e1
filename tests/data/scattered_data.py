"""A run of scattered queries, and its evaluation with little memory."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import gainful
from gainful import _kernel
from gainful.conventions import get
from gainful.data.coercion import run_input
from gainful.measures import parse_measures
from requirements import need

QRELS = gainful.Qrels({f"q{query}": {f"d{query}": 1} for query in range(20)})

#: At least a megabyte of rows is held in memory.
LONG = "d" * 60


def rows(chance: random.Random) -> list[tuple[str, str, float]]:
    made = [(f"q{query}", f"{LONG}{doc}", 1.0) for query in range(20) for doc in range(1000)]
    chance.shuffle(made)
    return made


def measured(run: Any, memory: int) -> _kernel.Evaluated:
    """Evaluate a run with a limit for scattered rows in memory, in bytes."""
    policies = get("gainful-1")
    kernels = [(repr(each), *each.spec(policies)) for each in parse_measures("nDCG@10")]
    return _kernel.evaluate(
        QRELS._rows, run_input(run), policies.spec(), kernels, threads=1, memory=memory
    )


def given(kind: str, folder: Path) -> Any:
    made = rows(random.Random(5))
    if kind == "text":
        path = folder / "scattered.run"
        path.write_text("".join(f"{query} Q0 {doc} 1 {score} s\n" for query, doc, score in made))
        return path
    pa = need("pyarrow")
    columns = zip(*made, strict=True)
    table = pa.table(dict(zip(("query_id", "doc_id", "score"), columns, strict=True)))
    return table.to_reader(max_chunksize=100) if kind == "reader" else table
