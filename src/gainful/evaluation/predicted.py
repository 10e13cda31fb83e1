"""Estimate means from the judgments of people for a sample of queries, and of a model for all."""

from __future__ import annotations

from math import isfinite
from os import PathLike, path
from typing import Any, Generic, NamedTuple, TypeVar

from gainful.byte_order import in_byte_order
from gainful.data.samples import read_examples, read_query_sample
from gainful.errors import MatchError, MeasureError, ParameterError
from gainful.evaluation.summary import MeanEstimate, Summary
from gainful.formats.numbers import digits, with_sign
from gainful.formats.table import Note, noted
from gainful.inference.design import Design
from gainful.inference.prediction_powered import FEWEST_JUDGED, predicted_mean
from gainful.records import Interval, Record, as_columns, derived, field
from gainful.records.tables import table_of
from gainful.results import Records, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Hashable,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )
    from typing import Literal

    from gainful.conventions import Convention
    from gainful.data import Qrels
    from gainful.data.samples import QuerySample, Sampled
    from gainful.evaluation.result import Evaluation
    from gainful.formats.table import Table
    from gainful.inference.prediction_powered import PredictedMean
    from gainful.measures import Measure
    from gainful.plots import Plot

    Given = TypeVar("Given")

__all__ = [
    "DOUBTFUL",
    "EstimatedMeans",
    "PredictedEstimate",
    "PredictedEvaluation",
    "TwoPhaseSample",
    "Worth",
    "check_averages",
    "check_sampled",
    "combine_evaluations",
    "condition_notes",
    "describe_worth",
    "explanations",
    "show_rate",
    "two_phase_sample",
    "worth_of",
]

Estimate = TypeVar("Estimate", bound=Any)

#: With fewer queries, no estimate is made: `gainful.inference.predicted_mean`.
_JUDGED = {"minimum": 10}

#: A sample whose p-value is lower is not random.
DOUBTFUL = 0.001


def check_sampled(sampled: Sampled | None, *, has_predictions: bool) -> QuerySample | None:
    """Return the recorded draw of the human-judged queries, None if it is only declared."""
    if not has_predictions:
        if sampled is not None:
            raise ParameterError(
                "there are no predictions",
                where="sampled",
                hint="⟪predicted⟫ names the judgments of a model",
            )
        return None
    if isinstance(sampled, PathLike) or (isinstance(sampled, str) and path.isfile(sampled)):
        return read_query_sample(sampled)
    drawn = getattr(sampled, "query_sample", None)
    if drawn is None and sampled != "random":
        raise ParameterError(
            where="sampled",
            found="nothing" if sampled is None else repr(sampled),
            expected="random, or a pool with a random sample of queries",
            hint="with ⟪sampled=random⟫ you declare that people judged a random sample of the"
            " queries; without one, the combined estimate is wrong",
        )
    return drawn


def check_averages(measures: Iterable[Measure]) -> None:
    """Reject measures that are not the mean of per-query values."""
    for measure in measures:
        if measure.aggregate != "mean":
            raise MeasureError(
                "predictions apply to means of per-query values",
                where=repr(measure),
            )


class HighestGrades(Record):
    """The highest grades for the queries that people and the model judged."""

    people: float
    """The highest grade of people."""
    model: float
    """The highest grade of the model."""


