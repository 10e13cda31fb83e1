"""Simulate family-wise errors of comparisons with the best, the worst and a fixed baseline."""

from __future__ import annotations

import numpy as np

from evidence.queries import Floats, compared_systems
from evidence.tables import Table, monte_carlo_error, percent
from gainful import inference as inf

ALPHA = 0.05
RESAMPLES = 999
SIZES = (50, 100)
SEED = 20_031_125
MOST = 0.055


def study(simulations: int) -> Table:
    """Return the family-wise errors of both p-values, by how the baseline was chosen."""
    headings = ("systems", "queries", "baseline", "p vs. baseline", "p (all pairs)")
    rows, failures = [], []
    for systems in compared_systems():
        equal = systems.scores - systems.scores.mean(axis=0)
        for queries in SIZES:
            random = np.random.default_rng(SEED)
            errors = {name: np.zeros(2) for name in ("fixed beforehand", "best", "worst")}
            for _ in range(simulations):
                scores = equal[random.integers(0, len(equal), queries)]
                seed = int(random.integers(1 << 62))
                means = scores.mean(axis=0)
                chosen = (0, int(means.argmax()), int(means.argmin()))
                (every,) = inf.max_t_pairs([scores], resamples=RESAMPLES, seed=seed)
                for name, own in zip(errors, chosen, strict=True):
                    errors[name] += _has_errors(scores, own, every.p, seed)
            for name, counts in errors.items():
                versus, pairs = counts / simulations
                where = (systems.origin, str(queries), name)
                rows.append([*where, percent(versus), percent(pairs)])
                if pairs > MOST + monte_carlo_error(MOST, simulations):
                    failures.append(f"{', '.join(where)}: {percent(pairs)}")
    return Table(headings, rows, failures)


def _has_errors(scores: Floats, baseline: int, every: Floats, seed: int) -> tuple[bool, bool]:
    """Return whether any difference is significant, by either p-value."""
    others = [at for at in range(scores.shape[1]) if at != baseline]
    # Max-T of a single column is the test of a pair.
    alone = [
        inf.max_t(scores[:, [at]] - scores[:, [baseline]], resamples=RESAMPLES, seed=seed).p[0]
        for at in others
    ]
    # As in `compare`, the p of all pairs is at least that of the pair alone.
    pairs = np.maximum(every[others, baseline], alone)
    return min(inf.holm(alone)) <= ALPHA, bool(pairs.min() <= ALPHA)
