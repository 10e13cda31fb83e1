"""Compare an original experiment with its rerun: rankings, effects and verdicts."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable
from math import hypot, nan

import numpy as np
import numpy.typing as npt

from gainful.conventions import Convention, get
from gainful.data import Run
from gainful.data.coercion import as_run
from gainful.errors import MeasureError, ParameterError
from gainful.evaluation import evaluate
from gainful.evaluation.arguments import judgments_for
from gainful.inference.design import Design
from gainful.inference.interval import cdf
from gainful.inference.paired import FEW, OneSided, count_differing, paired_t
from gainful.inference.rank_correlation import rbo_ext
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measures
from gainful.records import Interval
from gainful.reproduction.result import Claim, Estimate, Reproduction, Scores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Unpack

    from gainful.data.qrels import QrelsLike
    from gainful.data.run import RunLike
    from gainful.evaluation import Evaluation
    from gainful.measures import Measure
    from gainful.policies import PolicyKeywords
    from gainful.reproduction.result import Verdict

__all__ = [
    "decide_on_improvement",
    "decide_on_scores",
    "delta_relative_improvement",
    "difference",
    "effect_ratio",
    "has_few_changes",
    "kendall_tau_union",
    "reproduce",
]


def decide_on_scores(difference: Estimate, margin: float, *, few: bool) -> Verdict:
    """Return whether a difference of scores is within the margin.

    Examples
    --------
    >>> from gainful.records import Interval
    >>> from gainful.reproduction.result import Estimate
    >>> difference = Estimate(value=0.001, interval=Interval(-0.004, 0.006))
    >>> decide_on_scores(difference, 0.01, few=False)
    'reproduced'
    """
    if difference.interval is None:
        return "inconclusive"
    low, high = difference.interval
    if low > margin or high < -margin:
        return "not reproduced"
    return "reproduced" if -margin <= low and high <= margin and not few else "inconclusive"


def decide_on_improvement(
    original: Estimate,
    rerun: Estimate,
    ratio: Estimate | None,
    least_ratio: float,
    *,
    alpha: float,
    few: bool,
) -> Verdict:
    """Return whether the rerun's improvement is as large as the original's.

    Examples
    --------
    >>> from gainful.records import Interval
    >>> from gainful.reproduction.result import Estimate
    >>> original = Estimate(value=0.1, interval=Interval(0.06, 0.14), p=0.001)
    >>> rerun = Estimate(value=0.08, interval=Interval(0.04, 0.12), p=0.001)
    >>> ratio = Estimate(value=0.8, interval=Interval(0.5, 1.1))
    >>> decide_on_improvement(original, rerun, ratio, 0.9, alpha=0.05, few=False)
    'inconclusive'
    """
    if original.p is None or rerun.p is None or original.p > alpha or ratio is None:
        return "inconclusive"
    is_significant = rerun.p <= alpha
    if is_significant and ratio.value < 0:
        return "not reproduced"
    if ratio.interval is not None and ratio.interval.high < least_ratio:
        return "partly reproduced" if is_significant else "not reproduced"
    is_as_large = ratio.interval is not None and ratio.interval.low >= least_ratio
    return "reproduced" if is_significant and is_as_large and not few else "inconclusive"


#: Ranks below this have less than a billionth of the weight in rank-biased overlap.
_WEIGHT = 1e-9


def _ranked(run: Run, queries: Iterable[str], depth: int) -> dict[str, list[str]]:
    """Return the documents of each query in rank order, down to a depth."""
    return {
        query: [document for document, _ in (run.get(query) or [])[:depth]] for query in queries
    }


def kendall_tau_union(original: Sequence[str], rerun: Sequence[str]) -> float | None:
    """Return Kendall's tau of two rankings with different documents.

    The documents of both rankings are numbered, first those of the original in its order, then the
    others in the order of the rerun. Tau is computed between the numbers at each rank, down to the
    end of the shorter ranking.

    Notes
    -----
    T. Breuer, N. Ferro, N. Fuhr, M. Maistro, T. Sakai, P. Schaer, I. Soboroff: How to measure the
    reproducibility of system-oriented IR experiments. SIGIR 2020. repro_eval numbers the documents
    in the order of their ids, so its value depends on the names of documents.

    Examples
    --------
    >>> kendall_tau_union(["a", "b", "c"], ["a", "b", "d"])
    1.0
    >>> round(kendall_tau_union(["a", "b", "c"], ["b", "a", "d"]), 4)
    0.3333
    """
    length = min(len(original), len(rerun))
    if length < 2:
        return None
    numbers = {document: index for index, document in enumerate(dict.fromkeys((*original, *rerun)))}
    # The original's numbers ascend: pairs in opposite order are those that descend in the rerun.
    seen: list[int] = []
    opposite = 0
    for document in rerun[:length]:
        place = bisect(seen, numbers[document])
        opposite += len(seen) - place
        seen.insert(place, numbers[document])
    return 1.0 - 4.0 * opposite / (length * (length - 1))


def _mean_tau(
    original: dict[str, list[str]], rerun: dict[str, list[str]]
) -> tuple[float | None, dict[str, float]]:
    """Return the mean of Kendall's tau (union) over queries, and the value of each query."""
    values = {}
    for query, documents in original.items():
        tau = kendall_tau_union(documents, rerun[query])
        if tau is not None:
            values[query] = tau
    return _mean(values), values


