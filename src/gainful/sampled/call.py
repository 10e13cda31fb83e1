"""Estimate measures from a random sample of judgments."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from math import ceil, sqrt
from random import Random

from gainful.byte_order import in_byte_order
from gainful.conventions import get
from gainful.data.coercion import as_qrels, as_run
from gainful.data.samples import (
    JudgmentSample,
    frame_of,
    read_examples,
    read_judgment_sample,
    strata_of,
)
from gainful.errors import FormatError, MatchError, MeasureError, ParameterError
from gainful.evaluation.arguments import named_runs
from gainful.inference.prediction_powered import FEWEST_ERRORS
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measures
from gainful.pooling.result import Pool
from gainful.sampled.plans import (
    UNBIASED,
    Cells,
    Estimated,
    QueryEstimate,
    check_convention,
    covariance,
    documents_of,
    plan_measure,
    usual_measures,
)
from gainful.sampled.result import SampleEvaluation, summarize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
    from os import PathLike
    from typing import TypeVar

    from gainful.conventions import Convention
    from gainful.data import Run
    from gainful.data.qrels import QrelsLike
    from gainful.data.run import RunLike
    from gainful.measures import Measure
    from gainful.sampled.plans import Documents, SamplingPlan
    from gainful.sampled.result import SampleEstimate

    #: Two samples of a query.
    Pair = tuple[Documents, Documents]

    #: Documents with grades, and with best ranks.
    Graded = list[tuple[str, float]]

    Ranked = list[tuple[str, int]]

    Labels = Mapping[str, float]

    Key = TypeVar("Key", bound=Hashable)

__all__ = [
    "ModelTotal",
    "combine",
    "evaluate_sample",
    "model_total",
    "model_totals",
    "ratio_error",
    "redraw",
]


#: The number of pairs of samples, over all queries.
_PAIRS = 500
#: The weight of the grades of all queries, in drawn documents of a stratum. Chosen by simulation.
_PRIOR = 1.0


def redraw(documents: Mapping[str, Documents]) -> dict[str, list[Pair]]:
    """Return pairs of samples of each query, each pair from a population of its own.

    In a population, a document that was not drawn has the grade of a random drawn document of its
    stratum or, with the weight `_PRIOR`, of a random document of all queries at similar ranks.
    """
    random, grades = Random(0), _Grades(documents.values())
    count = ceil(_PAIRS / len(documents))
    pairs = {}
    for query, original in documents.items():
        strata = list(_strata(original))
        pairs[query] = [_draw_pair(strata, grades, original, random) for _ in range(count)]
    return pairs


def ratio_error(plan: SamplingPlan, run: Run, pairs: Mapping[str, Sequence[Pair]]) -> float | None:
    """Return the standard error of a mean of ratios over samples of the same queries."""
    values = []
    for query, samples in pairs.items():
        ranking = (run.get(query) or ())[: plan.cutoff]
        ranks = {document: rank for rank, (document, _) in enumerate(ranking, start=1)}
        values += [(one.value(plan, ranks), other.value(plan, ranks)) for one, other in samples]
    known = [value for pair in values for value in pair if value is not None]
    if not known:
        return None
    # A query that counts in one sample only moves the mean by its distance from it.
    mean = sum(known) / len(known)
    squares = sum(
        ((mean if one is None else one) - (mean if other is None else other)) ** 2
        for one, other in values
    )
    # Both sums are over all pairs: the variance of n queries, and n.
    repeats = len(values) / len(pairs)
    return sqrt(squares / 2 / repeats) / (len(known) / 2 / repeats)


class _Grades:
    """The estimated number of documents of each grade in all queries, by best rank."""

    def __init__(self, queries: Iterable[Documents]) -> None:
        self._groups: dict[int, dict[float, float]] = defaultdict(lambda: defaultdict(float))
        for query in queries:
            for size, units in query.strata:
                for document, grade in units:
                    group = query.frame.get(document, 1).bit_length()
                    self._groups[group][grade or 0.0] += size / len(units)

    def draw(self, rank: int, random: Random) -> float:
        """Return the grade of a random document at a similar rank."""
        group = min(self._groups, key=lambda group: abs(group - rank.bit_length()))
        grades = self._groups[group]
        return random.choices(list(grades), list(grades.values()))[0]


def _strata(original: Documents) -> Iterator[tuple[Graded, Ranked]]:
    """Yield the drawn documents of each stratum, and the others.

    Strata are consecutive in the best ranks, so that the others follow from the sizes.
    """
    frame = original.frame
    drawn = {document for _, units in original.strata for document, _ in units}
    others = iter(
        sorted((rank, document) for document, rank in frame.items() if document not in drawn)
    )
    ranked = [
        (sorted(frame.get(document, 1) for document, _ in units), size, units)
        for size, units in original.strata
    ]
    for ranks, size, units in sorted(ranked, key=lambda stratum: stratum[0]):
        # Without a file of ranks, the documents of systems that are not evaluated are unknown.
        rest = [next(others, (ranks[-1], "")) for _ in range(size - len(units))]
        yield (
            [(document, grade or 0.0) for document, grade in units],
            [(document, rank) for rank, document in rest],
        )


def _draw_pair(
    strata: Sequence[tuple[Graded, Ranked]], grades: _Grades, original: Documents, random: Random
) -> Pair:
    populations = [
        (
            [
                *units,
                *(
                    (document, _draw_grade(units, rank, grades, random))
                    for document, rank in others
                ),
            ],
            len(units),
        )
        for units, others in strata
    ]

    def sample() -> Documents:
        drawn = [(len(every), tuple(random.sample(every, n))) for every, n in populations]
        return replace(original, strata=tuple(drawn))

    return sample(), sample()


def _draw_grade(units: Graded, rank: int, grades: _Grades, random: Random) -> float:
    if random.random() * (len(units) + _PRIOR) < len(units):
        return random.choice(units)[1]
    return grades.draw(rank, random)


#: Relative differences up to this are rounding errors.
_ROUNDING = 1e-12


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
    """Return the labels of a model for the queries of a sample."""
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


def check_totals(plans: Sequence[SamplingPlan]) -> None:
    """Reject ratios, whose estimates are not sums over documents."""
    for plan in plans:
        if plan.is_ratio:
            raise MeasureError(
                "predictions apply to sums over documents",
                where=repr(plan.measure),
                hint=f"these are {', '.join(UNBIASED)}",
            )


def model_totals(
    plan: SamplingPlan, run: Run, documents: Mapping[str, Documents], labels: Mapping[str, Labels]
) -> dict[str, ModelTotal]:
    """Return the sums of a run by a model's labels, by query."""
    totals = {}
    for query, query_documents in documents.items():
        ranking = [document for document, _ in (run.get(query) or ())[: plan.cutoff]]
        totals[query] = model_total(query_documents, plan, ranking, labels.get(query, {}))
    return totals


