"""How the time depends on threads, queries, documents, measures and systems; whole processes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path

import gainful_command
from bench import Bench
from compare import Process, Subject, Worker, compare
from data import Collection, Recipe
from results import Row
from rows.columns import PARTS, millions
from rows.files import MS_MARCO

#: The numbers of threads of the page; those above the processors are modeled.
THREADS = (1, 2, 4, 8, 16)
FIRST = "the first query"
#: What grows from `BASE`, by name: the recipe and the measures.
BASE = "10,000 queries × 100 documents, one measure, one system"
MEASURES = (
    *("nDCG@10", "AP", "RR", "P@10", "R@100", "nDCG", "AP@100", "Success@1", "P@5", "P@20"),
    *("R@10", "Rprec", "bpref", "nDCG@20", "nDCG@5", "RR@10"),
)
GROWN: dict[str, tuple[Recipe, int]] = {
    BASE: (Recipe(queries=10_000, depth=100), 1),
    "4 times the queries": (Recipe(queries=40_000, depth=100), 1),
    "4 times the documents per query": (Recipe(queries=10_000, depth=400), 1),
    "4 measures": (Recipe(queries=10_000, depth=100), 4),
    "16 measures": (Recipe(queries=10_000, depth=100), 16),
    "4 systems": (Recipe(queries=10_000, depth=100, runs=4), 1),
}


def measure(bench: Bench) -> list[Row]:
    """Time all of them."""
    return [threads(bench), memory(bench), parquet_threads(bench), growth(bench)]


def usable() -> list[int]:
    """Return the numbers of threads that have a processor each."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
    return [number for number in THREADS if number <= processors]


def named(number: int) -> str:
    return f"{number} thread" if number == 1 else f"{number} threads"


def threads(bench: Bench) -> Row:
    """Time a run of 6,980 × 1,000 on each number of threads, and its first query."""
    data = bench.collection(MS_MARCO)
    row = Row("TREC text to nDCG@10 by threads, whole process")
    row.rows, row.size = data.rows, data.run.stat().st_size
    if bench.gainful is not None:
        subjects = [evaluated(bench, named(number), data, number=number) for number in usable()]
        words = gainful_command.evaluate(bench.gainful, data.qrels, [first_query(bench, data)])
        subjects.append(Process(FIRST, [*words, "--threads", "1"], runs_each_round=5))
        row.measured = compare(subjects, rounds=bench.rounds(5))
    return row


def memory(bench: Bench) -> Row:
    """Time reading a gigabyte of memory, the limit of all threads together."""
    size = 1 << 30
    row = Row(f"Reading {size / 1e9:.2f} GB of memory by threads, in process", size=size, rows=1)
    subjects = [
        Worker(named(number), bench.script("memory.py", str(size), str(number)), tolerance=None)
        for number in usable()
    ]
    row.measured = compare(subjects, rounds=bench.rounds(5))
    return row


def parquet_threads(bench: Bench) -> Row:
    """Time the largest run in Parquet on each number of threads."""
    data = bench.columns(1_000_000, parts=PARTS)
    row = Row(f"{millions(data)} of Parquet to nDCG@10 by threads, whole process")
    row.rows, row.size = data.rows, data.bytes
    if bench.gainful is not None:
        words = gainful_command.evaluate(bench.gainful, data.qrels, [data.run])
        subjects: list[Subject] = [
            Process(
                named(number),
                [*words, "--threads", str(number)],
                gainful_command.read_means,
                expected=data.answers[:1],
            )
            for number in usable()
        ]
        row.measured = compare(subjects, rounds=bench.rounds(5))
    return row


def growth(bench: Bench) -> Row:
    """Time one thread on a collection, and on several times as much of one thing each."""
    row = Row(f"TREC text on one thread, from {BASE}; whole process")
    data = {name: bench.collection(recipe) for name, (recipe, _) in GROWN.items()}
    row.rows, row.size = data[BASE].rows, data[BASE].run.stat().st_size
    if bench.gainful is not None:
        row.measured = compare(
            [
                evaluated(bench, name, data[name], measures=MEASURES[:count])
                for name, (_, count) in GROWN.items()
            ],
            rounds=bench.rounds(5),
        )
    return row


def evaluated(
    bench: Bench,
    name: str,
    data: Collection,
    *,
    measures: Sequence[str] = MEASURES[:1],
    number: int = 1,
) -> Subject:
    """Return the subject that evaluates a collection on a number of threads."""
    assert bench.gainful is not None
    words = gainful_command.evaluate(bench.gainful, data.qrels, data.runs, measures)
    return Process(
        name,
        [*words, "--threads", str(number)],
        gainful_command.read_means,
        expected=[answer.exact for answer in data.answers],
        runs_each_round=3,
    )


def first_query(bench: Bench, data: Collection) -> Path:
    """Write the first query of a run: what takes the same time for a run of any size."""
    path = bench.folder / "first-query.txt"
    with data.run.open(encoding="ascii") as lines:
        first = next(lines)
        query = first.split()[0]
        rest = takewhile(lambda line: line.split()[0] == query, lines)
        path.write_text(first + "".join(rest), encoding="ascii")
    return path
