"""Estimates for new collections, from predictions and strata of collections."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan, sqrt

import numpy as np

from gainful.comparison.pair_statistics import find_couples
from gainful.comparison.predictions import Combining, estimate_part
from gainful.comparison.scores import Scores, align_values
from gainful.errors import ParameterError
from gainful.formats.numbers import with_sign
from gainful.inference.design import Design
from gainful.inference.effects import random_effects
from gainful.inference.prediction_powered import PredictedMean
from gainful.records import Interval, Record, derived, field
from gainful.suite.macro import macro_average, standardize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from gainful.comparison.pair import Pair
    from gainful.comparison.pair_statistics import Couple
    from gainful.comparison.scores import Floats, Mask
    from gainful.measures import Measure
    from gainful.suite.comparison import SuiteComparison
    from gainful.suite.macro import Macro
    from gainful.suite.result import Suite

    RowMask = NDArray[np.bool_]

__all__ = [
    "CollectionEffect",
    "Strata",
    "StrataPredictions",
    "average_collections",
    "build_strata",
    "check_aggregate",
    "estimate_collection",
    "estimate_effects",
]


def check_aggregate(aggregate: str) -> None:
    """Reject relative scores, which the values of a model do not have."""
    if aggregate != "mean":
        raise ParameterError(
            "relative scores cannot be combined with ⟪predicted⟫",
            where="aggregate",
            hint="⟪aggregate=mean⟫ averages the scores",
        )


def estimate_collection(
    suite: Suite,
    collection: str,
    measure: Measure | str,
    system: str,
    baseline: str | None = None,
    *,
    part: str | None = None,
    judged: Iterable[str] = (),
) -> PredictedMean | None:
    """Estimate a mean, or a mean difference, on a collection."""
    evaluation = suite.predictions.get(collection)
    if evaluation is None or not {system, baseline or system} <= {*evaluation.systems}:
        return None
    return estimate_part(
        evaluation,
        measure,
        system,
        baseline,
        weights=suite.weights.get(collection),
        clusters=suite.clusters.get(collection),
        by=suite.attributes.get(collection, {}),
        segment=part,
        judged=judged,
    )


@dataclass(frozen=True, eq=False, slots=True)
class StrataPredictions(Combining):
    """The estimates of couples and systems over collections.

    Attributes
    ----------
    suite : Suite
        The suite.
    scores : Strata
        The values of people.
    """

    suite: Suite
    scores: Strata

    def _estimate(
        self,
        measure: int,
        system: int,
        baseline: int | None,
        segment: str | None,
        counted: Mask,
        values: Floats,
    ) -> tuple[Mask, PredictedMean] | None:
        scores = self.scores
        rows, combined = counted.copy(), values.copy()
        parts: list[PredictedMean | _Alone] = []
        for _, here, estimate in _estimate_collections(
            self.suite, scores, measure, system, baseline, segment
        ):
            if estimate is not None:
                # People judged all these queries, whether a value counts or not.
                rows |= here
                combined[here] = estimate.values
                parts.append(estimate)
            elif (here & counted).any():
                parts.append(_Alone.of(values[here & counted], scores.design(here & counted)))
        if not any(isinstance(part, PredictedMean) for part in parts):
            return None
        return rows, _average(parts, combined[rows], scores.design(rows))


def _estimate_collections(
    suite: Suite,
    scores: Strata,
    measure: int,
    system: int,
    baseline: int | None,
    segment: str | None,
) -> Iterator[tuple[str, Mask, PredictedMean | None]]:
    """Yield the rows of each collection, with the estimate if it has predictions."""
    for name, within in scores.members.items():
        here = scores.rows(segment) & within
        if segment is not None and not here.any():
            continue
        estimate = estimate_collection(
            suite,
            name,
            scores.measures[measure],
            scores.systems[system],
            None if baseline is None else scores.systems[baseline],
            part=segment if scores.is_sliced else None,
            judged=(scores.queries[row][len(name) + 1 :] for row in np.flatnonzero(here)),
        )
        yield name, here, estimate


def average_collections(
    suite: Suite, measure: Measure, system: str, part: str | None
) -> Macro | None:
    """Return the macro-average of a system, in a slice; None if a collection has no value."""
    scores = suite.strata
    place, column = suite.measures.index(measure), scores.systems.index(system)
    values = scores.values[place][:, column]
    parts = {}
    for name, rows, estimate in _estimate_collections(suite, scores, place, column, None, part):
        if estimate is not None:
            parts[name] = estimate.mean, estimate.values, scores.design(rows)
            continue
        counted = rows & ~np.isnan(values)
        if not scores.has_weight(counted):
            return None
        mean = scores.mean(place, column, counted)
        parts[name] = mean, values[counted], scores.design(counted)
    return macro_average(parts, suite.range_of(measure, parts, [system]))


@dataclass(frozen=True, slots=True)
class _Alone:
    """The mean of a collection that people judged completely."""

    mean: float
    standard_error: float
    n: int

    @classmethod
    def of(cls, values: Floats, design: Design) -> _Alone:
        return cls(float(design.mean(values)), float(design.standard_error(values)), len(values))


def _average(
    parts: Sequence[PredictedMean | _Alone], values: Floats, design: Design
) -> PredictedMean:
    """Return the mean of the estimates of collections, which have equal weights."""
    means = [part for part in parts if isinstance(part, PredictedMean)]
    used = [mean for mean in means if mean.method == "combined"]
    alone = [part for part in parts if isinstance(part, _Alone)]
    k = len(parts)

    def error(one: list[float]) -> float:
        return sqrt(sum(deviation**2 for deviation in one)) / k

    rest = sum(mean.mean for mean in alone)
    errors = [mean.standard_error for mean in alone]
    return PredictedMean(
        mean=(sum(mean.mean for mean in means) + rest) / k,
        standard_error=error([*(mean.standard_error for mean in means), *errors]),
        people_mean=(sum(mean.people_mean for mean in means) + rest) / k,
        people_error=error([*(mean.people_error for mean in means), *errors]),
        model_mean=(sum(mean.model_mean for mean in means) + rest) / k,
        rate=sum(mean.rate for mean in means) / len(means),
        method="combined" if used else "people",
        reason="" if used else means[0].reason,
        n=sum(part.n for part in parts),
        queries=sum(mean.queries for mean in means) + sum(mean.n for mean in alone),
        # By Bonferroni.
        p_random=min(1.0, len(means) * min(mean.p_random for mean in means)),
        correlation=means[0].correlation if k == 1 else None,
        values=values,
        design=design,
    )


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Strata(Scores):
    """The values of systems on several collections, with macro-averages as means.

    Attributes
    ----------
    members : dict of str to ndarray
        Which queries belong to each collection. A query's name combines collection and id, because
        different collections can have the same ids.
    is_sliced : bool
        Whether the segments are slices of the queries; otherwise they are collections.
    """

    members: dict[str, RowMask]
    is_sliced: bool = True

    def by_collection(self) -> Strata:
        """Return the values with collections as segments."""
        return replace(self, segments=self.members, is_sliced=False)

    def strata(self, rows: RowMask) -> NDArray[np.intp] | None:
        """Return the collection of each row as a number, to give collections equal weights."""
        inside = [mask[rows] for mask in self.members.values() if mask[rows].any()]
        # For a single collection, omit the strata to reproduce the results of `compare`.
        return np.argmax(inside, axis=0) if len(inside) > 1 else None

    def mean(self, measure: int, system: int, rows: RowMask) -> float:
        """Return a system's macro-average over some rows."""
        means = [
            Scores.mean(self, measure, system, here)
            for mask in self.members.values()
            if self.has_weight(here := rows & mask)
        ]
        return sum(means) / len(means)


