"""Compute the summaries of raters and their agreement."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np

from gainful.inference import (
    alpha_interval,
    kappa_interval,
    krippendorff_alpha,
    weighted_kappa,
)
from gainful.inference.design import Design
from gainful.inference.interval import quantile
from gainful.judging.summaries import AlphaSummary, FinalSummary, PairSummary, RaterSummary
from gainful.records import Interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from gainful.evaluation.query_groups import QueryGroups
    from gainful.judging.choices import Choices
    from gainful.judging.ratings import Ratings

    Floats = NDArray[np.float64]

__all__ = [
    "alpha_summaries",
    "cluster_labels",
    "clustered_mean",
    "final_summary",
    "pair_summaries",
    "rater_summaries",
]


def rater_summaries(
    ratings: Ratings, choices: Choices, groups: QueryGroups, pairs: Sequence[PairSummary]
) -> tuple[RaterSummary, ...]:
    """Return the summary of each rater."""
    names = [rater.name for rater in ratings.raters]
    table = ratings.array(names)
    queries = np.array([query for query, _ in ratings.pairs], dtype=object)
    final = None if ratings.final is None else ratings.array([ratings.final])[:, 0]
    found = []
    for at, rater in enumerate(ratings.raters):
        rater_grades = table[:, at]
        given = ~np.isnan(rater_grades)
        grades, counts = np.unique(rater_grades[given], return_counts=True)
        biases, of = _bias_of(table, at, queries)
        bias, interval = clustered_mean(biases, of, choices.level, groups)
        found.append(
            RaterSummary(
                rater=rater,
                labels=int(given.sum()),
                queries=len(set(queries[given])),
                distribution=dict(zip(grades.tolist(), counts.tolist(), strict=True)),
                mean=float(rater_grades[given].mean()),
                compared=len(biases),
                bias=bias,
                interval=interval,
                same_as_final=None if final is None else _share_of_equal(rater_grades, final),
                confusion=_confusion(rater.name, pairs),
            )
        )
    return tuple(found)


def final_summary(ratings: Ratings) -> FinalSummary | None:
    """Return the summary of the final grades, or None."""
    if ratings.final is None:
        return None
    final = ratings.array([ratings.final])
    grades, counts = np.unique(final[~np.isnan(final)], return_counts=True)
    return FinalSummary(
        name=ratings.final,
        documents=int(counts.sum()),
        distribution=dict(zip(grades.tolist(), counts.tolist(), strict=True)),
        mean=float(grades @ counts / counts.sum()),
    )


def _confusion(rater: str, pairs: Sequence[PairSummary]) -> dict[tuple[float, float], int]:
    """Return the counts of pairs of grades: the rater's and any other rater's."""
    cells: Counter[tuple[float, float]] = Counter()
    for pair in pairs:
        if pair.first == rater:
            cells.update(pair.confusion)
        elif pair.second == rater:
            cells.update({(two, one): count for (one, two), count in pair.confusion.items()})
    return dict(sorted(cells.items()))


def _share_of_equal(rater_grades: Floats, other: Floats) -> float | None:
    both = ~np.isnan(rater_grades) & ~np.isnan(other)
    return float((rater_grades[both] == other[both]).mean()) if both.any() else None


def _bias_of(table: Floats, at: int, queries: NDArray[np.object_]) -> tuple[Floats, list[str]]:
    """Return a rater's grades minus the others' means, and their queries."""
    others = np.delete(table, at, axis=1)
    graded = ~np.isnan(others)
    rows = ~np.isnan(table[:, at]) & graded.any(axis=1)
    means = np.where(graded[rows], others[rows], 0.0).sum(axis=1) / graded[rows].sum(axis=1)
    return table[rows, at] - means, list(queries[rows])


def clustered_mean(
    values: Floats, queries: Sequence[str], level: float, groups: QueryGroups
) -> tuple[float | None, Interval | None]:
    """Return a mean over documents and its Student's t interval, clustered by query or more."""
    weights = groups.weights_of(queries)
    if not len(values) or (weights is not None and not any(weights)):
        return None, None
    design = Design(len(values), weights=weights, clusters=cluster_labels(queries, groups))
    mean = float(design.mean(values))
    if design.df < 1:
        return mean, None
    df = design.degrees_of_freedom(values)
    half = -quantile((1.0 - level) / 2, df) * float(design.standard_error(values))
    return mean, Interval(mean - half, mean + half)