class TwoPhaseSample(Record):
    """The queries that people judged, among those that a model judged."""

    sampled: Literal["random"] = derived(lambda _: "random")
    """How the human-judged queries were chosen."""
    _queries: int = derived(lambda sample: len(sample.queries), key="queries", json=_JUDGED)
    """The number of queries that the model judged."""
    _judged: int = derived(lambda sample: len(sample.judged), key="judged", json=_JUDGED)
    """The number of these that people judged."""
    left_out: int = field(json={"minimum": 0})
    """The number of human-judged queries without judgments of the model; they are left out."""
    highest: HighestGrades = field(key="highest_grades")
    """The highest grades of people and of the model."""
    queries: tuple[str, ...] = field(key="")
    """All queries that the model judged, in byte order."""
    judged: frozenset[str] = field(key="")
    """Those that people judged too."""
    drawn: QuerySample | None = field(default=None, key="")
    """The recorded draw of the queries that people judged."""

    @property
    def counts(self) -> str:
        """How many of the queries people judged: ``30 of 60``."""
        return f"{len(self.judged):,} of {len(self.queries):,}"

    @property
    def other_scale(self) -> bool:
        """Whether the highest grades of people and model differ."""
        return self.highest.people != self.highest.model

    def restrict(self, people: Qrels) -> Qrels:
        """Return the judgments of the queries that people and the model judged."""
        if not self.left_out:
            return people
        from gainful.data import Qrels

        return Qrels({query: grades for query, grades in people.items() if query in self.judged})

    def estimate(
        self,
        people: Mapping[str, float],
        model: Mapping[str, float],
        weights: Mapping[str, float] | None = None,
        clusters: Mapping[str, Hashable] | None = None,
        chosen: Collection[str] | None = None,
    ) -> PredictedMean:
        """Estimate a mean."""
        import numpy as np

        queries = [query for query in self.queries if chosen is None or query in chosen]
        nothing = float("nan")
        judged = np.array([query in self.judged for query in queries], dtype=np.bool_)
        values = [
            people.get(query, nothing) if query in self.judged else nothing for query in queries
        ]
        predicted = [model.get(query, 0.0) for query in queries]
        if not queries:
            raise few_judged(0)
        design = Design(
            len(queries),
            weights=_listed(weights, queries, "weight"),
            clusters=_listed(clusters, queries, "cluster"),
        )
        if not judged.any() or not np.isfinite(values).any():
            raise few_judged(0)
        return predicted_mean(
            values,
            [value if isfinite(value) else 0.0 for value in predicted],
            design,
            judged=judged,
        )


def two_phase_sample(
    people: Qrels, model: Qrels, drawn: QuerySample | None = None
) -> TwoPhaseSample:
    """Return the queries of the judgments of people and of a model."""
    queries = in_byte_order(set(model))
    known = set(queries)
    judged = frozenset(query for query in people if query in known)
    left_out = len(set(people)) - len(judged)
    if not judged:
        raise MatchError(
            "no query was judged by both people and the model",
            where="predicted",
            hint="check that both use the same query ids",
        )
    if len(judged) < FEWEST_JUDGED:
        raise few_judged(len(judged))
    if drawn is not None:
        drawn.check(queries, judged)
    for query, document in sorted(read_examples(model.source)):
        if query in judged:
            raise ParameterError(
                "the model saw a grade of this query as an example of its prompt, so it was not"
                " fixed without the human-judged queries",
                where="predicted",
                query=query,
                document=document,
                hint="remove this query from both files",
            )
    return TwoPhaseSample(
        queries=tuple(queries),
        judged=judged,
        left_out=left_out,
        highest=HighestGrades(people=_highest(people, judged), model=_highest(model, judged)),
        drawn=drawn,
    )


def few_judged(count: int) -> ParameterError:
    """Return the error for too few human-judged queries."""
    return ParameterError(
        where="predicted",
        found=f"{count} human-judged quer{'y' if count == 1 else 'ies'} with predictions",
        expected=f"{FEWEST_JUDGED} or more",
        hint="let people judge more queries, drawn at random",
    )


def _highest(judgments: Qrels, queries: Iterable[str]) -> float:
    """Return the highest grade of some queries."""
    grades = (judgments.get(query) or {} for query in queries)
    return float(max((max(table.values(), default=0.0) for table in grades), default=0.0))


def _listed(
    given: Mapping[str, Given] | None, queries: Sequence[str], what: str
) -> list[Given] | None:
    if given is None:
        return None
    for query in queries:
        if query not in given:
            raise ParameterError(
                f"a {what} is missing; every query of the predictions needs one",
                where=f"{what}s",
                query=query,
            )
    return [given[query] for query in queries]


#: With more names, a note counts them.
_NAMED = 4


class Worth(NamedTuple):
    """What notes say about an estimate; the fields are those of `PredictedEstimate`."""

    n: int
    effective: float
    effective_low: float | None
    effective_high: float | None
    reason: str
    p_random: float


def worth_of(estimate: PredictedEstimate) -> Worth:
    """Return what notes say about an estimate."""
    low, high = estimate.effective_interval or (None, None)
    numbers = (estimate.n, estimate.effective, low, high)
    return Worth(*numbers, estimate.reason, estimate.p_random)


def explanations() -> list[Note]:
    """Return notes on the headings of an estimate."""
    return [
        Note(
            "combined",
            "combined: the mean of people, corrected by the model's values of the other queries."
            " λ: how much of these values is used.",
            explains=True,
        ),
        Note(
            "effective",
            "worth: how many human-judged queries would give this interval without the model.",
            explains=True,
        ),
    ]


