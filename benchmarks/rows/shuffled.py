"""The same lines in random order, not grouped by query."""

from __future__ import annotations

from bench import Bench
from compare import compare
from results import GAINFUL, Row
from rows.files import MS_MARCO

GROUPED = "Gainful grouped"
SHUFFLED = "Gainful shuffled"


def measure(bench: Bench) -> list[Row]:
    """Time Gainful on grouped and shuffled lines."""
    row = Row("The same lines fully shuffled, whole process")
    if bench.gainful is None:
        row.notes.append(f"only {GAINFUL} is timed here")
        return [row]
    data = bench.collection(MS_MARCO)
    right = [data.answers[0].exact]
    subjects = [
        *bench.gainful_files(GROUPED, data.qrels, [data.run], right, runs_each_round=2),
        *bench.gainful_files(SHUFFLED, data.qrels, [data.shuffled], right, runs_each_round=2),
    ]
    row.measured = compare(subjects, rounds=bench.rounds(5))
    row.aim_within("≤ 3× the grouped time", SHUFFLED, GROUPED, 3, judged=not bench.quick)
    row.aim_memory("≤ 200 MB peak memory", SHUFFLED, 200, judged=not bench.quick)
    return [row]
