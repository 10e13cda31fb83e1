"""Memory of judgments, and of the result of a call."""

from __future__ import annotations

from bench import Bench, last_number
from columns_data import ColumnsData
from compare import Process, Worker, compare
from results import GAINFUL, Row
from rows.columns import PARTS, QUARTER


def measure_large(bench: Bench) -> list[Row]:
    """Measure the judgments of the largest run, and a result with the same number of queries."""
    whole = bench.columns(1_000_000, parts=PARTS)
    return [read(bench, whole), evaluated(bench, bench.columns(1_000_000, depth=10))]


def read(bench: Bench, whole: ColumnsData) -> Row:
    """Read judgments, and a quarter of them, as whole processes."""
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
    return row


def evaluated(bench: Bench, data: ColumnsData) -> Row:
    """Keep the result of a call; the extras have its memory."""
    queries = data.rows // data.depth
    row = Row(f"Rows of {queries:,} queries, nDCG@10, in memory", rows=queries)
    if bench.gainful is not None:
        script = bench.gainful_script("results_held.py", data.qrels, data.run)
        subjects = [Worker(GAINFUL, script, expected=data.answers[:1])]
        row.measured = compare(subjects, rounds=bench.rounds(3))
        held = row.measured[GAINFUL].samples[-1].extras["held_bytes"]
        row.notes.append(f"{held / queries:,.0f} bytes per query")
    return row
