"""Simulate intervals that are looked at after each query."""

from __future__ import annotations

import numpy as np

from evidence.queries import Floats, pair_differences, scores_by_measure
from evidence.tables import Table, monte_carlo_error, percent
from gainful.inference import confidence_sequence
from gainful.inference.interval import quantile

SEED = 20_240_219
#: The simultaneous coverage that sequences must have.
LEAST = 0.95
MEASURES = ("nDCG@10", "RR", "P@10")
#: Looks after each query from the first to the last of these numbers.
LOOKS = (10, 50, 200, 1_000)


def study(simulations: int) -> Table:
    """Return the coverage at all looks, and the width relative to Student's t."""
    populations = {
        f"{origin}, {measure}": pair_differences(scores[measure])
        for origin, scores in scores_by_measure(MEASURES).items()
        for measure in MEASURES
    }
    share = np.arange(1_000)[:, None] / 1_000
    populations["5% gain 1"] = np.where(share < 0.05, 1.0, 0.0)
    populations["2% lose 1"] = np.where(share < 0.02, -1.0, 0.0)
    rows, failures = [], []
    for name, pool in populations.items():
        covered, by_t, widths = _simulate(pool, simulations)
        ratios = [f"{width:.1f}" for width in widths]
        rows.append([name, percent(covered), percent(by_t), *ratios])
        if covered < LEAST - monte_carlo_error(LEAST, simulations):
            failures.append(f"{name}: {percent(covered)}")
    widths = [f"width / t, n = {n}" for n in LOOKS]
    return Table(("differences", "sequence", "Student's t", *widths), rows, failures)


def _simulate(pool: Floats, simulations: int) -> tuple[float, float, Floats]:
    """Return the rates of samples without a miss, and the mean ratios of widths."""
    random = np.random.default_rng(SEED)
    first, last = LOOKS[0], LOOKS[-1]
    n = np.arange(1, last + 1)
    t = np.array([-quantile(0.025, max(count - 1, 1)) for count in n])
    covered = np.zeros(2)
    # Student's t intervals of few samples may all have no width.
    widths = np.full((2, len(LOOKS)), 1e-9)
    for _ in range(simulations):
        pair = pool[:, random.integers(pool.shape[1])]
        values = random.choice(pair, last)
        means = np.cumsum(values) / n
        squares = np.maximum(np.cumsum(values**2) / n - means**2, 0.0)
        half = t * np.sqrt(squares / np.maximum(n - 1, 1))
        ends = confidence_sequence(values), (means - half, means + half)
        for place, (low, high) in enumerate(ends):
            # Sums of many values are rounded.
            inside = (low - 1e-9 <= pair.mean()) & (pair.mean() <= high + 1e-9)
            covered[place] += inside[first - 1 :].all()
            widths[place] += (high - low)[np.array(LOOKS) - 1]
    rates = covered / simulations
    return float(rates[0]), float(rates[1]), widths[0] / widths[1]
