"""The cost of importing Gainful, vs. a Python that imports nothing."""

from __future__ import annotations

from bench import Bench
from compare import Process, Subject, compare
from results import GAINFUL, Row

BARE = "bare Python"


def measure(bench: Bench) -> list[Row]:
    """Time processes that only import."""
    row = Row("import gainful, whole process")
    subjects: list[Subject] = []
    if bench.gainful is not None:
        subjects.append(
            Process(GAINFUL, [bench.gainful, "-c", "import gainful"], runs_each_round=3)
        )
    subjects.append(Process(BARE, [bench.python, "-c", "pass"], runs_each_round=3))
    for name in ("ir_measures", "sklearn", "ranx"):
        subjects.append(Process(name, [bench.peers.python, "-c", f"import {name}"]))
    row.measured = compare(subjects, rounds=bench.rounds(7))
    row.aim_within("≤ 1.2× bare Python", GAINFUL, BARE, 1.2)
    return [row]
