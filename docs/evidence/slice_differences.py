"""Simulate the test of whether a difference is the same in all slices of the queries."""

from __future__ import annotations

import numpy as np

from evidence.queries import Floats, pair_differences, scores_by_measure
from evidence.tables import Table, monte_carlo_error, percent
from gainful.inference import equal_means_test

ALPHA = 0.05
SEED = 20_130_413
RESAMPLES = 399
MEASURES = ("nDCG@10", "RR")
SIZES = ((5, 5), (8, 8, 8), (5, 50), (10, 40, 100), (10,) * 6)
#: The shift of the first slice, in standard errors of its difference from the others.
SHIFT = 2.8


def study(simulations: int) -> Table:
    """Return the error rates for equal slices and for unequal variances, and the power."""
    headings = ("measure", "queries of the slices", "error", "error, unequal variances", "power")
    rows, failures = [], []
    scores = next(iter(scores_by_measure(MEASURES).values()))
    for measure in MEASURES:
        pool = pair_differences(scores[measure])
        pool = pool - pool.mean(axis=0)
        for sizes in SIZES:
            rates = _simulate(pool, sizes, simulations)
            queries = " + ".join(map(str, sizes))
            rows.append([measure, queries, *map(percent, rates)])
            if rates[0] > ALPHA + monte_carlo_error(ALPHA, simulations):
                failures.append(f"{measure}, {queries}: {percent(rates[0])}")
    return Table(headings, rows, failures)


def _simulate(pool: Floats, sizes: tuple[int, ...], simulations: int) -> list[float]:
    random = np.random.default_rng(SEED)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    first = labels == 0
    rejected = np.zeros(3)
    for _ in range(simulations):
        pair = random.choice([-1.0, 1.0]) * pool[:, random.integers(pool.shape[1])]
        values = random.choice(pair, len(labels))
        error = pair.std() * (1 / first.sum() + 1 / (~first).sum()) ** 0.5
        columns = [values, np.where(first, 3 * values, values), values + SHIFT * error * first]
        seed = int(random.integers(1 << 62))
        tests = equal_means_test(np.column_stack(columns), labels, resamples=RESAMPLES, seed=seed)
        assert tests is not None
        rejected += np.array(tests) <= ALPHA
    return [float(rate) for rate in rejected / simulations]
