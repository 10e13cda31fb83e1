"""Compare measures by their discriminative power and their agreement."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import combinations
from math import isfinite

import numpy as np

from gainful.agreement.measures_result import (
    Discrimination,
    MeasureAgreement,
    MeasurePair,
    SystemPair,
)
from gainful.agreement.power import PastEvaluation, past_evaluation
from gainful.byte_order import in_byte_order
from gainful.conventions import Convention, get
from gainful.data.named_runs import runs_by_name
from gainful.errors import MatchError, MeasureError, ParameterError
from gainful.evaluation import Evaluation, evaluate
from gainful.evaluation.query_groups import read_query_groups
from gainful.inference import (
    correlation_interval,
    max_t_pairs,
    paired_t,
    randomization_test,
    randomized_tukey,
)
from gainful.inference.bootstrap import SharedDraws
from gainful.inference.design import Design
from gainful.inference.rank_correlation import kendall_tau, rbo_ext, tau_ap_b, tie_groups
from gainful.keywords import suggest_keywords, unknown_keyword
from gainful.measures.choosing import choose_measures
from gainful.parameters.comparing import ANY_ALPHA, MEASURE_TEST, PERSISTENCE, RESAMPLES, SEED
from gainful.progress import Bar, show_progress
from gainful.records import Interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Unpack

    from numpy.typing import NDArray

    from gainful.data.inputs import QrelsLike
    from gainful.data.named_runs import Runs
    from gainful.evaluation.query_groups import QueryGroups
    from gainful.evaluation.slices import Attribute, By
    from gainful.measures import Measure
    from gainful.policies import PolicyKeywords

    Floats = NDArray[np.float64]
    #: Values, (queries, systems), the queries, and the number left out.
    Matrix = tuple[Floats, list[str], int]

__all__ = ["agreement_of", "compare_measures"]

#: The default measures, which look at rankings in different ways.
MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")


@show_progress(Bar)
@suggest_keywords
def compare_measures(
    qrels: QrelsLike,
    runs: Runs,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    convention: Convention | str = "gainful-1",
    weights: Mapping[str, float] | None = None,
    clusters: Attribute | None = None,
    by: By | None = None,
    alpha: float = 0.05,
    test: str = "max-t",
    persistence: float = 0.9,
    resamples: int = 100_000,
    bootstrap: int = 1_999,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    **policies: Unpack[PolicyKeywords],
) -> MeasureAgreement:
    """Compare measures by their discriminative power and their agreement.

    For each measure, report how many pairs of systems differ significantly, and the p-values
    (discriminative power and the sorted-p curve). For each pair of measures, report how well their
    rankings of the systems and their decisions agree. This shows which measures are redundant and
    which need more queries, not which measure agrees with users.

    Parameters
    ----------
    qrels : path, mapping, data frame or Qrels
        The judgments, as for `evaluate`.
    runs : mapping of str to run, or sequence of paths and `Run`
        At least two systems, as for `compare`.
    measures : Measure, str, or several of them, optional
        The measures; one for its discriminative power alone. Default: nDCG@10, AP, RR, P@10 and
        R@100, or the measures that the convention is verified for.
    convention : Convention or str
        The convention, or the name of a preset.
    weights, clusters, by
        As for `gainful.compare`. The tests and intervals take weights and clusters into account,
        and the measures are also compared within each slice. Each slice of a measure is a family of
        its own.
    alpha : float, default 0.05
        The significance level. The confidence level of intervals is 1 - alpha.
    test : {"max-t", "tukey", "t", "randomization"}
        Max-T or randomized Tukey HSD, whose `alpha` is the family-wise error rate of a measure; or
        the paired t test or the randomization test of each pair, uncorrected.
    persistence : float, default 0.9
        The parameter p of RBO.
    resamples : int, default 100,000
        Number of sign flips or permutations.
    bootstrap : int, default 1,999
        Number of resamples for the intervals of tau-b and tau-AP; 0 for no intervals.
    seed : int
        The random seed. Results do not depend on the number of threads.
    threads : int, optional
        Number of threads.
    progress : callable, optional
        As for `evaluate`.

    **policies
        Policies that differ from those of the convention, as for `evaluate`.

    Returns
    -------
    MeasureAgreement
        The discriminative power of each measure, and the agreement of each pair.

    Raises
    ------
    ParameterError
        For fewer than two systems, an unknown test, or a number out of range.
    MatchError
        For a measure with fewer than two queries that count for all systems.
    MeasureError
        For a geometric mean, which is not a mean of per-query values, and for a measure whose lower
        values are better.
    GainfulError
        If an input cannot be evaluated.

    Notes
    -----
    Discriminative power and the sorted p-values: T. Sakai: Evaluating evaluation metrics based on
    the bootstrap. SIGIR 2006; for all pairs at once, B. Carterette: Multiple testing in
    statistical analysis of systems-based information retrieval experiments. ACM TOIS 30(1), 2012.
    Max-T: `gainful.inference.max_t_pairs`.
    Correlations: `gainful.inference.rank_correlation` and `gainful.inference.rank_correlation`;
    their intervals: `gainful.inference.correlation_interval`.

    Examples
    --------
    >>> import gainful
    >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
    >>> found = gainful.compare_measures("qrels.txt", runs, ["nDCG@10", "P@5"])
    >>> [(each.measure, round(each.pairs[0].p, 2)) for each in found.measures]
    [('nDCG@10', 0.58), ('P@5', 1.0)]
    """
    options = _Options(
        test=test,
        alpha=alpha,
        persistence=persistence,
        resamples=resamples,
        bootstrap=bootstrap,
        seed=seed,
        threads=threads,
    )
    groups = read_query_groups(weights=weights, clusters=clusters, by=by)
    runs = runs_by_name(runs)
    if len(runs) < 2:
        raise ParameterError(
            where="runs", found=f"{len(runs)} run{'' if runs else 's'}", expected="at least 2"
        )
    rules = get(convention, **policies)
    evaluation = evaluate(
        qrels,
        runs=runs,
        measures=choose_measures(measures, rules, usual=MEASURES),
        convention=rules,
        threads=threads,
        progress=progress,
    )
    return _compare(_past(evaluation), str(evaluation.convention), groups, options)


def agreement_of(
    evaluation: Evaluation,
    *,
    weights: Mapping[str, float] | None = None,
    clusters: Attribute | None = None,
    by: By | None = None,
    **options: Any,
) -> MeasureAgreement:
    """Compare the measures of an evaluation of several systems; see `compare_measures`.

    Parameters
    ----------
    evaluation : Evaluation
        At least two systems.
    weights, clusters, by, **options
        ``test``, ``alpha`` and so on, as for `compare_measures`.

    Examples
    --------
    >>> import gainful
    >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
    >>> evaluation = gainful.evaluate("qrels.txt", runs=runs, measures=["AP", "RR"])
    >>> agreement_of(evaluation, test="t")
    <MeasureAgreement of AP, RR on 2 systems>
    """
    known = tuple(field.name for field in fields(_Options))
    for name in options:
        if name not in known:
            raise unknown_keyword("agreement_of", name, ("weights", "clusters", "by", *known))
    chosen = _Options(**options)
    past = _past(evaluation)
    if len(past.systems) < 2:
        raise ParameterError(
            where="systems",
            found=f"{len(past.systems)} system{'' if past.systems else 's'}",
            expected="at least 2",
        )
    groups = read_query_groups(weights=weights, clusters=clusters, by=by)
    return _compare(past, str(evaluation.convention), groups, chosen)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    """The options of a comparison of measures."""

    test: str = "max-t"
    alpha: float = 0.05
    persistence: float = 0.9
    resamples: int = 100_000
    bootstrap: int = 1_999
    seed: int = 0
    threads: int | None = None

    def __post_init__(self) -> None:
        for parameter in (MEASURE_TEST, ANY_ALPHA, PERSISTENCE, RESAMPLES, SEED):
            parameter.check(getattr(self, parameter.name))
        if self.bootstrap < 0:
            raise ParameterError(
                found=f"bootstrap={self.bootstrap!r}", expected="a whole number of 0 or more"
            )


def _past(evaluation: Evaluation) -> PastEvaluation:
    """Return the scores; reject measures that would rank the systems from worst to best."""
    for measure in evaluation.measures:
        if not measure.higher_is_better:
            raise MeasureError(
                where=repr(measure),
                found="a measure whose lower values are better",
                expected="measures whose higher values are better",
            )
    return past_evaluation(evaluation)


def _compare(
    past: PastEvaluation, convention: str, groups: QueryGroups, options: _Options
) -> MeasureAgreement:
    """Compare the measures on all queries, and on each slice."""
    values = {measure: past.matrix(measure) for measure in past.measures}
    discriminations = tuple(
        _discrimination(past.systems, measure, values[measure], groups, options)
        for measure in past.measures
    )
    slices, too_small = {}, []
    every = in_byte_order({query for _, queries, _ in values.values() for query in queries})
    for name, members in groups.slice_queries(every).items():
        part = past.within(members)
        if all(len(part.matrix(measure)[1]) > 1 for measure in past.measures):
            slices[name] = _compare(part, convention, replace(groups, slices={}), options)
        else:
            too_small.append(name)
    return MeasureAgreement(
        systems=past.systems,
        measures=discriminations,
        pairs=tuple(
            _pair(
                one,
                two,
                _intervals(values[one.measure], values[two.measure], groups, options),
                options.persistence,
            )
            for one, two in combinations(discriminations, 2)
        ),
        test=options.test,
        alpha=options.alpha,
        resamples=options.resamples,
        seed=options.seed,
        persistence=options.persistence,
        least_rbo=rbo_ext(past.systems, past.systems[::-1], options.persistence),
        convention=convention,
        bootstrap=options.bootstrap,
        cluster=groups.cluster,
        attribute=groups.attribute,
        slices=slices,
        too_small=tuple(too_small),
    )


def _intervals(
    one: Matrix, two: Matrix, groups: QueryGroups, options: _Options
) -> dict[str, Interval | None]:
    """Return the intervals of the correlations of two measures' orders of the systems."""
    queries = in_byte_order({*one[1], *two[1]})
    rows = {query: index for index, query in enumerate(queries)}

    def align(values: Floats, own: list[str]) -> Floats:
        table = np.full((len(queries), values.shape[1]), np.nan)
        table[[rows[query] for query in own]] = values
        return table

    first, second = align(*one[:2]), align(*two[:2])
    intervals: dict[str, Interval | None] = {}
    for statistic in ("tau_b", "tau_ap_b"):
        ends = options.bootstrap and correlation_interval(
            first,
            second,
            groups.design(queries),
            statistic=statistic,
            level=1 - options.alpha,
            resamples=options.bootstrap,
            seed=options.seed,
        )
        intervals[statistic] = Interval(*ends) if ends else None
    return intervals


