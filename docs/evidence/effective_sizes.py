"""Simulate the coverage of intervals of what human-judged queries are worth with predictions."""

from __future__ import annotations

import numpy as np

from evidence.model_judges import QUERIES, SIZES, Judge, draw_mean, judges
from evidence.tables import Table, monte_carlo_error, percent

LEAST = 0.85
#: Judges with a lower correlation are used in few samples.
LEAST_CORRELATION = 0.3
#: With fewer samples that use a judge, there is no rate.
FEWEST = 0.5


def study(simulations: int) -> Table:
    """Return the coverage of 95% intervals, and the medians of the number and of both ends."""
    rows, failures = [], []
    for place, judge in enumerate(judges()):
        if judge.correlation < LEAST_CORRELATION:
            continue
        cells = [judge.name, f"{judge.correlation:.2f}"]
        for n in SIZES:
            rate, medians = _cover(judge, n, simulations, np.random.default_rng((1981, place, n)))
            low, number, high = (f"{value:.0f}" for value in medians)
            cells.append(f"{percent(rate)} ({number}: {low} to {high})" if rate else "–")
            if rate and rate < LEAST - monte_carlo_error(LEAST, simulations):
                failures.append(f"{judge.name}, {n} queries: coverage {percent(rate)}")
        rows.append(cells)
    return Table(["judge", "correlation", *(f"n = {n}" for n in SIZES)], rows, failures)


def _cover(
    judge: Judge, n: int, simulations: int, random: np.random.Generator
) -> tuple[float, list[float]]:
    """Return the coverage for a mean, and medians; 0 and zeros if few samples use the judge."""
    people, model, _ = next(judge.columns())
    share = 1 - 1 / QUERIES
    true = n / (1 - share * np.corrcoef(people, model)[0, 1] ** 2)
    ends = []
    for _ in range(simulations):
        estimate = draw_mean(people, model, n, random)
        interval = estimate.effective_interval()
        if interval is not None:
            ends.append((interval[0], estimate.effective, interval[1]))
    if len(ends) < FEWEST * simulations:
        return 0.0, [0.0, 0.0, 0.0]
    covered = [low <= true <= high for low, _, high in ends]
    return float(np.mean(covered)), np.median(ends, axis=0).tolist()
