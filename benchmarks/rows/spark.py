"""Spark on two cores of this machine: Gainful in its executors, and what people write by hand."""

from __future__ import annotations

import spark_environment
from bench import SUBJECTS, Bench
from compare import Subject, Worker, compare
from results import GAINFUL, Row
from rows.columns import millions

WINDOW, PANDAS = "window functions", "applyInPandas"
# What takes longer than this is run once: the JVM has warmed up within it.
LONG = 120.0
QUERIES = 100_000


def measure_large(bench: Bench) -> list[Row]:
    """Time the mean nDCG@10 of Parquet files, in a session that runs already."""
    data = bench.columns(QUERIES)
    row = Row(f"Spark local[2], {millions(data)} of Parquet to nDCG@10, in a running session")
    row.rows, row.size = data.rows, data.bytes
    python = spark_environment.install(bench.folder.parent, bench.python)
    ways = {GAINFUL: "gainful"} if bench.gainful else {}
    subjects: list[Subject] = [
        Worker(
            name,
            [python, SUBJECTS / "spark.py", way, data.qrels, data.run],
            expected=data.answers[:1],
            first_counts_from=LONG,
        )
        for name, way in {**ways, WINDOW: "window", PANDAS: "applyInPandas"}.items()
    ]
    row.measured = compare(subjects, rounds=1)
    judged = not bench.quick
    row.aim_ratio(f"≥ 5× {WINDOW}", WINDOW, GAINFUL, 5, judged=judged)
    row.aim_ratio(f"≥ 20× {PANDAS}", PANDAS, GAINFUL, 20, judged=judged)
    row.notes.append("memory and CPU are those of Python, the JVM and Spark's Python workers")
    return [row]