def cluster_labels(queries: Sequence[str], groups: QueryGroups) -> list[str]:
    """Return the cluster of each document: that of its query, or the query."""
    return groups.clusters_of(queries) or list(queries)


def pair_summaries(
    ratings: Ratings, choices: Choices, groups: QueryGroups
) -> tuple[PairSummary, ...]:
    """Return the summaries of all pairs of raters with a common document."""
    names = [rater.name for rater in ratings.raters]
    table = ratings.array(names)
    queries = np.array([query for query, _ in ratings.pairs], dtype=object)
    return tuple(_pairs(names, table, queries, choices, groups))


def _pairs(
    names: Sequence[str],
    table: Floats,
    queries: NDArray[np.object_],
    choices: Choices,
    groups: QueryGroups,
) -> Iterator[PairSummary]:
    graded = ~np.isnan(table)
    for one, two in combinations(range(len(names)), 2):
        both = graded[:, one] & graded[:, two]
        if not both.any():
            continue
        first, second = table[both, one], table[both, two]
        of = list(queries[both])
        weights = groups.weights_of(of)
        if weights is not None and not any(weights):
            continue
        cells, counts = np.unique(np.stack([first, second]), axis=1, return_counts=True)
        interval = kappa_interval(
            first,
            second,
            weights=choices.kappa,
            item_weights=weights,
            clusters=cluster_labels(of, groups),
            level=choices.level,
        )
        yield PairSummary(
            first=names[one],
            second=names[two],
            documents=int(both.sum()),
            same=float(np.average(first == second, weights=weights)),
            kappa=weighted_kappa(first, second, weights=choices.kappa, item_weights=weights),
            interval=interval and Interval(*interval),
            difference=float(np.average(first - second, weights=weights)),
            confusion={
                (float(a), float(b)): int(n) for (a, b), n in zip(cells.T, counts, strict=True)
            },
        )


def alpha_summaries(
    ratings: Ratings, choices: Choices, groups: QueryGroups
) -> tuple[AlphaSummary, ...]:
    """Return alpha of all raters, and of each kind with at least two raters."""
    if len(ratings.raters) < 2:
        return ()
    kinds: dict[str, list[str]] = {}
    for rater in ratings.raters:
        kinds.setdefault(rater.source.kind, []).append(rater.name)
    found = [_alpha(ratings, None, [rater.name for rater in ratings.raters], choices, groups)]
    if len(kinds) > 1:
        found += [
            _alpha(ratings, kind, names, choices, groups)
            for kind, names in kinds.items()
            if kind and len(names) > 1
        ]
    return tuple(found)


def _alpha(
    ratings: Ratings,
    kind: str | None,
    names: Sequence[str],
    choices: Choices,
    groups: QueryGroups,
) -> AlphaSummary:
    table = ratings.array(names)
    queries = [query for query, _ in ratings.pairs]
    weights = groups.weights_of(queries)
    interval = alpha_interval(
        table,
        scale=choices.scale,
        item_weights=weights,
        clusters=cluster_labels(queries, groups),
        level=choices.level,
    )
    return AlphaSummary(
        kind=kind,
        raters=tuple(names),
        documents=int(((~np.isnan(table)).sum(axis=1) > 1).sum()),
        value=krippendorff_alpha(table, scale=choices.scale, item_weights=weights),
        interval=interval and Interval(*interval),
    )
