"""Simulate the slope of online over offline differences, and predictions with it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evidence.queries import Floats
from evidence.tables import Table, monte_carlo_error, percent
from gainful.agreement import Experiment, compare_online
from gainful.inference.regression import errors_in_variables

SIZES = (15, 30, 100)
SEED = 20_031_127
LEAST = 0.93
#: Standard errors of offline differences, whose standard deviation is .012.
ERRORS = (0.003, 0.006, 0.01)

#: Draws true offline differences, and online differences, of n experiments.
Draw = Callable[[np.random.Generator, int], tuple[Floats, Floats]]


def study(simulations: int) -> Table:
    """Return how often the prediction interval contains the next online difference."""
    headings = ("experiments", "relation", "coverage")
    rows, failures = [], []
    for what, (draw, _) in RELATIONS.items():
        for n in SIZES:
            random = np.random.default_rng(SEED)
            share = sum(_is_covered(draw, random, n) for _ in range(simulations)) / simulations
            rows.append([str(n), what, percent(share)])
            if share < LEAST - monte_carlo_error(LEAST, simulations):
                failures.append(f"{what}, {n} experiments: {percent(share)}")
    return Table(headings, rows, failures)


def slopes_study(simulations: int) -> Table:
    """Return how often the interval of the slope contains it, by the errors offline."""
    headings = ("experiments", "relation", *(f"error {error}" for error in ERRORS))
    rows, failures = [], []
    for what, (draw, slope) in RELATIONS.items():
        if slope is None:
            continue
        for n in SIZES:
            shares = [_cover_slope(draw, slope, error, n, simulations) for error in ERRORS]
            rows.append([str(n), what, *map(percent, shares)])
            least = LEAST_SLOPE.get(what, LEAST)
            if min(shares) < least - monte_carlo_error(least, simulations):
                failures.append(f"slope, {what}, {n} experiments: {percent(min(shares))}")
    return Table(headings, rows, failures)


def _cover_slope(draw: Draw, slope: float, error: float, n: int, simulations: int) -> float:
    random = np.random.default_rng(SEED)
    covered = []
    for _ in range(simulations):
        true, online = draw(random, n)
        offline = true + random.normal(0.0, error, n)
        estimate = errors_in_variables(offline.tolist(), online.tolist(), [error] * n)
        assert estimate is not None
        if estimate.low is not None and estimate.high is not None:
            covered.append(estimate.low <= slope <= estimate.high)
    return float(np.mean(covered))


def _is_covered(draw: Draw, random: np.random.Generator, n: int) -> bool:
    true, online = draw(random, n + 1)
    offline = true + random.normal(0.0, 0.005, n + 1)
    past = [
        Experiment(
            experiment=str(at),
            offline_difference=float(offline[at]),
            online_difference=float(online[at]),
        )
        for at in range(n)
    ]
    (found,) = compare_online(past, predict=float(offline[n])).predictions
    assert found.interval is not None
    return bool(found.interval.low <= online[n] <= found.interval.high)


def _linear(random: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    true = random.normal(0.0, 0.012, n)
    return true, 40 * true + random.normal(0.0, 0.3, n)


def _unrelated(random: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    return random.normal(0.0, 0.012, n), random.normal(0.0, 0.3, n)


def _heavy_tails(random: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    true = random.normal(0.0, 0.012, n)
    return true, 40 * true + 0.2 * random.standard_t(3, n)


def _curved(random: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    true = random.normal(0.0, 0.012, n)
    return true, 0.6 * np.tanh(true / 0.008) + random.normal(0.0, 0.3, n)


def _growing(random: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    true = random.exponential(0.012, n)
    return true, 40 * true + 20 * true * random.normal(size=n)


#: The relations, and their slopes; None without one.
RELATIONS: dict[str, tuple[Draw, float | None]] = {
    "linear": (_linear, 40.0),
    "none": (_unrelated, 0.0),
    "linear, heavy-tailed scatter": (_heavy_tails, 40.0),
    "curved": (_curved, None),
    "linear, scatter grows with the difference": (_growing, 40.0),
}
#: Where few far points have the largest scatter, no interval that was tried covers 93%.
LEAST_SLOPE = {"linear, scatter grows with the difference": 0.85}
