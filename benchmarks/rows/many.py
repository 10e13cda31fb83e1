"""Very many queries, their rows as text, and many runs in one call."""

from __future__ import annotations

from bench import Bench, all_numbers
from compare import Process, Subject, compare
from data import Recipe
from results import GAINFUL, Row, Target

MILLION = Recipe(queries=1_000_000, depth=10)
TENTH = MILLION.scaled(0.1)
TWENTY = Recipe(queries=6_980, depth=100, runs=20)
STYLES = ("tsv", "csv", "json", "jsonl")
# The limit for the time per row with ten times as many rows. Part of the increase is due to
# judgments that no longer fit into the processor's caches.
LINEAR = 1.25


def measure(bench: Bench) -> list[Row]:
    """Time all three."""
    return [measure_queries(bench), measure_rows(bench), measure_runs(bench)]


def measure_queries(bench: Bench) -> Row:
    """Time a million queries, and a tenth of that."""
    data, tenth = bench.collection(MILLION), bench.collection(TENTH)
    row = Row(f"{data.recipe.queries:,} queries × {data.recipe.depth}, whole process")
    right = [data.answers[0].exact]
    small = "Gainful on a tenth"
    subjects: list[Subject] = [
        *bench.gainful_files(GAINFUL, data.qrels, [data.run], right, runs_each_round=2),
        *bench.gainful_files(
            small, tenth.qrels, [tenth.run], [tenth.answers[0].exact], runs_each_round=4
        ),
        Process(
            "pytrec_eval",
            bench.script("files_pytrec_eval.py", data.qrels, data.run),
            all_numbers,
            expected=right,
        ),
    ]
    row.measured = compare(subjects, rounds=bench.rounds(3))
    growth = None
    if GAINFUL in row.measured:
        times = row.measured[GAINFUL].seconds / row.measured[small].seconds
        growth = times / (data.rows / tenth.rows)
    judged = not bench.quick
    text = f"linear: ≤ {LINEAR}× the time per row of a tenth"
    row.targets.append(Target(text, growth, LINEAR, "×", at_least=False, judged=judged))
    row.aim_ratio("≥ 30× pytrec_eval", "pytrec_eval", GAINFUL, 30, judged=judged)
    return row


def measure_rows(bench: Bench) -> Row:
    """Time the means of a million queries, and a row of text for each query."""
    data = bench.collection(MILLION)
    row = Row(f"{data.recipe.queries:,} queries, --per-query to a file, whole process")
    right = [data.answers[0].exact]
    subjects: list[Subject] = [*bench.gainful_files(GAINFUL, data.qrels, [data.run], right)]
    if bench.gainful is not None:
        words = [bench.gainful.with_name("gainful"), "evaluate", data.qrels, data.run]
        words += ["-m", "nDCG@10", "--per-query"]
        for style in STYLES:
            output = bench.folder / f"queries.{style}"
            subjects.append(Process(style, [*words, "--format", style, "-o", output]))
        # What the file system alone takes for the largest file.
        written = bench.folder / "queries.json"
        copying = ["/bin/dd", f"if={written}", f"of={written}.copy", "bs=128k", "conv=fsync"]
        subjects.append(Process("copying json", copying))
    row.measured = compare(subjects, rounds=bench.rounds(3))
    for style in STYLES:
        row.aim_within(f"{style} ≤ 1.5× the means", style, GAINFUL, 1.5, judged=not bench.quick)
    return row


def measure_runs(bench: Bench) -> Row:
    """Time twenty runs in one call."""
    data = bench.collection(TWENTY)
    recipe = data.recipe
    row = Row(f"{recipe.runs} runs of {recipe.queries:,} × {recipe.depth} in one call")
    right = [answer.exact for answer in data.answers]
    subjects: list[Subject] = [
        *bench.gainful_files(GAINFUL, data.qrels, data.runs, right, runs_each_round=2),
        Process(
            "pytrec_eval",
            bench.script("files_pytrec_eval.py", data.qrels, *data.runs),
            all_numbers,
            expected=right,
        ),
    ]
    row.measured = compare(subjects, rounds=bench.rounds(3))
    row.aim_ratio("≥ 30× pytrec_eval", "pytrec_eval", GAINFUL, 30, judged=not bench.quick)
    return row
