"""The result of an evaluation with the judgments of a model."""

from __future__ import annotations

from gainful.errors import ParameterError
from gainful.evaluation.predicted_tables import (
    condition_notes,
    describe_worth,
    explanations,
    show_rate,
    worth_of,
)
from gainful.evaluation.summary import MeanEstimate, Summary
from gainful.formats.numbers import digits
from gainful.formats.table import Note
from gainful.records import Interval, Record, as_columns, derived, field
from gainful.records.tables import table_of
from gainful.results import Records, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping
    from typing import Literal

    from gainful.conventions import Convention
    from gainful.evaluation.predicted import TwoPhaseSample
    from gainful.evaluation.result import Evaluation
    from gainful.formats.table import Table
    from gainful.inference.prediction_powered import PredictedMean
    from gainful.measures import Measure

__all__ = ["PredictedEstimate", "PredictedEvaluation", "combine_evaluations", "describe_estimate"]

#: With fewer queries, no estimate is made: `gainful.inference.predicted_mean`.
_JUDGED = {"minimum": 10}


class PredictedEstimate(MeanEstimate):
    """The mean of a measure of a system: by people, by a model, and combined."""

    system: str = field(tables="estimates")
    """The name of the system."""
    measure: str = field(tables="estimates")
    """The name of the measure."""
    n: int = field(json=_JUDGED)
    """The number of queries that people judged."""
    queries: int = field(json=_JUDGED)
    """The number of queries that the model judged."""
    mean: float = field(tables="estimates suite", label="combined", show=digits)
    """The combined estimate."""
    interval: Interval | None = field(tables="estimates suite", label="95% CI", show=digits)
    """The 95% confidence interval of the mean over new queries."""
    people_mean: float = field(tables="estimates suite", label="people only", show=digits)
    """The mean of the human-judged queries alone."""
    people_interval: Interval | None = field(
        tables="estimates suite", label="95% CI", show=digits, priority=4
    )
    """The 95% confidence interval of the mean of the human-judged queries."""
    model_mean: float = field(tables="estimates suite", label="model only", show=digits)
    """The mean under the model's judgments of all queries. It has no interval, since its error is
    the bias of the model."""
    rate: float = field(tables="estimates suite", label="λ", show=show_rate, priority=3)
    """How much of the model's values is used: 0 for none."""
    effective: float = field(
        tables="estimates suite", label="worth", show="{:.0f}".format, json={"minimum": 0}
    )
    """The number of human-judged queries that would give the same precision without the model."""
    effective_interval: Interval | None = field(json={"minimum": 0})
    """The 95% confidence interval of this number; None if the model is not used."""
    method: str = field(json={"enum": ["combined", "people"]})
    """``people`` if the estimate and its interval are those of people alone."""
    reason: str = field(json={"enum": ["", "few-errors", "few-values", "no-gain"]})
    """Why: people and model disagree on fewer than 10 queries, fewer than 6 values of people differ
    from the most frequent one, or the model does not help. Empty if the model is used."""
    p_random: float = field(json={"minimum": 0, "maximum": 1})
    """The p-value of a test that the human-judged queries are a random sample."""


class HighestGrades(Record):
    """The highest grades for the queries that people and the model judged."""

    people: float
    """The highest grade of people."""
    model: float
    """The highest grade of the model."""


