"""Simulate the coverage and the width of posterior sets of ranks, and check P(rank 1)."""

from __future__ import annotations

import numpy as np

from evidence.queries import Floats, Systems, compared_systems
from evidence.ranks import GROUPS, SIZES, with_equal_means
from evidence.tables import Table, monte_carlo_error, percent
from gainful.inference import rank_posterior

DRAWS = 1_000
#: The coverage that is required if no two systems are equal.
LEAST = 0.93
SEED = 20_241_102


def study(simulations: int, every: list[Systems] | None = None) -> Table:
    """Return the coverage and the width of the posterior sets of ranks."""
    headings = ("systems", "true means", "queries", "all ranks in their sets")
    rows, failures = [], []
    for systems in every or compared_systems():
        for means, size in GROUPS.items():
            random = np.random.default_rng(SEED)
            scores = with_equal_means(systems.scores, size)
            for queries in SIZES:
                covered, width, first, is_first = _simulate(scores, queries, simulations, random)
                rates = percent(covered), f"{width:.1f}", percent(first), percent(is_first)
                rows.append([systems.origin, means, str(queries), *rates])
                least = LEAST - monte_carlo_error(LEAST, simulations)
                if not size and covered < least:
                    where = f"{systems.origin}, {queries} queries"
                    failures.append(f"{where}: coverage {percent(covered)}")
    more = ("mean width", "P(rank 1) of the leader", "the leader is best")
    return Table([*headings, *more], rows, failures)


def _simulate(
    scores: Floats, queries: int, simulations: int, random: np.random.Generator
) -> tuple[float, float, float, float]:
    """Return coverage, mean width, and P(rank 1) of the leading system and how often it is best."""
    count, true = scores.shape[1], scores.mean(axis=0)
    above = (true[None, :] > true[:, None] + 1e-9).sum(axis=1)
    below = (true[None, :] < true[:, None] - 1e-9).sum(axis=1)
    totals = np.zeros(4)
    for _ in range(simulations):
        drawn = scores[random.integers(0, len(scores), queries)]
        found = rank_posterior(drawn, draws=DRAWS, seed=int(random.integers(1 << 32)))
        if found is None:
            # Without probabilities no rank is excluded.
            totals += 1.0, count, 0.0, 0.0
            continue
        leader = int(np.argmax(drawn.mean(axis=0)))
        covered = ((found.low <= 1 + above) & (found.high >= count - below)).all()
        width = (found.high - found.low + 1).mean()
        totals += covered, width, found.first[leader], above[leader] == 0
    covered, width, first, is_first = (totals / simulations).tolist()
    return covered, width, first, is_first
