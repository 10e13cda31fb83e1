"""Simulate the coverage of confidence intervals of effect sizes on real scores."""

from __future__ import annotations

import numpy as np

from evidence.queries import Floats, pair_differences, scores_by_measure
from evidence.tables import Table, monte_carlo_error, percent
from gainful.inference.effects import standardized_interval

SEED = 19_400_101
MEASURES = ("nDCG@10", "AP", "RR", "P@10")
SIZES = (10, 25, 50, 200)
LEAST = 0.9


def study(simulations: int) -> Table:
    """Return the median and the lowest coverage over pairs of systems."""
    random = np.random.default_rng(SEED)
    rows, failures = [], []
    for origin, values in scores_by_measure(MEASURES).items():
        for measure, scores in values.items():
            cells = [f"{measure}, {origin}"]
            for n in SIZES:
                rates = [
                    _coverage(differences, n, simulations, random)
                    for differences in pair_differences(scores).T
                ]
                cells.append(f"{percent(float(np.median(rates)))} ({percent(min(rates))})")
                if min(rates) < LEAST - monte_carlo_error(LEAST, simulations):
                    failures.append(f"{cells[0]}, {n} queries: coverage {percent(min(rates))}")
            rows.append(cells)
    return Table(["values", *(f"n = {n}" for n in SIZES)], rows, failures)


def _coverage(differences: Floats, n: int, simulations: int, random: np.random.Generator) -> float:
    true = differences.mean() / differences.std()
    samples = differences[random.integers(0, len(differences), (simulations, n))]
    moments = np.stack([samples.mean(axis=1), samples.std(axis=1, ddof=1)], axis=1)
    ends = [
        standardized_interval(mean, sd, sd / n**0.5, n - 1, 0.95) for mean, sd in moments.tolist()
    ]
    # Equal differences have no effect size.
    return float(np.mean([pair[0] <= true <= pair[1] for pair in ends if pair is not None]))
