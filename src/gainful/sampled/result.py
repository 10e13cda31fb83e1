"""The result of `evaluate_sample`."""

from __future__ import annotations

from math import sqrt

from gainful.evaluation.predicted import EstimatedMeans, show_rate
from gainful.evaluation.summary import MeanEstimate
from gainful.formats.numbers import spans, with_sign
from gainful.formats.table import Note, noted
from gainful.inference import mean_interval
from gainful.records import Interval, derived, field
from gainful.records.tables import table_of
from gainful.results import Records, as_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Literal

    from gainful.formats.table import Table
    from gainful.measures import Measure
    from gainful.sampled.plans import QueryEstimate, SamplingPlan

__all__ = ["SampleEstimate", "SampleEvaluation", "summarize"]


#: A mean without queries is NaN, which JSON does not have.
_NUMBER = {"type": ["number", "null"]}


class SampleEstimate(MeanEstimate):
    """The estimated mean of a measure of a system."""

    COLUMNS = {
        "combined": (
            "measure system mean interval people_mean people_interval model_mean rate worth "
            "sampling_error lowest outside"
        ),
        "people": ("measure system mean interval sampling_error bias lowest outside"),
    }

    system: str
    """The name of the system."""
    measure: str
    """The name of the measure."""
    n: int
    """The number of queries in the mean."""
    mean: float = field(json=_NUMBER)
    """The mean of the estimates of the queries, with drawn documents without a judgment as not
    relevant. It can exceed the range of the measure. With labels of a model, it combines people and
    the model."""
    interval: Interval | None = field(label="95% CI", around="mean")
    """The 95% confidence interval of the mean over new queries; with documents without a judgment
    from the lower end of the interval of `lowest` to the upper end of that of `highest`. Never
    below 0, or above the largest value that the grades allow. None for fewer than two queries."""
    method: Literal["bounded-t"] = "bounded-t"
    """The method of the interval."""
    standard_error: float | None
    """The standard error of the mean over new queries, which includes the sampling error."""
    sampling_error: float | None = field(label="sampling error", short="error")
    """The standard error of the mean over samples of these queries. None for DCG, CG and P if a
    stratum has a single drawn document of several."""
    bias: float | None = field(label="est. bias", show=lambda bias: _bias(bias))
    """The estimated bias of the mean: 0 for DCG, CG and P. None for the others if a stratum has a
    single drawn document of several."""
    lowest: float = field(
        label="lowest to highest",
        show=spans(),
        cell=lambda estimate: (estimate.lowest, estimate.highest),
        json=_NUMBER,
    )
    """The lowest mean over the grades of the drawn documents without a judgment."""
    highest: float = field(json=_NUMBER)
    """The highest mean over these grades."""
    outside: int = field(label="outside the pool")
    """The number of documents above the cutoff that are neither in the pool nor judged. With any,
    DCG, CG and P are estimates of a lower bound."""
    without_relevant: int
    """The number of queries whose sample has no relevant document, for nDCG, AP and R. Their bias
    counts as 0."""
    people_mean: float | None = field(default=None, label="people only")
    """With labels of a model, the estimate by people only; None without a model."""
    people_interval: Interval | None = field(default=None, label="95% CI", priority=4)
    """The 95% confidence interval of the estimate by people only."""
    model_mean: float | None = field(default=None, label="model only")
    """The mean by the model's labels of all documents of the pool; None without a model."""
    rate: float | None = field(default=None, label="λ", show=show_rate, priority=3)
    """How much of the model's labels is used, on average over the queries; 0 for none, None without
    a model."""
    worth: float | None = field(default=None, show="{:.0f}".format)
    """The number of queries, judged in the same way, that would give the same precision without the
    model; None without one."""
    reason: str | None = field(default=None, json={"enum": ["", "few-errors", "no-gain", None]})
    """Why only people are used: they disagree with the model in fewer than 10 queries, or the model
    does not help. Empty if both are used, None without a model."""
    is_biased: bool = derived(lambda estimate: _is_biased(estimate))
    """Whether the estimated bias exceeds an eighth of the standard error, so that the interval is
    unreliable."""


