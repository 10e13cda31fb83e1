"""Simulate the coverage of the interval of a difference when few queries change."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evidence.queries import Floats
from evidence.tables import Table, monte_carlo_error, percent
from gainful import inference as inf
from gainful.inference.paired import has_few_differences

LEVEL = 0.95
#: The coverage that intervals must have unless they are marked as unreliable.
LEAST = 0.93
#: Coverage of the intervals that are not marked is judged if at least this share is not marked.
SHARE = 0.5
RESAMPLES = 399
SIZES = (20, 80, 300)
SHARES = (0.01, 0.04, 0.1, 0.25, 0.5)
SEED = 20_031_127

#: What a changed query changes by: possible changes and their mean.
CHANGES: dict[str, tuple[Callable[[np.random.Generator, int], Floats], float]] = {
    "-.5": (lambda random, n: np.full(n, -0.5), -0.5),
    ".5 or -.5": (lambda random, n: random.choice([-0.5, 0.5], n), 0.0),
    "exponential losses": (lambda random, n: -random.exponential(0.2, n), -0.2),
}


def study(simulations: int) -> Table:
    """Return the coverage of the interval of one pair, by the share of queries that change."""
    headings = (
        "changes by",
        "queries",
        "share that changes",
        "coverage",
        "marked as unreliable",
        "coverage of the others",
        "coverage of Student's t",
    )
    rows, failures = [], []
    for name, (draw, mean) in CHANGES.items():
        for queries in SIZES:
            for share in SHARES:
                if share * queries < 0.8:
                    continue
                rates = _rates(draw, share, share * mean, queries, simulations)
                covered, marked, others, by_t = rates
                where = (name, str(queries), percent(share, 0))
                others_text = percent(others) if marked <= SHARE else "–"
                rows.append([*where, percent(covered), percent(marked), others_text, percent(by_t)])
                least = LEAST - monte_carlo_error(LEAST, round(simulations * (1 - marked)) or 1)
                if marked <= SHARE and others < least:
                    failures.append(f"{', '.join(where)}: coverage {percent(others)}")
    return Table(headings, rows, failures)


def _rates(
    draw: Callable[[np.random.Generator, int], Floats],
    share: float,
    mean: float,
    queries: int,
    simulations: int,
) -> tuple[float, float, float, float]:
    """Return coverage, the share marked as unreliable, and coverage of the others and of t."""
    random = np.random.default_rng(SEED)
    found = np.zeros((simulations, 3), dtype=bool)
    for at in range(simulations):
        differences = (random.random(queries) < share) * draw(random, queries)
        seed = int(random.integers(1 << 62))
        own = inf.max_t(differences[:, None], level=LEVEL, resamples=RESAMPLES, seed=seed)
        p = inf.paired_t(differences - mean).p if differences.any() else 0.0
        found[at] = (
            own.low[0] - 1e-12 <= mean <= own.high[0] + 1e-12,
            has_few_differences(np.count_nonzero(differences), queries),
            p > 1 - LEVEL,
        )
    covered, marked, by_t = found.T
    others = float(covered[~marked].mean()) if not marked.all() else 0.0
    return float(covered.mean()), float(marked.mean()), others, float(by_t.mean())