class PredictedEvaluation(Result):
    """Means that combine the judgments of people for some queries and of a model for all.

    Examples
    --------
    >>> import gainful
    >>> model = {f"q{n}": {"a": n % 3, "b": 1} for n in range(60)}
    >>> people = {f"q{n}": {"a": (n + n // 7) % 3, "b": 1} for n in range(30)}
    >>> run = {query: ["a", "b"] for query in model}
    >>> found = gainful.evaluate(people, run, "nDCG@10", predicted=model, sampled="random")
    >>> found
    <PredictedEvaluation of run: nDCG@10, 30 of 60 queries judged by people>
    >>> estimate = found.estimate()
    >>> estimate.method
    'people'
    """

    SCHEMA = "gainful.predicted-evaluation/1"
    COMMAND = "evaluate --predicted FILE"
    RECORDS = {"summary": None}

    convention: Convention
    """The policies."""
    measures: tuple[Measure, ...] = field(key="")
    """The measures."""
    _measures: dict[str, Measure] = derived(
        lambda evaluation: {
            repr(measure): measure.resolve(evaluation.convention) for measure in evaluation.measures
        },
        key="measures",
    )
    """The measures with their parameters, by requested name."""
    systems: tuple[str, ...] = field(key="")
    """The names of the systems."""
    sampled: Literal["random"] = derived(lambda _: "random")
    """How the human-judged queries were chosen."""
    queries: int = derived(lambda evaluation: len(evaluation.sample.queries), json=_JUDGED)
    """The number of queries that the model judged."""
    judged: int = derived(lambda evaluation: len(evaluation.sample.judged), json=_JUDGED)
    """The number of these that people judged."""
    left_out: int = derived(lambda evaluation: evaluation.sample.left_out, json={"minimum": 0})
    """The number of human-judged queries without judgments of the model."""
    highest_grades: HighestGrades = derived(
        lambda evaluation: HighestGrades(
            people=evaluation.sample.highest[0], model=evaluation.sample.highest[1]
        )
    )
    """The highest grades of people and of the model."""
    weighted: bool
    """Whether the queries have weights."""
    estimates: tuple[PredictedEstimate, ...]
    """The estimates by system and measure."""
    people: Evaluation = field(key="")
    """The evaluation with the judgments of people."""
    model: Evaluation = field(key="")
    """The evaluation with the judgments of the model."""
    sample: TwoPhaseSample = field(key="")
    """The queries that people judged, and all queries."""

    def estimate(
        self, measure: Measure | str | None = None, system: str | None = None
    ) -> PredictedEstimate:
        """Return one estimate. The measure and the system are optional if there is only one.

        Raises
        ------
        ParameterError
            For an unknown measure or system, or if the arguments do not determine the estimate.
        """
        name = measure if measure is None or isinstance(measure, str) else repr(measure)
        estimates = [
            estimate
            for estimate in self.estimates
            if name in (None, estimate.measure) and system in (None, estimate.system)
        ]
        if len(estimates) != 1:
            raise ParameterError(
                where="estimate",
                found=f"{name or 'any measure'} of {system or 'any system'}",
                expected=f"one of {', '.join(map(repr, self.measures))} and one of"
                f" {', '.join(self.systems)}",
            )
        return estimates[0]

    def mean(self, measure: Measure | str | None = None, system: str | None = None) -> float:
        """Return the combined estimate of a mean."""
        return self.estimate(measure, system).mean

    def summary(self, measure: Measure | str | None = None, system: str | None = None) -> Summary:
        """Return the summary of the values of people, with the combined mean and its interval."""
        estimate = self.estimate(measure, system)
        summary = self.people.summary(estimate.measure, estimate.system)
        return summary.replace(mean=estimate.mean, interval=estimate.interval)

    def combine(
        self,
        measure: Measure | str,
        system: str,
        baseline: str | None = None,
        *,
        weights: Mapping[str, float] | None = None,
        clusters: Mapping[str, Hashable] | None = None,
        chosen: Collection[str] | None = None,
    ) -> PredictedMean:
        """Estimate the mean of a system, or its mean difference from a baseline.

        Parameters
        ----------
        measure : Measure or str
            The measure.
        system, baseline : str
            The systems.
        weights, clusters, chosen
            As for `TwoPhaseSample.estimate`.

        Raises
        ------
        ParameterError
            For an unknown measure or system, and as for `TwoPhaseSample.estimate`.
        """
        people, model = (
            [source._values(measure, name) for name in (system, baseline) if name is not None]
            for source in (self.people, self.model)
        )
        if baseline is None:
            return self.sample.estimate(people[0], model[0], weights, clusters, chosen)
        one, other = people
        differences = {query: one[query] - other[query] for query in one if query in other}
        new, old = model
        predicted = {query: new.get(query, 0.0) - old.get(query, 0.0) for query in {*new, *old}}
        return self.sample.estimate(differences, predicted, weights, clusters, chosen)

    def tables(self) -> list[Table]:
        """Return one table of all estimates."""
        several = len(self.systems) > 1
        worths = [
            (
                f"{estimate.measure} of {estimate.system}" if several else estimate.measure,
                worth_of(estimate),
            )
            for estimate in self.estimates
        ]
        notes = [
            Note("worth", describe_worth([worth for _, worth in worths])),
            *condition_notes(self.sample, worths),
            *([Note("weights", "Means are weighted.")] if self.weighted else []),
            Note("convention", str(self.convention)),
            *explanations(),
        ]
        name = "" if several else f"{self.systems[0]}, "
        title = f"{name}{self.judged:,} of {self.queries:,} queries judged by people, all by the"
        table = table_of(self.estimates, "estimates", title=f"{title} model", notes=notes)
        return [table if several else table.only(lambda column: column.key != "system")]

    def _records(self, name: str) -> Records:
        return as_columns(PredictedEstimate, self.estimates)

    def __repr__(self) -> str:
        measures = ", ".join(map(repr, self.measures))
        return (
            f"<PredictedEvaluation of {', '.join(self.systems)}: {measures},"
            f" {self.judged} of {self.queries} queries judged by people>"
        )


def combine_evaluations(
    people: Evaluation, model: Evaluation, sample: TwoPhaseSample
) -> PredictedEvaluation:
    """Combine the evaluations of the same runs by people and by a model."""
    weights = people._weights
    clusters = None if people._groups is None else people._groups.clusters
    estimates = []
    for system in people.systems:
        for measure in people.measures:
            estimate = sample.estimate(
                people._values(measure, system), model._values(measure, system), weights, clusters
            )
            low, high = people.range_on_data(measure, system)
            estimates.append(describe_estimate(estimate, system, repr(measure), low, high))
    return PredictedEvaluation(
        measures=people.measures,
        systems=tuple(people.systems),
        convention=people.convention,
        estimates=tuple(estimates),
        people=people,
        model=model,
        sample=sample,
        weighted=weights is not None,
    )


def describe_estimate(
    found: PredictedMean,
    system: str,
    measure: str,
    low: float | None,
    high: float | None,
    level: float = 0.95,
) -> PredictedEstimate:
    """Return an estimate with its intervals at a level, for a measure from low to high."""
    interval = found.interval(level, low, high)
    alone = found.people_interval(level, low, high)
    effective = found.effective_interval(level)
    return PredictedEstimate(
        system=system,
        measure=measure,
        n=found.n,
        queries=found.queries,
        mean=found.mean,
        interval=interval and Interval(*interval),
        people_mean=found.people_mean,
        people_interval=alone and Interval(*alone),
        model_mean=found.model_mean,
        rate=found.rate,
        effective=found.effective,
        effective_interval=effective and Interval(*effective),
        method=found.method,
        reason=found.reason,
        p_random=found.p_random,
    )
