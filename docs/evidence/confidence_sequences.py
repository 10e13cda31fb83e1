"""Simulate intervals that are looked at after each query."""

from __future__ import annotations

from functools import cache

import numpy as np

from evidence.queries import Floats, pair_differences, scores_by_measure
from evidence.tables import Table, monte_carlo_error, percent
from gainful.inference import always_valid_alpha, confidence_sequence
from gainful.inference.interval import quantile

SEED = 20_240_219
#: The simultaneous coverage that sequences must have.
LEAST = 0.95
MEASURES = ("nDCG@10", "RR", "P@10")
#: Differences that the first queries may lack, which only the betting sequence allows for.
RARE = {"5% gain 1": (0.05, 1.0), "2% lose 1": (0.02, -1.0)}
#: The first look of `always_valid_alpha`, and of the others that of `LOOKS`.
LATE = 50
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
    populations |= {name: np.where(share < p, value, 0.0) for name, (p, value) in RARE.items()}
    rows, failures = [], []
    for name, pool in populations.items():
        rates, widths = _simulate(pool, simulations)
        ratios = [f"{betting:.1f}, {always:.1f}" for betting, always in widths.T]
        rows.append([name, *map(percent, rates), *ratios])
        least = LEAST - monte_carlo_error(LEAST, simulations)
        if rates[0] < least or (rates[1] < least and name not in RARE):
            failures.append(f"{name}: {', '.join(map(percent, rates[:2]))}")
    widths = [f"widths / t, n = {n}" for n in LOOKS]
    headings = (
        "differences",
        "sequence",
        f"t at always_valid_alpha, from {LATE} on",
        "Student's t",
    )
    return Table((*headings, *widths), rows, failures)


@cache
def _factors() -> tuple[Floats, Floats]:
    """Return the standard errors that intervals reach after each query: wider, and Student's t."""
    counts = range(1, LOOKS[-1] + 1)
    alphas = [always_valid_alpha(max(count, 2)) for count in counts]
    freedom = [max(count - 1, 1) for count in counts]
    wider = [-quantile(alpha / 2, df) for alpha, df in zip(alphas, freedom, strict=True)]
    return np.array(wider), np.array([-quantile(0.025, df) for df in freedom])


def _simulate(pool: Floats, simulations: int) -> tuple[Floats, Floats]:
    """Return the rates of samples without a miss, and the mean ratios of widths to Student's t."""
    random = np.random.default_rng(SEED)
    first, last = LOOKS[0], LOOKS[-1]
    n = np.arange(1, last + 1)
    wider, t = _factors()
    covered = np.zeros(3)
    # Student's t intervals of few samples may all have no width.
    widths = np.full((3, len(LOOKS)), 1e-9)
    for _ in range(simulations):
        pair = pool[:, random.integers(pool.shape[1])]
        values = random.choice(pair, last)
        means = np.cumsum(values) / n
        squares = np.maximum(np.cumsum(values**2) / n - means**2, 0.0)
        error = np.sqrt(squares / np.maximum(n - 1, 1))
        ends = [confidence_sequence(values)]
        ends += [(means - factor * error, means + factor * error) for factor in (wider, t)]
        for place, (low, high) in enumerate(ends):
            # Sums of many values are rounded.
            inside = (low - 1e-9 <= pair.mean()) & (pair.mean() <= high + 1e-9)
            covered[place] += inside[(LATE if place == 1 else first) - 1 :].all()
            widths[place] += (high - low)[np.array(LOOKS) - 1]
    return covered / simulations, widths[:2] / widths[2]
