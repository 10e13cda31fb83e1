"""Simulate error rates of all pairs of systems with discrete, sparse and skewed differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from evidence.queries import Floats, real_queries
from evidence.tables import Table, monte_carlo_error, percent
from gainful import inference as inf

ALPHA = 0.05
#: The family-wise error rate that no population may exceed, apart from Monte Carlo error.
MOST = 0.055
RESAMPLES = 399
SEED = 20_031_126

Draw = Callable[[np.random.Generator, int], Floats]


def study(simulations: int) -> Table:
    """Return the family-wise error rates of max-T for systems of equal means."""
    rows, failures = [], []
    for name, systems, queries, draw in _populations():
        random = np.random.default_rng(SEED)
        errors = 0
        for _ in range(simulations):
            scores, seed = draw(random, queries), int(random.integers(1 << 62))
            (found,) = inf.max_t_pairs([scores], resamples=RESAMPLES, seed=seed)
            errors += bool((found.p <= ALPHA).any())
        rate = errors / simulations
        rows.append([name, str(systems), str(queries), percent(rate)])
        if rate > MOST + monte_carlo_error(MOST, simulations):
            failures.append(f"{name}, {systems} systems, {queries} queries: {percent(rate)}")
    return Table(("scores", "systems", "queries", "family-wise error: max-T"), rows, failures)


def _populations() -> Iterator[tuple[str, int, int, Draw]]:
    for systems, mean, sizes in ((3, 0.5, (20, 300)), (5, 0.9, (100,)), (20, 0.7, (50,))):
        for queries in sizes:
            yield f"Success, mean about {mean:g}", systems, queries, _successes(systems, mean)
    for queries in (20, 50):
        yield "RR, related systems", 20, queries, _reciprocal_ranks(20)
    for queries in (20, 50, 300):
        name = "variants that change one query in ten by .5 or -.5"
        yield name, 10, queries, _variants(10, 0.1, [0.5, -0.5], [0.5, 0.5])
    for queries in (20, 50, 100):
        name = "variants: three in ten change, of these one in five by -.4, others by .1"
        yield name, 5, queries, _variants(5, 0.3, [0.1, -0.4], [0.8, 0.2])


def _successes(systems: int, mean: float) -> Draw:
    """Return binary scores of systems that fail on the same difficult queries."""

    def draw(random: np.random.Generator, n: int) -> Floats:
        ease = random.normal(1.2 * np.log(mean / (1 - mean)), 1.5, (n, 1))
        return (random.random((n, systems)) < 1 / (1 + np.exp(-ease))).astype(float)

    return draw


def _reciprocal_ranks(systems: int) -> Draw:
    def draw(random: np.random.Generator, n: int) -> Floats:
        chance = np.clip(random.random((n, 1)), 0.03, 1.0)
        ranks = random.geometric(chance, (n, systems))
        return np.asarray(np.where(ranks <= 10, 1.0 / ranks, 0.0))

    return draw


def _variants(systems: int, share: float, changes: list[float], chances: list[float]) -> Draw:
    """Return scores of variants of one system, which change on a share of the queries."""
    scores = real_queries().first[:, :1]

    def draw(random: np.random.Generator, n: int) -> Floats:
        base = scores[random.integers(0, len(scores), n)]
        changed = random.random((n, systems)) < share
        return np.asarray(base + changed * random.choice(changes, (n, systems), p=chances))

    return draw
