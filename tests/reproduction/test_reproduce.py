"""reproduce(): its numbers by hand and by SciPy, and its verdicts."""

from __future__ import annotations

import json
import random
from math import sqrt
from statistics import fmean

import numpy as np
import pytest
from scipy import stats

import gainful
from gainful.errors import GainfulError
from gainful.inference.proportions import ratio_interval
from gainful.reproduction.call import (
    decide_on_improvement,
    delta_relative_improvement,
    difference,
    effect_ratio,
    kendall_tau_union,
)
from json_schema import errors, schema_of

Graded = dict[str, dict[str, int]]
Scored = dict[str, dict[str, float]]


def experiment(seed: int, queries: int = 40) -> tuple[Graded, Scored, Scored]:
    """Return judgments, a good run and a random run."""
    chance = random.Random(seed)
    qrels: Graded = {}
    good: Scored = {}
    poor: Scored = {}
    for number in range(queries):
        query = f"q{number}"
        qrels[query] = {f"d{at}": chance.choice((0, 0, 1, 2)) for at in range(20)} | {"d20": 1}
        good[query] = {doc: grade + chance.gauss(0, 0.8) for doc, grade in qrels[query].items()}
        poor[query] = {doc: chance.random() for doc in qrels[query]}
    return qrels, good, poor


def noisy(run: Scored, noise: float, seed: int = 5) -> Scored:
    chance = random.Random(seed)
    return {q: {d: s + chance.gauss(0, noise) for d, s in run[q].items()} for q in run}


def values(qrels: Graded, run: Scored, queries: object = None) -> np.ndarray:
    found = gainful.evaluate(qrels, run, "nDCG@10").per_query()
    return np.array(list(found.values()))


def test_numbers_follow_their_definitions() -> None:
    qrels, good, poor = experiment(1)
    again, poor_again = noisy(good, 0.3), noisy(poor, 0.1)
    found = gainful.reproduce(
        qrels, good, again, "nDCG@10", original_baseline=poor, rerun_baseline=poor_again
    )
    claim = found.claims["nDCG@10"]
    a, b, a2, b2 = (values(qrels, run) for run in (good, poor, again, poor_again))
    system, baseline = claim.scores.values()
    assert system.rmse == pytest.approx(sqrt(fmean((a - a2) ** 2)))
    assert system.difference.p == pytest.approx(stats.ttest_rel(a, a2).pvalue)
    assert baseline.difference.value == pytest.approx(fmean(b2 - b))
    assert claim.effect_ratio is not None
    assert claim.effect_ratio.value == pytest.approx(fmean(a2 - b2) / fmean(a - b))
    # Skewness can only widen Fieller's interval.
    low, high = ratio_interval(a2 - b2, a - b) or (0.0, 0.0)
    assert claim.effect_ratio.interval is not None
    assert claim.effect_ratio.interval.low <= low + 1e-9
    assert claim.effect_ratio.interval.high >= high - 1e-9
    assert claim.delta_relative_improvement is not None
    assert claim.delta_relative_improvement.value == pytest.approx(
        (fmean(a) - fmean(b)) / fmean(b) - (fmean(a2) - fmean(b2)) / fmean(b2)
    )
    assert errors(json.loads(json.dumps(found.to_dict())), schema_of("reproduction")) == []


def test_another_collection_is_compared_without_pairs() -> None:
    qrels, good, poor = experiment(1)
    others, good_too, poor_too = experiment(2, queries=60)
    found = gainful.reproduce(
        qrels,
        good,
        good_too,
        "nDCG@10",
        rerun_qrels=others,
        original_baseline=poor,
        rerun_baseline=poor_too,
    )
    claim = found.claims["nDCG@10"]
    a, a2 = values(qrels, good), values(others, good_too)
    welch = stats.ttest_ind(a2, a, equal_var=False)
    low, high = welch.confidence_interval()
    scores = claim.scores["system"]
    assert scores.difference.p == pytest.approx(welch.pvalue)
    assert scores.interval is not None
    assert low - 0.01 < scores.interval.low <= low + 1e-9
    assert high - 1e-9 <= scores.interval.high < high + 0.01
    assert (claim.queries, claim.rerun_queries) == (40, 60)
    assert scores.rmse is scores.tau is None
    assert "RMSE" not in str(found).split("\n\n")[0]


def test_verdicts_follow_the_rule() -> None:
    qrels, good, poor = experiment(3)

    def verdict(rerun: Scored, baseline: Scored | None = poor, **options: float) -> str:
        found = gainful.reproduce(
            qrels, good, rerun, original_baseline=baseline, rerun_baseline=baseline, **options
        )
        return found.claims["nDCG@10"].verdict

    assert verdict(good) == "reproduced"
    assert verdict(noisy(good, 0.9)) == "partly reproduced"
    assert verdict(noisy(poor, 0.01)) == "not reproduced"
    reverse = {q: {d: -s for d, s in each.items()} for q, each in good.items()}
    assert verdict(reverse) == "not reproduced"
    assert verdict(good, None) == "reproduced"
    assert verdict(noisy(good, 0.9), None) == "not reproduced"
    near = noisy(good, 0.1)
    assert verdict(near, None, margin=0.5) == "reproduced"
    assert verdict(near, None, margin=1e-6) == "inconclusive"
    few = {query: qrels[query] for query in ("q0", "q1", "q2")}
    found = gainful.reproduce(few, poor, poor, original_baseline=poor, rerun_baseline=good)
    assert found.claims["nDCG@10"].verdict == "inconclusive"