def _discrimination(
    systems: tuple[str, ...],
    measure: str,
    matrix: Matrix,
    groups: QueryGroups,
    options: _Options,
) -> Discrimination:
    values, queries, left_out = matrix
    if len(queries) < 2:
        raise MatchError(
            where=measure,
            found=f"{len(queries)} quer{'y that counts' if len(queries) == 1 else 'ies that count'}"
            " for all systems",
            expected="at least 2",
        )
    design = groups.design(queries)
    p, half_width = _p_values(values, design, options)
    means = np.atleast_1d(design.mean(values))
    pairs = []
    for i, j in combinations(range(len(systems)), 2):
        one, two = (i, j) if means[i] >= means[j] else (j, i)
        pairs.append(
            SystemPair(
                system=systems[one],
                other=systems[two],
                difference=float(means[one] - means[two]),
                p=float(p[i, j]),
                significant=bool(p[i, j] <= options.alpha),
            )
        )
    pairs.sort(key=lambda pair: (pair.p, -pair.difference))
    return Discrimination(
        measure=measure,
        queries=len(queries),
        left_out=left_out,
        means=dict(zip(systems, means.tolist(), strict=True)),
        pairs=tuple(pairs),
        half_width=half_width,
    )


def _p_values(values: Floats, design: Design, options: _Options) -> tuple[Floats, float | None]:
    sampling: Any = {
        "resamples": options.resamples,
        "seed": options.seed,
        "threads": options.threads,
    }
    if options.test in ("max-t", "tukey"):
        return _family_p_values(values, design, options)
    m = values.shape[1]
    p = np.ones((m, m))
    for i, j in combinations(range(m), 2):
        differences = values[:, i] - values[:, j]
        if options.test == "t":
            p[i, j] = paired_t(differences, design).p
        else:
            p[i, j] = randomization_test(differences, design, **sampling).p
    return p, None


