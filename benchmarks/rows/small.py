"""A small run as a whole process: mostly startup."""

from __future__ import annotations

from bench import Bench, last_number
from compare import PRINTED, Process, Subject, compare
from data import Recipe
from results import GAINFUL, Row

TRACK = Recipe(queries=54, depth=1_000, judged=211)
CLICK = "import click"


def measure(bench: Bench) -> list[Row]:
    """Time Gainful, the peers, and a Python that only imports click."""
    data = bench.collection(TRACK, scaled=False)
    qrels, run, answer = data.qrels, data.run, data.answers[0]
    right = [answer.exact]
    row = Row("54 queries × 1,000, whole process, --format tsv")
    subjects: list[Subject] = [
        *bench.gainful_files(GAINFUL, qrels, [run], right, runs_each_round=3),
        Process(CLICK, [bench.python, "-c", "import click"], runs_each_round=3),
    ]
    if bench.peers.trec_eval is not None:
        command = bench.trec_eval(qrels, run)
        subjects.append(
            Process("trec_eval", command, last_number, expected=right, tolerance=PRINTED)
        )
    else:
        row.notes.append(f"no trec_eval: {bench.peers.missing}")
    ir_measures = bench.ir_measures(qrels, run)
    subjects.append(Process("ir_measures", ir_measures, last_number, expected=right))
    if bench.ranx:
        room = max(answer.high - answer.exact, answer.exact - answer.low)
        script = bench.script("files_ranx.py", qrels, run)
        subjects.append(Process("ranx", script, last_number, expected=right, tolerance=room))
    row.measured = compare(subjects, rounds=bench.rounds(7))
    row.aim_within("≤ trec_eval", GAINFUL, "trec_eval", 1)
    return [row]