def test_tau_does_not_depend_on_the_names_of_documents() -> None:
    assert kendall_tau_union(["x", "b", "a"], ["x", "b", "a"]) == 1.0
    assert kendall_tau_union(["c", "b", "a"], ["c", "a", "b"]) == pytest.approx(1 / 3)
    assert kendall_tau_union(["a", "b", "c"], ["a", "c", "b"]) == pytest.approx(1 / 3)
    assert kendall_tau_union(["a"], ["a"]) is None
    # Documents that the original lacks are numbered after its own: 1, 2, 3 and 4, 1, 5.
    assert kendall_tau_union(["a", "b", "c"], ["d", "a", "e"]) == pytest.approx(1 / 3)


def test_intervals_cover_the_true_values() -> None:
    """Effect ratio and delta relative improvement, paired and of other queries."""
    random = np.random.default_rng(4)
    runs, n = 120, 40
    shape = (runs, n)
    hardness = random.beta(2, 3, shape)
    covered = dict.fromkeys([(kind, paired) for kind in "ed" for paired in (True, False)], 0)
    for paired in (True, False):
        other = hardness if paired else random.beta(2, 3, shape)
        one = hardness + 0.1 + random.normal(0, 0.1, shape), hardness + random.normal(0, 0.1, shape)
        two = other + 0.06 + random.normal(0, 0.1, shape), other + random.normal(0, 0.1, shape)
        true = 0.1 / 0.4 - 0.06 / 0.4
        for at in range(runs):
            first, second = (one[0][at], one[1][at]), (two[0][at], two[1][at])
            ratio = effect_ratio(
                first[0] - first[1], second[0] - second[1], paired=paired, level=0.95
            )
            delta = delta_relative_improvement(first, second, paired=paired, level=0.95)
            assert ratio is not None
            assert delta is not None
            assert delta.interval is not None
            covered["e", paired] += ratio.interval is None or (
                ratio.interval.low <= 0.6 <= ratio.interval.high
            )
            covered["d", paired] += delta.interval.low <= true <= delta.interval.high
    assert min(covered.values()) >= 0.91 * runs
    assert max(covered["d", True], covered["d", False]) <= 0.99 * runs


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_interval_of_a_ratio_without_skewness_is_fiellers(sign: float) -> None:
    original = sign * np.array([0.1, 0.3, 0.2, 0.2])
    # Neither a multiple of the original nor the rerun is skewed.
    rerun = sign * np.array([0.1, 0.2, 0.2, 0.1])
    paired = effect_ratio(original, rerun, paired=True, level=0.95)
    independent = effect_ratio(original, rerun, paired=False, level=0.95)
    assert paired is not None
    assert independent is not None
    assert paired.interval is not None
    assert independent.interval is not None
    assert paired.interval == pytest.approx(ratio_interval(rerun, original), abs=1e-9)
    width = independent.interval.high - independent.interval.low
    assert width > paired.interval.high - paired.interval.low
    unbounded = effect_ratio(original - original.mean() + 0.01, rerun, paired=False, level=0.95)
    assert unbounded is not None
    assert unbounded.interval is None


@pytest.mark.parametrize("queries", [25, 50])
def test_half_of_an_improvement_is_not_called_reproduced(queries: int) -> None:
    """Too few queries to find a loss are too few to call an improvement reproduced."""
    draw = np.random.default_rng(2)
    verdicts = []
    for _ in range(20):
        original, rerun = draw.normal(0.1, 0.2, queries), draw.normal(0.05, 0.2, queries)
        gains = [
            difference(np.zeros(queries), each, paired=True, level=0.95)
            for each in (original, rerun)
        ]
        ratio = effect_ratio(original, rerun, paired=False, level=0.95)
        verdicts.append(decide_on_improvement(*gains, ratio, 0.9, alpha=0.05, few=False))
    assert verdicts.count("reproduced") <= 2
    assert verdicts.count("inconclusive") > 10


@pytest.mark.parametrize("has_baseline", [False, True])
@pytest.mark.parametrize(("changes", "verdict"), [(9, "inconclusive"), (10, "reproduced")])
def test_few_changed_queries_reproduce_nothing(
    changes: int, verdict: str, has_baseline: bool
) -> None:
    qrels, good, poor = experiment(3)
    baseline = poor if has_baseline else None
    found = gainful.reproduce(
        qrels,
        good,
        {**good, **{query: poor[query] for query in list(good)[:changes]}},
        margin=0.9,
        least_ratio=0.1,
        original_baseline=baseline,
        rerun_baseline=baseline,
    )
    claim = found.claims["nDCG@10"]
    assert (claim.few_changes, claim.verdict) == (changes < 10, verdict)
    text = " ".join(str(found).split())
    assert ("Fewer than 10 queries differ" in text) == (changes < 10)


def test_identical_scores_have_no_difference() -> None:
    same = np.array([0.1, 0.5, 0.5])
    found = difference(same, same, paired=True, level=0.95)
    assert (found.value, found.interval, found.p) == (0.0, (0.0, 0.0), 1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"original_baseline": {"q0": {"d": 1.0}}}, "the baselines of both"),
        ({"margin": 0}, "above 0"),
        ({"least_ratio": -0.1}, "above 0"),
        ({"depth": 0}, "1 or more"),
        ({"persistence": 1.0}, "between 0 and 1"),
        ({"level": 2}, "between 0 and 1"),
        ({"measures": "GMAP"}, "a mean"),
    ],
)
def test_invalid_arguments_are_errors(options: dict[str, object], message: str) -> None:
    qrels, good, _ = experiment(1, 3)
    with pytest.raises(GainfulError, match=message):
        gainful.reproduce(qrels, good, good, **options)
