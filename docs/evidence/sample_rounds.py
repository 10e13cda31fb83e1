"""Repeated samples of the judgments of all queries of a collection, and estimates from them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import sqrt

import numpy as np

import gainful
from gainful.conventions import get
from gainful.measures import parse_measure
from gainful.sampled import SampleEstimate
from gainful.sampled.call import (
    ModelTotal,
    as_sample,
    combine,
    documents_by_query,
    estimate_queries,
    model_totals,
    ratio_error,
    redraw,
)
from gainful.sampled.plans import Documents, plan_measure
from gainful.sampled.result import summarize

#: Samples of each query, one of which is used each time that the query is drawn.
MOST = 100
#: The number of samples whose sampling errors of ratios are estimated.
REDRAWN = 4

Judged = Mapping[str, Mapping[str, float]]


class Rounds:
    """Samples of the documents of all queries, one per round.

    Queries are sampled independently of each other, so that a new set of queries is made from the
    samples of any rounds, without drawing again.

    Parameters
    ----------
    qrels : mapping
        The grades of a judge; other documents are not relevant.
    runs : mapping of str to mapping
        The systems.
    measures : sequence of str
        The measures.
    depth : int
        The depth of the pool.
    budget : int
        Documents per query.
    simulations : int
        The number of sets of queries that will be made.
    """

    def __init__(
        self,
        qrels: Judged,
        runs: Mapping[str, Mapping[str, Sequence[str]]],
        measures: Sequence[str],
        depth: int,
        budget: int,
        simulations: int,
    ) -> None:
        self.queries = list(qrels)
        self.runs = {name: gainful.Run(dict(run)) for name, run in runs.items()}
        grades = {0.0, *(grade for own in qrels.values() for grade in own.values())}
        self._plans = {
            measure: plan_measure(parse_measure(measure), get("gainful-1"), depth, grades)
            for measure in measures
        }
        self.pools = [
            gainful.pool(
                self.runs, "sample", depth=depth, budget=budget * len(self.queries), seed=seed
            )
            for seed in range(max(4, min(simulations, MOST)))
        ]
        self.judged = [_judge(pool, qrels) for pool in self.pools]
        self._documents = [
            documents_by_query(as_sample(pool), self.runs, judged)
            for pool, judged in zip(self.pools, self.judged, strict=True)
        ]
        self._estimates = [
            {
                (measure, system): estimate_queries(plan, run, documents, {0.0})
                for measure, plan in self._plans.items()
                for system, run in self.runs.items()
            }
            for documents in self._documents
        ]

    def draw(
        self, random: np.random.Generator, simulations: int, size: int | None = None
    ) -> Iterator[list[tuple[int, str]]]:
        """Yield sets of queries, each query with the round of its sample."""
        size = size or len(self.queries)
        for _ in range(simulations):
            rounds = random.integers(len(self.pools), size=size).tolist()
            places = random.integers(len(self.queries), size=size).tolist()
            yield [(at, self.queries[place]) for at, place in zip(rounds, places, strict=True)]

    def estimate(
        self, measure: str, system: str, chosen: Sequence[tuple[int, str]]
    ) -> SampleEstimate:
        """Return the estimate from some queries with their samples."""
        own = [self._estimates[at][measure, system][query] for at, query in chosen]
        return summarize(self._plans[measure], system, own)

    def sampling_errors(self, measure: str, system: str) -> tuple[float, float]:
        """Return the sampling error that is reported for all queries, on average, and the true."""
        plan, run = self._plans[measure], self.runs[system]
        values = [
            [each.point.value or 0.0 for each in estimates[measure, system].values()]
            for estimates in self._estimates
        ]
        true = sqrt(np.var(values, axis=0, ddof=1).sum()) / len(self.queries)
        if plan.is_ratio:
            reported = [ratio_error(plan, run, pairs) for pairs in self._pairs]
        else:
            reported = [
                self.estimate(
                    measure, system, [(at, query) for query in self.queries]
                ).sampling_error
                for at in range(len(self.pools))
            ]
        return float(np.mean([error for error in reported if error is not None])), true

    @cached_property
    def _pairs(self) -> list[dict[str, list[tuple[Documents, Documents]]]]:
        return [redraw(documents) for documents in self._documents[:REDRAWN]]

    def totals(self, labels: Judged) -> list[dict[tuple[str, str], dict[str, ModelTotal]]]:
        """Return the sums by a model's labels in each round, by measure and system."""
        return [
            {
                (measure, system): model_totals(plan, run, documents, labels)
                for measure, plan in self._plans.items()
                for system, run in self.runs.items()
            }
            for documents in self._documents
        ]

    def combine(
        self,
        measure: str,
        system: str,
        chosen: Sequence[tuple[int, str]],
        totals: Sequence[Mapping[tuple[str, str], Mapping[str, ModelTotal]]],
    ) -> SampleEstimate:
        """Return the estimate that combines some queries with a model's labels."""
        queries = {
            at: self._estimates[place][measure, system][query]
            for at, (place, query) in enumerate(chosen)
        }
        own = {
            at: totals[place][measure, system][query] for at, (place, query) in enumerate(chosen)
        }
        people = self.estimate(measure, system, chosen)
        return combine(self._plans[measure], people, queries, own)[0]


def _judge(pool: gainful.pooling.Pool, qrels: Judged) -> dict[str, dict[str, float]]:
    """Return the grades of the documents of a pool."""
    judged: dict[str, dict[str, float]] = defaultdict(dict)
    for query, document in zip(pool.queries, pool.documents, strict=True):
        judged[query][document] = qrels[query].get(document, 0)
    return judged
