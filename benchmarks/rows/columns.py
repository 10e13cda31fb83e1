"""Means of a run in Parquet, as a whole process, with constant memory."""

from __future__ import annotations

from itertools import pairwise

import gainful_command
from bench import Bench, all_numbers
from columns_data import ColumnsData
from compare import Process, Subject, compare
from results import GAINFUL, Row

THREE = ("nDCG@10", "AP", "R@100")
# The parts of the largest run: the first is its quarter, the first two its half.
PARTS = 4
QUARTER = f"{GAINFUL}, a quarter"


def measure(bench: Bench) -> list[Row]:
    """Time a run of ten million rows."""
    return rows_of(bench, bench.columns(100_000))


def measure_large(bench: Bench) -> list[Row]:
    """Time a run of a hundred million rows."""
    return rows_of(bench, bench.columns(1_000_000, parts=PARTS))


def rows_of(bench: Bench, data: ColumnsData) -> list[Row]:
    """Time one measure and three."""
    what = f"{millions(data)} of Parquet ({data.bytes / 1e6:,.0f} MB)"
    one = Row(f"{what} to nDCG@10, whole process")
    ways = ("arg_max", "arg_max_joined")
    subjects = [*gainful(bench, GAINFUL, data), *(duckdb(bench, data, way) for way in ways)]
    one.measured = compare(subjects, rounds=bench.rounds(3))
    three = Row(f"{what} to nDCG@10, AP and R@100, whole process")
    subjects = [*gainful(bench, GAINFUL, data, THREE), duckdb(bench, data, "three")]
    three.measured = compare(subjects, rounds=bench.rounds(3))
    full = not bench.quick
    for way in ways:
        one.aim_ratio(f"≥ 2.5× DuckDB ({way})", f"DuckDB {way}", GAINFUL, 2.5, judged=full)
    three.aim_ratio("≥ 3× DuckDB", "DuckDB three", GAINFUL, 3, judged=full)
    for row in (one, three):
        row.rows, row.size = data.rows, data.bytes
        row.aim_memory("≤ 600 MB peak memory", GAINFUL, 600, judged=full)
        row.notes.append("the scores have no ties, whose order DuckDB leaves undefined")
    return [one, three]


def measure_doubling(bench: Bench) -> list[Row]:
    """Time the largest run, half of it and a quarter of it."""
    whole = bench.columns(1_000_000, parts=PARTS)
    sizes = {f"{GAINFUL}, {millions(data)}": data for data in (whole.first(1), whole.first(2))}
    sizes[f"{GAINFUL}, {millions(whole)}"] = whole
    row = Row("Parquet to nDCG@10, whole process: the cost of doubling the rows")
    row.rows, row.size = whole.rows, whole.bytes
    subjects = [subject for name, data in sizes.items() for subject in gainful(bench, name, data)]
    row.measured = compare(subjects, rounds=bench.rounds(5))
    names = list(sizes)
    for small, large in pairwise(names):
        text = f"{millions(sizes[large])}: ≤ 2.2× the time of half the rows"
        row.aim_within(text, large, small, 2.2, judged=not bench.quick)
    return [row]


def measure_one_query(bench: Bench) -> list[Row]:
    """Time a run with a single query, whose rows are all in memory, and a quarter of it."""
    data = bench.columns(1, depth=20_000_000)
    row = Row(f"One query of {millions(data)} of Parquet to nDCG@10, whole process")
    row.rows, row.size = data.rows, data.bytes
    quarter = bench.columns(1, depth=5_000_000)
    subjects = [*gainful(bench, GAINFUL, data), *gainful(bench, QUARTER, quarter)]
    row.measured = compare(subjects, rounds=bench.rounds(3))
    row.aim_seconds("≤ 8 s", GAINFUL, 8, judged=not bench.quick)
    row.aim_memory("≤ 1 GB peak memory", GAINFUL, 1000, judged=not bench.quick)
    return [row]


def millions(data: ColumnsData) -> str:
    """Return the number of rows in words."""
    return f"{data.rows / 1e6:,.4g} million rows"


def gainful(
    bench: Bench, name: str, data: ColumnsData, measures: tuple[str, ...] = THREE[:1]
) -> list[Subject]:
    """Return the subject with Gainful's command line; empty if only peers are timed."""
    if bench.gainful is None:
        return []
    command = gainful_command.evaluate(bench.gainful, data.qrels, [data.run], measures)

    def read(output: str) -> list[float]:
        return gainful_command.read_means(output, measures)

    return [Process(name, command, read, expected=data.answers[: len(measures)])]


def duckdb(bench: Bench, data: ColumnsData, way: str) -> Subject:
    """Return the subject with a query in DuckDB."""
    script = bench.script("columns.py", way, data.qrels, data.run)
    answers = data.answers if way == "three" else data.answers[:1]
    return Process(f"DuckDB {way}", script, all_numbers, expected=answers)