def _mean_overlap(
    original: dict[str, list[str]], rerun: dict[str, list[str]], persistence: float
) -> tuple[float | None, dict[str, float]]:
    """Return the mean rank-biased overlap over queries, and the value of each query."""
    depth, weight = 0, 1.0
    while weight > _WEIGHT and depth < 1000:
        depth, weight = depth + 1, weight * persistence
    values = {
        query: rbo_ext(documents[:depth], rerun[query][:depth], persistence)
        for query, documents in original.items()
        if documents and rerun[query]
    }
    return _mean(values), values


def _mean(values: dict[str, float]) -> float | None:
    return sum(values.values()) / len(values) if values else None


Floats = npt.NDArray[np.float64]

#: The most steps of a search for the end of an interval.
_STEPS = 40


def difference(original: Floats, rerun: Floats, *, paired: bool, level: float) -> Estimate:
    """Return the mean of the rerun minus that of the original, with a t test.

    Examples
    --------
    >>> one, two = np.array([0.2, 0.4, 0.9]), np.array([0.3, 0.4, 0.8])
    >>> found = difference(one, two, paired=True, level=0.95)
    >>> round(abs(found.value), 4), found.p
    (0.0, 1.0)
    """
    test = _test(original, rerun, 1.0, paired=paired)
    if paired:
        p = paired_t(rerun - original).p
    elif test.error:
        p = 2 * cdf(-abs(test.mean) / test.error, test.df) if test.df else nan
    else:
        p = float(test.mean == 0)
    return _estimate(test, level, p)


def has_few_changes(original: Floats, rerun: Floats, *, paired: bool) -> bool:
    """Return whether too few queries differ to show that the means are equivalent.

    Of two collections, the smaller one counts, because all queries differ. No difference at all is
    not an estimate.
    """
    if not paired:
        return min(len(original), len(rerun)) < FEW
    return 0 < int(count_differing(rerun - original, Design(len(rerun)))) < FEW


def effect_ratio(original: Floats, rerun: Floats, *, paired: bool, level: float) -> Estimate | None:
    """Return the mean improvement of the rerun divided by that of the original."""
    mean = float(original.mean())
    if mean == 0:
        return None
    ratio, alpha = float(rerun.mean()) / mean, (1 - level) / 2
    if min(len(original), len(rerun)) < 2:
        return Estimate(value=ratio, interval=None)
    step = _test(original, rerun, ratio, paired=paired).error / abs(mean) or 1.0

    def find_end(side: float) -> float | None:
        bound = OneSided.upper if side * mean > 0 else OneSided.lower
        return _find_root(
            lambda value: bound(_test(original, rerun, value, paired=paired), alpha),
            ratio,
            side * step,
        )

    low, high = find_end(-1.0), find_end(1.0)
    interval = None if low is None or high is None else Interval(low, high)
    return Estimate(value=ratio, interval=interval)


