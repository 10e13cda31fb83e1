"""Simulate the calibration of posterior probabilities, inside and outside their assumptions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from evidence.queries import Floats, compared_systems
from evidence.tables import Table, monte_carlo_error, percent
from gainful.inference import mean_posterior
from gainful.inference.posterior import SKEPTICAL_QUERIES

SEED = 20_151_001
SIZES = (25, 50, 200)

#: The probabilities of the more likely direction, in groups.
GROUPS = ((0.5, 0.8), (0.8, 0.95), (0.95, 0.99), (0.99, 1.01))

#: The margin, in standard deviations of the differences.
MARGIN = 0.1

#: The standard deviation of true effects that the skeptical prior assumes.
SMALL = SKEPTICAL_QUERIES**-0.5

PRIORS = {"reference": 0.0, "skeptical": SKEPTICAL_QUERIES}

#: Draws a number of queries: the true mean and the differences, for a standard deviation near 1.
Draw = Callable[[np.random.Generator, int], tuple[float, Floats]]


@dataclass(frozen=True)
class Population:
    """Differences with a random true mean, and the largest accepted error of each prior."""

    name: str
    draw: Draw
    sizes: tuple[int, ...]
    most: dict[str, float]


def study(simulations: int) -> Table:
    """Return stated probabilities and how often they were right, by population and prior."""
    headings = [
        *("differences", "queries", "prior"),
        *(f"stated {percent(low, 0)} to {percent(min(high, 1.0), 0)}" for low, high in GROUPS),
        "within the margin",
    ]
    rows, failures = [], []
    for population in populations():
        random = np.random.default_rng(SEED)
        for queries in population.sizes:
            found = _simulate(population.draw, queries, simulations, random)
            for prior, (stated, right, within) in found.items():
                cells = []
                groups = [(stated >= low) & (stated < high) for low, high in GROUPS]
                for group in groups:
                    # A rate of few samples says nothing.
                    if group.sum() < 0.005 * simulations:
                        cells.append("–")
                        continue
                    mean, share = float(stated[group].mean()), float(right[group].mean())
                    cells.append(f"{percent(mean)} → {percent(share)}")
                    error = monte_carlo_error(mean, int(group.sum()))
                    if abs(mean - share) > population.most.get(prior, 1.0) + error:
                        where = f"{population.name}, {queries} queries, {prior} prior"
                        failures.append(f"{where}: {cells[-1]}")
                cells.append(" → ".join(percent(float(each.mean())) for each in within))
                rows.append([population.name, str(queries), prior, *cells])
    return Table(headings, rows, failures)


def _simulate(
    draw: Draw, queries: int, simulations: int, random: np.random.Generator
) -> dict[str, tuple[Floats, Floats, tuple[Floats, Floats]]]:
    """Return by prior what was stated, what was right, and both for the margin."""
    known: dict[str, list[tuple[float, bool, float, bool]]] = {prior: [] for prior in PRIORS}
    for _ in range(simulations):
        mean, differences = draw(random, queries)
        for prior, weight in PRIORS.items():
            posterior = mean_posterior(differences, prior_queries=weight)
            if posterior is None:
                continue
            above = posterior.above(0.0)
            _, within, _ = posterior.probabilities(MARGIN)
            right = mean > 0 if above >= 0.5 else mean < 0
            known[prior].append((max(above, 1 - above), right, within, abs(mean) <= MARGIN))
    found = {}
    for prior, each in known.items():
        stated, right, within, small = np.array(each, dtype=np.float64).T
        found[prior] = stated, right, (within, small)
    return found


def populations() -> Iterator[Population]:
    """Yield the populations: as assumed, of real systems, and outside the assumptions."""
    flat = partial(_normal, spread=1.5)
    # With a wide distribution of true means, hardly any prior information is in the data.
    yield Population("normal, effects of any size", flat, (25,), {"reference": 0.01})
    small = partial(_normal, spread=SMALL)
    yield Population("normal, small effects", small, SIZES, {"skeptical": 0.01})
    for systems in compared_systems():
        scores = systems.scores
        columns = [
            scores[:, one] - scores[:, two] for one in range(scores.shape[1]) for two in range(one)
        ]
        scaled = [(each - each.mean()) / each.std() for each in columns]
        yield Population(
            f"{systems.origin}, small effects",
            partial(_real, columns=np.array(scaled)),
            SIZES,
            {"skeptical": 0.04},
        )
    yield Population("one query in ten changed", partial(_sparse, share=0.1), (100, 200), {})
    yield Population("one query in ten loses much", _skewed, SIZES, {})


def _normal(random: np.random.Generator, queries: int, spread: float) -> tuple[float, Floats]:
    mean = random.normal(0.0, spread)
    return mean, random.normal(mean, 1.0, queries)


def _real(random: np.random.Generator, queries: int, columns: Floats) -> tuple[float, Floats]:
    mean = random.normal(0.0, SMALL)
    column = columns[random.integers(len(columns))]
    return mean, mean + column[random.integers(0, len(column), queries)]


def _sparse(random: np.random.Generator, queries: int, share: float) -> tuple[float, Floats]:
    """Draw few changes of random sizes; the share of gains among them is random."""
    gains = random.uniform()
    signs = np.where(random.random(queries) < gains, 1.0, -1.0)
    changed = random.random(queries) < share
    scale = (share * (0.25 + 1 / 12)) ** 0.5
    sizes = random.uniform(0.0, 1.0, queries) / scale
    return share * 0.5 / scale * (2 * gains - 1), changed * signs * sizes


def _skewed(random: np.random.Generator, queries: int) -> tuple[float, Floats]:
    """Draw a small gain on nine of ten queries and a large loss on the tenth, shifted."""
    mean = random.normal(0.0, SMALL)
    differences = np.where(random.random(queries) < 0.1, -3.0, 1.0 / 3.0)
    return mean, mean + differences + random.normal(0.0, 0.1, queries)
