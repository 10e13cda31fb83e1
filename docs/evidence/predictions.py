"""Simulate the prediction intervals of online differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evidence.queries import Floats
from evidence.tables import Table, monte_carlo_error, percent
from gainful.agreement import Experiment, compare_online

SIZES = (15, 30, 100)
SEED = 20_031_127
LEAST = 0.93

#: Draws true offline differences, and online differences, of n experiments.
Draw = Callable[[np.random.Generator, int], tuple[Floats, Floats]]


def study(simulations: int) -> Table:
    """Return how often the prediction interval contains the next online difference."""
    headings = ("experiments", "relation", "coverage")
    rows, failures = [], []
    for what, draw in RELATIONS.items():
        for n in SIZES:
            random = np.random.default_rng(SEED)
            share = sum(_is_covered(draw, random, n) for _ in range(simulations)) / simulations
            rows.append([str(n), what, percent(share)])
            if share < LEAST - monte_carlo_error(LEAST, simulations):
                failures.append(f"{what}, {n} experiments: {percent(share)}")
    return Table(headings, rows, failures)


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
    assert found.low is not None
    assert found.high is not None
    return bool(found.low <= online[n] <= found.high)


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


RELATIONS: dict[str, Draw] = {
    "linear": _linear,
    "none": _unrelated,
    "linear, heavy-tailed scatter": _heavy_tails,
    "curved": _curved,
}
