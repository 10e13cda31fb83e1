"""The explanation of one query, for which the whole run is read."""

from __future__ import annotations

import json

import gainful_command
from bench import Bench
from compare import Process, compare
from results import GAINFUL, Row
from rows.files import MS_MARCO

EVALUATE = f"{GAINFUL} evaluate"
EXPLAIN = f"{GAINFUL} explain"


def measure(bench: Bench) -> list[Row]:
    """Time the explanation of a query, and the evaluation of the same run."""
    row = Row("Explain one query of the same run, whole process")
    if bench.gainful is None:
        row.notes.append(f"only {GAINFUL} is timed here")
        return [row]
    data = bench.collection(MS_MARCO)
    with data.qrels.open(encoding="ascii") as file:
        query = file.readlines()[-1].split()[0]
    command = gainful_command.explain(bench.gainful, data.qrels, data.run, query)
    right = [data.answers[0].exact]
    subjects = [
        *bench.gainful_files(EVALUATE, data.qrels, [data.run], right, runs_each_round=3),
        Process(EXPLAIN, command, read_exact_value, tolerance=None, runs_each_round=3),
    ]
    row.measured = compare(subjects, rounds=bench.rounds(5))
    row.aim_within("≤ 1.3× the evaluation", EXPLAIN, EVALUATE, 1.3, judged=not bench.quick)
    row.aim_memory("≤ 40 MB peak memory", EXPLAIN, 40, judged=not bench.quick)
    return [row]


def read_exact_value(output: str) -> list[float]:
    """Return the value of an explanation in JSON."""
    return [float(json.loads(output)["value"])]
