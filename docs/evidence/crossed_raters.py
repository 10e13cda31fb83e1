"""Simulate intervals of differences over a sample of queries and a sample of raters."""

from __future__ import annotations

import numpy as np

from evidence.queries import Floats, real_queries
from evidence.tables import Table, monte_carlo_error, percent
from gainful.inference import crossed_mean
from gainful.inference.interval import quantile

SEED = 20_111_008
#: The coverage that intervals must have.
LEAST = 0.93

RATERS = (2, 3, 5, 10)
QUERIES = (10, 50)
#: Standard deviations of the difference between raters, and of what a rater changes in a query.
DEVIATIONS = ((0.0, 0.05), (0.0, 0.2), (0.02, 0.05), (0.02, 0.2), (0.06, 0.05), (0.06, 0.2))


def study(simulations: int) -> Table:
    """Return the coverage of two intervals, and the ratio of their mean widths."""
    pool = real_queries().differences()
    pool = pool - pool.mean(axis=0)
    rows, failures = [], []
    for raters in RATERS:
        for queries in QUERIES:
            for between, within in DEVIATIONS:
                crossed, alone, width = _cover(
                    pool, (queries, raters), between, within, simulations
                )
                sizes = [str(raters), str(queries), f"{between:g}", f"{within:g}"]
                rows.append([*sizes, percent(alone), f"{percent(crossed)} ({width:.2f})"])
                if crossed < LEAST - monte_carlo_error(LEAST, simulations):
                    failures.append(f"{', '.join(sizes)}: {percent(crossed)}")
    headings = ("raters", "queries", "SD between raters", "SD within queries")
    return Table((*headings, "over queries only", "over queries and raters"), rows, failures)


def _cover(
    pool: Floats, shape: tuple[int, int], between: float, within: float, simulations: int
) -> tuple[float, float, float]:
    """Return the coverage over queries and raters, over queries only, and the ratio of widths."""
    random = np.random.default_rng(SEED)
    covered, widths = np.zeros(2), np.zeros(2)
    n, raters = shape
    t = -quantile(0.025, n - 1)
    for _ in range(simulations):
        pair = random.choice([-1.0, 1.0]) * pool[:, random.integers(pool.shape[1])]
        values = random.choice(pair, n)[:, None] + random.normal(0.0, between, raters)
        mean = crossed_mean(values + random.normal(0.0, within, shape))
        assert mean is not None
        halves = np.array([mean.high - mean.mean, t * mean.query_error])
        covered += abs(mean.mean) <= halves
        widths += halves
    crossed, alone = covered / simulations
    return float(crossed), float(alone), float(widths[0] / widths[1])