def build_strata(
    suite: Suite,
    systems: Sequence[str],
    collections: Sequence[str],
    *,
    ranked: bool,
    aggregated: bool = True,
) -> Strata:
    """Align the values of systems by collection and query, with slices of queries as segments.

    The values of a missing run are NaN. With `aggregated` they are the values that the suite
    averages, which can be standardized, else the scores.
    """
    measures, is_relative = suite.measures, aggregated and suite.aggregate != "mean"
    queries, labels, weights, clusters, blocks = [], [], [], [], []
    for name in collections:
        ids, aligned = align_values(
            [
                [suite.per_query(measure, system, name) for system in systems]
                for measure in measures
            ],
            suite.judged_by_people(name),
        )
        block = np.array(aligned, dtype=np.float64).reshape(len(measures), len(ids), len(systems))
        if is_relative:
            block[:, :, [system not in suite.complete for system in systems]] = np.nan
            block = np.array([standardize(values, suite.aggregate) for values in block])
        blocks.append(block)
        queries += [f"{name}/{query}" for query in ids]
        labels += [name] * len(ids)
        shares = suite.weights.get(name)
        weights += [1.0 if shares is None else shares[query] for query in ids]
        clusters += suite.cluster_labels(name, ids)
    slices = {
        part: {f"{name}/{query}" for name, listed in members.items() for query in listed}
        for part, members in suite.slices.items()
    }
    collection = np.array(labels, dtype=object)
    return Strata(
        queries=tuple(queries),
        systems=tuple(systems),
        measures=measures,
        values=np.concatenate(blocks, axis=1),
        weights=np.array(weights) if suite.weights else None,
        clusters=clusters if suite.clusters else None,
        segments={
            part: np.array([query in members for query in queries])
            for part, members in slices.items()
        },
        ranges=tuple(
            suite.range_of(measure, collections, systems)
            if aggregated and systems
            else measure.range(suite.convention)
            for measure in measures
        ),
        ranked=ranked,
        members={name: collection == name for name in collections},
    )


