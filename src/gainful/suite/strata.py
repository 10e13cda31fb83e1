"""Queries of several collections as one design: each collection a stratum of the same weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gainful.comparison.scores import Scores, align_values
from gainful.inference.design import Design

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gainful.measures import Measure
    from gainful.suite.result import Suite

    Mask = NDArray[np.bool_]

__all__ = ["Strata", "strata_of"]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Strata(Scores):
    """What is compared over several collections: its means are macro-averages.

    Attributes
    ----------
    collections : list of str
        The collection of each query. Queries are called by collection and id, for ids of different
        collections may be the same.
    """

    collections: list[str]

    def design(self, rows: Mask) -> Design:
        """Return how the queries of some rows count: each collection of them the same."""
        chosen = np.flatnonzero(rows)
        weights = None if self.weights is None else self.weights[chosen]
        labels = [self.collections[at] for at in chosen]
        # Of one collection it is what comparing its systems alone has.
        strata = labels if len(set(labels)) > 1 else None
        return Design(len(chosen), weights=weights, strata=strata)

    def mean(self, measure: int, system: int, rows: Mask) -> float:
        """Return a system's macro-average over some rows, of means as `evaluate` has them."""
        means = [
            Scores.mean(self, measure, system, here)
            for mask in self.segments.values()
            if (here := rows & mask).any()
        ]
        return sum(means) / len(means)


def strata_of(
    suite: Suite, measures: Sequence[Measure], systems: Sequence[str], collections: Sequence[str]
) -> Strata:
    """Put the values of systems beside each other, query by query, collection by collection.

    Each collection is also a segment. Where a system has no run, there is NaN.
    """
    queries, labels, weights = [], [], []
    columns: list[list[list[float]]] = [[] for _ in measures]
    for name in collections:
        ids, values = align_values(
            [[suite.per_query(system, name, measure) for system in systems] for measure in measures]
        )
        for rows, own in zip(columns, values, strict=True):
            rows += own
        queries += [f"{name}/{query}" for query in ids]
        labels += [name] * len(ids)
        shares = suite.weights.get(name)
        weights += [1.0 if shares is None else shares[query] for query in ids]
    return Strata(
        queries=tuple(queries),
        systems=tuple(systems),
        measures=tuple(measures),
        values=np.array(columns, dtype=np.float64),
        weights=np.array(weights) if suite.weights else None,
        clusters=None,
        segments={
            name: np.array([each == name for each in labels], dtype=np.bool_)
            for name in collections
        },
        collections=labels,
    )