def combine(
    plan: SamplingPlan,
    people: SampleEstimate,
    queries: Mapping[Key, QueryEstimate],
    totals: Mapping[Key, ModelTotal],
) -> tuple[SampleEstimate, dict[Key, QueryEstimate]]:
    """Return the estimate that combines people and a model, and that of each query."""
    rates, reason = _rates(list(totals.values()))
    corrected = {}
    for (query, total), rate in zip(queries.items(), rates, strict=True):
        prediction, point = totals[query], total.point
        variance = point.variance
        shift = rate * prediction.excess
        if variance is not None:
            variance += rate * (rate * prediction.variance - 2.0 * prediction.covariance)
        value, (low, high) = point.top - shift, total.bounds
        # Simulations do this for millions of queries; `replace` takes five times as long.
        corrected[query] = QueryEstimate(
            Estimated(value, point.bias, variance, value, point.bottom),
            (low - shift, high - shift),
            total.largest,
            total.outside,
        )
    rate = sum(rates) / len(rates)
    estimate = summarize(plan, people.system, corrected.values(), rate=rate)
    return estimate.replace(
        people_mean=people.mean,
        people_interval=people.interval,
        model_mean=sum(part.whole for part in totals.values()) / len(totals),
        rate=rate,
        worth=estimate.n * _variance_ratio(people, estimate),
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
    documents: Documents, plan: SamplingPlan, ranking: Sequence[str], labels: Labels
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
            term(rank, _gain(plan, labels, rank))
            for rank in ranks
            if rank in documents.frame or rank in drawn
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
    if sum(total.errs for total in totals) < FEWEST_ERRORS:
        return nothing, "few-errors"
    shared = sum(total.covariance for total in totals)
    variance = sum(total.variance for total in totals)
    rates = [
        max(0.0, (shared - total.covariance) / (variance - total.variance))
        if variance - total.variance > _ROUNDING * variance
        else 0.0
        for total in totals
    ]
    return rates, "" if any(rates) else "no-gain"


def _gain(plan: SamplingPlan, labels: Labels, document: str) -> float:
    return plan.gains[labels.get(document, 0.0)]


@suggest_keywords
def evaluate_sample(
    qrels: QrelsLike,
    runs: Mapping[str, RunLike] | Sequence[str | PathLike[str] | Run],
    sample: str | PathLike[str] | Pool,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    convention: Convention | str = "gainful-1",
    scale: Iterable[float] | None = None,
    predicted: QrelsLike | None = None,
) -> SampleEvaluation:
    """Estimate measures of runs from a random sample of judgments.

    Parameters
    ----------
    qrels : judgments
        The judgments of the sample. Judged documents outside the pool count with probability 1.
    runs : mapping of str to run, or sequence of runs
        The systems. Estimates are unbiased for runs that were pooled.
    sample : path or Pool
        The file that ``gainful pool --strategy sample`` wrote, or the result of
        ``gainful.pool(runs, "sample", ...)``. The file of systems and ranks should be next to the
        former: it lists the documents that the sample was drawn from.
    measures : Measure, str or several, optional
        DCG, CG, P, nDCG, AP and R, with a cutoff that is not below the depth of the pool. Default:
        DCG, P and nDCG at 10, and AP and R at the depth.
    convention : Convention or str, default "gainful-1"
        The policies, which must be those of gainful-1 apart from ``no_relevant`` and the parameters
        of measures.
    scale : iterable of float, optional
        The possible grades of drawn documents without a judgment. Default: 0 and the grades of the
        judgments.
    predicted : judgments, optional
        The labels of a model for all documents of the pool, for DCG, CG and P. The estimates then
        combine both: they stay right however bad the model is, and become more precise if it is
        good. The model must have been fixed without the judgments of the sample.

    Returns
    -------
    SampleEvaluation
        The estimates with confidence intervals.

    Raises
    ------
    MeasureError
        For another measure, or a cutoff above the depth of the pool; with `predicted` also for a
        ratio.
    ConventionError
        For other policies.
    FormatError
        For a file that is not a sample.
    MatchError
        If no drawn document has a judgment.
    GainfulError
        If a run or the judgments cannot be read.

    Notes
    -----
    DCG, CG and P are sums over documents. The Horvitz-Thompson estimate of a query is the sum over
    drawn documents of gain x weight of the rank / inclusion probability. It is unbiased, and can be
    larger than the maximum of the measure. nDCG and R divide it by the estimated ideal of the pool:
    that of the estimated number of documents of each grade. AP divides an unbiased sum by the
    estimated number of relevant documents. Such ratios have a bias within each query, which the
    mean over queries does not remove; `SampleEstimate.bias` estimates it. Their sampling error is
    that of pairs of samples from populations that agree with the sample: every document that was
    not drawn has the grade of a random drawn document of its stratum or, as if the stratum had one
    drawn document more, of all queries at similar ranks.

    The interval is for the mean over new queries: its standard error S / sqrt(Q) is computed from
    the estimates of the queries, whose variance S^2 already includes the variance of sampling.
    W. G. Cochran: Sampling Techniques, 3rd edition, 1977, chapters 10 and 11. A few documents with
    low probabilities can contribute most of a sum, and a sample without them has a low estimate and
    low error. So for DCG, CG and P the upper end allows for such a document, as if half a document
    with the largest possible term had been drawn too: half of this term is added to the sum, and
    half of its square to the sum of squares. Ends are clipped to what the measure can reach.

    With `predicted`, the estimate of a query is the difference estimator with a rate,

        sum over drawn y / probability - rate * (sum over drawn f / probability - sum over all f)

    with y and f the terms by people and by the model. C.-E. Särndal, B. Swensson, J. Wretman:
    Model Assisted Survey Sampling, Springer 1992, chapter 6, has the rate 1. Here it is the
    covariance of both sums over samples divided by the variance of the model's, estimated from the
    other queries, so that the estimate has no bias and a useless model is hardly used. Both ends
    of the interval allow for a document with a low probability. If people and the model disagree
    in fewer than 10 queries, the estimate is that of people.

    Examples
    --------
    >>> import gainful
    >>> runs = ["bm25.run", "dense.run"]
    >>> drawn = gainful.pool(runs, "sample", depth=5, budget=40)
    >>> found = gainful.evaluate_sample("qrels.txt", runs, drawn, ["DCG@5", "nDCG@5"])
    >>> found
    <SampleEvaluation of bm25, dense: DCG@5, nDCG@5>
    >>> round(found.estimate("DCG@5", "bm25").mean, 3) == round(
    ...     gainful.evaluate("qrels.txt", "bm25.run", "DCG@5").mean(), 3)
    True
    """
    policies = get(convention)
    check_convention(policies)
    drawn = as_sample(sample)
    usual = usual_measures(drawn.depth)
    chosen = choose_measures(measures, policies, usual=usual if predicted is None else usual[:2])
    named = {name: as_run(run) for name, run in named_runs(None, runs).items()}
    judged = as_qrels(qrels)
    grades = {query: dict(judged.get(query) or {}) for query in drawn.strata}
    known = {grade for values in grades.values() for grade in values.values()}
    possible = {0.0, *known} if scale is None else {float(grade) for grade in scale}
    if not possible:
        raise ParameterError(where="scale", found="no grade", expected="at least one")
    labels = None if predicted is None else read_labels(predicted, grades)
    if labels is not None:
        known |= {grade for label in labels.values() for grade in label.values()}
    plans = [plan_measure(document, policies, drawn.depth, known | possible) for document in chosen]
    if labels is not None:
        check_totals(plans)
    documents = documents_by_query(drawn, named, grades)
    if not any(document.judged for document in documents.values()):
        raise MatchError(
            "no document of the sample has a judgment",
            where="qrels",
            hint="check that the judgments are those of this sample",
        )
    estimates, values = [], {}
    pairs = redraw(documents) if any(plan.is_ratio for plan in plans) else {}
    for plan in plans:
        for system, run in named.items():
            queries = estimate_queries(plan, run, documents, possible)
            error = ratio_error(plan, run, pairs) if plan.is_ratio else None
            estimate = summarize(plan, system, queries.values(), sampling_error=error)
            if labels is not None:
                totals = model_totals(plan, run, documents, labels)
                estimate, queries = combine(plan, estimate, queries, totals)
            estimates.append(estimate)
            values[repr(plan.measure), system] = {
                query: estimate.point.value for query, estimate in queries.items()
            }
    return SampleEvaluation(
        measures=chosen,
        resolved=tuple(plan.resolved for plan in plans),
        systems=tuple(named),
        convention=policies,
        estimates=estimates,
        values=values,
        depth=drawn.depth,
        queries=len(documents),
        other_queries=sum(query not in drawn.strata for query in judged),
        judged=sum(document.judged for document in documents.values()),
        not_judged=sum(document.missing for document in documents.values()),
        ignored=sum(document.ignored for document in documents.values()),
        is_frame_known=drawn.frame is not None,
    )


def as_sample(sample: str | PathLike[str] | Pool) -> JudgmentSample:
    """Return a sample of a file or a pool."""
    if not isinstance(sample, Pool):
        return read_judgment_sample(sample)
    if sample.strategy != "sample":
        raise ParameterError(
            where="sample",
            found=f"a pool of the strategy {sample.strategy}",
            expected="sample, whose documents have inclusion probabilities",
        )
    drawn: dict[str, dict[str, tuple[object, float]]] = {}
    rows = zip(sample.queries, sample.documents, sample.strata, sample.probabilities, strict=True)
    for query, document, stratum, probability in rows:
        assert probability is not None
        drawn.setdefault(query, {})[document] = stratum, probability
    return JudgmentSample(
        depth=sample.depth,
        strata={query: strata_of(documents, "sample", query) for query, documents in drawn.items()},
        frame=frame_of((query, document, rank) for query, document, _, rank in sample.ranks()),
    )


def _frame(drawn: JudgmentSample, runs: Mapping[str, Run]) -> Mapping[str, Mapping[str, int]]:
    """Return the documents that the sample was drawn from: if unknown, those of the runs."""
    if drawn.frame is not None:
        return drawn.frame
    frame = frame_of(
        (query, document, rank)
        for run in runs.values()
        for query in drawn.strata
        for rank, (document, _) in enumerate((run.get(query) or ())[: drawn.depth], start=1)
    )
    for query, documents in frame.items():
        size = sum(stratum.size for stratum in drawn.strata[query])
        if len(documents) > size:
            raise FormatError(
                f"the runs have {len(documents)} documents down to rank {drawn.depth}, but the"
                f" sample was drawn from {size}",
                query=query,
                hint="a run was not pooled, or rows of the sample are missing or changed; keep the"
                " file of the pool that ends in .ranks.tsv next to the sample",
            )
    return frame


def documents_by_query(
    drawn: JudgmentSample, runs: Mapping[str, Run], grades: Mapping[str, Mapping[str, float]]
) -> dict[str, Documents]:
    """Return the drawn documents of each query, in byte order."""
    frame = _frame(drawn, runs)
    return {
        query: documents_of(drawn.strata[query], frame.get(query, {}), grades[query])
        for query in in_byte_order(drawn.strata)
    }


def estimate_queries(
    plan: SamplingPlan, run: Run, documents: Mapping[str, Documents], possible: set[float]
) -> dict[str, QueryEstimate]:
    """Return the estimates of a run by query."""
    queries = {}
    for query, labels in documents.items():
        ranking = [document for document, _ in (run.get(query) or ())[: plan.cutoff]]
        queries[query] = labels.estimate(plan, ranking, possible)
    return queries
