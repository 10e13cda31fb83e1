"""Estimate measures from a random sample of judgments."""

from __future__ import annotations

from math import sqrt

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
from gainful.inference import mean_interval
from gainful.inference.interval import interval_method
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measures
from gainful.pooling.result import Pool
from gainful.sampled.documents import documents_of
from gainful.sampled.plans import check_convention, plan_measure, usual_measures
from gainful.sampled.result import SampleEstimate, SampleEvaluation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike

    from gainful.conventions import Convention
    from gainful.data import Run
    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.measures import Measure
    from gainful.sampled.documents import Documents
    from gainful.sampled.estimators import Estimated
    from gainful.sampled.plans import Plan

__all__ = ["evaluate_sample"]

#: How many times the square of the largest possible term is added for the upper end of intervals.
#: Chosen by simulation (docs/evidence).
_PSEUDO = 0.25


@suggest_keywords
def evaluate_sample(
    qrels: QrelsLike,
    runs: Mapping[str, RunLike] | Sequence[str | PathLike[str] | Run],
    sample: str | PathLike[str] | Pool,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    convention: Convention | str = "gainful-1",
    scale: Iterable[float] | None = None,
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

    Returns
    -------
    SampleEvaluation
        The estimates with confidence intervals.

    Raises
    ------
    MeasureError
        For another measure, or a cutoff below the depth of the pool.
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
    mean over queries does not remove; `SampleEstimate.bias` estimates it.

    The interval is for the mean over new queries: its standard error S / sqrt(Q) is computed from
    the estimates of the queries, whose variance S^2 already includes the variance of sampling.
    W. G. Cochran: Sampling Techniques, 3rd edition, 1977, chapters 10 and 11. A few documents with
    low probabilities can contribute most of a sum, and a sample without them has a low estimate and
    a low error. So for DCG, CG and P the upper end allows for such a document: a quarter of the
    square of the largest possible term is added to the sum of squares.

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
    drawn = _as_sample(sample)
    chosen = choose_measures(measures, policies, usual=usual_measures(drawn.depth))
    named = {name: as_run(run) for name, run in named_runs(None, runs).items()}
    judged = as_qrels(qrels)
    grades = {query: dict(judged.get(query) or {}) for query in drawn.strata}
    known = {grade for own in grades.values() for grade in own.values()}
    possible = {0.0, *known} if scale is None else {float(grade) for grade in scale}
    if not possible:
        raise ParameterError(where="scale", found="no grade", expected="at least one")
    plans = [plan_measure(each, policies, drawn.depth, known | possible) for each in chosen]
    queries = in_byte_order(drawn.strata)
    frame = _frame(drawn, named)
    documents = {
        query: documents_of(drawn.strata[query], frame.get(query, set()), grades[query])
        for query in queries
    }
    if not any(each.judged for each in documents.values()):
        raise MatchError(
            "no document of the sample has a judgment",
            where="qrels",
            hint="check that the judgments are those of this sample",
        )
    estimates, values = [], {}
    for plan in plans:
        for system, run in named.items():
            found = _estimate(plan, system, run, documents, possible)
            estimates.append(found[0])
            values[repr(plan.measure), system] = found[1]
    return SampleEvaluation(
        measures=chosen,
        resolved=tuple(plan.resolved for plan in plans),
        systems=tuple(named),
        convention=policies,
        estimates=estimates,
        values=values,
        depth=drawn.depth,
        queries=len(queries),
        other_queries=sum(query not in drawn.strata for query in judged),
        judged=sum(each.judged for each in documents.values()),
        not_judged=sum(each.missing for each in documents.values()),
        ignored=sum(each.ignored for each in documents.values()),
        is_frame_known=drawn.frame is not None,
    )


def _as_sample(sample: str | PathLike[str] | Pool) -> JudgmentSample:
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
        frame=frame_of((query, document) for query, document, _, _ in sample.ranks()),
    )


