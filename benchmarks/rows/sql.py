"""Gainful's query for DuckDB, vs. hand-written queries and the kernel."""

from __future__ import annotations

import gainful_command
import measure_process
from bench import Bench, last_number
from compare import Process, Subject, compare
from results import GAINFUL, Row
from rows.columns import gainful, millions

GENERATED, WINDOW, ARG_MAX = "`gainful sql` in DuckDB", "DuckDB window", "DuckDB arg_max"


def measure(bench: Bench) -> list[Row]:
    """Time a run of a million rows."""
    return rows_of(bench, 10_000)


def measure_large(bench: Bench) -> list[Row]:
    """Time a run of ten million rows."""
    return rows_of(bench, 100_000)


def rows_of(bench: Bench, queries: int) -> list[Row]:
    """Time nDCG@10 with exact ties; the generated query also checks the data."""
    data = bench.columns(queries)
    row = Row(f"{millions(data)} of Parquet to nDCG@10 by SQL, whole process")
    row.rows, row.size = data.rows, data.bytes
    ways = {WINDOW: "window", ARG_MAX: "arg_max"}
    if bench.gainful is not None:
        written = data.folder / "generated.sql"
        command = gainful_command.sql(bench.gainful)
        written.write_text(measure_process.run(command).output, encoding="utf-8")
        ways = {GENERATED: str(written), **ways}
    subjects: list[Subject] = [
        Process(
            name,
            bench.script("warehouse.py", way, data.qrels, data.run),
            last_number,
            expected=data.answers[:1],
        )
        for name, way in ways.items()
    ]
    row.measured = compare([*gainful(bench, GAINFUL, data), *subjects], rounds=bench.rounds(3))
    row.notes.append("only the generated query checks the data")
    return [row]