def _family_p_values(
    values: Floats, design: Design, options: _Options
) -> tuple[Floats, float | None]:
    """Return the p-values of all pairs, as `compare` corrects them."""
    sampling: Any = {
        "resamples": options.resamples,
        "seed": options.seed,
        "threads": options.threads,
    }
    m = values.shape[1]
    p, half_width = np.zeros((m, m)), None
    if options.test == "tukey":
        tukey = randomized_tukey(values, design, level=1 - options.alpha, **sampling)
        p = tukey.p.copy()
        half_width = float(tukey.half_width) if isfinite(tukey.half_width) else None
    elif m > 2:
        (joint,) = max_t_pairs([values], design, level=1 - options.alpha, **sampling)
        p = joint.p.copy()
    pairs = list(combinations(range(m), 2))
    draws = SharedDraws(values, design, pairs, bootstrap=0, **sampling)
    for (i, j), (_, alone) in draws.randomization_tests().items():
        # No corrected p is below that of the pair alone.
        p[i, j] = p[j, i] = max(p[i, j], alone)
    return p, half_width


def _pair(
    one: Discrimination,
    two: Discrimination,
    intervals: dict[str, Interval | None],
    persistence: float,
) -> MeasurePair:
    first = list(one.order.values())
    second = [two.order[system] for system in one.order]
    ways_one, ways_two = (
        {
            frozenset((pair.system, pair.other)): pair.system
            for pair in side.pairs
            if pair.significant
        }
        for side in (one, two)
    )
    both = ways_one.keys() & ways_two.keys()
    same_sign = sum(ways_one[pair] == ways_two[pair] for pair in both)
    return MeasurePair(
        measure=one.measure,
        other=two.measure,
        tau_b=kendall_tau(first, second),
        tau_b_interval=intervals["tau_b"],
        tau_ap_b=tau_ap_b(first, second),
        tau_ap_b_interval=intervals["tau_ap_b"],
        rbo=rbo_ext(tie_groups(one.order), tie_groups(two.order), persistence),
        same_sign=same_sign,
        opposite_sign=len(both) - same_sign,
        only_first=len(ways_one) - len(both),
        only_second=len(ways_two) - len(both),
    )