def _frame(drawn: JudgmentSample, runs: Mapping[str, Run]) -> Mapping[str, set[str]]:
    """Return the documents that the sample was drawn from: if unknown, those of the runs."""
    if drawn.frame is not None:
        return drawn.frame
    frame = frame_of(
        (query, document)
        for run in runs.values()
        for query in drawn.strata
        for document, _ in (run.get(query) or ())[: drawn.depth]
    )
    for query, documents in frame.items():
        size = sum(each.size for each in drawn.strata[query])
        if len(documents) > size:
            raise FormatError(
                f"the runs have {len(documents)} documents down to rank {drawn.depth}, but the"
                f" sample was drawn from {size}",
                query=query,
                hint="a run is not in the pool; keep the file of the pool that ends in .ranks.tsv"
                " next to the sample",
            )
    return frame


def _estimate(
    plan: Plan,
    system: str,
    run: Run,
    documents: Mapping[str, Documents],
    possible: set[float],
) -> tuple[SampleEstimate, dict[str, float | None]]:
    """Return the estimate of a system, and its values by query."""
    found: list[Estimated] = []
    lowest: list[float] = []
    highest: list[float] = []
    values: dict[str, float | None] = {}
    outside, largest = 0, 0.0
    for query, own in documents.items():
        ranking = [document for document, _ in (run.get(query) or ())[: plan.cutoff]]
        outside += own.count_outside(ranking)
        low, high = own.estimate(plan, ranking, possible)
        if not plan.is_ratio:
            largest = max(largest, own.largest_term(plan, ranking))
        values[query] = low.value
        if low.value is None:
            continue
        found.append(low)
        lowest.append(low.value if high is None else min(high[0], low.value))
        highest.append(low.value if high is None else max(high[1], low.value))
    own_values = [each.value for each in found if each.value is not None]
    n = len(own_values)
    mean = sum(own_values) / n if n else float("nan")
    least, most = plan.measure.range()
    fits = (
        least is not None
        and most is not None
        and all(least <= each <= most for each in (*own_values, *highest))
    )
    ends = (least, most) if fits else (None, None)
    intervals = [_interval(each, *ends) for each in (lowest, own_values, highest)]
    intervals.append(_upper_interval(highest, largest, most))
    low_end = high_end = None
    if all(each is not None for each in intervals):
        low_end = min(each[0] for each in intervals if each)
        high_end = max(each[1] for each in intervals if each)
    # A query without a relevant document in its sample has no estimate of its error.
    biases = [each.bias or 0.0 for each in found]
    variances = [each.variance for each in found]
    estimate = SampleEstimate(
        system=system,
        measure=repr(plan.measure),
        n=n,
        mean=mean,
        low=low_end,
        high=high_end,
        method=interval_method(*ends),
        standard_error=_deviation(own_values) / sqrt(n) if n > 1 else None,
        sampling_error=None
        if not n or (any(each is None for each in variances) and not plan.is_ratio)
        else sqrt(sum(each or 0.0 for each in variances)) / n,
        bias=sum(biases) / n if n and plan.is_ratio else (0.0 if n else None),
        lowest=sum(lowest) / n if n else float("nan"),
        highest=sum(highest) / n if n else float("nan"),
        outside=outside,
        without_relevant=sum(each.bias is None and each.variance is None for each in found)
        if plan.is_ratio
        else 0,
    )
    return estimate, values


def _interval(
    values: Sequence[float], low: float | None, high: float | None
) -> tuple[float, float] | None:
    if len(values) < 2:
        return None
    mean = sum(values) / len(values)
    return mean_interval(mean, _deviation(values), len(values), low=low, high=high)


def _upper_interval(
    values: Sequence[float], largest: float, most: float | None
) -> tuple[float, float] | None:
    """Return an interval that allows for a large term that the sample happens to lack."""
    n = len(values)
    if n < 2:
        return None
    mean = sum(values) / n
    squares = (n - 1) * _deviation(values) ** 2 + _PSEUDO * largest**2
    found = mean_interval(mean, sqrt(squares / n), n)
    if found is None:
        return None
    return mean, found[1] if most is None else max(mean, min(found[1], most))


def _deviation(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return sqrt(sum((each - mean) ** 2 for each in values) / (len(values) - 1))
