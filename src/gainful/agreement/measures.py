"""Compare measures by their discriminative power and their agreement."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from gainful.agreement.measures_result import (
    Discrimination,
    MeasureAgreement,
    MeasurePair,
    SystemPair,
)
from gainful.agreement.past import PastEvaluation, past_evaluation
from gainful.comparison.scores import refuse_missing
from gainful.conventions import Convention, get
from gainful.errors import MatchError, ParameterError
from gainful.evaluation import Evaluation, evaluate
from gainful.inference import max_t_pairs, paired_t, randomization_test, randomized_tukey
from gainful.inference.design import Design
from gainful.inference.rank_biased_overlap import rbo_ext, tie_groups
from gainful.inference.rank_correlation import kendall_tau, tau_ap_b
from gainful.inference.shared_draws import SharedDraws
from gainful.measures.choosing import choose_measures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.measures import Measure

    Floats = NDArray[np.float64]

__all__ = ["TESTS", "agreement_of", "compare_measures"]

#: The tests of whether two systems differ significantly.
TESTS = ("max-t", "tukey", "t", "randomization")

#: The default measures, which look at rankings in different ways.
MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")


def compare_measures(
    qrels: QrelsLike,
    runs: Mapping[str, RunLike],
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    convention: Convention | str = "gainful-1",
    weights: Mapping[str, float] | None = None,
    alpha: float = 0.05,
    test: str = "max-t",
    persistence: float = 0.9,
    resamples: int = 100_000,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
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
    runs : mapping of str to run
        At least two systems, by name.
    measures : Measure, str, or several of them, optional
        The measures; one for its discriminative power alone. Default: nDCG@10, AP, RR, P@10 and
        R@100, or the measures that the convention is verified for.
    convention : Convention or str
        The convention, or the name of a preset.
    weights : mapping of query id to float, optional
        The weight of each query.
    alpha : float, default 0.05
        The significance level.
    test : {"max-t", "tukey", "t", "randomization"}
        Max-T or randomized Tukey HSD, whose `alpha` is the family-wise error rate of a measure; or
        the paired t test or the randomization test of each pair, uncorrected.
    persistence : float, default 0.9
        The parameter p of RBO.
    resamples : int, default 100,000
        Number of sign flips or permutations.
    seed : int, default 0
        The random seed. Results do not depend on the number of threads.
    threads : int, optional
        Number of threads.
    progress : callable, optional
        As for `evaluate`.

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
        For a geometric mean, which is not a mean of per-query values.
    GainfulError
        If an input cannot be evaluated.

    Notes
    -----
    Discriminative power and the sorted p-values: T. Sakai: Evaluating evaluation metrics based on
    the bootstrap. SIGIR 2006; for all pairs at once, B. Carterette: Multiple testing in
    statistical analysis of systems-based information retrieval experiments. ACM TOIS 30(1), 2012.
    Max-T: `gainful.inference.max_t_pairs`.
    Correlations: `gainful.inference.rank_correlation` and `gainful.inference.rank_biased_overlap`.

    Examples
    --------
    >>> import gainful
    >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
    >>> found = gainful.compare_measures("qrels.txt", runs, ["nDCG@10", "P@5"])
    >>> [(each.measure, round(each.pairs[0].p, 2)) for each in found.measures]
    [('nDCG@10', 0.56), ('P@5', 1.0)]
    """
    _check(test, alpha, resamples, seed, persistence)
    if len(runs) < 2:
        raise ParameterError(
            where="runs", found=f"{len(runs)} run{'' if runs else 's'}", expected="at least 2"
        )
    policies = get(convention)
    evaluation = evaluate(
        qrels,
        runs=runs,
        measures=choose_measures(measures, policies, usual=MEASURES),
        convention=policies,
        threads=threads,
        progress=progress,
    )
    return agreement_of(
        evaluation,
        weights=weights,
        alpha=alpha,
        test=test,
        persistence=persistence,
        resamples=resamples,
        seed=seed,
        threads=threads,
    )


def agreement_of(
    evaluation: Evaluation,
    *,
    weights: Mapping[str, float] | None = None,
    alpha: float = 0.05,
    test: str = "max-t",
    persistence: float = 0.9,
    resamples: int = 100_000,
    seed: int = 0,
    threads: int | None = None,
) -> MeasureAgreement:
    """Compare the measures of an evaluation of several systems; see `compare_measures`.

    Examples
    --------
    >>> import gainful
    >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
    >>> evaluation = gainful.evaluate("qrels.txt", runs=runs, measures=["AP", "RR"])
    >>> agreement_of(evaluation, test="t")
    <MeasureAgreement of AP, RR on 2 systems>
    """
    _check(test, alpha, resamples, seed, persistence)
    past = past_evaluation(evaluation)
    if len(past.systems) < 2:
        raise ParameterError(
            where="systems",
            found=f"{len(past.systems)} system{'' if past.systems else 's'}",
            expected="at least 2",
        )
    sampling = (resamples, seed, threads)
    found = tuple(
        _discrimination(past, measure, weights, alpha, test, sampling) for measure in past.measures
    )
    return MeasureAgreement(
        systems=past.systems,
        measures=found,
        pairs=tuple(_pair(one, two, persistence) for one, two in combinations(found, 2)),
        test=test,
        alpha=alpha,
        resamples=resamples,
        seed=seed,
        persistence=persistence,
        least_rbo=rbo_ext(past.systems, past.systems[::-1], persistence),
        convention=str(evaluation.convention),
    )


