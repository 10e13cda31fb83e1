"""Sums over documents from a sample of judgments and a model's labels of all documents."""

from __future__ import annotations

from dataclasses import dataclass

from gainful.data.coercion import as_qrels
from gainful.data.few_shot import read_examples
from gainful.errors import MeasureError, ParameterError
from gainful.inference.prediction_powered import FEWEST_ERRORS
from gainful.sampled.documents import QueryEstimate
from gainful.sampled.estimators import Cells, Estimated, covariance
from gainful.sampled.plans import UNBIASED
from gainful.sampled.summary import summarize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence
    from typing import TypeVar

    from gainful.data import Run
    from gainful.data.inputs import QrelsLike
    from gainful.sampled.documents import Documents
    from gainful.sampled.plans import Plan
    from gainful.sampled.result import SampleEstimate

    Labels = Mapping[str, float]
    Key = TypeVar("Key", bound=Hashable)

#: Relative differences up to this are rounding errors.
_ROUNDING = 1e-12

__all__ = [
    "ModelTotal",
    "check_totals",
    "combine",
    "model_total",
    "model_totals",
    "read_labels",
]


@dataclass(frozen=True, slots=True)
class ModelTotal:
    """The sum of gain times weight by a model's labels, for one query and one ranking.

    Attributes
    ----------
    whole : float
        The sum over all documents of the pool.
    sampled : float
        Its Horvitz-Thompson estimate from the drawn documents.
    errs : bool
        Whether people and the model disagree about a drawn document above the cutoff.
    variance, covariance : float
        Over samples of the query, the estimated variance of `sampled`, and its covariance with the
        estimate by people.
    """

    whole: float
    sampled: float
    errs: bool
    variance: float
    covariance: float

    @property
    def excess(self) -> float:
        """How much the sample overestimates the sum; its expectation is 0."""
        return self.sampled - self.whole


def read_labels(predicted: QrelsLike, grades: Mapping[str, Labels]) -> dict[str, dict[str, float]]:
    """Return the labels of a model for the queries of a sample.

    Raises
    ------
    ParameterError
        If people judged a document whose grade the model saw as a few-shot example.
    """
    model = as_qrels(predicted)
    for query, document in sorted(read_examples(model.source)):
        if document in grades.get(query, {}):
            raise ParameterError(
                "the model saw the grade of this document as an example of its prompt",
                where="predicted",
                query=query,
                document=document,
                hint="choose examples that are not in the sample",
            )
    return {query: dict(model.get(query) or {}) for query in grades}


def check_totals(plans: Sequence[Plan]) -> None:
    """Reject ratios, whose estimates are not sums over documents.

    Raises
    ------
    MeasureError
        For nDCG, AP and R.
    """
    for plan in plans:
        if plan.is_ratio:
            raise MeasureError(
                "predictions apply to sums over documents",
                where=repr(plan.measure),
                hint=f"these are {', '.join(UNBIASED)}",
            )


def model_totals(
    plan: Plan, run: Run, documents: Mapping[str, Documents], labels: Mapping[str, Labels]
) -> dict[str, ModelTotal]:
    """Return the sums of a run by a model's labels, by query."""
    found = {}
    for query, own in documents.items():
        ranking = [document for document, _ in (run.get(query) or ())[: plan.cutoff]]
        found[query] = model_total(own, plan, ranking, labels.get(query, {}))
    return found


def combine(
    plan: Plan,
    people: SampleEstimate,
    queries: Mapping[Key, QueryEstimate],
    totals: Mapping[Key, ModelTotal],
) -> tuple[SampleEstimate, dict[Key, QueryEstimate]]:
    """Return the estimate that combines people and a model, and that of each query.

    Parameters
    ----------
    plan : Plan
        How the measure is estimated.
    people : SampleEstimate
        The estimate by people.
    queries, totals : mapping
        By query, the estimates by people, and the sums by the model in the same order.
    """
    rates, reason = _rates(list(totals.values()))
    corrected = {}
    for (query, each), rate in zip(queries.items(), rates, strict=True):
        own, point = totals[query], each.point
        variance = point.variance
        shift = rate * own.excess
        if variance is not None:
            variance += rate * (rate * own.variance - 2.0 * own.covariance)
        value, (low, high) = point.top - shift, each.bounds
        # Simulations do this for millions of queries; `replace` takes five times as long.
        corrected[query] = QueryEstimate(
            Estimated(value, point.bias, variance, value, point.bottom),
            (low - shift, high - shift),
            each.largest,
            each.outside,
        )
    rate = sum(rates) / len(rates)
    found = summarize(plan, people.system, corrected.values(), rate=rate)
    return found.replace(
        people_mean=people.mean,
        people_interval=people.interval,
        model_mean=sum(each.whole for each in totals.values()) / len(totals),
        rate=rate,
        worth=found.n * _variance_ratio(people, found),
        reason=reason,
    ), corrected


def _variance_ratio(people: SampleEstimate, combined: SampleEstimate) -> float:
    """Return the variance of people only divided by that of the combined estimate.

    Both have the same variance between queries, so that they differ by the sampling error.
    """
    errors = people.sampling_error, combined.sampling_error
    if errors[0] is None or errors[1] is None or not combined.standard_error:
        return 1.0
    return 1.0 + (errors[0] ** 2 - errors[1] ** 2) / combined.standard_error**2


def model_total(
    documents: Documents, plan: Plan, ranking: Sequence[str], labels: Labels
) -> ModelTotal:
    """Return the sum of a ranking by a model's labels. Documents without a label count as 0."""
    ranks = {document: rank for rank, document in enumerate(ranking, start=1)}

    def term(document: str, gain: float) -> float:
        rank = ranks.get(document)
        return 0.0 if rank is None else gain * plan.weights[rank - 1]

    sampled = variance = shared = 0.0
    errs = False
    drawn: set[str] = set()
    for size, units in documents.strata:
        cells = Cells(size, [(0.0, 0.0, None)] * len(units))
        model = [term(document, _gain(plan, labels, document)) for document, _ in units]
        people = [term(document, plan.gains[grade or 0.0]) for document, grade in units]
        sampled += cells.expansion * sum(model)
        variance += covariance(cells, model, model)
        shared += covariance(cells, people, model)
        errs = errs or model != people
        drawn.update(document for document, _ in units)
    return ModelTotal(
        whole=sum(
            term(each, _gain(plan, labels, each))
            for each in ranks
            if each in documents.frame or each in drawn
        ),
        sampled=sampled,
        errs=errs,
        variance=variance,
        covariance=shared,
    )


def _rates(totals: Sequence[ModelTotal]) -> tuple[list[float], str]:
    """Return how much of the model's labels each query uses, and why none are.

    The best rate is the covariance of both estimates over samples divided by the variance of the
    model's. That of a query is estimated from the other queries, so that no estimate has a bias.
    """
    nothing = [0.0] * len(totals)
    if sum(each.errs for each in totals) < FEWEST_ERRORS:
        return nothing, "few-errors"
    shared = sum(each.covariance for each in totals)
    variance = sum(each.variance for each in totals)
    rates = [
        max(0.0, (shared - each.covariance) / (variance - each.variance))
        if variance - each.variance > _ROUNDING * variance
        else 0.0
        for each in totals
    ]
    return rates, "" if any(rates) else "no-gain"


def _gain(plan: Plan, labels: Labels, document: str) -> float:
    return plan.gains[labels.get(document, 0.0)]
