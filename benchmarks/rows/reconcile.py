"""Find the convention behind a number: combinations of policies, measures and cutoffs."""

from __future__ import annotations

from pathlib import Path

from bench import Bench
from compare import Subject, Worker, compare
from data import Recipe
from results import GAINFUL, Row, Target

#: The size of the TREC 2019 Deep Learning track, whose data are used if available.
TRACK = Recipe(queries=43, depth=1_000, judged=215)
REAL = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "dl19-passage"
REPORTED = "0.5058"
#: 10,000 combinations in 2 s.
LEAST = 5_000


def measure(bench: Bench) -> list[Row]:
    """Time a number with a known measure, and one with an unknown measure."""
    return [_row(bench, "nDCG@10"), _row(bench, None)]


def _row(bench: Bench, named: str | None) -> Row:
    qrels, run = REAL / "qrels.dl19-passage.txt", REAL / "bm25-default.run.gz"
    if not (qrels.exists() and run.exists()):
        data = bench.collection(TRACK, scaled=False)
        qrels, run = data.qrels, data.run
    what = f"as {named}" if named else "as any measure at any cutoff"
    row = Row(f"reconcile a number {what}, {TRACK.queries} × {TRACK.depth:,}, in process")
    subjects: list[Subject] = []
    if bench.gainful is not None:
        words = [qrels, run, REPORTED, *([named] if named else [])]
        script = bench.gainful_script("reconcile.py", *words)
        subjects.append(Worker(GAINFUL, script, tolerance=None))
    row.measured = compare(subjects, rounds=bench.rounds(3))
    rate = None
    if GAINFUL in row.measured:
        own = row.measured[GAINFUL]
        rate = own.answers[0] / own.seconds
        row.notes.append(f"{own.answers[0]:,.0f} combinations")
    text = "≥ 10,000 combinations in 2 s"
    row.targets.append(Target(text, rate, LEAST, "/s", at_least=True, judged=True))
    return row
