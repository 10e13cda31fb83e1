"""The overhead of a search over HTTP, with a server that answers immediately."""

from __future__ import annotations

from bench import QUICK_SCALE, Bench
from compare import Subject, Worker, compare
from results import GAINFUL, Row

QUERIES = 10_000
DEPTH = 100
WORKERS = 8
A_SECOND = 2_000
LOOP = "aiohttp by hand"


def measure(bench: Bench) -> list[Row]:
    """Time `gainful.search` and a loop with aiohttp, each with a journal in SQLite."""
    queries = round(QUERIES * QUICK_SCALE) if bench.quick else QUERIES
    row = Row(f"{queries:,} queries over HTTP, {WORKERS} workers, {DEPTH} documents each, journal")
    # Every query has its expected answer, so the sum of scores is known.
    right = [float(queries), queries * sum(at + 0.5 for at in range(1, DEPTH + 1))]
    subjects: list[Subject] = []
    if bench.gainful is not None:
        for name, way in ((GAINFUL, "gainful"), (LOOP, "loop")):
            command = bench.gainful_script("http_search.py", way, str(queries), str(WORKERS))
            subjects.append(Worker(name, command, expected=right))
    row.measured = compare(subjects, rounds=bench.rounds(5))
    if GAINFUL in row.measured:
        a_second = queries / row.measured[GAINFUL].seconds
        row.notes.append(f"{a_second:,.0f} queries per second; the server shares the processors")
    row.aim_seconds(
        f"≥ {A_SECOND:,} queries per second",
        GAINFUL,
        queries / A_SECOND,
        judged=not bench.quick,
    )
    return [row]
