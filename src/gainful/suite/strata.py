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
        clusters = None if self.clusters is None else [self.clusters[at] for at in chosen]
        labels = [self.collections[at] for at in chosen]
        # For a single collection, omit the strata to reproduce the results of `compare`.
        strata = labels if len(set(labels)) > 1 else None
        return Design(len(chosen), weights=weights, clusters=clusters, strata=strata)

    def mean(self, measure: int, system: int, rows: Mask) -> float:
        """Return a system's macro-average over some rows."""
        labels = np.array(self.collections, dtype=object)
        means = [
            Scores.mean(self, measure, system, here)
            for name in dict.fromkeys(self.collections)
            if self.has_weight(here := rows & (labels == name)) and here.any()
        ]
        return sum(means) / len(means)


def build_strata(
    suite: Suite,
    measures: Sequence[Measure],
    systems: Sequence[str],
    collections: Sequence[str],
    *,
    ranked: bool,
    sliced: bool = False,
    aggregated: bool = True,
) -> Strata:
    """Align the values of systems by collection and query.

    Each collection is also a segment; if `sliced`, each slice of the queries is one instead. The
    values of a missing run are NaN. With `aggregated` they are the values that the suite averages,
    which can be standardized, else the scores.
    """
    values_of = suite.aggregated if aggregated else suite.per_query
    queries, labels, weights, clusters = [], [], [], []
    columns: list[list[list[float]]] = [[] for _ in measures]
    for name in collections:
        ids, values = align_values(
            [[values_of(system, name, measure) for system in systems] for measure in measures],
            suite.predictions[name].sample.judged if name in suite.predictions else (),
        )
        for rows, own in zip(columns, values, strict=True):
            rows += own
        queries += [f"{name}/{query}" for query in ids]
        labels += [name] * len(ids)
        shares = suite.weights.get(name)
        weights += [1.0 if shares is None else shares[query] for query in ids]
        clusters += suite.cluster_labels(name, ids)
    if sliced:
        parts = [
            {f"{name}/{query}" for name, own in members.items() for query in own}
            for members in suite.slices.values()
        ]
        segments = dict(
            zip(
                suite.slices,
                (np.array([query in own for query in queries]) for own in parts),
                strict=True,
            )
        )
    else:
        segments = {name: np.array([each == name for each in labels]) for name in collections}
    return Strata(
        queries=tuple(queries),
        systems=tuple(systems),
        measures=tuple(measures),
        values=np.array(columns, dtype=np.float64),
        weights=np.array(weights) if suite.weights else None,
        clusters=clusters if suite.clusters else None,
        segments=segments,
        ranges=tuple(
            suite._range(measure, collections, systems)
            if aggregated
            else measure.range(suite.convention)
            for measure in measures
        ),
        ranked=ranked,
        collections=labels,
    )
