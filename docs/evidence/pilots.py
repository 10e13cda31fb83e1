"""Simulate the upper limit of the number of queries that a power analysis reports."""

from __future__ import annotations

import numpy as np

from evidence.queries import Floats, compared_systems
from evidence.tables import Table, monte_carlo_error, percent
from gainful.inference.power import residual_variance

SIZES = (10, 25, 50, 100)
SEED = 20_031_126
#: The limit is approximate for skewed and discrete scores.
LEAST = 0.94


def study(simulations: int) -> Table:
    """Return how often the upper limit of the deviation is at least the true deviation."""
    headings = (
        "systems",
        "queries of the pilot",
        "limit is at least the true number",
        "estimate is",
        "limit / estimate",
    )
    rows, failures = [], []
    for systems in compared_systems():
        true = _true_deviation(systems.scores)
        for queries in SIZES:
            random = np.random.default_rng(SEED)
            covered = estimated = 0
            ratios = []
            for _ in range(simulations):
                drawn = systems.scores[random.integers(0, len(systems.scores), queries)]
                found = residual_variance(drawn)
                upper = found.upper_deviation()
                assert upper is not None
                covered += upper >= true
                estimated += found.deviation >= true
                # The number of queries grows with the square of the deviation.
                ratios.append((upper / found.deviation) ** 2)
            share = covered / simulations
            rows.append(
                [
                    systems.origin,
                    str(queries),
                    percent(share),
                    percent(estimated / simulations),
                    f"{np.median(ratios):.2f}",
                ]
            )
            if share < LEAST - monte_carlo_error(LEAST, simulations):
                failures.append(f"{systems.origin}, {queries} queries: {percent(share)}")
    return Table(headings, rows, failures)


def _true_deviation(scores: Floats) -> float:
    """Return the deviation of the population that the samples are drawn from."""
    queries = len(scores)
    variance = residual_variance(scores).variance * (queries - 1) / queries
    return float((2 * variance) ** 0.5)
