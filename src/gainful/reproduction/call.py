"""Compare an original experiment with its rerun."""

from __future__ import annotations

import numpy as np

from gainful.conventions import Convention, get
from gainful.data import Run
from gainful.data.coercion import as_run
from gainful.errors import MeasureError, ParameterError
from gainful.evaluation import evaluate
from gainful.evaluation.arguments import judgments_for
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measures
from gainful.reproduction.effects import (
    decide_on_improvement,
    decide_on_scores,
    delta_relative_improvement,
    difference,
    effect_ratio,
    has_few_changes,
    mean_overlap,
    mean_tau,
    ranked,
    rmse,
)
from gainful.reproduction.result import Claim, Reproduction, Scores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Unpack

    import numpy.typing as npt

    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.evaluation import Evaluation
    from gainful.measures import Measure
    from gainful.policies import PolicyKeywords

    Floats = npt.NDArray[np.float64]

__all__ = ["reproduce"]

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
        one, two = ranked(run, queries, depth), ranked(reruns[role], queries, depth)
        rankings[role] = mean_tau(one, two)[0], mean_overlap(one, two, persistence)[0]
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
        rmse=rmse(original, rerun) if same else None,
        tau=tau,
        rbo=overlap,
    )