def _find_root(function: Callable[[float], float], start: float, step: float) -> float | None:
    """Return the first root of a function from the start on, if there is one.

    The interval is doubled until it contains the root. Then the Illinois variant of regula falsi
    finds it.
    """
    one, other = start, start + step
    at_one, at_other = function(one), function(other)
    for _ in range(_STEPS):
        if at_one * at_other <= 0:
            break
        step *= 2
        one, at_one, other = other, at_other, other + step
        at_other = function(other)
    else:
        return None
    for _ in range(_STEPS):
        if at_other == at_one or abs(other - one) <= 1e-13 * abs(step):
            break
        middle = other - at_other * (other - one) / (at_other - at_one)
        at_middle = function(middle)
        if at_middle * at_other < 0:
            one, at_one = other, at_other
        else:
            at_one /= 2
        other, at_other = middle, at_middle
        if not at_other:
            break
    return other


def delta_relative_improvement(
    original: tuple[Floats, Floats], rerun: tuple[Floats, Floats], *, paired: bool, level: float
) -> Estimate | None:
    """Return the relative improvement of the original minus that of the rerun."""
    if not original[1].mean() or not rerun[1].mean():
        return None
    (first, first_terms), (second, second_terms) = _relative(*original), _relative(*rerun)
    test = _test(second_terms, first_terms, 1.0, paired=paired)
    return _estimate(test._replace(mean=first - second), level)


def _rmse(original: Floats, rerun: Floats) -> float:
    """Return the root of the mean squared difference over queries.

    Examples
    --------
    >>> round(_rmse(np.array([0.2, 0.4]), np.array([0.3, 0.3])), 4)
    0.1
    """
    return float(np.sqrt(np.square(rerun - original).mean()))


def _relative(system: Floats, baseline: Floats) -> tuple[float, Floats]:
    """Return the relative improvement and the term that each query contributes to its error."""
    ratio = float(system.mean() / baseline.mean())
    return ratio - 1, (system - ratio * baseline) / baseline.mean()


def _test(original: Floats, rerun: Floats, factor: float, *, paired: bool) -> OneSided:
    """Return the tests of the mean of rerun - factor × original; Welch's of two collections."""
    if paired:
        return OneSided.of(rerun - factor * original, Design(len(rerun)))
    first, second = (
        OneSided.of(values, Design(len(values))) for values in (factor * original, rerun)
    )
    error = hypot(first.error, second.error)
    # Welch and Satterthwaite.
    least = min(first.df, second.df)
    parts = first.error**4 / first.df + second.error**4 / second.df if least else 0.0
    df = error**4 / parts if parts else least
    cubes = second.skewness * second.error**3 - first.skewness * first.error**3
    return OneSided(
        mean=second.mean - first.mean,
        error=error,
        df=df,
        conservative=df,
        skewness=cubes / error**3 if error else 0.0,
    )


def _estimate(test: OneSided, level: float, p: float = nan) -> Estimate:
    known = None if p != p else p
    if test.df < 1 or test.error != test.error:
        return Estimate(value=test.mean, interval=None, p=known)
    alpha = (1 - level) / 2
    interval = Interval(test.lower(alpha), test.upper(alpha))
    return Estimate(value=test.mean, interval=interval, p=known)


_SYSTEM, _BASELINE = "system", "baseline"