class CollectionEffect(Record):
    """The difference of two systems over collections like those of a suite."""

    system: str = field(tables="effects")
    """The system."""
    baseline: str = field(tables="effects", label="vs.")
    """The system that it is compared with."""
    measure: str
    """The measure."""
    difference: float = field(tables="effects", show=with_sign)
    """The difference of their macro-averages."""
    interval: Interval | None = field(
        default=None,
        tables="effects",
        label="{level} CI",
        show=with_sign,
        around="difference",
        zero=True,
    )
    """The confidence interval of the mean difference over collections like these, at level
    1 - alpha, simultaneous for all pairs. None for fewer than three collections, and if all have
    the same difference."""
    tau: float | None = field(default=None, tables="effects", json={"minimum": 0})
    """The standard deviation of the true differences between collections; None like the interval,
    and if a collection has a single query."""
    prediction_interval: Interval | None = field(
        default=None, tables="effects", label="{level} prediction", show=with_sign
    )
    """The prediction interval of the difference in a new collection, of each pair alone; None like
    the interval."""
    verdict: str | None = derived(
        lambda effect: _verdict(effect.interval, effect.direction),
        tables="effects",
        json={"enum": ["better", "worse", "inconclusive", None]},
    )
    """Better or worse if the confidence interval excludes 0, else inconclusive; None without an
    interval."""
    direction: int = field(default=1, key="")
    """1 if a higher value of the measure is better, else -1."""


def _verdict(interval: Interval | None, direction: int) -> str | None:
    if interval is None:
        return None
    if interval.low <= 0 <= interval.high:
        return "inconclusive"
    return "better" if direction * interval.low > 0 else "worse"


def estimate_effects(
    comparison: SuiteComparison, pairs: Sequence[Pair]
) -> tuple[CollectionEffect, ...]:
    """Return the differences of pairs of one measure over collections, in their order."""
    if not pairs:
        return ()
    suite, choices = comparison.suite, comparison.choices
    place = [repr(measure) for measure in comparison.measures].index(pairs[0].measure)
    measure = comparison.measures[place]
    scores = comparison.scores.by_collection()
    index = scores.systems.index
    names = [(index(pair.system), index(pair.baseline)) for pair in pairs]
    estimates = []
    for collection in suite.over:
        couples: Iterable[Couple] = find_couples(scores, place, collection, names)
        if suite.predictions:
            couples = map(StrataPredictions(suite, scores).combine, couples)
        estimates.append([_estimate(couple.differences, couple.design) for couple in couples])
    family = sum(
        choices.family == "all" or pair.measure == pairs[0].measure for pair in comparison.pairs
    )
    limits = scores.limits(place)
    return tuple(
        _combine(pair, parts, choices.alpha, family, limits, measure.direction)
        for pair, parts in zip(pairs, zip(*estimates, strict=True), strict=True)
    )


def _estimate(differences: Floats, design: Design) -> tuple[float, float]:
    """Return the mean difference on a collection and its standard error."""
    return float(design.mean(differences)), float(design.standard_error(differences))


def _combine(
    pair: Pair,
    parts: Sequence[tuple[float, float]],
    alpha: float,
    family: int,
    limits: tuple[float, float],
    direction: int,
) -> CollectionEffect:
    effects, errors = zip(*parts, strict=True)
    simultaneous = random_effects(effects, errors, level=1 - alpha / family)
    alone = random_effects(effects, errors, level=1 - alpha)
    known: dict[str, Any] = {}
    if simultaneous is not None and alone is not None:
        ends = simultaneous.low, simultaneous.high, alone.prediction_low, alone.prediction_high
        low, high, *prediction = np.clip(ends, *limits).tolist()
        known = {
            "interval": Interval(low, high),
            # A single query has no standard error, so that tau is not known.
            "tau": None if isnan(alone.tau) else alone.tau,
            "prediction_interval": Interval(*prediction),
        }
    return CollectionEffect(
        system=pair.system,
        baseline=pair.baseline,
        measure=pair.measure,
        difference=pair.difference,
        direction=direction,
        **known,
    )
