"""Simulate macro-averages of scores and of standardized scores over collections."""

from __future__ import annotations

import numpy as np

from evidence.queries import Floats, Systems, compared_systems
from evidence.tables import Table, monte_carlo_error, percent
from gainful.inference import max_t_pairs
from gainful.inference.design import Design
from gainful.inference.letters import rank_intervals
from gainful.suite.macro import macro_average, standardize
from gainful.vocabulary import AGGREGATES

ALPHA = 0.05
RESAMPLES = 999
SEED = 20_080_720

#: The number of queries drawn for each collection.
COLLECTIONS = (20, 60)


def study(simulations: int, every: list[Systems] | None = None) -> Table:
    """Return the coverage of macro-averages and of ranks for each way to aggregate."""
    headings = [
        *("systems", "aggregate", "true macro-averages", "interval of a macro-average"),
        "all ranks in their intervals",
    ]
    rows, failures = [], []
    for systems in every or compared_systems():
        for aggregate in AGGREGATES:
            for means in ("as measured", "all equal"):
                random = np.random.default_rng(SEED)
                found = _simulate(systems.scores, aggregate, means, simulations, random)
                rows.append([systems.origin, aggregate, means, *(percent(x, 2) for x in found)])
                for what, rate in zip(("interval", "ranks"), found, strict=True):
                    error = monte_carlo_error(1 - ALPHA, simulations)
                    if rate < 1 - ALPHA - error - 0.02:
                        where = f"{systems.origin}, {aggregate}, {means}"
                        failures.append(f"{where}: coverage of {what} {percent(rate, 2)}")
    return Table(headings, rows, failures)


def _simulate(
    scores: Floats, aggregate: str, means: str, simulations: int, random: np.random.Generator
) -> tuple[float, float]:
    """Return the coverage of single macro-averages, and of all ranks at once."""
    # Two collections of different difficulty: the queries with a low and with a high mean.
    order = np.argsort(scores.mean(axis=1))
    parts = [standardize(scores[own], aggregate) for own in np.array_split(order, 2)]
    if means == "all equal":
        parts = [part - part.mean(axis=0) + part.mean() for part in parts]
    true = np.mean([part.mean(axis=0) for part in parts], axis=0)
    above = (true[None, :] > true[:, None] + 1e-9).sum(axis=1)
    below = (true[None, :] < true[:, None] - 1e-9).sum(axis=1)
    count = scores.shape[1]
    names = [str(at) for at in range(count)]
    strata = [str(at) for at, size in enumerate(COLLECTIONS) for _ in range(size)]
    covered = ranked = 0
    for _ in range(simulations):
        drawn = [
            part[random.integers(0, len(part), size)]
            for part, size in zip(parts, COLLECTIONS, strict=True)
        ]
        for system in range(count):
            samples = {
                str(place): (float(part[:, system].mean()), part[:, system], Design(len(part)))
                for place, part in enumerate(drawn)
            }
            macro = macro_average(samples)
            assert macro.interval is not None
            covered += macro.interval.low <= true[system] <= macro.interval.high
        design, seed = Design(len(strata), strata=strata), int(random.integers(1 << 62))
        table = np.concatenate(drawn)
        p = max_t_pairs([table], design, resamples=RESAMPLES, seed=seed)[0].p
        own_means = np.mean([own.mean(axis=0) for own in drawn], axis=0)
        found = np.argwhere((p <= ALPHA) & (own_means[:, None] > own_means))
        ends = rank_intervals(names, [(names[one], names[two]) for one, two in found])
        low, high = np.array([ends[name] for name in names]).T
        ranked += bool(((low <= 1 + above) & (high >= count - below)).all())
    return covered / simulations / count, ranked / simulations
