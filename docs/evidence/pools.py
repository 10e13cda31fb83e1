"""Simulate pools by strategy and budget: what they find, and how close the evaluation comes."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import fmean

import numpy as np

import gainful
from evidence.queries import ROBUST
from evidence.sample_rounds import Rounds
from evidence.tables import Table, monte_carlo_error, percent
from gainful.inference import kendall_tau
from gainful.pooling.result import ORDERS

MEASURE = "nDCG@10"
#: Documents to judge per query.
BUDGETS = (5, 10, 20, 40)
#: The ranks that strategies choose from; a sample needs no more than twice the cutoff.
DEPTH, SAMPLE_DEPTH = 100, 20
LEAST_COVERAGE = 0.93
#: Measures whose intervals must cover.
COVERED = ("DCG@10", "P@10")
#: With fewer simulations only the demo is used, so that a test takes seconds.
FEW = 100

Judged = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Collection:
    """Systems, and all judgments of their queries."""

    origin: str
    qrels: Judged
    runs: Mapping[str, Mapping[str, Sequence[str]]]

    def without(self, system: str) -> Collection:
        """Return it without a system."""
        runs = {name: run for name, run in self.runs.items() if name != system}
        return Collection(self.origin, self.qrels, runs)

    def grade(self, query: str, document: str) -> float:
        """Return the grade that a judge gives."""
        return self.qrels[query].get(document, 0)

    def means(self, judged: Judged) -> dict[str, float]:
        """Return nDCG@10 of each system on judgments."""
        found = gainful.evaluate(judged, runs=dict(self.runs), measures=MEASURE)
        return {system: found.mean(MEASURE, system) for system in found.systems}


def study(simulations: int) -> Table:
    """Return what each strategy finds by budget, with samples repeated."""
    rows, failures = [], []
    tolerance = monte_carlo_error(LEAST_COVERAGE, simulations) / 2
    for collection in _collections(only_demo=simulations < FEW):
        for strategy in (*ORDERS, "mtc"):
            whole = _nested(collection, strategy)
            others = {
                system: _nested(collection.without(system), strategy) for system in collection.runs
            }
            for at, budget in enumerate(BUDGETS):
                left_out = [
                    collection.means(own[at])[system] - collection.means(whole[at])[system]
                    for system, own in others.items()
                ]
                figures = _figures(collection, collection.means(whole[at]), whole[at])
                rows.append(
                    [
                        *(collection.origin, str(budget), strategy, *figures),
                        f"{fmean(left_out):+.3f}",
                        "",
                    ]
                )
        for budget in BUDGETS:
            row, coverage = _sampled(collection, budget, simulations)
            rows.append(row)
            if coverage < LEAST_COVERAGE - tolerance:
                failures.append(f"{collection.origin}, {budget}: coverage {percent(coverage)}")
    headings = [
        *("data", "documents per query", "strategy", "tau", "mean abs. error of nDCG@10"),
        *("relevant found", "left-out system", "coverage"),
    ]
    return Table(headings, rows, failures)


def _figures(collection: Collection, means: Mapping[str, float], judged: Judged) -> list[str]:
    """Return tau, the mean absolute error and the share of relevant documents found."""
    complete = collection.means(collection.qrels)
    systems = list(complete)
    tau = kendall_tau([means[each] for each in systems], [complete[each] for each in systems])
    error = fmean(abs(means[each] - complete[each]) for each in systems)
    relevant = sum(grade > 0 for own in collection.qrels.values() for grade in own.values())
    found = sum(grade > 0 for own in judged.values() for grade in own.values())
    return [f"{tau:.2f}", f"{error:.3f}", percent(found / relevant, 0)]


def _nested(collection: Collection, strategy: str) -> list[Judged]:
    """Return the judgments of a strategy at each budget; a smaller budget is part of a larger."""
    if strategy == "mtc":
        return _by_impact(collection)
    found: list[dict[str, dict[str, float]]] = [{} for _ in BUDGETS]
    for query in collection.qrels:
        lists = [run[query][:DEPTH] for run in collection.runs.values()]
        grades = {each: collection.grade(query, each) for own in lists for each in own}
        order = list(islice(ORDERS[strategy](lists, grades), BUDGETS[-1]))
        for judged, budget in zip(found, BUDGETS, strict=True):
            judged[query] = {each: grades[each] for each in order[:budget]}
    return found


def _by_impact(collection: Collection) -> list[Judged]:
    """Return the judgments of minimal test collections, chosen in one batch per budget."""
    judged: dict[str, dict[str, float]] = {query: {} for query in collection.qrels}
    found = []
    for budget in BUDGETS:
        done = sum(map(len, judged.values()))
        pool = gainful.pool(
            dict(collection.runs),
            "mtc",
            budget=budget * len(judged) - done,
            judged=judged if done else None,
            measure=MEASURE,
            scale=[0, 1],
        )
        for query, document in zip(pool.queries, pool.documents, strict=True):
            judged[query][document] = collection.grade(query, document)
        found.append({query: dict(own) for query, own in judged.items()})
    return found


def _draw(
    collection: Collection, budget: int, seed: int
) -> tuple[gainful.pooling.Pool, dict[str, dict[str, float]]]:
    drawn = gainful.pool(
        dict(collection.runs),
        "sample",
        depth=SAMPLE_DEPTH,
        budget=budget * len(collection.qrels),
        seed=seed,
    )
    judged: dict[str, dict[str, float]] = defaultdict(dict)
    for query, document in zip(drawn.queries, drawn.documents, strict=True):
        judged[query][document] = collection.grade(query, document)
    return drawn, judged


def _sampled(collection: Collection, budget: int, simulations: int) -> tuple[list[str], float]:
    """Return the row of samples, means over several, and the coverage of the intervals."""
    figures = []
    for seed in range(min(1 + simulations // 100, 5)):
        drawn, judged = _draw(collection, budget, seed)
        found = gainful.evaluate_sample(judged, dict(collection.runs), drawn, MEASURE)
        means = {each.system: each.mean for each in found.estimates}
        left_out = []
        for system in collection.runs:
            others = collection.without(system)
            drawn, own = _draw(others, budget, seed)
            run = {system: collection.runs[system]}
            estimate = gainful.evaluate_sample(own, run, drawn, MEASURE).estimates[0]
            left_out.append(estimate.mean - means[system])
        figures.append([*map(_number, _figures(collection, means, judged)), fmean(left_out)])
    tau, error, relevant, bias = (fmean(each) for each in zip(*figures, strict=True))
    coverage = _coverage(collection, budget, simulations)
    row = [
        *(collection.origin, str(budget), "sample", f"{tau:.2f}", f"{error:.3f}"),
        *(percent(relevant / 100, 0), f"{bias:+.3f}", percent(coverage)),
    ]
    return row, coverage


def _number(text: str) -> float:
    return float(text.removesuffix("%"))


def _coverage(collection: Collection, budget: int, simulations: int) -> float:
    """Return the coverage of intervals for the mean over all queries, from new queries."""
    random = np.random.default_rng(20_030_101)
    rounds = Rounds(collection.qrels, collection.runs, COVERED, SAMPLE_DEPTH, budget, simulations)
    complete = gainful.evaluate(collection.qrels, runs=rounds.runs, measures=list(COVERED))
    means = {
        (measure, system): complete.mean(measure, system)
        for measure in COVERED
        for system in rounds.runs
    }
    covered = []
    for chosen in rounds.draw(random, simulations, min(len(rounds.queries), 100)):
        found = [(rounds.estimate(*key, chosen), mean) for key, mean in means.items()]
        covered += [each.interval.low <= mean <= each.interval.high for each, mean in found]
    return fmean(covered)


def _collections(*, only_demo: bool) -> Iterator[Collection]:
    from gainful.demo import collection, search

    yield _collection("demo", collection.qrels_path(), search.runs())
    if only_demo or not ROBUST.is_dir():
        return
    paths = {path.name.split(".")[1]: path for path in sorted(ROBUST.glob("input.*.gz"))}
    runs = {name: gainful.read_run(path) for name, path in paths.items()}
    yield _collection("Robust 2003", ROBUST / "qrels.robust03.txt.gz", runs)
    folder = ROBUST.parent / "scifact"
    found = {}
    for path in sorted(folder.glob("*_results.json")) + sorted(folder.glob("*cross_encoder.json")):
        found[path.stem] = gainful.Run(dict(json.loads(path.read_text())))
    yield _collection("SciFact", folder / "qrels" / "test.tsv", found)
    folder = ROBUST.parent / "dl19-passage"
    pair = {
        name: gainful.read_run(folder / f"{name}.run.gz") for name in ("bm25-default", "tilde-bm25")
    }
    yield _collection("DL 2019", folder / "qrels.dl19-passage.txt", pair)


def _collection(origin: str, qrels: object, runs: Mapping[str, gainful.Run]) -> Collection:
    """Return the queries that each system retrieved something for."""
    judged = gainful.read_qrels(qrels)
    lists = {
        name: {
            query: [document for document, _ in (run.get(query) or ())[:DEPTH]] for query in judged
        }
        for name, run in runs.items()
    }
    queries = [
        query
        for query in judged
        if all(own[query] for own in lists.values())
        and any(grade > 0 for grade in dict(judged[query]).values())
    ]
    return Collection(
        origin,
        {query: dict(judged[query]) for query in queries},
        {name: {query: own[query] for query in queries} for name, own in lists.items()},
    )
