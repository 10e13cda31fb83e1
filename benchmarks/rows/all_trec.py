"""All measures of trec_eval as a whole process: many documents per query, and many queries."""

from __future__ import annotations

from pathlib import Path

import gainful_command
from bench import Bench
from compare import PRINTED, Process, Subject, compare
from data import Recipe
from results import GAINFUL, Row, Target
from rows.files import MS_MARCO

TOPICS = Recipe(queries=50_000, depth=10)
# As in `many`: the limit for the time per row with ten times as many rows.
LINEAR = 1.25
# Measures that pytrec_eval lacks, or does not return as a number.
LEFT_OUT = ("runid", "relstring")


def measure(bench: Bench) -> list[Row]:
    """Time both."""
    return [measure_documents(bench), measure_topics(bench)]


def measure_documents(bench: Bench) -> Row:
    """Time all measures on the run of `files`."""
    data = bench.collection(MS_MARCO)
    row = Row(
        f"All of trec_eval's measures (-m all_trec), whole process: {data.recipe.queries:,} "
        f"queries × {data.recipe.depth:,} rows"
    )
    subjects = [
        *gainful(bench, GAINFUL, data.qrels, data.run, runs_each_round=3),
        *peers(bench, data.qrels, data.run),
    ]
    row.measured = compare(subjects, rounds=bench.rounds(3))
    row.aim_ratio("≥ 10× pytrec_eval", "pytrec_eval", GAINFUL, 10, judged=not bench.quick)
    return row


def measure_topics(bench: Bench) -> Row:
    """Time 50,000 queries, and a tenth of that."""
    data, tenth = bench.collection(TOPICS), bench.collection(TOPICS.scaled(0.1))
    row = Row(
        f"All of trec_eval's measures, whole process: {data.recipe.queries:,} queries × "
        f"{data.recipe.depth}"
    )
    small = "Gainful on a tenth"
    subjects = [
        *gainful(bench, GAINFUL, data.qrels, data.run, runs_each_round=3),
        *peers(bench, data.qrels, data.run),
    ]
    row.measured = compare(subjects, rounds=bench.rounds(3))
    growth = None
    if bench.gainful is not None:
        alone = gainful(bench, small, tenth.qrels, tenth.run, runs_each_round=3)
        row.measured |= compare(alone, rounds=bench.rounds(3))
        times = row.measured[GAINFUL].seconds / row.measured[small].seconds
        growth = times / (data.rows / tenth.rows)
    judged = not bench.quick
    text = f"linear: ≤ {LINEAR}× the time per row of a tenth"
    row.targets.append(Target(text, growth, LINEAR, "×", at_least=False, judged=judged))
    row.aim_ratio("≥ 30× pytrec_eval", "pytrec_eval", GAINFUL, 30, judged=judged)
    return row


def gainful(
    bench: Bench, name: str, qrels: Path, run: Path, *, runs_each_round: int
) -> list[Subject]:
    """Return the subject that runs `gainful trec_eval`; empty if only peers are timed."""
    if bench.gainful is None:
        return []
    command = gainful_command.trec_eval(bench.gainful, "all_trec", qrels, run)
    options = {"tolerance": PRINTED, "runs_each_round": runs_each_round}
    return [Process(name, command, means, **options)]  # type: ignore[arg-type]


def peers(bench: Bench, qrels: Path, run: Path) -> list[Subject]:
    """Return pytrec_eval, and trec_eval if --trec-eval is given."""
    script = bench.script("files_pytrec_eval_all.py", qrels, run)
    subjects: list[Subject] = [Process("pytrec_eval", script, means, tolerance=PRINTED)]
    if bench.peers.trec_eval is not None and not bench.peers.built:
        command = [bench.peers.trec_eval, "-m", "all_trec", qrels, run]
        subjects.append(Process("trec_eval", command, means, tolerance=PRINTED))
    return subjects


def means(output: str) -> list[float]:
    """Return the means that a program printed, in order of the measures' names."""
    lines = [line.split() for line in output.splitlines()]
    named = {words[0]: words[-1] for words in lines if not words[0].startswith(LEFT_OUT)}
    return [float(named[name]) for name in sorted(named)]