@suggest_keywords
def reproduce(
    qrels: QrelsLike,
    original: RunLike,
    rerun: RunLike,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    original_baseline: RunLike | None = None,
    rerun_baseline: RunLike | None = None,
    rerun_qrels: QrelsLike | None = None,
    margin: float = 0.01,
    least_ratio: float = 0.9,
    depth: int = 1000,
    persistence: float = 0.8,
    convention: Convention | str = "gainful-1",
    level: float = 0.95,
    threads: int | None = None,
    **policies: Unpack[PolicyKeywords],
) -> Reproduction:
    """Check whether a rerun reproduces the scores and the improvement of an original experiment.

    Parameters
    ----------
    qrels
        The judgments, as for `gainful.evaluate`.
    original, rerun
        The run of the original experiment and that of the rerun.
    measures : Measure, str, or several of them, optional
        Means over queries. Default: nDCG@10, or what the convention is verified for.
    original_baseline, rerun_baseline : optional
        The runs of the baseline in both experiments; both or none. With them, the claim is that the
        system improves on its baseline.
    rerun_qrels : optional
        The judgments of the rerun, if it is on another collection. Rankings and single queries are
        then not compared.
    margin : float, default 0.01
        Without baselines, differences of means up to this are considered equal; above 0.
    least_ratio : float, default 0.9
        With baselines, the share of the original's improvement that reproduces it; above 0.
    depth : int, default 1000
        The number of ranks that are compared, at least 1.
    persistence : float, default 0.8
        The persistence of rank-biased overlap, between 0 and 1.
    convention : Convention or str
        The policies, or the name of a preset.
    level : float, default 0.95
        The confidence level, between 0 and 1; alpha is 1 - level.
    threads : int, optional
        As for `gainful.evaluate`.

    **policies
        Policies that differ from those of the convention, as for `evaluate`.

    Returns
    -------
    Reproduction
        Scores, rankings, improvements and a verdict for each measure.

    Raises
    ------
    ParameterError
        If only one baseline is given, or a number is out of range.
    GainfulError
        As for `gainful.evaluate`.

    Notes
    -----
    With improvements d and d' of the original and the rerun over their baselines, and relative
    improvements r = d / b and r' = d' / b', the effect ratio is d' / d and the delta relative
    improvement r - r'. 1 and 0 mean a perfect reproduction. The effect ratio has Fieller's
    interval, the delta relative improvement one from Student's t with the linearized variance. All
    intervals are corrected for skewness, as those of `gainful.inference.tost`. T.
    Breuer, N. Ferro, N. Fuhr, M. Maistro, T. Sakai, P. Schaer, I. Soboroff: How to measure the
    reproducibility of system-oriented IR experiments. SIGIR 2020.

    With baselines, a claim is *reproduced* if both improvements are significant and the interval of
    the effect ratio is at or above `least_ratio`. If both are significant in the same direction and
    the interval is below `least_ratio`, the claim is *partly reproduced*. It is *not reproduced* if
    the rerun's improvement is not significant and the interval is below `least_ratio`, or if it is
    significant in the other direction. Without baselines, a score is *reproduced* if the interval
    of the difference is within the margin, and *not reproduced* if it is outside. Everything else
    is *inconclusive*. So is what would be reproduced if fewer than 10 queries differ, but not none:
    they are too few to show how the others could differ.

    Examples
    --------
    >>> import gainful
    >>> found = gainful.reproduce(
    ...     "qrels.txt", "dense.run", "dense.run", original_baseline="bm25.run",
    ...     rerun_baseline="bm25.run",
    ... )
    >>> claim = found.claims["nDCG@10"]
    >>> claim.effect_ratio.value, claim.delta_relative_improvement.value
    (1.0, 0.0)
    """
    rules = get(convention, **policies)
    chosen = choose_measures(measures, rules)
    _check(chosen, margin, least_ratio, depth, persistence, level)
    if (original_baseline is None) != (rerun_baseline is None):
        raise ParameterError(
            where="rerun_baseline" if rerun_baseline is None else "original_baseline",
            found="a baseline of only one experiment",
            expected="the baselines of both",
        )
    sides = []
    for judgments, system, baseline in (
        (qrels, original, original_baseline),
        (qrels if rerun_qrels is None else rerun_qrels, rerun, rerun_baseline),
    ):
        judged = judgments_for(chosen, judgments, duplicates=rules.duplicates)
        runs = {_SYSTEM: as_run(system)}
        if baseline is not None:
            runs[_BASELINE] = as_run(baseline)
        evaluated = evaluate(judged, None, chosen, runs=runs, convention=rules, threads=threads)
        sides.append((runs, evaluated))
    (runs, first), (rerun_runs, second) = sides
    same = rerun_qrels is None
    overlaps = _compare_rankings(runs, rerun_runs, first, depth, persistence) if same else {}
    claims = {
        repr(measure): _claim(measure, first, second, overlaps, same, margin, least_ratio, level)
        for measure in chosen
    }
    return Reproduction(
        claims=claims,
        same_collection=same,
        margin=margin,
        least_ratio=least_ratio,
        level=level,
        depth=depth,
        persistence=persistence,
        convention=rules,
    )


