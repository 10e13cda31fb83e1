"""Simulate intervals, tests and gates with weights and clusters of queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from evidence.queries import Floats, scores_by_measure
from evidence.tables import Table, monte_carlo_error, percent
from gainful import inference as inf
from gainful.evaluation.query_groups import FEWEST_CLUSTERS
from gainful.gates.gated_measure import bounds_of

MEASURES = ("nDCG@10", "AP", "RR")
SUCCESS = np.repeat([0.0, 1.0], [1, 9])
ALPHA = 0.05
RESAMPLES = 999
LEAST_COVERAGE = 0.93
#: Of the two-sided tests, and of gates that pass at exactly the margin. The randomization test
#: assumes that every query's difference is symmetric about 0, which a trend is not.
MOST_ERRORS = {"paired t": 0.06, "randomization": 0.09, "gate": 0.06, "gate, most skewed": 0.065}
#: Of the last, with fewer than 50 units: samples are too small to show how skewed differences are.
MOST_ERRORS_FEW_UNITS = 0.08
#: The share of successes, and the number of queries of each cluster, where clusters are few.
EASY, QUERIES_PER_CLUSTER = 0.9, 50
#: The coverage where there are enough clusters.
LEAST_IN_CLUSTERS = 0.91
#: The share of queries that have the value of another query of their cluster.
DEPENDENCE = 0.5


@dataclass(frozen=True)
class Case:
    """A design, and the shift of each query's value, in standard deviations."""

    name: str
    design: inf.Design
    clusters: Floats | None = None
    shifts: Floats | None = None


def study(simulations: int) -> Table:
    """Return coverage and error rates of designs with weights and clusters."""
    random = np.random.default_rng(20_031_124)
    # Rates of few simulations are allowed to differ by Monte Carlo error.
    slack = monte_carlo_error(ALPHA, simulations) / 2
    values, differences = _populations()
    rows, failures = [], []
    for case in _cases():
        rates = {name: _coverage(case, each, simulations, random) for name, each in values.items()}
        failures += [
            f"{case.name}: coverage {percent(rate)} of {name}"
            for name, rate in rates.items()
            if rate < LEAST_COVERAGE - slack
        ]
        errors = _error_rates(case, differences, simulations, random)
        failures += [
            f"{case.name}: {name} {percent(rate)}"
            for name, rate in errors.items()
            if rate > _limit(name, case) + slack
        ]
        effective = f"{case.design.effective:.1f}"
        shown = [percent(rate) for rate in (*rates.values(), *errors.values())]
        rows.append([case.name, effective, *shown])
    headings = ["queries", "effective", *values, *MOST_ERRORS]
    return Table(headings, rows, failures)


def clusters_study(simulations: int) -> Table:
    """Return the coverage of intervals of a share of successes in few clusters."""
    random = np.random.default_rng(19_650_101)
    slack = monte_carlo_error(ALPHA, simulations) / 2
    rows, failures = [], []
    for count in (5, 10, 20, 40):
        for correlation in (0.02, 0.1, 0.3):
            clusters = np.repeat(np.arange(count), QUERIES_PER_CLUSTER)
            designs = {
                "independent queries": inf.Design(len(clusters)),
                "clusters": inf.Design(len(clusters), clusters=clusters),
            }
            inside = dict.fromkeys((*designs, "clusters, Student's t"), 0)
            for _ in range(simulations):
                spread = 1.0 / correlation - 1.0
                shares = random.beta(EASY * spread, (1.0 - EASY) * spread, count)
                values = (random.random(len(clusters)) < shares[clusters]).astype(float)
                mean = float(values.mean())
                for name, design in designs.items():
                    deviation, n, df = design.spread(values)
                    ends = inf.mean_interval(mean, deviation, n, low=0.0, high=1.0, df=df)
                    inside[name] += ends is not None and ends[0] <= EASY <= ends[1]
                ends = inf.mean_interval(mean, deviation, n, df=df) or (mean, mean)
                inside["clusters, Student's t"] += ends[0] <= EASY <= ends[1]
            rates = {name: number / simulations for name, number in inside.items()}
            if count >= FEWEST_CLUSTERS and rates["clusters"] < LEAST_IN_CLUSTERS - slack:
                failures.append(f"{count} clusters: coverage {percent(rates['clusters'])}")
            rows.append([str(count), f"{correlation:g}", *map(percent, rates.values())])
    headings = ["clusters", "correlation", "independent queries", "clusters", "Student's t alone"]
    return Table(headings, rows, failures)


def _limit(name: str, case: Case) -> float:
    """Return the limit of an error rate."""
    few = name == "gate, most skewed" and case.design.units < 50
    return MOST_ERRORS_FEW_UNITS if few else MOST_ERRORS[name]


