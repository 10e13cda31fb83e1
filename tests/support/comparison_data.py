"""Collections in which each system has given values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

#: The measure that has the given values.
MEASURE = "DCG@1"


def collection(
    values: Mapping[str, Sequence[float | None]],
) -> tuple[dict[str, dict[str, float]], dict[str, Any]]:
    """Return judgments and runs in which system s has value values[s][i] on query i.

    Each system returns one document, whose grade is the value. None leaves the query out of the
    run.
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
