"""Judgments in Parquet into memory, the whole process: what one of them takes."""

from __future__ import annotations

from bench import Bench, last_number
from compare import Process, compare
from results import GAINFUL, Row
from rows.columns import PARTS

QUARTER = f"{GAINFUL}, a quarter"


def measure_large(bench: Bench) -> list[Row]:
    """Time the judgments of the largest run, and a quarter of them."""
    whole = bench.columns(1_000_000, parts=PARTS)
    data = {GAINFUL: whole, QUARTER: whole.first(1)}
    row = Row(f"{whole.judgments / 1e6:,.3g} million judgments of Parquet into memory")
    row.rows = whole.judgments
    if bench.gainful is not None:
        row.measured = compare(
            [
                Process(
                    name,
                    bench.gainful_script("judgments.py", each.qrels),
                    last_number,
                    expected=[each.judgments],
                )
                for name, each in data.items()
            ],
            rounds=bench.rounds(3),
        )
    return [row]
