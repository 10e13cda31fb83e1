"""Simulate estimates from samples of judgments: coverage, bias, and other estimators."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import sqrt
from statistics import fmean, stdev

import numpy as np

import gainful
from evidence.queries import ROBUST
from evidence.sample_rounds import Rounds
from evidence.tables import Table, monte_carlo_error, percent
from gainful.pooling.call import stratify
from gainful.sampled import SampleEstimate

UNBIASED = ("DCG@10", "P@10")
MEASURES = (*UNBIASED, "nDCG@10", "AP@20", "R@20")
#: Estimators of TREC's sampled collections, by the measure that they estimate.
INFERRED = {"nDCG@10": "infNDCG@10", "AP@20": "xinfAP@20"}
DEPTH = 20
#: Documents to judge per query.
BUDGETS = (6, 12, 20, 30)
#: Documents per query in the study of few queries, and its numbers of queries.
FEW_DOCUMENTS = (4, 6, 12)
QUERIES = (10, 25, 50)
LEAST_COVERAGE = 0.93
#: The largest bias of nDCG, as a share of the standard error, with which its interval must cover.
LARGEST_BIAS = 0.25
#: The largest deviation of a reported sampling error from the true one, as a share of it.
LARGEST_DEVIATION = 0.2
#: The sampling error that matters, as a share of the standard error.
NEGLIGIBLE = 0.1
#: Systems of a population.
SYSTEMS = 3
#: With fewer simulations only the demo is used, so that a test takes seconds.
FEW = 100


@dataclass(frozen=True)
class Population:
    """Systems on queries with all documents down to a depth judged."""

    origin: str
    qrels: Mapping[str, Mapping[str, float]]
    runs: Mapping[str, Mapping[str, list[str]]]


@dataclass(frozen=True)
class Outcome:
    """What simulations show of the estimates of a system, as shares of their standard error.

    Attributes
    ----------
    coverage : float
        Of the mean over the population of queries.
    bias, reported : float
        The mean difference from a complete evaluation of the same queries, and its estimate.
    noise : float
        Four standard errors of `bias`.
    marked : float
        The share of samples whose bias is reported as large.
    """

    coverage: float
    bias: float
    reported: float
    noise: float
    marked: float

    @classmethod
    def of(cls, pairs: Sequence[tuple[SampleEstimate, float]], mean: float, rounds: int) -> Outcome:
        """Return the outcome of estimates with the complete mean over their queries."""
        own = [each for each, _ in pairs]
        error = fmean(each.standard_error for each in own)
        differences = [each.mean - complete for each, complete in pairs]
        return cls(
            coverage=fmean(each.interval.low <= mean <= each.interval.high for each in own),
            bias=fmean(differences) / error,
            reported=fmean(each.bias for each in own) / error,
            # Without a sampling error, only the rounding remains.
            noise=4 * stdev(differences) * (1 / len(own) + 1 / rounds) ** 0.5 / error + 1e-9,
            marked=fmean(each.is_biased for each in own),
        )


@dataclass(frozen=True)
class Simulated:
    """Estimates and complete means of the same queries, by measure and system.

    Attributes
    ----------
    estimates : mapping
        By measure and system, the estimates with the complete means.
    inferred : mapping
        By measure and system, the values of the estimator in `INFERRED` with the complete means.
    means : mapping
        The mean over the population of queries.
    errors : mapping
        The reported sampling error and the true one.
    rounds : int
        The number of different samples of each query.
    """

    estimates: Mapping[tuple[str, str], Sequence[tuple[SampleEstimate, float]]]
    inferred: Mapping[tuple[str, str], Sequence[tuple[float, float]]]
    means: Mapping[tuple[str, str], float]
    errors: Mapping[tuple[str, str], tuple[float, float]]
    rounds: int


def study(simulations: int) -> Table:
    """Return coverage and bias by the number of judged documents per query."""
    tolerance = monte_carlo_error(LEAST_COVERAGE, simulations) / 2
    rows, failures = [], []
    for (origin, budget), found in _simulated(simulations).items():
        for measure in MEASURES:
            own = [
                Outcome.of(pairs, found.means[name, system], found.rounds)
                for (name, system), pairs in found.estimates.items()
                if name == measure
            ]
            coverage = fmean(each.coverage for each in own)
            worst = max(own, key=lambda each: abs(each.bias))
            ratios = [
                reported / true
                for (name, _), (reported, true) in found.errors.items()
                if name == measure
            ]
            rows.append(
                [
                    origin,
                    str(budget),
                    measure,
                    percent(coverage),
                    f"{worst.bias:+.2f}",
                    f"{worst.reported:+.2f}",
                    percent(worst.marked, 0),
                    f"{min(ratios):.2f} to {max(ratios):.2f}" if ratios else "",
                ]
            )
            name = f"{origin}, {budget} documents, {measure}"
            deviation = max((abs(each - 1.0) for each in ratios), default=0.0)
            if budget in FEW_DOCUMENTS and deviation > LARGEST_DEVIATION + 1 / found.rounds:
                failures.append(f"{name}: sampling error {deviation:.2f} from the true one")
            is_unbiased = measure in UNBIASED
            if is_unbiased and abs(worst.bias) > worst.noise:
                failures.append(f"{name}: bias of {worst.bias:+.2f} standard errors")
            if coverage < LEAST_COVERAGE - tolerance and (
                is_unbiased or abs(worst.bias) < LARGEST_BIAS
            ):
                failures.append(f"{name}: coverage {percent(coverage)}")
    headings = [
        "data",
        "documents per query",
        "measure",
        "coverage",
        "bias / SE",
        "reported bias / SE",
        "marked",
        "sampling error / true",
    ]
    return Table(headings, rows, failures)


def few_queries_study(simulations: int) -> Table:
    """Return the coverage of DCG and P by the numbers of documents and queries."""
    random = np.random.default_rng(19_521_201)
    tolerance = monte_carlo_error(LEAST_COVERAGE, simulations) / 2
    rows, failures = [], []
    for population, documents in product(populations(only_demo=simulations < FEW), FEW_DOCUMENTS):
        rounds = _rounds(population.origin, documents, simulations)
        exact = gainful.evaluate(population.qrels, runs=rounds.runs, measures=list(UNBIASED))
        for queries in QUERIES:
            sets = list(rounds.draw(random, simulations, queries))
            row, below = [population.origin, str(documents), str(queries)], 0
            for measure in UNBIASED:
                estimates = [
                    (rounds.estimate(measure, system, chosen), exact.mean(measure, system))
                    for system in rounds.runs
                    for chosen in sets
                ]
                coverage = fmean(
                    each.interval.low <= mean <= each.interval.high for each, mean in estimates
                )
                row.append(percent(coverage))
                below += sum(each.interval.low < 0.0 for each, _ in estimates)
                if coverage < LEAST_COVERAGE - tolerance:
                    failures.append(f"{', '.join(row[:3])} queries: {measure} {row[-1]}")
            row.append(str(below))
            if below:
                failures.append(f"{', '.join(row[:3])} queries: {below} ends below 0")
            rows.append(row)
    headings = ["data", "documents per query", "queries"]
    headings += [*(f"coverage of {each}" for each in UNBIASED), "ends below 0"]
    return Table(headings, rows, failures)


def comparison_study(simulations: int) -> Table:
    """Return bias and root mean squared error of `evaluate --sample`, infNDCG and xinfAP."""
    rows = []
    for (origin, budget), found in _simulated(simulations).items():
        for measure, other in INFERRED.items():
            ours, theirs = [], []
            for (name, _), pairs in found.estimates.items():
                if name == measure:
                    ours += [each.mean - complete for each, complete in pairs]
            for (name, _), values in found.inferred.items():
                if name == measure:
                    theirs += [value - complete for value, complete in values]
            for estimator, errors in ((f"{measure} with --sample", ours), (other, theirs)):
                error = sqrt(fmean(each**2 for each in errors))
                rows.append(
                    [origin, str(budget), estimator, f"{fmean(errors):+.4f}", f"{error:.4f}"]
                )
    return Table(["data", "documents per query", "estimator", "bias", "error (RMSE)"], rows)


@cache
def _simulated(simulations: int) -> dict[tuple[str, int], Simulated]:
    """Return the simulations by origin and number of documents per query."""
    random = np.random.default_rng(20_060_806)
    return {
        (population.origin, budget): _simulate(population, budget, simulations, random)
        for population in populations(only_demo=simulations < FEW)
        for budget in BUDGETS
    }


@cache
def _rounds(origin: str, budget: int, simulations: int) -> Rounds:
    found = populations(only_demo=simulations < FEW)
    population = next(each for each in found if each.origin == origin)
    return Rounds(population.qrels, population.runs, MEASURES, DEPTH, budget, simulations)


def _simulate(
    population: Population, budget: int, simulations: int, random: np.random.Generator
) -> Simulated:
    """Estimate from new queries, each with one of its samples."""
    rounds = _rounds(population.origin, budget, simulations)
    others = [
        gainful.evaluate(
            _with_strata(pool, judged), runs=rounds.runs, measures=list(INFERRED.values())
        )
        for pool, judged in zip(rounds.pools, rounds.judged, strict=True)
    ]
    inferred_values = {
        (measure, system): [each.per_query(other, system) for each in others]
        for measure, other in INFERRED.items()
        for system in rounds.runs
    }
    exact = gainful.evaluate(population.qrels, runs=rounds.runs, measures=list(MEASURES))
    values = {
        (measure, system): exact.per_query(measure, system)
        for measure in MEASURES
        for system in rounds.runs
    }
    found, inferred = defaultdict(list), defaultdict(list)
    for chosen in rounds.draw(random, simulations):
        for key, own in values.items():
            complete = fmean(own[query] for _, query in chosen)
            found[key].append((rounds.estimate(*key, chosen), complete))
            if key in inferred_values:
                mean = fmean(inferred_values[key][at][query] for at, query in chosen)
                inferred[key].append((mean, complete))
    means = {key: fmean(own.values()) for key, own in values.items()}
    errors = {}
    for key, estimates in found.items():
        reported, true = rounds.sampling_errors(*key)
        # Where nearly all documents are judged, hardly any error is left.
        if true > NEGLIGIBLE * fmean(each.standard_error or 0.0 for each, _ in estimates):
            errors[key] = reported, true
    return Simulated(found, inferred, means, errors, len(rounds.pools))


def _with_strata(
    drawn: gainful.pooling.Pool, judged: Mapping[str, Mapping[str, float]]
) -> gainful.Qrels:
    """Return judgments by stratum, with the grade -1 for documents that were not drawn."""
    best: dict[str, dict[str, int]] = defaultdict(dict)
    for query, document, _, rank in drawn.ranks():
        best[query][document] = min(rank, best[query].get(document, rank))
    strata: dict[str, dict[str, dict[str, float]]] = {}
    for query, ranks in best.items():
        own = strata[query] = defaultdict(dict)
        numbers = stratify(list(ranks.values()), len(judged[query]))
        for document, number in zip(ranks, numbers, strict=True):
            own[str(number)][document] = judged[query].get(document, -1)
    return gainful.Qrels(strata, subtopics=True)


def populations(*, only_demo: bool) -> Iterator[Population]:
    from gainful.demo import collection, search

    yield _population("demo", collection.qrels_path(), search.runs())
    if ROBUST.is_dir() and not only_demo:
        paths = sorted(ROBUST.glob("input.*.gz"))[:SYSTEMS]
        runs = {path.name.split(".")[1]: gainful.read_run(path) for path in paths}
        yield _population("Robust 2003", ROBUST / "qrels.robust03.txt.gz", runs)


def _population(origin: str, qrels: object, runs: Mapping[str, gainful.Run]) -> Population:
    """Return systems on queries, with unjudged documents as not relevant."""
    judged = gainful.read_qrels(qrels)
    names = list(runs)[:SYSTEMS]
    lists = {
        name: {
            query: [document for document, _ in (runs[name].get(query) or ())[:DEPTH]]
            for query in judged
        }
        for name in names
    }
    grades = {
        query: {
            document: dict(judged[query]).get(document, 0)
            for own in lists.values()
            for document in own[query]
        }
        for query in judged
    }
    retrieved = {query: own for query, own in grades.items() if own}
    return Population(
        origin,
        retrieved,
        {name: {query: own[query] for query in retrieved} for name, own in lists.items()},
    )
