"""Compare systems with the judgments of people for a sample of queries, and of a model for all."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

import numpy as np

from gainful.errors import ParameterError
from gainful.evaluation.query_groups import slices_of
from gainful.inference import dominance, max_t
from gainful.inference.prediction_powered import FEWEST_JUDGED
from gainful.records import Interval, Record, derived, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from gainful.comparison.choices import CompareOptions
    from gainful.comparison.pair_statistics import Couple
    from gainful.comparison.scores import Floats, Mask, Scores
    from gainful.evaluation.predicted import PredictedEvaluation, TwoPhaseSample
    from gainful.inference.prediction_powered import PredictedMean
    from gainful.measures import Measure

__all__ = [
    "Combining",
    "Predictions",
    "add_intervals_of_people",
    "check_choices",
    "estimate_part",
    "predicted_fields",
]


class Combining:
    """The base of estimates that combine the values of people and of a model."""

    __slots__ = ()

    scores: Scores

    def mean(self, measure: int, system: int, segment: str | None = None) -> PredictedMean | None:
        """Estimate the mean of a system; None if people judged too few queries of the segment."""
        counted = self.scores.has_values(measure, segment)[:, system]
        values = self.scores.values[measure][:, system]
        estimate = self._estimate(measure, system, None, segment, counted, values)
        return None if estimate is None else estimate[1]

    def combine(self, couple: Couple) -> Couple:
        """Return a couple whose differences are combined with those of the model.

        It is unchanged if people judged too few queries of its segment.
        """
        system, baseline = couple.system, couple.baseline
        values = self.scores.values[couple.measure]
        differences = values[:, system] - values[:, baseline]
        estimate = self._estimate(
            couple.measure, system, baseline, couple.segment, couple.rows, differences
        )
        if estimate is None:
            return couple
        rows, mean = estimate
        return replace(
            couple, rows=rows, differences=mean.values, design=mean.design, predicted=mean
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
        """Return the rows of an estimate, and the estimate.

        `counted` and `values` are those of people.
        """
        raise NotImplementedError


def estimate_part(
    evaluation: PredictedEvaluation,
    measure: Measure | str,
    system: str,
    baseline: str | None,
    *,
    weights: Mapping[str, float] | None,
    clusters: Mapping[str, str] | None,
    by: Mapping[str, Mapping[str, str]],
    segment: str | None,
    judged: Iterable[str],
) -> PredictedMean | None:
    """Estimate a mean, or a mean difference, of which people judged some queries of a segment.

    None if people judged too few queries of the segment.
    """
    chosen: set[str] | None = None
    if segment is not None:
        chosen = set(judged)
        if len(chosen) < FEWEST_JUDGED:
            return None
        sample = evaluation.sample
        chosen |= {
            query
            for query in sample.queries
            if query not in sample.judged and segment in slices_of(by, query)
        }
    return evaluation.combine(
        measure, system, baseline, weights=weights, clusters=clusters, chosen=chosen
    )


class Predictions(Record, Combining):
    """The values of a model for all queries, next to those of people for some."""

    sample: TwoPhaseSample = derived(lambda predictions: predictions.evaluation.sample, key="*")
    """The queries that people judged, and all queries."""
    evaluation: PredictedEvaluation = field(key="")
    """The values under the judgments of people and of the model."""
    scores: Scores = field(key="")
    """The values under the judgments of people."""
    weights: Mapping[str, float] | None = field(key="")
    """The weights of all queries."""
    clusters: Mapping[str, str] | None = field(key="")
    """The clusters of all queries."""
    by: Mapping[str, Mapping[str, str]] = field(key="")
    """The values of all queries by attribute, which slice them."""

    def _estimate(
        self,
        measure: int,
        system: int,
        baseline: int | None,
        segment: str | None,
        counted: Mask,
        values: Floats,
    ) -> tuple[Mask, PredictedMean] | None:
        # People judged all queries of the scores, whether a value counts or not.
        rows = self.scores.rows(segment).copy()
        estimate = estimate_part(
            self.evaluation,
            self.scores.measures[measure],
            self.scores.systems[system],
            None if baseline is None else self.scores.systems[baseline],
            weights=self.weights,
            clusters=self.clusters,
            by=self.by,
            segment=segment,
            judged=(self.scores.queries[place] for place in np.flatnonzero(rows)),
        )
        return None if estimate is None else (rows, estimate)


def check_choices(choices: CompareOptions) -> None:
    """Reject options that need the values of each query."""
    if choices.tests:
        raise ParameterError("further tests cannot be combined with ⟪predicted⟫", where="tests")
    if choices.correction == "tukey":
        raise ParameterError(
            "randomized Tukey HSD cannot be combined with ⟪predicted⟫",
            where="correction",
            hint="⟪correction=max-t⟫ corrects all pairs",
        )


def predicted_fields(
    scores: Scores,
    couple: Couple,
    predictions: Combining,
    *,
    needed: int | None,
    tie_margin: float,
) -> dict[str, Any]:
    """Return the fields of a `Pair` that predictions add or change."""
    predicted = couple.predicted
    if predicted is None:
        return {}
    values = scores.values[couple.measure][couple.rows]
    differences = values[:, couple.system] - values[:, couple.baseline]
    wins, ties, losses, dominating = dominance(differences[~np.isnan(differences)], tie_margin)
    means = [
        predictions.mean(couple.measure, system, couple.segment)
        for system in (couple.system, couple.baseline)
    ]
    assert means[0] is not None
    assert means[1] is not None
    worth = predicted.effective_interval()
    # A sample of easy queries may have the usual differences. By Bonferroni.
    p_random = min(1.0, 3 * min(estimate.p_random for estimate in (predicted, means[0], means[1])))
    return {
        "mean": means[0].mean,
        "baseline_mean": means[1].mean,
        # An effect size is one of the differences of queries.
        **dict.fromkeys(("effect", "effect_interval")),
        "wins": int(wins),
        "ties": int(ties),
        "losses": int(losses),
        "dominance": float(dominating),
        "people_difference": predicted.people_mean,
        "model_difference": predicted.model_mean,
        "rate": predicted.rate,
        "worth": predicted.effective,
        "worth_interval": None if worth is None else Interval(*worth),
        # The required number is proportional to the variance of a query.
        "needed_without": None
        if needed is None
        else ceil(needed * predicted.effective / predicted.n),
        "judged_reason": predicted.reason,
        "p_random": p_random,
    }


def add_intervals_of_people(
    scores: Scores,
    couples: Sequence[Couple],
    known: Sequence[dict[str, Any]],
    options: dict[str, Any],
) -> None:
    """Add the simultaneous intervals of people only, by the method of the combined ones."""
    differences = np.full((len(scores.queries), len(couples)), np.nan)
    for index, couple in enumerate(couples):
        values = scores.values[couple.measure]
        differences_of_people = values[:, couple.system] - values[:, couple.baseline]
        differences[couple.rows, index] = differences_of_people[couple.rows]
    counted = ~np.isnan(differences).all(axis=1)
    limits = np.array([scores.limits(couple.measure) for couple in couples]).T
    joint = max_t(differences[counted], scores.design(counted), limits=limits, **options)
    for index, (couple, statistics) in enumerate(zip(couples, known, strict=True)):
        low, high = float(joint.low[index]), float(joint.high[index])
        if couple.predicted is not None and np.isfinite([low, high]).all():
            statistics["people_interval"] = Interval(low, high)