def show_rate(rate: float) -> str:
    """Format a rate: 0 if the model is not used."""
    return with_sign(rate, 2).removeprefix("+") if rate else "0"


def describe_worth(estimates: Sequence[Worth]) -> str:
    """Return a sentence on the effective sample size, with the range of several estimates.

    Examples
    --------
    >>> describe_worth([Worth(40, 71.2, 58.6, 90.1, "", 0.5)])
    'Your 40 human-judged queries are worth 71 (95% CI 59 to 90).'
    >>> describe_worth([Worth(40, 40.0, None, None, "no-gain", 0.5)])
    'Your 40 human-judged queries are worth 40.'
    """
    n = max(estimate.n for estimate in estimates)
    sizes = sorted({round(estimate.effective) for estimate in estimates})
    worth = f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"
    ends = [
        (estimate.effective_low, estimate.effective_high)
        for estimate in estimates
        if estimate.effective_low is not None and estimate.effective_high is not None
    ]
    if ends:
        kind = "95% CI" if len(ends) == 1 else "95% CIs from"
        worth += f" ({kind} {min(ends)[0]:,.0f} to {max(high for _, high in ends):,.0f})"
    return f"Your {n:,} human-judged queries are worth {worth}."


def condition_notes(sample: TwoPhaseSample, estimates: Sequence[tuple[str, Worth]]) -> list[Note]:
    """Return notes on the conditions of combined estimates, and where the model adds nothing."""
    return [
        *noted("random", _describe_sample(sample, [estimate for _, estimate in estimates])),
        *noted("scale", _describe_scales(sample)),
        *noted("few_errors", _list(estimates, "few-errors", _few_errors)),
        *noted("few_values", _list(estimates, "few-values", _few_values)),
        *noted("no_gain", _list(estimates, "no-gain", _no_gain)),
        *noted("left_out", _describe_left_out(sample)),
        Note(
            "condition",
            f"{_condition(sample)} the model (prompt, examples, calibration) was fixed without"
            f" {'the human-judged queries' if sample.drawn else 'them'}.",
        ),
    ]


def _describe_sample(sample: TwoPhaseSample, estimates: Sequence[Worth]) -> Iterator[str]:
    """Warn if the model's values of the human-judged queries differ from those of the others."""
    # Corrected by Bonferroni, since each estimate has a test.
    least = len(estimates) * min((estimate.p_random for estimate in estimates), default=1.0)
    if least < DOUBTFUL and sample.drawn is None:
        yield (
            "Warning: the human-judged queries do not look like a random sample: the model's values"
            f" of them differ from those of the other queries (p {'<' if least < 1e-4 else '='}"
            f" {digits(max(least, 1e-4))}). If they were not drawn at random, do not use the"
            " combined estimate."
        )


def _condition(sample: TwoPhaseSample) -> str:
    if sample.drawn is None:
        return "Valid if people judged a random sample of the queries, and"
    drawn = sample.drawn
    return (
        f"People judged the {drawn.drawn:,} of {drawn.queries:,} queries that were drawn at random"
        f" (seed {drawn.seed}). Valid if"
    )


def _describe_scales(sample: TwoPhaseSample) -> Iterator[str]:
    if sample.other_scale:
        people, model = f"{sample.highest.people:g}", f"{sample.highest.model:g}"
        yield (
            f"Warning: the highest grade is {people} by people and {model} by the model. The"
            " combined estimate is valid, but labels on one scale help more."
        )


def _list(
    estimates: Sequence[tuple[str, Worth]], reason: str, text: Callable[[str], str]
) -> Iterator[str]:
    names = [name for name, estimate in estimates if estimate.reason == reason]
    if names:
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        whole = len(names) == len(estimates)
        yield text("" if whole else f"{', '.join(names[:_NAMED])}{more}: ")


def _few_errors(names: str) -> str:
    people = "people" if names else "People"
    return (
        f"{names}{people} and the model disagree on fewer than 10 queries, too few to know the"
        " error of the model. The interval is that of people only."
    )


def _few_values(names: str) -> str:
    return (
        f"{names}{'f' if names else 'F'}ewer than 6 human-judged queries have another value than"
        " the most frequent one, too few to use the model. The interval is that of people only."
    )


def _no_gain(names: str) -> str:
    return (
        f"{names}{'t' if names else 'T'}he model adds nothing. The interval is that of people only."
    )