class SampleEvaluation(EstimatedMeans[SampleEstimate]):
    """Estimates of measures from a random sample of judgments."""

    SCHEMA = "gainful.sample-evaluation/1"
    COMMAND = "evaluate --sample FILE"
    RECORDS = {"summary": None, "queries": None}

    depth: int = field(json={"minimum": 1})
    """The depth of the pool."""
    queries: int
    """The number of queries of the sample."""
    other_queries: int
    """The number of judged queries that are not in the sample; they are left out."""
    judged: int
    """The number of documents with a judgment."""
    not_judged: int
    """The number of drawn documents without a judgment."""
    ignored: int
    """The number of judged documents of the pool that were not drawn. They are left out, since the
    drawn documents represent them."""
    is_frame_known: bool
    """Whether the documents of the pool were read. Without them, every run counts as pooled."""
    resolved: tuple[Measure, ...] = field(key="")
    """The measures with their parameters under the convention."""
    _resolved: dict[str, Measure] = derived(
        lambda evaluation: dict(
            zip(map(repr, evaluation.measures), evaluation.resolved, strict=True)
        ),
        key="resolved",
    )
    """The measures with their parameters, by requested name."""
    estimates: Sequence[SampleEstimate]
    """The estimates by measure and system."""
    values: Mapping[tuple[str, str], Mapping[str, float | None]] = field(key="")
    """The estimates of the queries by measure and system; None for a query that is left out."""

    @property
    def is_combined(self) -> bool:
        """Whether the estimates combine people with the labels of a model."""
        return any(estimate.people_mean is not None for estimate in self.estimates)

    def tables(self) -> list[Table]:
        """Return one table of all estimates."""
        table = table_of(
            self.estimates,
            "combined" if self.is_combined else "people",
            title=f"Estimates from {self.judged:,} judged documents of {self.queries:,} queries",
            notes=_notes(self),
        )
        absent = set() if self.not_judged else {"lowest"}
        if not any(estimate.outside for estimate in self.estimates):
            absent.add("outside")
        return [table.only(lambda column: column.key not in absent)]

    def _records(self, name: str) -> Records:
        if name == "queries":
            rows = [
                (measure, system, query, value)
                for (measure, system), values in self.values.items()
                for query, value in values.items()
            ]
            return as_records(("measure", "system", "query_id", "value"), rows)
        return super()._records(name)


def _is_biased(estimate: SampleEstimate) -> bool:
    """Return whether the true bias is likely above a quarter of the standard error.

    The estimate is about half of the true bias in simulations.
    """
    if not estimate.bias:
        return False
    error = estimate.standard_error
    return error is None or abs(estimate.bias) > error / 8


def _bias(bias: float) -> str:
    return with_sign(bias) if bias else "0"


def _notes(evaluation: SampleEvaluation) -> list[Note]:
    notes = [*_combined(evaluation)]
    if evaluation.not_judged:
        notes.append(
            f"{evaluation.not_judged:,} drawn documents have no judgment. They count as not"
            " relevant; the interval includes all their grades."
        )
    lower = [estimate for estimate in evaluation.estimates if estimate.outside]
    if lower:
        systems = ", ".join(dict.fromkeys(estimate.system for estimate in lower))
        notes.append(
            f"outside the pool: documents above the cutoff that were not sampled ({systems}). They"
            " count as not relevant, so that DCG, CG and P are lower bounds; other measures can be"
            " too low or too high."
        )
    biased = [
        f"{estimate.measure} of {estimate.system}"
        for estimate in evaluation.estimates
        if estimate.is_biased
    ]
    if biased:
        notes.append(
            "The interval is unreliable, because the bias is large relative to the standard error:"
            f" {_some(biased)}. Judge more documents per query."
        )
    blank = max((estimate.without_relevant for estimate in evaluation.estimates), default=0)
    if blank:
        notes.append(
            f"{blank} of {evaluation.queries} queries have no relevant document in the sample: est."
            " bias does not include them."
        )
    if evaluation.ignored:
        notes.append(
            f"{evaluation.ignored:,} judged documents of the pool were not drawn and are left out:"
            " the sample represents them."
        )
    if evaluation.other_queries:
        notes.append(
            f"{evaluation.other_queries:,} judged queries are not in the sample and left out."
        )
    if not evaluation.is_frame_known:
        notes.append(
            "The file of the pool that ends in .ranks.tsv is missing: all runs count as pooled, and"
            " the probabilities are not checked against it."
        )
    explanations = {
        "interval": "95% CI: for the mean over new queries, including the sampling error.",
        "sampling_error": "sampling error: standard error over samples of the same queries.",
    }
    if not evaluation.is_combined:
        text = "est. bias: of a ratio to the estimated ideal; DCG, CG and P have none."
        explanations["bias"] = text
    return [
        *noted("sample", notes),
        Note("convention", str(evaluation.convention)),
        *(Note(key, text, explains=True) for key, text in explanations.items()),
    ]


