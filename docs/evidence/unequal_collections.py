"""Simulate error rates and power of tests of macro-averages over collections of unequal size."""

from __future__ import annotations

import numpy as np

from evidence.queries import Systems, compared_systems
from evidence.tables import Table, monte_carlo_error, percent
from gainful.inference import max_t_pairs
from gainful.inference.design import Design

ALPHA = 0.05
#: The family-wise error rate that no design may exceed, apart from Monte Carlo error.
MOST = 0.055
RESAMPLES = 399
SEED = 20_080_721

#: The numbers of queries drawn for each collection.
SIZES = ((30, 30), (20, 60), (10, 70), (10, 30, 100))


def study(simulations: int, every: list[Systems] | None = None) -> Table:
    """Return the family-wise error rates and the power of max-T for macro-averages."""
    headings = ("systems", "queries", "family-wise error", "true differences detected")
    rows, failures = [], []
    for systems in every or compared_systems():
        for sizes in SIZES:
            errors, detected = _simulate(systems, sizes, simulations)
            queries = " + ".join(map(str, sizes))
            rows.append([systems.origin, queries, percent(errors, 2), percent(detected, 2)])
            if errors > MOST + monte_carlo_error(MOST, simulations):
                failures.append(f"{systems.origin}, {queries} queries: {percent(errors, 2)}")
    return Table(headings, rows, failures)


def _simulate(systems: Systems, sizes: tuple[int, ...], simulations: int) -> tuple[float, float]:
    """Return the error rate for equal macro-averages, and the share of pairs detected."""
    # Collections of different difficulty: the queries ordered by their mean score.
    order = np.argsort(systems.scores.mean(axis=1))
    parts = [systems.scores[own] for own in np.array_split(order, len(sizes))]
    true = np.mean([part.mean(axis=0) for part in parts], axis=0)
    signs = np.sign(true[:, None] - true)
    pairs = np.triu_indices(len(true), 1)
    design = Design(sum(sizes), strata=np.repeat(np.arange(len(sizes)), sizes))
    random = np.random.default_rng(SEED)
    errors, detected = 0, 0.0
    for _ in range(simulations):
        scores = np.concatenate(
            [
                part[random.integers(0, len(part), size)]
                for part, size in zip(parts, sizes, strict=True)
            ]
        )
        seed = int(random.integers(1 << 62))
        equal, found = (
            max_t_pairs([table], design, resamples=RESAMPLES, seed=seed)[0].p <= ALPHA
            for table in (scores - true, scores)
        )
        errors += bool(equal.any())
        means = design.mean(scores)
        right = np.sign(means[:, None] - means) == signs
        detected += float((found & right)[pairs].mean())
    return errors / simulations, detected / simulations
