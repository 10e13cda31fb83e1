"""The overhead of a search, measured with a system that answers immediately."""

from __future__ import annotations

from bench import Bench
from compare import Subject, Worker, compare
from results import GAINFUL, Row

QUERIES = 10_000
DEPTH = 100
MICROSECONDS = 150


def measure(bench: Bench) -> list[Row]:
    """Time searches that store each answer in a journal on disk."""
    count = QUERIES // 20 if bench.quick else QUERIES
    row = Row(f"Search: {count:,} queries × {DEPTH}, a system that answers immediately, 8 workers")
    arguments = (str(count), str(DEPTH))
    # The best score of query n is 1000 + (n mod 64) / 8.
    best = sum(1000.0 + number % 64 / 8 for number in range(count))
    right = [float(count * DEPTH), best]
    subjects: list[Subject] = []
    if bench.gainful is not None:
        script = bench.gainful_script("search.py", "gainful", *arguments)
        subjects.append(Worker(GAINFUL, script, expected=right))
    for name, subject in (("8 threads and SQLite", "threads"), ("a loop and SQLite", "loop")):
        script = bench.script("search.py", subject, *arguments)
        subjects.append(Worker(name, script, expected=right))
    row.measured = compare(subjects, rounds=bench.rounds(5))
    row.notes.append("the peers have no retries and no timeouts, and cannot resume")
    row.aim_seconds(
        f"≤ {MICROSECONDS} µs per query",
        GAINFUL,
        count * MICROSECONDS / 1e6,
        judged=not bench.quick,
    )
    return [row]
