"""Simulate the coverage of intervals of Kendall's tau and tau-AP between orders of systems."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np

import gainful
from evidence.queries import ROBUST, Floats
from evidence.tables import Table, percent
from gainful.inference import correlation_interval, kendall_tau, tau_ap_b

SIZES = (8, 25, 50, 100)
MEASURES = ("nDCG@10", "AP", "P@10", "R@100")
STATISTICS = {"tau_b": kendall_tau, "tau_ap_b": tau_ap_b}
RESAMPLES = 199
#: The least coverage of 95% intervals, before the error of the simulation.
LEAST = 0.93


def study(simulations: int) -> Table:
    """Return coverage and width of the intervals, for pairs of measures."""
    random = np.random.default_rng(20_031_122)
    population = _population()
    # The cells share the simulations, so that the page takes minutes.
    each = max(simulations // len(STATISTICS), 1)
    rows, failures = [], []
    for one, two in combinations(MEASURES, 2):
        for name, correlate in STATISTICS.items():
            first, second = population[one], population[two]
            truth = correlate(first.mean(axis=0).tolist(), second.mean(axis=0).tolist())
            assert truth is not None
            row = [f"{one} and {two}", name.replace("_", "-"), f"{truth:.2f}"]
            for n in SIZES:
                covered, width = _simulate(first, second, name, truth, n, each, random)
                row.append(f"{percent(covered)} ({width:.2f})")
                error = 3 * (LEAST * (1 - LEAST) / each) ** 0.5
                if covered < LEAST - error:
                    failures.append(f"{row[0]}, {row[1]}, {n} queries: {percent(covered)}")
            rows.append(row)
    headings = ["measures", "correlation", "of all queries", *(f"{n} queries" for n in SIZES)]
    return Table(headings, rows, failures)


def _simulate(
    first: Floats,
    second: Floats,
    statistic: str,
    truth: float,
    n: int,
    simulations: int,
    random: np.random.Generator,
) -> tuple[float, float]:
    """Return the coverage of the interval and its mean width."""
    covered, width = 0, 0.0
    for _ in range(simulations):
        drawn = random.integers(0, len(first), n)
        seed = int(random.integers(1 << 62))
        interval = correlation_interval(
            first[drawn], second[drawn], statistic=statistic, resamples=RESAMPLES, seed=seed
        )
        low, high = interval or (-1.0, 1.0)
        covered += low - 1e-9 <= truth <= high + 1e-9
        width += high - low
    return covered / simulations, width / simulations


@cache
def _population() -> dict[str, Floats]:
    """Return the values of the systems by measure, (queries, systems)."""
    if ROBUST.is_dir():
        qrels: object = ROBUST / "qrels.robust03.txt.gz"
        runs: dict[str, object] = {
            path.name.split(".")[1]: path for path in sorted(ROBUST.glob("input.*.gz"))
        }
    else:
        from gainful.demo import collection, search

        qrels, runs = collection.qrels_path(), dict(search.runs())
    found = gainful.evaluate(qrels, runs=runs, measures=list(MEASURES))
    tables = {}
    for measure in MEASURES:
        columns = [found.per_query(measure, system) for system in found.systems]
        tables[measure] = np.array([[own[query] for own in columns] for query in columns[0]])
    return tables
