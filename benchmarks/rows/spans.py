"""Chunks with offsets, measured by the text that they cover."""

from __future__ import annotations

from pathlib import Path

import gainful_command
from bench import Bench
from compare import Process, Subject, compare
from data import Collection, Recipe
from results import GAINFUL, Row

QUESTIONS = Recipe(queries=100_000, depth=20)
SPANS = ("SpanR(budget=4000)", "SpanDCG@5", "SpanU(L=8000)")
#: Chunks of 400 positions, every 200, in so many texts.
LENGTH, STEP, TEXTS = 400, 200, 97
_WITHOUT = "nDCG@10 without offsets"


def measure(bench: Bench) -> list[Row]:
    """Time measures of spans, and nDCG@10 of the same rows without offsets."""
    data = bench.collection(QUESTIONS)
    qrels, run = (with_offsets(data, path) for path in (data.qrels, data.run))
    row = Row(
        f"Spans: {data.recipe.queries:,} questions × {data.recipe.depth} chunks, whole process"
    )
    subjects: list[Subject] = []
    if bench.gainful is not None:
        plain = gainful_command.evaluate(bench.gainful, data.qrels, [data.run])
        subjects.append(Process(_WITHOUT, plain, runs_each_round=3))
        words = gainful_command.evaluate(bench.gainful, qrels, [run], SPANS[:1])
        subjects.append(Process(GAINFUL, words, runs_each_round=3))
        words = gainful_command.evaluate(bench.gainful, qrels, [run], SPANS)
        subjects.append(Process("three measures", words, runs_each_round=3))
    row.measured = compare(subjects, rounds=bench.rounds(3))
    row.aim_within("≤ 3× nDCG@10 without offsets", GAINFUL, _WITHOUT, 3, judged=not bench.quick)
    return [row]


def with_offsets(data: Collection, path: Path) -> Path:
    """Return a copy of judgments or of a run whose documents are chunks of few texts."""
    written = data.folder / f"spans-{path.name}"
    if not written.exists():
        unfinished = written.with_suffix(".part")
        with path.open() as rows, unfinished.open("w") as into:
            for line in rows:
                fields = line.split(" ")
                fields[2] = place(fields[2])
                into.write(" ".join(fields))
        unfinished.rename(written)
    return written


def place(document: str) -> str:
    """Return the chunk that represents a document: different documents are different chunks.

    Examples
    --------
    >>> place("D205")
    't11#char=400,800'
    """
    number = int("".join(filter(str.isdigit, document)))
    start = number // TEXTS * STEP
    return f"t{number % TEXTS}#char={start},{start + LENGTH}"
