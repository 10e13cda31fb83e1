"""Simulate intervals and tests of macro-averages over collections of unequal size."""

from __future__ import annotations

import numpy as np

from evidence.queries import Floats, Systems, compared_systems, scores_by_measure
from evidence.tables import Table, monte_carlo_error, percent
from gainful.inference import max_t_pairs
from gainful.inference.design import Design
from gainful.inference.interval import quantile
from gainful.suite.macro import macro_average

ALPHA = 0.05
#: The family-wise error rate that no design may exceed, apart from Monte Carlo error.
MOST = 0.055
RESAMPLES = 399
SEED = 20_080_721

#: The numbers of queries drawn for each collection.
SIZES = ((30, 30), (20, 60), (10, 70), (10, 30, 100))
INTERVAL_SIZES = ((5, 5), (5, 50), (5, 50, 50), (10, 70), (20, 60), (5,) * 8, (10, 30, 100))
#: The coverage that intervals must have.
LEAST = 0.93


def study(simulations: int, every: list[Systems] | None = None) -> Table:
    """Return the family-wise error rates and the power of max-T for macro-averages."""
    headings = ("systems", "queries", "family-wise error", "true differences detected")
    rows, failures = [], []
    for systems in every or compared_systems():
        for sizes in SIZES:
            errors, detected = _simulate(systems, sizes, simulations)
            queries = " + ".join(map(str, sizes))
            rows.append([systems.origin, queries, percent(errors, 2), percent(detected, 2)])
            if errors > MOST + monte_carlo_error(MOST, simulations):
                failures.append(f"{systems.origin}, {queries} queries: {percent(errors, 2)}")
    return Table(headings, rows, failures)


def intervals_study(simulations: int) -> Table:
    """Return the coverage of macro-averages, of few queries of some collections."""
    measures = ("nDCG@10", "AP", "RR", "P@10")
    populations = {name: [] for name in (*measures, "Success, .97")}
    for scores in scores_by_measure(measures).values():
        for measure in measures:
            populations[measure] += [scores[measure][:, 0]]
    populations["Success, .97"] = [(np.arange(1_000) < 970).astype(float)]
    rows, failures = [], []
    for sizes in INTERVAL_SIZES:
        queries = " + ".join(map(str, sizes))
        cells = [queries]
        for measure, columns in populations.items():
            rates = np.array(
                [
                    _cover(parts, sizes, simulations)
                    for column in columns
                    for parts in _divisions(column, len(sizes))
                ]
            )
            covered, by_t = rates.min(axis=0)
            cells.append(f"{percent(covered)} ({percent(by_t)})")
            if covered < LEAST - monte_carlo_error(LEAST, simulations):
                failures.append(f"{queries} queries, {measure}: {percent(covered)}")
        rows.append(cells)
    return Table(("queries", *populations), rows, failures)


def _divisions(column: Floats, count: int) -> list[list[Floats]]:
    """Return equal collections, and collections from the lowest to the highest values or back."""
    if set(column.tolist()) <= {0.0, 1.0}:
        return [[column] * count]
    halves = np.array_split(np.sort(column), 2)
    mixed = [np.concatenate([column, halves[at % 2]]) for at in range(count)]
    return [[column] * count, mixed, mixed[1:] + mixed[:1]]


def _cover(parts: list[Floats], sizes: tuple[int, ...], simulations: int) -> tuple[float, float]:
    """Return the coverage of the interval, and of Student's t with the usual standard error."""
    random = np.random.default_rng(SEED)
    true = float(np.mean([part.mean() for part in parts]))
    covered = np.zeros(2)
    for _ in range(simulations):
        drawn = [random.choice(part, size) for part, size in zip(parts, sizes, strict=True)]
        samples = {
            str(place): (float(scores.mean()), scores, Design(len(scores)))
            for place, scores in enumerate(drawn)
        }
        macro = macro_average(samples, (0.0, 1.0))
        table = np.concatenate(drawn)
        design = Design(len(table), strata=np.repeat(np.arange(len(sizes)), sizes))
        df, error = design.degrees_of_freedom(table), macro.standard_error
        assert macro.interval is not None
        assert error is not None
        half = -quantile(0.025, df) * error
        covered += (
            macro.interval.low <= true <= macro.interval.high,
            abs(macro.mean - true) <= half,
        )
    return tuple(covered / simulations)


def _simulate(systems: Systems, sizes: tuple[int, ...], simulations: int) -> tuple[float, float]:
    """Return the error rate for equal macro-averages, and the share of pairs detected."""
    # Collections of different difficulty: the queries ordered by their mean score.
    order = np.argsort(systems.scores.mean(axis=1))
    parts = [systems.scores[own] for own in np.array_split(order, len(sizes))]
    true = np.mean([part.mean(axis=0) for part in parts], axis=0)
    signs = np.sign(true[:, None] - true)
    pairs = np.triu_indices(len(true), 1)
    design = Design(sum(sizes), strata=np.repeat(np.arange(len(sizes)), sizes))
    random = np.random.default_rng(SEED)
    errors, detected = 0, 0.0
    for _ in range(simulations):
        scores = np.concatenate(
            [
                part[random.integers(0, len(part), size)]
                for part, size in zip(parts, sizes, strict=True)
            ]
        )
        seed = int(random.integers(1 << 62))
        equal, found = (
            max_t_pairs([table], design, resamples=RESAMPLES, seed=seed)[0].p <= ALPHA
            for table in (scores - true, scores)
        )
        errors += bool(equal.any())
        means = design.mean(scores)
        right = np.sign(means[:, None] - means) == signs
        detected += float((found & right)[pairs].mean())
    return errors / simulations, detected / simulations
