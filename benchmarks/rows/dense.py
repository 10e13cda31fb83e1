"""Arrays of labels and scores, as in learning to rank and recommendation."""

from __future__ import annotations

from bench import QUICK_SCALE, Bench
from compare import Subject, Worker, compare
from results import GAINFUL, Row

ROWS, COLUMNS = 10_000, 1_000


def measure(bench: Bench) -> list[Row]:
    """Time one call on the whole arrays."""
    rows = round(ROWS * QUICK_SCALE) if bench.quick else ROWS
    row = Row(f"Dense {rows:,} × {COLUMNS:,} labels and scores, nDCG@10, ties expected, in process")
    size = (str(rows), str(COLUMNS))
    subjects: list[Subject] = []
    if bench.gainful is not None:
        script = bench.gainful_script("dense.py", "gainful", *size)
        subjects.append(Worker(GAINFUL, script, runs_each_round=2))
    exact, ignoring = "scikit-learn", "scikit-learn ignoring ties"
    subjects += [
        Worker(exact, bench.script("dense.py", "scikit-learn", *size)),
        Worker(ignoring, bench.script("dense.py", "ignoring-ties", *size), tolerance=None),
    ]
    row.notes.append("the answer of ignore_ties is not compared, since it is another measure")
    row.measured = compare(subjects, rounds=bench.rounds(5))
    row.aim_seconds("≤ 0.06 s", GAINFUL, 0.06, judged=not bench.quick)
    return [row]
