"""Dicts of dicts, in process."""

from __future__ import annotations

from bench import Bench
from compare import Subject, Worker, compare
from results import GAINFUL, Row
from rows.files import MS_MARCO


def measure(bench: Bench) -> list[Row]:
    """Time one call with judgments and run as dicts, including building an evaluator."""
    data = bench.collection(MS_MARCO)
    answer = data.answers[0]
    right = [answer.exact]
    row = Row(f"Dict of dicts, {data.recipe.queries:,} × {data.recipe.depth:,}, in process")
    files = (data.qrels, data.run)
    subjects: list[Subject] = []
    if bench.gainful is not None:
        script = bench.gainful_script("dicts.py", "gainful", *files)
        subjects.append(Worker(GAINFUL, script, expected=right, runs_each_round=2))
    script = bench.script("dicts.py", "pytrec_eval", *files)
    subjects.append(Worker("pytrec_eval", script, expected=right))
    if bench.ranx:
        room = max(answer.high - answer.exact, answer.exact - answer.low)
        script = bench.script("dicts.py", "ranx", *files)
        subjects.append(Worker("ranx", script, expected=right, tolerance=room))
    row.notes.append("memory is that of the worker, including the dicts")
    row.measured = compare(subjects, rounds=bench.rounds(5))
    full = not bench.quick
    row.aim_seconds("≤ 0.5 s", GAINFUL, 0.5, judged=full)
    row.aim_ratio("≥ 8× pytrec_eval", "pytrec_eval", GAINFUL, 8, judged=full)
    return [row]
