"""The values of several systems by query, and the weights of the queries."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log

import numpy as np

from gainful.byte_order import in_byte_order
from gainful.errors import MatchError, MeasureError, ParameterError
from gainful.evaluation.query_groups import refuse_missing, slice_queries
from gainful.inference.design import Design
from gainful.measures.parameters import widest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from gainful.evaluation import Evaluation
    from gainful.measures import Measure

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = [
    "LEAST",
    "Scores",
    "align_scores",
    "align_values",
    "refuse_geometric",
]

#: The value that replaces smaller ones in a geometric mean, as in trec_eval.
LEAST = 0.00001


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Scores:
    """A value for each measure, query and system.

    Attributes
    ----------
    queries : tuple of str
        All queries for which any system has a value, in byte order.
    systems : tuple of str
        Their names.
    measures : tuple of Measure
        The requested measures.
    values : ndarray of shape (measures, queries, systems)
        NaN if a query does not count for a system.
    weights : ndarray of shape (queries,), or None
        How much each query counts.
    clusters : list of str, or None
        The cluster of each query.
    segments : dict of str to ndarray
        Which queries belong to each slice, in display order.
    ranges : tuple of (float or None, float or None)
        The lowest and the highest possible value of each measure, ``None`` if unbounded.
    ranked : bool
        Whether systems are ranked, so that only queries with a value for all of them count.
    """

    queries: tuple[str, ...]
    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: Floats
    weights: Floats | None
    clusters: list[str] | None
    segments: dict[str, Mask]
    ranges: tuple[tuple[float | None, float | None], ...]
    ranked: bool

    def rows(self, segment: str | None) -> Mask:
        """Return which queries belong to a segment; all queries without one.

        Raises
        ------
        ParameterError
            If the segment does not exist.
        """
        if segment is None:
            return np.ones(len(self.queries), dtype=np.bool_)
        if segment not in self.segments:
            raise ParameterError(
                where="segment",
                found=repr(segment),
                expected=f"one of {', '.join(self.segments)}"
                if self.segments
                else "None, because the queries were not sliced",
            )
        return self.segments[segment]

    def has_values(self, measure: int, segment: str | None = None) -> Mask:
        """Return for which queries of a segment each system has a value that counts."""
        there: Mask = self.rows(segment)[:, None] & ~np.isnan(self.values[measure])
        if self.ranked:
            # A system without any value is not compared, and does not keep others from it.
            there &= np.all(there[:, there.any(axis=0)], axis=1, keepdims=True)
        return there

    def left_out(self, measure: int) -> int:
        """Return how many queries count for no system although some have a value."""
        valued = ~np.isnan(self.values[measure]).all(axis=1)
        return int(np.count_nonzero(valued & ~self.has_values(measure).any(axis=1)))

    def has_weight(self, rows: Mask) -> bool:
        """Return whether any of these rows has weight."""
        return bool(rows.any() if self.weights is None else self.weights[rows].any())

    def design(self, rows: Mask) -> Design:
        """Return the weights, clusters and strata of some rows."""
        chosen = np.flatnonzero(rows)
        weights = None if self.weights is None else self.weights[chosen]
        clusters = None if self.clusters is None else [self.clusters[place] for place in chosen]
        return Design(len(chosen), weights=weights, clusters=clusters, strata=self.strata(rows))

    def strata(self, rows: Mask) -> NDArray[np.intp] | None:
        """Return the stratum of each row; None if there is only one."""
        return None

    def mean(self, measure: int, system: int, rows: Mask) -> float:
        """Return a system's mean over some rows, exactly as `evaluate` computes it."""
        values = self.scaled(measure)[rows, system]
        # Sum from left to right, which numpy's own sum does not do.
        if self.weights is None:
            mean = float(np.cumsum(values)[-1] / len(values))
        else:
            weights = self.weights[rows]
            mean = float(np.cumsum(weights * values)[-1] / np.cumsum(weights)[-1])
        return exp(mean) if self.measures[measure].aggregate == "geometric" else mean

    def limits(self, measure: int) -> tuple[float, float]:
        """Return the lowest and the highest possible difference; infinite if unbounded."""
        low, high = self.ranges[measure]
        if low is None or high is None:
            return -inf, inf
        if self.measures[measure].aggregate == "geometric":
            low, high = log(max(low, LEAST)), log(high)
        return low - high, high - low

    def scaled(self, measure: int) -> Floats:
        """Return the values that are compared, (queries, systems): logarithms if geometric.

        A geometric mean is exp of the mean logarithm, so its systems are compared by the mean
        difference of logarithms.
        """
        values: Floats = self.values[measure]
        if self.measures[measure].aggregate != "geometric":
            return values
        logarithms: Floats = np.log(np.maximum(values, LEAST))
        return logarithms


