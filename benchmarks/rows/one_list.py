"""One list of five grades: the overhead of a call."""

from __future__ import annotations

from bench import Bench
from compare import Subject, Worker, compare
from results import GAINFUL, Row

PEERS = {"plain Python": "python", "pytrec_eval": "pytrec_eval", "scikit-learn": "scikit-learn"}


def measure(bench: Bench) -> list[Row]:
    """Time one call, in a loop."""
    row = Row("One list of five grades, one call")
    subjects: list[Subject] = []
    if bench.gainful is not None:
        subjects.append(Worker(GAINFUL, bench.gainful_script("one_list.py", "gainful")))
    for name, subject in PEERS.items():
        subjects.append(Worker(name, bench.script("one_list.py", subject)))
    row.measured = compare(subjects, rounds=bench.rounds(5))
    row.aim_seconds("≤ 0.6 µs", GAINFUL, 0.6e-6)
    return [row]
