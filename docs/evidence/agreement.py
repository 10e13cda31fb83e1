"""Simulate the coverage of intervals of kappa and alpha for few queries."""

from __future__ import annotations

from functools import cache

import numpy as np

from evidence.model_judges import LABELED, labels_by_query
from evidence.queries import Floats
from evidence.tables import Table, monte_carlo_error, percent
from gainful.inference import alpha_interval, kappa_interval, krippendorff_alpha, weighted_kappa

SIZES = (5, 8, 10, 20, 40)
LEAST = 0.90
SEED = 20_031_128
RATERS = ("willia-umbrela1", "NISTRetrieval-reason0", "TREMA-nuggets", "Olz-halfbin")

COEFFICIENTS = {
    "kappa": (
        lambda grades, _: weighted_kappa(*grades.T),
        lambda grades, queries: kappa_interval(*grades.T, clusters=queries),
    ),
    "alpha": (
        lambda grades, _: krippendorff_alpha(grades),
        lambda grades, queries: alpha_interval(grades, clusters=queries),
    ),
}


def study(simulations: int) -> Table:
    """Return the coverage of intervals, and the share of samples without one."""
    rows, failures = [], []
    for name, queries in populations().items():
        for coefficient, (compute, compute_interval) in COEFFICIENTS.items():
            true = compute(np.concatenate(queries), None)
            assert true is not None
            cells = [name, coefficient, f"{true:.2f}"]
            for n in SIZES:
                random = np.random.default_rng(SEED)
                intervals = []
                for _ in range(simulations):
                    drawn = [queries[at] for at in random.integers(0, len(queries), n)]
                    clusters = np.repeat(np.arange(n), [len(grades) for grades in drawn])
                    intervals.append(compute_interval(np.concatenate(drawn), clusters.tolist()))
                known = [ends for ends in intervals if ends is not None]
                covered = float(np.mean([low <= true <= high for low, high in known]))
                missing = 1 - len(known) / simulations
                cells.append(percent(covered) + (f", {percent(missing, 0)} –" if missing else ""))
                if covered < LEAST - monte_carlo_error(LEAST, len(known)):
                    failures.append(f"{name}, {coefficient}, {n} queries: {percent(covered)}")
            rows.append(cells)
    return Table(["raters", "coefficient", "true", *(f"n = {n}" for n in SIZES)], rows, failures)


@cache
def populations() -> dict[str, list[Floats]]:
    """Return grades of two raters, (documents, 2), of each query."""
    random = np.random.default_rng(SEED)
    return {
        **_real_raters(),
        "few disagreements": _raters(random, 0.5, 2.0),
        "hardly any disagreements": _raters(random, 0.2, 6.0),
    }


def _raters(random: np.random.Generator, a: float, b: float) -> list[Floats]:
    """Return raters who differ by one grade; queries differ in grades and disagreement."""
    queries = []
    for _ in range(400):
        size = int(random.integers(5, 25))
        first = random.binomial(3, random.beta(0.7, 1.5), size).astype(float)
        differs = random.random(size) < random.beta(a, b)
        second = np.clip(first + differs * random.choice([-1, 1], size), 0, 3)
        queries.append(np.column_stack([first, second]))
    return queries


def _real_raters() -> dict[str, list[Floats]]:
    """Return people and models of the LLMJudge challenge if their files are present."""
    if not LABELED.is_dir():
        return {}
    people = labels_by_query(LABELED / "human.qrels")
    models = {name: labels_by_query(LABELED / f"{name}.qrels") for name in RATERS}
    return {
        name: [
            np.array([[grades[document], model[query][document]] for document in common])
            for query, grades in people.items()
            if query in model and (common := grades.keys() & model[query].keys())
        ]
        for name, model in models.items()
    }
