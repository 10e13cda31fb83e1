"""Simulate tests and intervals on skewed real differences, and compare them with SciPy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from evidence.queries import Floats, Queries, real_queries
from evidence.tables import Table, monte_carlo_error, percent
from gainful import inference as inf

ALPHA = 0.05
RESAMPLES = 999
SIZES = (20, 50, 100, 500)
#: Samples per call of SciPy.
BATCH = 50


@dataclass(frozen=True)
class Rates:
    """Rejection rates of tests and coverage of intervals, by name: Gainful's and SciPy's."""

    queries: int
    size: dict[str, tuple[float, float]]
    coverage: dict[str, tuple[float, float]]


def rejection_study(simulations: int, queries: Queries | None = None) -> Table:
    """Return the rejection rates of tests, Gainful's and SciPy's."""
    return _with_scipy([(r.queries, r.size) for r in _rates(queries, simulations)], simulations)


def intervals_study(simulations: int, queries: Queries | None = None) -> Table:
    """Return the coverage of bootstrap intervals, Gainful's and SciPy's."""
    return _with_scipy([(r.queries, r.coverage) for r in _rates(queries, simulations)], simulations)


def _with_scipy(rows: list[tuple[int, dict[str, tuple[float, float]]]], simulations: int) -> Table:
    failures = []
    for queries, rates in rows:
        for name, (ours, scipys) in rates.items():
            limit = monte_carlo_error((ours + scipys) / 2, simulations)
            if abs(ours - scipys) > limit:
                failures.append(
                    f"{name}, {queries} queries: {percent(ours)}, SciPy {percent(scipys)}"
                )
    cells = [
        [
            str(queries),
            *(f"{percent(ours, 2)} ({percent(scipys, 2)})" for ours, scipys in rates.values()),
        ]
        for queries, rates in rows
    ]
    return Table(["queries", *rows[0][1]], cells, failures)


@cache
def _rates(queries: Queries | None, simulations: int) -> tuple[Rates, ...]:
    random = np.random.default_rng(20_031_121)
    return tuple(_all_rates(queries or real_queries(), simulations, random))


def _all_rates(queries: Queries, simulations: int, random: np.random.Generator) -> Iterator[Rates]:
    """Yield the rates for each number of queries."""
    columns = queries.differences()
    # Shift the means to 0, which keeps the skew.
    columns = columns - columns.mean(axis=0)
    for n in SIZES:
        pairs = random.integers(0, columns.shape[1], simulations)
        drawn = random.integers(0, len(columns), (simulations, n))
        samples = columns[drawn, pairs[:, None]]
        ours, scipys = _ours(samples, random), _scipys(samples, random)
        both = {name: (ours[name], scipys[name]) for name in ours}
        tests = [name for name in both if name in TESTS]
        yield Rates(
            n,
            size={name: both[name] for name in tests},
            coverage={name: both[name] for name in both if name not in tests},
        )


TESTS = ("paired t", "randomization", "sign", "Wilcoxon")


def _ours(samples: Floats, random: np.random.Generator) -> dict[str, float]:
    counts = dict.fromkeys((*TESTS, "BCa", "percentile"), 0)
    for sample in samples:
        seed = int(random.integers(1 << 62))
        p = {
            "paired t": inf.paired_t(sample).p,
            "randomization": inf.randomization_test(sample, resamples=RESAMPLES, seed=seed).p,
            "sign": inf.sign_test(sample),
            "Wilcoxon": inf.wilcoxon_test(sample).p,
        }
        ends = {
            "BCa": inf.bca_interval(sample, resamples=RESAMPLES, seed=seed),
            "percentile": inf.percentile_interval(sample, resamples=RESAMPLES, seed=seed),
        }
        for name, value in p.items():
            counts[name] += value <= ALPHA
        for name, interval in ends.items():
            counts[name] += interval is not None and interval[0] <= 0.0 <= interval[1]
    return {name: count / len(samples) for name, count in counts.items()}


def _scipys(samples: Floats, random: np.random.Generator) -> dict[str, float]:
    from scipy import stats

    counts = dict.fromkeys((*TESTS, "BCa", "percentile"), 0)
    for start in range(0, len(samples), BATCH):
        batch = samples[start : start + BATCH]
        seed = int(random.integers(1 << 62))
        counts["paired t"] += int((stats.ttest_1samp(batch, 0.0, axis=1).pvalue <= ALPHA).sum())
        flips = stats.permutation_test(
            (batch,),
            np.mean,
            permutation_type="samples",
            vectorized=True,
            n_resamples=RESAMPLES,
            axis=1,
            batch=100,
            rng=np.random.default_rng(seed),
        )
        counts["randomization"] += int((flips.pvalue <= ALPHA).sum())
        counts["Wilcoxon"] += int((stats.wilcoxon(batch, axis=1).pvalue <= ALPHA).sum())
        for sample in batch:
            wins, losses = int((sample > 0).sum()), int((sample < 0).sum())
            counts["sign"] += bool(stats.binomtest(wins, wins + losses).pvalue <= ALPHA)
        for name in ("BCa", "percentile"):
            ends = stats.bootstrap(
                (batch,),
                np.mean,
                n_resamples=RESAMPLES,
                axis=1,
                batch=100,
                method=name,
                rng=np.random.default_rng(seed),
            ).confidence_interval
            counts[name] += int(((ends.low <= 0.0) & (ends.high >= 0.0)).sum())
    return {name: count / len(samples) for name, count in counts.items()}