def _discrimination(
    past: PastEvaluation,
    measure: str,
    weights: Mapping[str, float] | None,
    alpha: float,
    test: str,
    sampling: tuple[int, int, int | None],
) -> Discrimination:
    values, queries, left_out = past.matrix(measure)
    if len(queries) < 2:
        raise MatchError(
            where=measure,
            found=f"{len(queries)} quer{'y that counts' if len(queries) == 1 else 'ies that count'}"
            " for all systems",
            expected="at least 2",
        )
    design = Design(len(queries), weights=None if weights is None else _own(weights, queries))
    p, half_width = _p_values(values, design, alpha, test, sampling)
    means = np.atleast_1d(design.mean(values))
    pairs = []
    for i, j in combinations(range(len(past.systems)), 2):
        one, two = (i, j) if means[i] >= means[j] else (j, i)
        pairs.append(
            SystemPair(
                system=past.systems[one],
                other=past.systems[two],
                difference=float(means[one] - means[two]),
                p=float(p[i, j]),
                significant=bool(p[i, j] <= alpha),
            )
        )
    pairs.sort(key=lambda pair: (pair.p, -pair.difference))
    return Discrimination(
        measure=measure,
        queries=len(queries),
        left_out=left_out,
        means=dict(zip(past.systems, means.tolist(), strict=True)),
        pairs=tuple(pairs),
        half_width=half_width,
    )


def _p_values(
    values: Floats, design: Design, alpha: float, test: str, sampling: tuple[int, int, int | None]
) -> tuple[Floats, float | None]:
    resamples, seed, threads = sampling
    if test in ("max-t", "tukey"):
        return _family_p_values(values, design, alpha, test, sampling)
    m = values.shape[1]
    p = np.ones((m, m))
    for i, j in combinations(range(m), 2):
        differences = values[:, i] - values[:, j]
        if test == "t":
            p[i, j] = paired_t(differences, design).p
        else:
            p[i, j] = randomization_test(
                differences, design, resamples=resamples, seed=seed, threads=threads
            ).p
    return p, None


def _family_p_values(
    values: Floats, design: Design, alpha: float, test: str, sampling: tuple[int, int, int | None]
) -> tuple[Floats, float | None]:
    """Return the p-values of all pairs, as `compare` corrects them."""
    resamples, seed, threads = sampling
    m = values.shape[1]
    p, half_width = np.zeros((m, m)), None
    if test == "tukey":
        tukey = randomized_tukey(
            values, design, level=1 - alpha, resamples=resamples, seed=seed, threads=threads
        )
        p, half_width = tukey.p.copy(), float(tukey.half_width)
    elif m > 2:
        (joint,) = max_t_pairs(
            [values], design, level=1 - alpha, resamples=resamples, seed=seed, threads=threads
        )
        p = joint.p.copy()
    draws = SharedDraws(
        values, design, resamples=resamples, bootstrap=0, seed=seed, threads=threads
    )
    for i, j in combinations(range(m), 2):
        # No corrected p is below that of the pair alone.
        p[i, j] = p[j, i] = max(p[i, j], draws.randomization_test(i, j).p)
    return p, half_width


def _pair(one: Discrimination, two: Discrimination, persistence: float) -> MeasurePair:
    first = list(one.order.values())
    second = [two.order[system] for system in one.order]
    ways_one, ways_two = (
        {
            frozenset((pair.system, pair.other)): pair.system
            for pair in each.pairs
            if pair.significant
        }
        for each in (one, two)
    )
    both = ways_one.keys() & ways_two.keys()
    same_sign = sum(ways_one[pair] == ways_two[pair] for pair in both)
    return MeasurePair(
        measure=one.measure,
        other=two.measure,
        tau_b=kendall_tau(first, second),
        tau_ap_b=tau_ap_b(first, second),
        rbo=rbo_ext(tie_groups(one.order), tie_groups(two.order), persistence),
        same_sign=same_sign,
        opposite_sign=len(both) - same_sign,
        only_first=len(ways_one) - len(both),
        only_second=len(ways_two) - len(both),
    )


def _own(weights: Mapping[str, float], queries: list[str]) -> list[float]:
    refuse_missing(weights, queries, "weight")
    return [float(weights[query]) for query in queries]


def _check(test: str, alpha: float, resamples: int, seed: int, persistence: float) -> None:
    if test not in TESTS:
        raise ParameterError(where="test", found=repr(test), expected=f"one of {', '.join(TESTS)}")
    for name, value in (("alpha", alpha), ("persistence", persistence)):
        if not 0 < value < 1:
            raise ParameterError(found=f"{name}={value!r}", expected="a number between 0 and 1")
    if resamples < 100:
        raise ParameterError(found=f"resamples={resamples!r}", expected="100 or more")
    if seed < 0:
        raise ParameterError(found=f"seed={seed!r}", expected="a whole number of 0 or more")