def align_scores(
    evaluations: Sequence[Evaluation],
    measures: Sequence[Measure],
    *,
    weights: Mapping[str, float] | None,
    clusters: Mapping[str, str] | None,
    by: Mapping[str, Mapping[str, str]],
    ranked: bool,
    further: Iterable[str] = (),
) -> Scores:
    """Align the values of evaluations by query; `further` queries need no value."""
    systems = [(evaluation, system) for evaluation in evaluations for system in evaluation.systems]
    queries, values = align_values(
        [
            [scores.values_by_text_id(measure, system) for scores, system in systems]
            for measure in measures
        ],
        further,
    )
    if not queries:
        raise MatchError(
            "no query has a value",
            where="runs",
            hint="check that the runs contain queries with relevant documents",
        )
    return Scores(
        queries=tuple(queries),
        systems=tuple(system for _, system in systems),
        measures=tuple(measures),
        values=np.array(values, dtype=np.float64),
        weights=None if weights is None else _weights(weights, queries),
        clusters=None if clusters is None else _clusters(clusters, queries),
        segments=_segments(by, queries),
        ranges=tuple(
            widest(evaluation.range_on_data(measure, system) for evaluation, system in systems)
            for measure in measures
        ),
        ranked=ranked,
    )


def refuse_geometric(measures: Iterable[Measure]) -> None:
    """Reject geometric means, where the mean of per-query values is required."""
    for measure in measures:
        if measure.aggregate == "geometric":
            raise MeasureError(
                "a geometric mean is not a mean of per-query values",
                where=repr(measure),
                hint="use AP instead of GMAP, bpref instead of GMbpref",
            )


def align_values(
    columns: Sequence[Sequence[Mapping[str, float]]], further: Iterable[str] = ()
) -> tuple[list[str], list[list[list[float]]]]:
    """Return all queries, and values of shape (measures, queries, systems), or NaN."""
    valued = {query for values in columns for column in values for query in column}
    queries = in_byte_order(valued.union(further))
    nothing = float("nan")

    def align(column: Mapping[str, float]) -> Iterable[float]:
        # The usual case, in which a lookup for each query would take most of the time.
        if list(column) == queries:
            return column.values()
        return [column.get(query, nothing) for query in queries]

    return queries, [list(map(list, zip(*map(align, column), strict=True))) for column in columns]


def _weights(weights: Mapping[str, float], queries: Sequence[str]) -> Floats:
    refuse_missing(weights, queries, "weight")
    shares = np.array([weights[query] for query in queries], dtype=np.float64)
    if not shares.any():
        raise ParameterError("all weights are 0", where="weights")
    return shares


def _clusters(clusters: Mapping[str, str], queries: Sequence[str]) -> list[str]:
    refuse_missing(clusters, queries, "cluster")
    return [clusters[query] for query in queries]


def _segments(by: Mapping[str, Mapping[str, str]], queries: Sequence[str]) -> dict[str, Mask]:
    return {
        name: np.array([query in ids for query in queries])
        for name, listed in slice_queries(by, queries).items()
        for ids in (frozenset(listed),)
    }
