"""Simulate the simultaneous coverage of rank intervals and of the set tied for first."""

from __future__ import annotations

import numpy as np

from evidence.queries import Floats, Systems, compared_systems
from evidence.tables import Table, monte_carlo_error, percent
from gainful.inference import max_t_pairs
from gainful.inference.letters import rank_intervals

ALPHA = 0.05
RESAMPLES = 999
SIZES = (25, 50, 100)
SEED = 20_241_101

#: How many neighboring systems share a mean; 0 for the real means.
GROUPS = {"as measured": 0, "equal in pairs": 2, "all equal": 100}


def study(simulations: int, every: list[Systems] | None = None) -> Table:
    """Return the coverage and the width of the intervals of ranks."""
    headings = [
        *("systems", "true means", "queries", "all ranks in their intervals"),
        *("best in the set tied for first", "mean width", "mean size of the set"),
    ]
    rows, failures = [], []
    for systems in every or compared_systems():
        for means, size in GROUPS.items():
            # A separate generator, so that adding systems does not change the results of others.
            random = np.random.default_rng(SEED)
            scores = with_equal_means(systems.scores, size)
            for queries in SIZES:
                ranks, first, width, tied = _simulate(scores, queries, simulations, random)
                shares = percent(ranks, 2), percent(first, 2)
                widths = f"{width:.1f}", f"{tied:.1f}"
                rows.append([systems.origin, means, str(queries), *shares, *widths])
                error = monte_carlo_error(1 - ALPHA, simulations)
                # The skewed differences of 25 queries are too few for sign flips.
                least = 1 - ALPHA - error - (0.015 if queries >= 50 else 0.05)
                if ranks < least:
                    where = f"{systems.origin}, {means}, {queries} queries"
                    failures.append(f"{where}: simultaneous coverage {percent(ranks, 2)}")
    return Table(headings, rows, failures)


def with_equal_means(scores: Floats, size: int) -> Floats:
    """Return scores in which groups of `size` systems, by descending mean, have equal means."""
    if not size:
        return scores
    means = scores.mean(axis=0)
    order = np.argsort(-means)
    shifted = scores.copy()
    for start in range(0, len(order), size):
        own = order[start : start + size]
        shifted[:, own] += means[own].mean() - means[own]
    return shifted


def _simulate(
    scores: Floats, queries: int, simulations: int, random: np.random.Generator
) -> tuple[float, float, float, float]:
    """Return coverage of all ranks and of the best system, and mean width and size."""
    count = scores.shape[1]
    names = [str(at) for at in range(count)]
    true = scores.mean(axis=0)
    # Equal means, up to rounding, share a range of ranks.
    above = (true[None, :] > true[:, None] + 1e-9).sum(axis=1)
    below = (true[None, :] < true[:, None] - 1e-9).sum(axis=1)
    covered = first = width = tied = 0
    for _ in range(simulations):
        drawn = scores[random.integers(0, len(scores), queries)]
        p = max_t_pairs([drawn], resamples=RESAMPLES, seed=int(random.integers(1 << 62)))[0].p
        means = drawn.mean(axis=0)
        found = np.argwhere((p <= ALPHA) & (means[:, None] > means))
        ends = rank_intervals(names, [(names[one], names[two]) for one, two in found])
        low, high = np.array([ends[name] for name in names]).T
        covered += bool(((low <= 1 + above) & (high >= count - below)).all())
        first += bool((low[above == 0] == 1).all())
        width += int((high - low + 1).sum()) / count
        tied += int((low == 1).sum())
    return covered / simulations, first / simulations, width / simulations, tied / simulations
