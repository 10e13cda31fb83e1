"""compare(): the condition of each verdict, and its agreement with the interval."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gainful
from comparison_data import MEASURE, collection
from gainful.comparison import VERDICTS, Pair
from gainful.inference import Design
from gainful.inference.paired import OneSided

FEW = {"resamples": 2_000, "bootstrap": 0}


def pair_of(differences: list[float], **options: object) -> Pair:
    """Compare a system that has these differences from one with value 5 on every query."""
    qrels, runs = collection({"old": [5.0] * len(differences), "new": [5 + d for d in differences]})
    return gainful.compare(qrels, runs, MEASURE, **{**FEW, **options}).pair("new")


SPREAD = [0.1, 0.3, 0.2, 0.15, 0.4, 0.25, 0.35, 0.05, 0.2, 0.3]


def test_better_and_worse() -> None:
    assert pair_of(SPREAD).verdict_text == "better"
    assert pair_of([-each for each in SPREAD]).verdict_text == "worse"


def test_identical() -> None:
    pair = pair_of([0.0] * 10, margin=0.1)
    assert (pair.verdict_text, pair.p, pair.difference) == ("identical", 1, 0)
    # The judgments allow differences of 5 on other queries.
    assert pair.interval == pytest.approx((-1.5425, 1.5425), abs=1e-4)
    assert (pair.wins, pair.ties, pair.losses, pair.effect) == (0, 10, 0, None)


def test_equivalent_needs_a_margin() -> None:
    small = [0.01, -0.01, 0.02, -0.02, 0.01, -0.015, 0.005, -0.01, 0.01, 0.0, 0.01]
    assert pair_of(small).verdict_text == "inconclusive"
    assert pair_of(small).p_equivalence is None
    assert pair_of(small, margin=0.1).verdict_text == "equivalent"
    assert pair_of(small, margin=0.001).verdict_text == "inconclusive"


def test_few_differences_assume_another_one() -> None:
    few = [0.05] * 3 + [0.0] * 30
    pair = pair_of(few, margin=0.02)
    larger = OneSided.of(np.array([*few, 0.05]), Design(34))
    assert pair.p_equivalence == pytest.approx(larger.p_below(0.02))
    assert pair.verdict == "equivalent"
    assert pair_of(few, margin=0.01).verdict == "inconclusive"
    assert pair_of([0.0] * 20, margin=0.1).p_equivalence is None


def test_better_by_less_than_the_margin() -> None:
    pair = pair_of(SPREAD, margin=1.0)
    assert (pair.verdict, pair.within_margin) == ("better", True)
    assert pair.verdict_text == "better, by less than the margin"
    assert (
        pair_of([-each for each in SPREAD], margin=1.0).verdict_text
        == "worse, by less than the margin"
    )


def test_five_queries_are_always_inconclusive() -> None:
    """Five differences have 32 sign patterns, so no two-sided p is below 2 / 32."""
    pair = pair_of([0.5] * 5)
    assert (pair.p, pair.exact, pair.verdict) == (2 / 32, True, "inconclusive")
    assert pair.interval.low < 0 < pair.interval.high


def test_one_query() -> None:
    pair = pair_of([0.5], margin=0.1)
    assert (pair.p, pair.verdict, pair.deviation, pair.p_t, pair.detectable) == (
        1.0,
        "inconclusive",
        None,
        None,
        None,
    )


@pytest.mark.parametrize("every", [True, False])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_verdict_and_interval_agree(every: bool, seed: int) -> None:
    draw = np.random.default_rng(seed)
    n, shift = int(draw.integers(3, 40)), draw.uniform(0, 0.8, 4)
    values = draw.normal(5, 0.5, (n, 4)) + shift
    if draw.random() < 0.3:
        values[:, 3] = values[:, 0]
    qrels, runs = collection({f"s{at}": values[:, at].tolist() for at in range(4)})
    found = gainful.compare(qrels, runs, MEASURE, baseline=None if every else "s0", **FEW)
    assert len(found.pairs) == (6 if every else 3)
    for pair in found.pairs:
        assert pair.verdict in VERDICTS
        if pair.interval is None:
            # With fewer than six queries there is no interval, nor for equal values without limits.
            assert pair.verdict == "identical" or (n < 6 and pair.verdict == "inconclusive")
            continue
        assert pair.interval.low <= pair.difference <= pair.interval.high
        if pair.verdict == "better":
            assert pair.interval.low >= 0
            assert pair.p_adjusted <= 0.05
        elif pair.verdict == "worse":
            assert pair.interval.high <= 0
            assert pair.p_adjusted <= 0.05
        else:
            assert pair.interval.low <= 0 <= pair.interval.high
        assert pair.correction == ("max-t" if every else "holm")
    if every:
        # The interval excludes 0 exactly if p is significant, apart from the stepwise p of some
        # pairs, whose intervals end at 0. Correction never lowers p.
        for pair in found.pairs:
            if pair.interval is not None and 0.0 not in pair.interval:
                assert (pair.p_adjusted <= 0.05) == (
                    pair.interval.low > 0 or pair.interval.high < 0
                )
            assert pair.p_adjusted >= pair.p


def test_at_least_six_queries_are_required() -> None:
    # A t test of two queries would detect .1, but no p-value of their sign flips is below .5.
    pair = pair_of([0.01, 0.012, -0.011, 0.01], detect=0.1)
    assert (pair.verdict, pair.needed) == ("inconclusive", 6)
    assert pair_of([0.01, -0.01, 0.02], alpha=0.9, detect=0.1).needed is None


def test_the_statistics_equal_those_of_scipy() -> None:
    from scipy import stats

    draw = np.random.default_rng(7)
    one, two = draw.uniform(0, 1, 15), draw.uniform(0, 1, 15)
    qrels, runs = collection({"old": two.tolist(), "new": one.tolist()})
    pair = gainful.compare(qrels, runs, MEASURE, tests=("wilcoxon", "sign")).pair("new")
    t = stats.ttest_rel(one, two)
    assert pair.t_statistic == pytest.approx(t.statistic)
    assert (pair.df, pair.p_t) == (t.df, pytest.approx(t.pvalue))
    ends = t.confidence_interval(0.95)
    assert pair.t_interval == pytest.approx((ends.low, ends.high))
    flips = stats.permutation_test(
        (one - two,), np.mean, permutation_type="samples", n_resamples=np.inf
    )
    assert pair.exact
    assert pair.p == pytest.approx(flips.pvalue)
    assert pair.p_wilcoxon == pytest.approx(stats.wilcoxon(one, two).pvalue)
    wins = int((one > two).sum())
    assert pair.p_sign == pytest.approx(stats.binomtest(wins, 15).pvalue)
    assert (pair.wins, pair.losses, pair.dominance) == (wins, 15 - wins, (2 * wins - 15) / 15)
    d = one - two
    assert pair.deviation == pytest.approx(d.std(ddof=1))
    assert pair.effect == pytest.approx((1 - 3 / (4 * 14 - 1)) * d.mean() / d.std(ddof=1))
    assert pair.mean == pytest.approx(one.mean())
    assert pair.difference == pytest.approx(d.mean())


def test_differences_within_the_tie_margin_are_ties() -> None:
    pair = pair_of([0.5, -0.5, 0.05, -0.05, 0.0], tie_margin=0.1, tests="sign")
    assert (pair.wins, pair.ties, pair.losses) == (1, 3, 1)
    assert pair.p_sign == 1.0


def test_required_queries_depend_on_the_variance_alone() -> None:
    """Adding a constant to all differences changes nothing."""
    few = pair_of(SPREAD, detect=0.1)
    more = pair_of([each + 1 for each in SPREAD], detect=0.1)
    assert few.needed == more.needed
    assert few.detectable == pytest.approx(more.detectable)
    assert few.needed is not None
    assert few.detectable is not None
    # The queries suffice for differences above the minimum detectable difference, not below.
    assert pair_of(SPREAD, detect=few.detectable * 1.01).needed <= 10
    assert pair_of(SPREAD, detect=few.detectable * 0.99).needed > 10


def test_detect_defaults_to_the_margin() -> None:
    assert pair_of(SPREAD, margin=0.1).needed == pair_of(SPREAD, detect=0.1).needed
    assert pair_of(SPREAD).needed is None


def test_few_differing_queries_make_the_interval_unreliable() -> None:
    base = [0.5] * 40
    changed = [*base]
    changed[3] = 0.0
    many = [value + at % 2 / 10 for at, value in enumerate(base)]
    runs = {"base": base, "changed": changed, "many": many, "same": base}
    found = gainful.compare(*collection(runs), MEASURE, baseline="base", **FEW)
    marks = {pair.system: pair.few_differences for pair in found.pairs}
    assert marks == {"changed": True, "many": False, "same": True}
    exported = {pair["system"]: pair for pair in found.to_dict()["pairs"]}
    assert exported["changed"]["few_differences"] is True
    # Identical systems have no interval to warn of.
    assert (
        "Fewer than 10 queries differ, so the interval of changed vs. base is unreliable."
        in str(found).replace("\n  ", " ")
    )


def test_few_queries_that_all_differ_are_not_marked() -> None:
    draw = np.random.default_rng(1)
    runs = {"a": draw.uniform(0, 1, 6).tolist(), "b": draw.uniform(0, 1, 6).tolist()}
    (pair,) = gainful.compare(*collection(runs), MEASURE, **FEW).pairs
    assert not pair.few_differences
