"""The HTML report: the time of `gainful report`, and the size of the page."""

from __future__ import annotations

from bench import Bench, all_numbers
from compare import Process, Subject, compare
from data import Recipe
from results import GAINFUL, Row, Target

TWENTY = Recipe(queries=6_980, depth=100, runs=20)
HUNDRED = Recipe(queries=1_000, depth=20, runs=100)


def measure(bench: Bench) -> list[Row]:
    """Time the reports of twenty and of a hundred systems."""
    twenty, hundred = _row(bench, TWENTY), _row(bench, HUNDRED)
    twenty.aim_seconds("≤ 4 s", GAINFUL, 4, judged=not bench.quick)
    return [twenty, hundred]


def _row(bench: Bench, recipe: Recipe) -> Row:
    data = bench.collection(recipe)
    recipe = data.recipe
    job = f"report of {recipe.runs} systems, {recipe.queries:,} × {recipe.depth}, whole process"
    row = Row(job)
    subjects: list[Subject] = []
    if bench.gainful is not None:
        script = bench.gainful_script("report.py", data.qrels, *data.runs)
        right = [answer.exact for answer in data.answers]
        subjects.append(Process(GAINFUL, script, _means, expected=right))
    row.measured = compare(subjects, rounds=bench.rounds(3))
    size = None
    if GAINFUL in row.measured:
        size = _SIZES[-1]
        row.notes.append(f"the page has {size:.1f} MB; all pairs compared, 10,000 permutations")
    text = "a page of ≤ 6 MB"
    judged = not bench.quick
    row.targets.append(Target(text, size, 6, "MB", at_least=False, judged=judged))
    return row


#: The sizes of the pages, in million bytes.
_SIZES: list[float] = []


def _means(output: str) -> list[float]:
    *means, size = all_numbers(output)
    _SIZES.append(size)
    return means