def _combined(evaluation: SampleEvaluation) -> Iterator[str]:
    """Yield the worth of the judgments with labels of a model, and the condition."""
    if not evaluation.is_combined:
        return
    worths = sorted(round(estimate.worth or 0) for estimate in evaluation.estimates)
    worth = f"{worths[0]:,}" if worths[0] == worths[-1] else f"{worths[0]:,} to {worths[-1]:,}"
    yield f"Your {evaluation.queries:,} queries are worth {worth}."
    for reason, text in (
        ("few-errors", "people and the model disagree in fewer than 10 queries: people only"),
        ("no-gain", "the model adds nothing: people only"),
    ):
        names = [
            f"{estimate.measure} of {estimate.system}"
            for estimate in evaluation.estimates
            if estimate.reason == reason
        ]
        if names:
            yield f"{_some(names)}: {text}."
    yield (
        "Valid if the model (prompt, examples, calibration) was fixed without the judgments of the"
        " sample."
    )


def _some(names: list[str]) -> str:
    if len(names) <= 4:
        return ", ".join(names)
    return f"{', '.join(names[:3])} and {len(names) - 3} more"


#: How many documents with the largest possible term are added to the sample for the upper end of
#: intervals. Chosen by simulation (docs/evidence).
_PSEUDO = 0.5


def summarize(
    plan: SamplingPlan,
    system: str,
    queries: Iterable[QueryEstimate],
    *,
    rate: float = 0.0,
    sampling_error: float | None = None,
) -> SampleEstimate:
    """Return the estimated mean of a system."""
    every = list(queries)
    known = [estimate for estimate in every if estimate.point.value is not None]
    points = [estimate.point for estimate in known]
    values = [estimate.point.value for estimate in known if estimate.point.value is not None]
    lowest = [min(estimate.bounds[0], value) for estimate, value in zip(known, values, strict=True)]
    highest = [
        max(estimate.bounds[1], value) for estimate, value in zip(known, values, strict=True)
    ]
    n = len(values)
    mean = sum(values) / n if n else float("nan")
    most, largest = plan.most, max(estimate.largest for estimate in every)
    intervals = [_interval(column, most) for column in (lowest, values, highest)]
    intervals.append(_upper_interval(highest, largest, most))
    if rate:
        # The largest sum minus each estimate, whose upper end is the lower end of the estimates.
        mirrored = _upper_interval(
            [most - value for value in lowest], rate * largest, most, added=0.0
        )
        intervals.append(mirrored and (most - mirrored[1], most - mirrored[0]))
    ends = [interval for interval in intervals if interval is not None]
    # A query without a relevant document in its sample has no estimate of its error.
    biases = [estimate.bias for estimate in points if estimate.bottom > 0.0]
    if not plan.is_ratio:
        variances = [estimate.variance for estimate in points if estimate.variance is not None]
        sampling_error = sqrt(sum(variances)) / n if n and len(variances) == n else None
    return SampleEstimate(
        system=system,
        measure=repr(plan.measure),
        n=n,
        mean=mean,
        interval=Interval(min(ends)[0], max(high for _, high in ends)) if ends else None,
        standard_error=_deviation(values) / sqrt(n) if n > 1 else None,
        sampling_error=sampling_error,
        bias=None if not n or None in biases else sum(filter(None, biases)) / n,
        lowest=sum(lowest) / n if n else float("nan"),
        highest=sum(highest) / n if n else float("nan"),
        outside=sum(estimate.outside for estimate in every),
        without_relevant=sum(not estimate.bottom > 0.0 for estimate in points),
    )


def _interval(values: Sequence[float], most: float) -> tuple[float, float] | None:
    """Return the interval of a mean from 0 to `most`, which the estimates can exceed."""
    n = len(values)
    if n < 2:
        return None
    return mean_interval(_mean_in_range(values, most), _deviation(values), n, low=0.0, high=most)


def _upper_interval(
    values: Sequence[float], largest: float, most: float, added: float = _PSEUDO
) -> tuple[float, float] | None:
    """Return an interval that allows for a large term that the sample happens to lack."""
    n = len(values)
    if n < 2:
        return None
    mean = _mean_in_range(values, most)
    squares = (n - 1) * _deviation(values) ** 2 + _PSEUDO * largest**2
    interval = mean_interval(mean + added * largest / n, sqrt(squares / n), n)
    return interval and (mean, min(interval[1], most))


def _mean_in_range(values: Sequence[float], most: float) -> float:
    return min(max(sum(values) / len(values), 0.0), most)


def _deviation(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
