"""The queries of several collections as one stratified design with equal weights."""

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

__all__ = ["Strata", "build_strata"]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Strata(Scores):
    """The values of systems on several collections, with macro-averages as means.

    Attributes
    ----------
    collections : list of str
        The collection of each query. A query's name combines collection and id, because different
        collections can have the same ids.
    """

    collections: list[str]

    def design(self, rows: Mask) -> Design:
        """Return the design of some rows, with equal weights for their collections."""
        chosen = np.flatnonzero(rows)
        weights = None if self.weights is None else self.weights[chosen]
        labels = [self.collections[at] for at in chosen]
        # For a single collection, omit the strata to reproduce the results of `compare`.
        strata = labels if len(set(labels)) > 1 else None
        return Design(len(chosen), weights=weights, strata=strata)

    def mean(self, measure: int, system: int, rows: Mask) -> float:
        """Return a system's macro-average over some rows."""
        means = [
            Scores.mean(self, measure, system, here)
            for mask in self.segments.values()
            if (here := rows & mask).any()
        ]
        return sum(means) / len(means)


def build_strata(
    suite: Suite, measures: Sequence[Measure], systems: Sequence[str], collections: Sequence[str]
) -> Strata:
    """Align the values of systems by collection and query.

    Each collection is also a segment. The values of a missing run are NaN.
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
