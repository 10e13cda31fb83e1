"""Arrow data frames, in process, with ids as text and as integers."""

from __future__ import annotations

from bench import Bench
from compare import Subject, Worker, compare
from results import GAINFUL, Row
from rows.files import MS_MARCO

PEERS = {
    "Polars sort": "polars-sort",
    "Polars cut": "polars-cut",
    "DuckDB window": "duckdb-window",
    "DuckDB arg_max": "duckdb-arg_max",
}


def measure(bench: Bench) -> list[Row]:
    """Time both kinds of ids."""
    return [measure_ids(bench, ids) for ids in ("text", "integers")]


def measure_ids(bench: Bench, ids: str) -> Row:
    """Time Gainful on a Polars frame and a PyArrow table, and queries of the peers."""
    data = bench.collection(MS_MARCO)
    right = [data.answers[0].exact]
    row = Row(f"Arrow data frame, the same {data.rows:,} rows, in process, ids as {ids}")
    subjects: list[Subject] = []
    for kind in ("polars", "pyarrow") if bench.gainful else ():
        arguments = (f"gainful-{kind}", ids, data.qrels, data.run, bench.peers.packages)
        script = bench.gainful_script("frames.py", *arguments)
        name = f"{GAINFUL} on {kind}"
        subjects.append(Worker(name, script, expected=right, runs_each_round=2))
    for name, subject in PEERS.items():
        script = bench.script("frames.py", subject, ids, data.qrels, data.run)
        subjects.append(Worker(name, script, expected=right))
    row.notes.append("memory is that of the worker, including the frames")
    row.measured = compare(subjects, rounds=bench.rounds(5))
    for kind in ("polars", "pyarrow"):
        text = f"≤ 0.4 s with exact ties ({kind})"
        row.aim_seconds(text, f"{GAINFUL} on {kind}", 0.4, judged=not bench.quick)
    return row