def _describe_left_out(sample: TwoPhaseSample) -> Iterator[str]:
    if sample.left_out:
        yield f"Human-judged queries without judgments of the model, left out: {sample.left_out:,}."


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
    mean: float = field(tables="estimates suite", label="combined")
    """The combined estimate."""
    interval: Interval | None = field(tables="estimates suite", label="95% CI")
    """The 95% confidence interval of the mean over new queries."""
    people_mean: float = field(tables="estimates suite", label="people only")
    """The mean of the human-judged queries alone."""
    people_interval: Interval | None = field(tables="estimates suite", label="95% CI", priority=4)
    """The 95% confidence interval of the mean of the human-judged queries."""
    model_mean: float = field(tables="estimates suite", label="model only")
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


class EstimatedMeans(Result, Generic[Estimate]):
    """The base of results with an estimated mean for each measure and system."""

    if TYPE_CHECKING:  # Each subclass has its own place for this field in JSON.
        estimates: Sequence[Estimate]

    RECORDS = {"summary": None}
    PICTURES = ("means",)

    convention: Convention
    """The policies."""
    measures: tuple[Measure, ...] = field(key="")
    """The measures as requested."""
    systems: tuple[str, ...] = field(key="")
    """The names of the systems."""

    def estimate(self, measure: Measure | str | None = None, system: str | None = None) -> Estimate:
        """Return one estimate. The measure and the system are optional if there is only one."""
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

    def _picture(self, name: str, measure: Measure | str | None = None) -> Plot:
        """Draw the estimated mean of each system with its confidence interval."""
        from gainful import plots

        chosen = str(measure or self.measures[0])
        rows = [
            {"system": system, **self.estimate(chosen, system).figures()} for system in self.systems
        ]
        return plots.means(rows, f"estimated {chosen}")

    def _records(self, name: str) -> Records:
        return as_columns(type(self.estimates[0]), self.estimates)

    def __repr__(self) -> str:
        measures = ", ".join(map(repr, self.measures))
        return f"<{type(self).__name__} of {', '.join(self.systems)}: {measures}>"


class PredictedEvaluation(EstimatedMeans[PredictedEstimate]):
    """Means that combine the judgments of people for some queries and of a model for all.

    Examples
    --------
    >>> import gainful
    >>> model = {f"q{n}": {"a": n % 3, "b": 1} for n in range(60)}
    >>> people = {f"q{n}": {"a": (n + n // 7) % 3, "b": 1} for n in range(30)}
    >>> run = {query: ["a", "b"] for query in model}
    >>> found = gainful.evaluate(people, run, "nDCG@10", predicted=model, sampled="random")
    >>> found
    <PredictedEvaluation of run: nDCG@10>
    >>> estimate = found.estimate()
    >>> estimate.method
    'people'
    """

    SCHEMA = "gainful.predicted-evaluation/1"
    COMMAND = "evaluate --predicted FILE"

    _measures: dict[str, Measure] = derived(
        lambda evaluation: {
            repr(measure): measure.resolve(evaluation.convention) for measure in evaluation.measures
        },
        key="measures",
    )
    """The measures with their parameters, by requested name."""
    sample: TwoPhaseSample = field(key="*")
    """The queries that people judged, and all queries."""
    weighted: bool
    """Whether the queries have weights."""
    estimates: tuple[PredictedEstimate, ...]
    """The estimates by system and measure."""
    people: Evaluation = field(key="")
    """The evaluation with the judgments of people."""
    model: Evaluation = field(key="")
    """The evaluation with the judgments of the model."""

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
            [
                source.values_by_text_id(measure, name)
                for name in (system, baseline)
                if name is not None
            ]
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
        title = f"{name}{self.sample.counts} queries judged by people, all by the"
        table = table_of(self.estimates, "estimates", title=f"{title} model", notes=notes)
        return [table if several else table.only(lambda column: column.key != "system")]


def combine_evaluations(
    people: Evaluation, model: Evaluation, sample: TwoPhaseSample
) -> PredictedEvaluation:
    """Combine the evaluations of the same runs by people and by a model."""
    weights = people.weights
    clusters = None if people.groups is None else people.groups.clusters
    estimates = []
    for system in people.systems:
        for measure in people.measures:
            estimate = sample.estimate(
                people.values_by_text_id(measure, system),
                model.values_by_text_id(measure, system),
                weights,
                clusters,
            )
            low, high = people.range_on_data(measure, system)
            estimates.append(_describe_estimate(estimate, system, repr(measure), low, high))
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


def _describe_estimate(
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
