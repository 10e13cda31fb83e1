"""Simulate estimates from samples of judgments with labels of a model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from statistics import fmean

import numpy as np

import gainful
from evidence.sample_rounds import Rounds
from evidence.sampled_judgments import DEPTH, FEW, LEAST_COVERAGE, UNBIASED, Population, populations
from evidence.tables import Table, monte_carlo_error, percent

#: Documents to judge per query.
BUDGETS = (6, 12, 20)
#: The share of the model's labels that are random.
SHARES = (0.0, 0.05, 0.2, 0.5, 1.0)
#: The largest mean width for a useless model, relative to people only.
WIDEST_USELESS = 1.03


def study(simulations: int) -> Table:
    """Return the coverage of combined 95% intervals, and their width vs. people only."""
    random = np.random.default_rng(20_261_125)
    tolerance = monte_carlo_error(LEAST_COVERAGE, simulations) / 2
    rows, failures = [], []
    for population in populations(only_demo=simulations < FEW):
        cells: dict[float, list[str]] = {share: [] for share in SHARES}
        for budget in BUDGETS:
            for share, found in _simulate(population, budget, simulations, random).items():
                coverage = fmean(covered for covered, _ in found)
                width = fmean(each for _, each in found)
                cells[share].append(f"{percent(coverage)} ({width:.2f})")
                name = f"{population.origin}, {percent(share, 0)} random, {budget} documents"
                if coverage < LEAST_COVERAGE - tolerance:
                    failures.append(f"{name}: coverage {percent(coverage)}")
                if share == 1.0 and width > WIDEST_USELESS:
                    failures.append(f"{name}: {width:.3f} times as wide")
        for share, own in cells.items():
            rows.append([population.origin, f"{percent(share, 0)} of the labels random", *own])
    headings = ["data", "judge", *(f"{budget} documents per query" for budget in BUDGETS)]
    return Table(headings, rows, failures)


def _simulate(
    population: Population, budget: int, simulations: int, random: np.random.Generator
) -> Mapping[float, list[tuple[bool, float]]]:
    """Return by judge whether each interval covers the mean, and its width vs. people only."""
    rounds = Rounds(population.qrels, population.runs, UNBIASED, DEPTH, budget, simulations)
    exact = gainful.evaluate(population.qrels, runs=rounds.runs, measures=list(UNBIASED))
    found: dict[float, list[tuple[bool, float]]] = defaultdict(list)
    for share in SHARES:
        totals = rounds.totals(_labels(population, share, random))
        for chosen in rounds.draw(random, simulations):
            for measure, system in totals[0]:
                each = rounds.combine(measure, system, chosen, totals)
                (low, high), (people_low, people_high) = each.interval, each.people_interval
                width = (high - low) / (people_high - people_low)
                mean = exact.mean(measure, system)
                found[share].append((low <= mean <= high, width))
    return found


def _labels(
    population: Population, share: float, random: np.random.Generator
) -> dict[str, dict[str, float]]:
    """Return the labels of a model, a share of which are those of random documents."""
    grades = [grade for own in population.qrels.values() for grade in own.values()]
    return {
        query: {
            document: float(random.choice(grades)) if random.random() < share else grade
            for document, grade in own.items()
        }
        for query, own in population.qrels.items()
    }
