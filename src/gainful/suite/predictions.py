"""Estimates over collections from the judgments of people and of a model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from gainful.comparison.predictions import unjudged_queries
from gainful.errors import ParameterError
from gainful.inference.prediction_powered import FEWEST_JUDGED, PredictedMean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gainful.comparison.pair_statistics import Couple
    from gainful.comparison.scores import Floats, Mask
    from gainful.inference.design import Design
    from gainful.measures import Measure
    from gainful.suite.result import Suite
    from gainful.suite.strata import Strata

__all__ = ["StrataPredictions", "check_aggregate", "estimate_collection"]


def check_aggregate(aggregate: str) -> None:
    """Reject relative scores, which the values of a model do not have.

    Raises
    ------
    ParameterError
        For an aggregate other than the mean.
    """
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
    judged: Iterable[str] | None = None,
) -> PredictedMean | None:
    """Estimate a mean, or a mean difference, on a collection.

    Parameters
    ----------
    suite : Suite
        The suite.
    collection : str
        The collection.
    measure, system, baseline
        As for `PredictedEvaluation.combine`.
    part : str, optional
        The slice of the queries.
    judged : iterable of str, optional
        The human-judged queries of the slice.

    Returns
    -------
    PredictedMean or None
        None without predictions, without a run, and if people judged too few queries of the slice.
    """
    predictions = suite.predictions.get(collection)
    names = (system,) if baseline is None else (system, baseline)
    if predictions is None or any(name not in predictions.systems for name in names):
        return None
    chosen = None
    if part is not None:
        own = set(judged or ())
        if len(own) < FEWEST_JUDGED:
            return None
        chosen = own | unjudged_queries(predictions.sample, suite.attributes[collection], part)
    return predictions.combine(
        measure,
        system,
        baseline,
        weights=suite.weights.get(collection),
        clusters=suite.clusters.get(collection),
        chosen=chosen,
    )


@dataclass(frozen=True, eq=False, slots=True)
class StrataPredictions:
    """The estimates of couples and systems over collections.

    Attributes
    ----------
    suite : Suite
        The suite.
    scores : Strata
        The values of people.
    sliced : bool
        Whether the segments are slices of the queries; otherwise they are collections.
    """

    suite: Suite
    scores: Strata
    sliced: bool = False

    def mean(self, measure: int, system: int, segment: str | None = None) -> PredictedMean | None:
        """Estimate the macro-average of a system; None without predictions."""
        rows = self.scores.has_values(measure, segment)[:, system]
        values = self.scores.values[measure][:, system]
        found = self._estimate(measure, system, None, segment, rows, values)
        return None if found is None else found[1]

    def combine(self, couple: Couple) -> Couple:
        """Return a couple whose differences are combined with those of the model.

        It is unchanged without predictions for its queries.
        """
        values = self.scores.values[couple.measure]
        differences = values[:, couple.system] - values[:, couple.baseline]
        found = self._estimate(
            couple.measure,
            couple.system,
            couple.baseline,
            couple.segment,
            couple.rows,
            differences,
        )
        if found is None:
            return couple
        rows, estimate = found
        return replace(
            couple,
            rows=rows,
            differences=estimate.values,
            design=estimate.design,
            predicted=estimate,
        )

    def _estimate(
        self,
        measure: int,
        system: int,
        baseline: int | None,
        segment: str | None,
        counted: Mask,
        values: Floats,
    ) -> tuple[Mask, PredictedMean] | None:
        """Return the rows of an estimate over collections, and the estimate."""
        scores = self.scores
        labels = np.array(scores.collections, dtype=object)
        rows, combined = counted.copy(), values.copy()
        parts: list[PredictedMean | _Alone] = []
        for name in dict.fromkeys(labels[scores.rows(segment)]):
            here = scores.rows(segment) & (labels == name)
            queries = [scores.queries[at][len(name) + 1 :] for at in np.flatnonzero(here)]
            estimate = estimate_collection(
                self.suite,
                name,
                scores.measures[measure],
                scores.systems[system],
                None if baseline is None else scores.systems[baseline],
                part=segment if self.sliced else None,
                judged=queries,
            )
            if estimate is not None:
                # People judged all these queries, whether a value counts or not.
                rows |= here
                combined[here] = estimate.values
                parts.append(estimate)
            elif (here & counted).any():
                parts.append(_Alone.of(values[here & counted], scores.design(here & counted)))
        if not any(isinstance(each, PredictedMean) for each in parts):
            return None
        return rows, _average(parts, combined[rows], scores.design(rows))


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
    found = [each for each in parts if isinstance(each, PredictedMean)]
    used = [each for each in found if each.method == "combined"]
    alone = [each for each in parts if isinstance(each, _Alone)]
    k = len(parts)

    def error(one: list[float]) -> float:
        return sqrt(sum(each**2 for each in one)) / k

    rest = sum(each.mean for each in alone)
    errors = [each.standard_error for each in alone]
    return PredictedMean(
        mean=(sum(each.mean for each in found) + rest) / k,
        standard_error=error([*(each.standard_error for each in found), *errors]),
        people_mean=(sum(each.people_mean for each in found) + rest) / k,
        people_error=error([*(each.people_error for each in found), *errors]),
        model_mean=(sum(each.model_mean for each in found) + rest) / k,
        rate=sum(each.rate for each in found) / len(found),
        method="combined" if used else "people",
        reason="" if used else found[0].reason,
        n=sum(each.n for each in parts),
        queries=sum(each.queries for each in found) + sum(each.n for each in alone),
        # By Bonferroni.
        p_random=min(1.0, len(found) * min(each.p_random for each in found)),
        correlation=found[0].correlation if k == 1 else None,
        values=values,
        design=design,
    )
