"""Estimate measures from a random sample of judgments."""

from __future__ import annotations

from gainful.byte_order import in_byte_order
from gainful.conventions import get
from gainful.data.coercion import as_qrels, as_run
from gainful.data.judgment_samples import (
    JudgmentSample,
    frame_of,
    read_judgment_sample,
    strata_of,
)
from gainful.errors import FormatError, MatchError, ParameterError
from gainful.evaluation.arguments import named_runs
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measures
from gainful.pooling.result import Pool
from gainful.sampled.documents import documents_of
from gainful.sampled.plans import check_convention, plan_measure, usual_measures
from gainful.sampled.predicted import check_totals, combine, model_totals, read_labels
from gainful.sampled.redrawing import ratio_error, redraw
from gainful.sampled.result import SampleEvaluation
from gainful.sampled.summary import summarize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike

    from gainful.conventions import Convention
    from gainful.data import Run
    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.measures import Measure
    from gainful.sampled.documents import Documents, QueryEstimate
    from gainful.sampled.plans import Plan

__all__ = ["evaluate_sample"]


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
    >>> round(found.estimate("bm25", "DCG@5").mean, 3) == round(
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
    known = {grade for own in grades.values() for grade in own.values()}
    possible = {0.0, *known} if scale is None else {float(grade) for grade in scale}
    if not possible:
        raise ParameterError(where="scale", found="no grade", expected="at least one")
    labels = None if predicted is None else read_labels(predicted, grades)
    if labels is not None:
        known |= {grade for own in labels.values() for grade in own.values()}
    plans = [plan_measure(each, policies, drawn.depth, known | possible) for each in chosen]
    if labels is not None:
        check_totals(plans)
    documents = documents_by_query(drawn, named, grades)
    if not any(each.judged for each in documents.values()):
        raise MatchError(
            "no document of the sample has a judgment",
            where="qrels",
            hint="check that the judgments are those of this sample",
        )
    estimates, values = [], {}
    pairs = redraw(documents) if any(plan.is_ratio for plan in plans) else {}
    for plan in plans:
        for system, run in named.items():
            found = estimate_queries(plan, run, documents, possible)
            error = ratio_error(plan, run, pairs) if plan.is_ratio else None
            estimate = summarize(plan, system, found.values(), sampling_error=error)
            if labels is not None:
                totals = model_totals(plan, run, documents, labels)
                estimate, found = combine(plan, estimate, found, totals)
            estimates.append(estimate)
            values[repr(plan.measure), system] = {
                query: each.point.value for query, each in found.items()
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
        judged=sum(each.judged for each in documents.values()),
        not_judged=sum(each.missing for each in documents.values()),
        ignored=sum(each.ignored for each in documents.values()),
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
        strata={query: strata_of(own, "sample", query) for query, own in drawn.items()},
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
        size = sum(each.size for each in drawn.strata[query])
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
    plan: Plan, run: Run, documents: Mapping[str, Documents], possible: set[float]
) -> dict[str, QueryEstimate]:
    """Return the estimates of a run by query.

    Parameters
    ----------
    plan : Plan
        How the measure is estimated.
    run : Run
        The run.
    documents : mapping of str to Documents
        The drawn documents by query.
    possible : set of float
        The possible grades.
    """
    found = {}
    for query, own in documents.items():
        ranking = [document for document, _ in (run.get(query) or ())[: plan.cutoff]]
        found[query] = own.estimate(plan, ranking, possible)
    return found
