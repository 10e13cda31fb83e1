"""Compare runs: two, which is mostly startup, and all pairs of two hundred."""

from __future__ import annotations

import csv
import io

from bench import Bench
from compare import Process, Subject, compare
from data import Recipe
from results import GAINFUL, Row, Target

TWO = Recipe(queries=54, depth=1_000, runs=2)
#: 200 systems have 19,900 pairs.
TWO_HUNDRED = Recipe(queries=1_000, depth=20, runs=200)
NUMPY = "import numpy"


def measure(bench: Bench) -> list[Row]:
    """Time both."""
    two, all_pairs = _row(bench, TWO, rounds=7), _row(bench, TWO_HUNDRED, rounds=1)
    if two.measured:
        more = two.measured[GAINFUL].seconds - two.measured[NUMPY].seconds
        text = "≤ 0.06 s more than importing NumPy"
        two.targets.append(Target(text, more, 0.06, "s", at_least=False, judged=True))
    all_pairs.aim_seconds("≤ 15 s", GAINFUL, 15, judged=not bench.quick)
    return [two, all_pairs]


def _row(bench: Bench, recipe: Recipe, *, rounds: int) -> Row:
    data = bench.collection(recipe, scaled=recipe.runs > 2)
    recipe = data.recipe
    pairs = recipe.runs * (recipe.runs - 1) // 2
    job = f"compare {recipe.runs} runs, {pairs:,} pairs, {recipe.queries:,} × {recipe.depth}"
    row = Row(f"{job}, whole process")
    subjects: list[Subject] = []
    if bench.gainful is not None:
        program = bench.gainful.with_name("gainful")
        words = ["compare", data.qrels, *data.runs, "-m", "nDCG@10", "--format", "csv"]
        right = [answer.exact for answer in data.answers]
        subjects.append(Process(GAINFUL, [program, *words], _means, expected=right))
        if recipe.runs == 2:
            subjects.append(Process(NUMPY, [bench.gainful, "-c", "import numpy"]))
    row.measured = compare(subjects, rounds=bench.rounds(rounds))
    return row


def _means(output: str) -> list[float]:
    """Return the mean of each system, in the order of their names, which is that of the files."""
    found = {}
    for pair in csv.DictReader(io.StringIO(output)):
        found[pair["system"]] = float(pair["mean"])
        found[pair["baseline"]] = float(pair["baseline_mean"])
    return [found[name] for name in sorted(found, key=lambda name: (len(name), name))]