def _cases() -> Iterator[Case]:
    for n in (25, 50, 100, 200):
        yield Case(f"{n}, equal weights", inf.Design(n))
    for n in (25, 50, 200):
        yield Case(f"{n}, Zipf weights", inf.Design(n, weights=_zipf(n)))
    for n in (50, 200):
        design = inf.Design(n, weights=_zipf(n))
        yield Case(f"{n}, Zipf weights, head easier", design, shifts=_trend(n))
    sizes = {
        "72, 24 clusters of 3": [3] * 24,
        "60, 20 clusters of 2 and one of 20": [*[2] * 20, 20],
        "90, 30 clusters of 1 and one of 60": [*[1] * 30, 60],
        "111, 30 clusters of Zipf sizes": [max(1, round(30 / rank)) for rank in range(1, 31)],
    }
    for name, each in sizes.items():
        clusters = np.repeat(np.arange(len(each)), each)
        yield Case(name, inf.Design(len(clusters), clusters=clusters), clusters)


def _zipf(n: int) -> Floats:
    return 1.0 / np.arange(1, n + 1)


def _trend(n: int) -> Floats:
    """Return shifts that grow with the weight, by one standard deviation in all."""
    return 0.5 - np.log(np.arange(1, n + 1)) / np.log(n)


def _populations() -> tuple[dict[str, list[Floats]], list[Floats]]:
    """Return values of measures, and differences of systems in nDCG@10."""
    values: dict[str, list[Floats]] = {measure: [] for measure in MEASURES}
    differences = []
    for scores in scores_by_measure(MEASURES).values():
        for measure in MEASURES:
            values[measure] += list(scores[measure].T)
        table = scores["nDCG@10"]
        systems = range(table.shape[1])
        differences += [table[:, i] - table[:, j] for i in systems for j in systems if i != j]
    return {**values, "Success, .9": [SUCCESS]}, differences


def _draw(case: Case, population: Floats, random: np.random.Generator) -> tuple[Floats, float]:
    """Return a value for each query, and the true mean."""
    n = case.design.queries
    values = random.choice(population, n)
    if case.clusters is not None:
        shared = random.choice(population, case.design.units)[case.clusters]
        values = np.where(random.random(n) < DEPENDENCE, shared, values)
    true = float(population.mean())
    if case.shifts is not None:
        shifts = population.std() * case.shifts
        values, true = values + shifts, true + float(case.design.mean(shifts))
    return values, true


def _coverage(
    case: Case, populations: list[Floats], simulations: int, random: np.random.Generator
) -> float:
    inside = 0
    for at in range(simulations):
        population = populations[at % len(populations)]
        values, true = _draw(case, population, random)
        # Shifted values of a bounded measure may be outside 0 to 1.
        low, high = (0.0, 1.0) if case.shifts is None else (-1.0, 2.0)
        deviation, n, df = case.design.spread(values)
        mean = case.design.mean(values)
        ends = inf.mean_interval(mean, deviation, n, low=low, high=high, df=df)
        inside += ends is not None and ends[0] - 1e-9 <= true <= ends[1] + 1e-9
    return inside / simulations


def _error_rates(
    case: Case, populations: list[Floats], simulations: int, random: np.random.Generator
) -> dict[str, float]:
    design = case.design

    def rejects_t(values: Floats, seed: int) -> bool:
        return inf.paired_t(values, design).p <= ALPHA

    def rejects(values: Floats, seed: int) -> bool:
        test = inf.randomization_test(values, design, resamples=RESAMPLES, seed=seed)
        return test.p <= ALPHA

    def passes(values: Floats, seed: int) -> bool:
        return bounds_of(values - 0.05, design, ALPHA, ALPHA).low > -0.05

    tests: dict[str, Callable[[Floats, int], bool]] = {
        "paired t": rejects_t,
        "randomization": rejects,
        "gate": passes,
    }
    wrong = dict.fromkeys(MOST_ERRORS, 0)
    most_skewed = min(populations, key=_skewness)
    for at in range(simulations):
        values, true = _draw(case, populations[at % len(populations)], random)
        seed = int(random.integers(1 << 62))
        for name, test in tests.items():
            wrong[name] += test(values - true, seed)
        values, true = _draw(case, most_skewed, random)
        wrong["gate, most skewed"] += passes(values - true, seed)
    return {name: count / simulations for name, count in wrong.items()}


def _skewness(values: Floats) -> float:
    residuals = values - values.mean()
    return float((residuals**3).mean() / (residuals**2).mean() ** 1.5)
