"""Collections in which every system has the value on every query that a test wants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

#: The measure under which the values are those that were asked for.
MEASURE = "DCG@1"


def collection(
    values: Mapping[str, Sequence[float | None]],
) -> tuple[dict[str, dict[str, float]], dict[str, Any]]:
    """Return judgments and runs: on query i the system has its i-th value; None: not in the run.

    Each system returns one document, of which the value is the grade.
    """
    n = len(next(iter(values.values())))
    queries = [f"q{at:04}" for at in range(n)]
    qrels = {
        query: {name: own[at] or 0.0 for name, own in values.items()}
        for at, query in enumerate(queries)
    }
    runs = {
        name: {
            query: [name] for query, value in zip(queries, own, strict=True) if value is not None
        }
        for name, own in values.items()
    }
    return qrels, runs