def _check(
    measures: Iterable[Measure],
    margin: float,
    least_ratio: float,
    depth: int,
    persistence: float,
    level: float,
) -> None:
    for measure in measures:
        if measure.aggregate != "mean":
            raise MeasureError(
                where=repr(measure), found=f"a {measure.aggregate} figure", expected="a mean"
            )
    for where, value, is_valid, expected in (
        ("margin", margin, margin > 0, "a number above 0"),
        ("least_ratio", least_ratio, least_ratio > 0, "a number above 0"),
        ("depth", depth, type(depth) is int and depth > 0, "a whole number of 1 or more"),
        ("persistence", persistence, 0 < persistence < 1, "a number between 0 and 1"),
        ("level", level, 0 < level < 1, "a number between 0 and 1"),
    ):
        if not is_valid:
            raise ParameterError(where=where, found=repr(value), expected=expected)


def _compare_rankings(
    runs: dict[str, Run],
    reruns: dict[str, Run],
    evaluated: Evaluation,
    depth: int,
    persistence: float,
) -> dict[str, tuple[float | None, float | None]]:
    """Return the means of Kendall's tau and of rank-biased overlap for each role."""
    queries = list(evaluated.per_query(evaluated.measures[0], _SYSTEM))
    rankings = {}
    for role, run in runs.items():
        one, two = _ranked(run, queries, depth), _ranked(reruns[role], queries, depth)
        rankings[role] = _mean_tau(one, two)[0], _mean_overlap(one, two, persistence)[0]
    return rankings


def _claim(
    measure: Measure,
    first: Evaluation,
    second: Evaluation,
    overlaps: dict[str, tuple[float | None, float | None]],
    same: bool,
    margin: float,
    least_ratio: float,
    level: float,
) -> Claim:
    columns = [
        {role: system.per_query(measure, role) for role in system.systems}
        for system in (first, second)
    ]
    counted = [_counted(column.values()) for column in columns]
    if same:
        others = set(counted[1])
        counted = [[query for query in counted[0] if query in others]] * 2
    if not all(counted):
        raise ParameterError(
            where=repr(measure),
            found="no query that counts in both experiments" if same else "no query that counts",
            expected="at least one",
        )
    arrays = [
        {role: np.array([values[query] for query in queries]) for role, values in column.items()}
        for column, queries in zip(columns, counted, strict=True)
    ]
    scores = {
        role: _scores(role, original, arrays[1][role], overlaps, same, level)
        for role, original in arrays[0].items()
    }
    improvement = rerun_improvement = ratio = delta = None
    if _BASELINE in arrays[0]:
        pairs = [(array[_SYSTEM], array[_BASELINE]) for array in arrays]
        gains = [system - baseline for system, baseline in pairs]
        improvement, rerun_improvement = (
            difference(baseline, system, paired=True, level=level) for system, baseline in pairs
        )
        ratio = effect_ratio(gains[0], gains[1], paired=same, level=level)
        delta = delta_relative_improvement(pairs[0], pairs[1], paired=same, level=level)
        few = has_few_changes(gains[0], gains[1], paired=same)
        verdict = decide_on_improvement(
            improvement, rerun_improvement, ratio, least_ratio, alpha=1 - level, few=few
        )
    else:
        few = has_few_changes(arrays[0][_SYSTEM], arrays[1][_SYSTEM], paired=same)
        verdict = decide_on_scores(scores[_SYSTEM].difference, margin, few=few)
    return Claim(
        measure=repr(measure),
        queries=len(counted[0]),
        rerun_queries=len(counted[1]),
        scores=scores,
        improvement=improvement,
        rerun_improvement=rerun_improvement,
        effect_ratio=ratio,
        delta_relative_improvement=delta,
        few_changes=few,
        verdict=verdict,
    )


def _counted(columns: Iterable[dict[str, float]]) -> list[str]:
    """Return the queries with a value in every column."""
    first, *others = columns
    return [
        query
        for query, value in first.items()
        if value == value
        and all(query in other and other[query] == other[query] for other in others)
    ]


def _scores(
    role: str,
    original: Floats,
    rerun: Floats,
    overlaps: dict[str, tuple[float | None, float | None]],
    same: bool,
    level: float,
) -> Scores:
    tau, overlap = overlaps.get(role, (None, None))
    return Scores(
        role=role,
        original=float(original.mean()),
        rerun=float(rerun.mean()),
        difference=difference(original, rerun, paired=same, level=level),
        rmse=_rmse(original, rerun) if same else None,
        tau=tau,
        rbo=overlap,
    )
