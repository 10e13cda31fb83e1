"""Spark on two cores: Gainful in the executors, and hand-written code."""

from __future__ import annotations

import spark_environment
from bench import SUBJECTS, Bench
from compare import Subject, Worker, compare
from results import GAINFUL, Row
from rows.columns import millions

FRAMES, WINDOW, PANDAS = "Gainful, DataFrames", "window functions", "applyInPandas"
FIRST = "Gainful, DataFrames, first ranks"
THREE_WAYS = {GAINFUL: "gainful-three", FRAMES: "frames-three", WINDOW: "window-three"}
# Longer calls run once, because the JVM warms up during the call.
LONG = 120.0
QUERIES = 100_000


def measure_large(bench: Bench) -> list[Row]:
    """Time the mean nDCG@10 of Parquet files."""
    ways = {
        GAINFUL: "gainful",
        FRAMES: "frames",
        FIRST: "frames-first",
        WINDOW: "window",
        PANDAS: "applyInPandas",
    }
    row = row_of(bench, "nDCG@10", ways, 1)
    row.aim_seconds("≤ 4 s in DataFrames, first ranks", FIRST, 4, judged=not bench.quick)
    row.notes.append("window functions and first ranks drop rows below rank 10 before the shuffle")
    row.aim_ratio(f"≥ 20× {PANDAS}", PANDAS, GAINFUL, 20, judged=not bench.quick)
    return [row]


def measure_three(bench: Bench) -> list[Row]:
    """Time three measures, two of which need all ranks."""
    return [row_of(bench, "nDCG@10, AP and R@100", THREE_WAYS, 3)]


def row_of(bench: Bench, asked: str, ways: dict[str, str], answers: int) -> Row:
    """Time files to means in a running session."""
    data = bench.columns(QUERIES)
    row = Row(f"Spark local[2], {millions(data)} of Parquet to {asked}, in a running session")
    row.rows, row.size = data.rows, data.bytes
    python = spark_environment.install(bench.folder.parent, bench.python)
    subjects: list[Subject] = [
        Worker(
            name,
            [python, SUBJECTS / "spark.py", way, data.qrels, data.run],
            expected=data.answers[:answers],
            first_counts_from=LONG,
            runs_each_round=1 if name == PANDAS else 5,
        )
        for name, way in ways.items()
        if not name.startswith(GAINFUL) or bench.gainful is not None
    ]
    row.measured = compare(subjects, rounds=1)
    row.aim_ratio(f"≥ 5× {WINDOW}", WINDOW, GAINFUL, 5, judged=not bench.quick)
    row.notes.append(f"{GAINFUL} takes the addresses of the files, {FRAMES[9:]} travel")
    row.notes.append("memory and CPU are those of Python, the JVM and Spark's Python workers")
    return row
