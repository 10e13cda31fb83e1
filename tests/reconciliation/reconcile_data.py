"""Judgments and runs for tests of reconcile()."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import gainful

if TYPE_CHECKING:
    from gainful.data.qrels import QrelsLike
    from gainful.data.run import RunLike
    from gainful.reconciliation import Match

Rows = list[tuple[str, str, float]]

#: Every query returned, no ties, grades up to 2.
WHOLE: tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]] = (
    {
        "q1": {"d1": 2, "d2": 1, "d3": 0, "d4": 1},
        "q2": {"d1": 1, "d5": 2, "d6": 0, "d7": 1},
        "q3": {"d2": 1, "d4": 2, "d8": 2},
    },
    {
        "q1": {"d3": 5.0, "d1": 4.0, "d9": 3.0, "d4": 2.0},
        "q2": {"d5": 5.0, "d9": 4.0, "d7": 3.0, "d1": 2.0},
        "q3": {"d8": 5.0, "d2": 4.0, "d3": 3.0, "d1": 2.0},
    },
)


def collection(
    seed: object, queries: int = 9, *, losses: bool = False, ties: bool = True, twice: bool = True
) -> tuple[gainful.Qrels, gainful.Run]:
    """Return judgments and a run with ties, missing queries and duplicate documents."""
    chance = random.Random(str(seed))
    judgments: Rows = []
    run: Rows = []
    for number in range(queries):
        query = f"q{number}"
        documents = [f"d{n}" for n in range(chance.randint(3, 12))]
        grades = [0, 0, 1, 1, 2, 3] + ([-1] if losses else [])
        judged = chance.sample(documents, chance.randint(2, len(documents)))
        judgments += [(query, document, chance.choice(grades)) for document in judged]
        if number == 3:
            continue
        returned = chance.sample(documents, chance.randint(2, len(documents)))
        returned += [f"u{n}" for n in range(chance.randint(0, 4))]
        chance.shuffle(returned)
        levels = 5 if ties else 10**6
        rows = [(query, document, float(chance.randrange(levels))) for document in returned]
        if number == 5 and twice:
            rows.append((query, rows[0][1], -1.0))
        run += rows
    return gainful.Qrels(judgments), gainful.Run(run, duplicates="count")


def close(one: dict[str, float], other: dict[str, float]) -> bool:
    return all(abs(one[query] - other[query]) < 1e-9 for query in one)


def per_query(qrels: QrelsLike, run: RunLike, match: Match) -> dict[str, float]:
    result = gainful.evaluate(qrels, run, match.measure, convention=match.convention)
    return result.per_query()
