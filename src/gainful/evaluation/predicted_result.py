"""The result of an evaluation with the judgments of a model."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from gainful.errors import ParameterError
from gainful.evaluation.predicted_tables import tables
from gainful.evaluation.summary import Summary
from gainful.records import Interval
from gainful.results import Records, Result, as_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping

    from gainful.conventions import Convention
    from gainful.evaluation.predicted import TwoPhaseSample
    from gainful.evaluation.result import Evaluation
    from gainful.formats.table import Table
    from gainful.inference.prediction_powered import PredictedMean
    from gainful.measures import Measure

__all__ = ["PredictedEstimate", "PredictedEvaluation", "combine_evaluations", "describe_estimate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictedEstimate:
    """The mean of a measure of a system: by people, by a model, and combined.

    Attributes
    ----------
    system, measure : str
        The names of the system and the measure.
    n, queries : int
        The number of queries that people judged, and that the model judged.
    mean, low, high : float
        The combined estimate, with its 95% confidence interval for the mean over new queries.
    people_mean, people_low, people_high : float
        The mean of the human-judged queries alone, with its interval.
    model_mean : float
        The mean under the model's judgments of all queries. It has no interval, since its error is
        the bias of the model.
    rate : float
        How much of the model's values is used, λ: 0 for none.
    effective : float
        The number of human-judged queries that would give the same precision without the model.
    effective_low, effective_high : float or None
        Its confidence interval; None if the model is not used.
    method : {"combined", "people"}
        ``people`` if the estimate and its interval are those of people alone.
    reason : {"", "few-errors", "few-values", "no-gain"}
        Why: people and model disagree on fewer than 10 queries, fewer than 6 values of people
        differ from the most frequent one, or the model does not help.
    p_random : float
        The p-value of a test that the human-judged queries are a random sample.
    """

    system: str
    measure: str
    n: int
    queries: int
    mean: float
    low: float | None
    high: float | None
    people_mean: float
    people_low: float | None
    people_high: float | None
    model_mean: float
    rate: float
    effective: float
    effective_low: float | None
    effective_high: float | None
    method: str
    reason: str
    p_random: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class PredictedEvaluation(Result):
    """Means that combine the judgments of people for some queries and of a model for all.

    Attributes
    ----------
    measures : tuple of Measure
        The measures.
    systems : tuple of str
        The names of the systems.
    convention : Convention
        The policies.
    estimates : tuple of PredictedEstimate
        The estimates by system and measure.
    people, model : Evaluation
        The evaluations with the judgments of people and of the model.
    sample : TwoPhaseSample
        The queries that people judged, and all queries.
    weighted : bool
        Whether the queries have weights.

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

    RECORDS = {"summary": None}

    measures: tuple[Measure, ...]
    systems: tuple[str, ...]
    convention: Convention
    estimates: tuple[PredictedEstimate, ...]
    people: Evaluation
    model: Evaluation
    sample: TwoPhaseSample
    weighted: bool

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
        found = [
            each
            for each in self.estimates
            if name in (None, each.measure) and system in (None, each.system)
        ]
        if len(found) != 1:
            raise ParameterError(
                where="estimate",
                found=f"{name or 'any measure'} of {system or 'any system'}",
                expected=f"one of {', '.join(map(repr, self.measures))} and one of"
                f" {', '.join(self.systems)}",
            )
        return found[0]

    def mean(self, measure: Measure | str | None = None, system: str | None = None) -> float:
        """Return the combined estimate of a mean."""
        return self.estimate(measure, system).mean

    def summary(self, measure: Measure | str | None = None, system: str | None = None) -> Summary:
        """Return the summary of the values of people, with the combined mean and its interval."""
        found = self.estimate(measure, system)
        own = self.people.summary(found.measure, found.system)
        ends = None if found.low is None or found.high is None else Interval(found.low, found.high)
        return own.replace(mean=found.mean, interval=ends)

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
            [each._values(measure, name) for name in (system, baseline) if name is not None]
            for each in (self.people, self.model)
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
        return tables(self)

    def to_dict(self) -> dict[str, object]:
        """Return the result as the JSON contract ``gainful.predicted-evaluation/1``."""
        people, model = self.sample.highest
        return {
            "schema": "gainful.predicted-evaluation/1",
            "convention": {**self.convention.to_dict(), "text": str(self.convention)},
            "measures": {
                repr(measure): repr(measure.resolve(self.convention)) for measure in self.measures
            },
            "sampled": "random",
            "queries": len(self.sample.queries),
            "judged": len(self.sample.judged),
            "left_out": self.sample.left_out,
            "highest_grades": {"people": people, "model": model},
            "weighted": self.weighted,
            "estimates": [asdict(each) for each in self.estimates],
        }

    def _records(self, name: str) -> Records:
        names = tuple(PredictedEstimate.__dataclass_fields__)
        return as_records(
            names, [[getattr(each, name) for name in names] for each in self.estimates]
        )

    def __repr__(self) -> str:
        measures = ", ".join(map(repr, self.measures))
        judged, queries = len(self.sample.judged), len(self.sample.queries)
        return (
            f"<PredictedEvaluation of {', '.join(self.systems)}: {measures},"
            f" {judged} of {queries} queries judged by people>"
        )


def combine_evaluations(
    people: Evaluation, model: Evaluation, sample: TwoPhaseSample
) -> PredictedEvaluation:
    """Combine the evaluations of the same runs by people and by a model."""
    weights = people._weights
    estimates = []
    for system in people.systems:
        for measure in people.measures:
            found = sample.estimate(
                people._values(measure, system), model._values(measure, system), weights
            )
            low, high = people.range_on_data(measure, system)
            estimates.append(describe_estimate(found, system, repr(measure), low, high))
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
    own = found.interval(level, low, high) or (None, None)
    alone = found.people_interval(level, low, high) or (None, None)
    effective = found.effective_interval(level) or (None, None)
    return PredictedEstimate(
        system=system,
        measure=measure,
        n=found.n,
        queries=found.queries,
        mean=found.mean,
        low=own[0],
        high=own[1],
        people_mean=found.people_mean,
        people_low=alone[0],
        people_high=alone[1],
        model_mean=found.model_mean,
        rate=found.rate,
        effective=found.effective,
        effective_low=effective[0],
        effective_high=effective[1],
        method=found.method,
        reason=found.reason,
        p_random=found.p_random,
    )
