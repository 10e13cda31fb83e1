"""Simulate intervals of differences over a sample of collections, and of a new collection."""

from __future__ import annotations

import numpy as np

from evidence.queries import Floats, real_queries
from evidence.tables import Table, monte_carlo_error, percent
from gainful.inference import random_effects
from gainful.inference.interval import quantile

SEED = 20_100_915
#: The coverage that intervals must have.
LEAST = 0.94

COUNTS = (3, 5, 10, 20)
SIZES = ((50, 50), (10, 200))
#: Standard deviations of the true differences between collections.
TAUS = (0.0, 0.03, 0.1)


def study(simulations: int) -> Table:
    """Return the coverage of the mean over collections and of the difference in a new one."""
    pool = real_queries().differences()
    pool = pool - pool.mean(axis=0)
    headings = ("collections", "queries", "SD between collections", "mean", "inverse variances")
    rows, failures = [], []
    for count in COUNTS:
        for sizes in SIZES:
            for tau in TAUS:
                rates = _cover(pool, count, sizes, tau, simulations)
                mean, _, prediction = rates
                queries = " or ".join(map(str, dict.fromkeys(sizes)))
                rows.append([str(count), queries, f"{tau:g}", *map(percent, rates)])
                if min(mean, prediction) < LEAST - monte_carlo_error(LEAST, simulations):
                    failures.append(f"{count} collections, {queries} queries, {tau:g}: {rates}")
    return Table((*headings, "new collection"), rows, failures)


def _cover(
    pool: Floats, count: int, sizes: tuple[int, int], tau: float, simulations: int
) -> list[float]:
    """Return three rates of coverage, for true differences of mean 0."""
    random = np.random.default_rng(SEED)
    covered = np.zeros(3)
    for _ in range(simulations):
        queries = pool[:, random.integers(pool.shape[1])]
        *true, new = random.normal(0.0, tau, count + 1)
        drawn = [
            difference + random.choice([-1.0, 1.0]) * random.choice(queries, sizes[at % 2])
            for at, difference in enumerate(true)
        ]
        effects = np.array([values.mean() for values in drawn])
        errors = np.array([values.std(ddof=1) / len(values) ** 0.5 for values in drawn])
        estimate = random_effects(effects.tolist(), errors.tolist())
        if estimate is None:
            covered += 1.0
            continue
        middle, half = _by_inverse_variances(effects, np.maximum(errors, 1e-6))
        covered += (
            estimate.low <= 0.0 <= estimate.high,
            abs(middle) <= half,
            estimate.prediction_low <= new <= estimate.prediction_high,
        )
    return [float(rate) for rate in covered / simulations]


def _by_inverse_variances(effects: Floats, errors: Floats) -> tuple[float, float]:
    """Return mean and half-width by Hartung and Knapp, with tau of DerSimonian and Laird."""
    weights, df = errors**-2, len(effects) - 1
    mean = weights @ effects / weights.sum()
    excess = weights @ (effects - mean) ** 2 - df
    tau2 = max(excess / (weights.sum() - weights @ weights / weights.sum()), 0.0)
    weights = 1.0 / (errors**2 + tau2)
    mean = weights @ effects / weights.sum()
    error = (weights @ (effects - mean) ** 2 / df / weights.sum()) ** 0.5
    return float(mean), float(-quantile(0.025, df) * error)
