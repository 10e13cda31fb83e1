"""Measures of one's own in Python, on the data of `files`, as whole processes."""

from __future__ import annotations

from functools import partial

import gainful_command
from bench import SUBJECTS, Bench
from compare import Process, compare
from results import GAINFUL, Row
from rows.files import MS_MARCO

OWN = f"{SUBJECTS / 'own_measures.py'}:"


def measure(bench: Bench) -> list[Row]:
    """Time nDCG of the kernel, and the same as a vectorized and as a plain function."""
    data = bench.collection(MS_MARCO)
    rows = []
    for cutoff in ("", "@10"):
        row = Row(
            f"nDCG{cutoff} in Python, whole process: {data.recipe.queries:,} queries × "
            f"{data.recipe.depth:,} rows"
        )
        rows.append(row)
        if bench.gainful is None:
            continue
        right = [data.answers[0].exact] if cutoff else None
        subjects = []
        for name, path in ((GAINFUL, ""), ("vectorized", OWN), ("plain", OWN)):
            asked = f"{'nDCG' if name == GAINFUL else name}{cutoff}"
            command = gainful_command.evaluate(
                bench.gainful, data.qrels, [data.run], [f"{path}{asked}"]
            )
            read = partial(gainful_command.read_means, measures=[asked])
            subjects.append(Process(name, command, read, expected=right, runs_each_round=3))
        row.measured = compare(subjects, rounds=bench.rounds(3))
        row.aim_within("≤ 3× nDCG", "vectorized", GAINFUL, 3)
    return rows
