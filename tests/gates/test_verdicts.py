"""The verdicts of a gate, and their bounds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import gainful
from gainful.demo import qrels, runs
from gainful.errors import ArgumentError, MatchError, MeasureError, ParameterError
from gainful.gates import GatedMeasure
from gainful.gates.gated_measure import Bounds, bounds_of, verdict_of
from gainful.inference import Design
from gainful.inference.paired import OneSided
from gate_data import gate_reciprocal_ranks


@pytest.fixture(scope="module")
def shop():
    return qrels(), runs()


@pytest.mark.parametrize(
    ("snapshot", "system", "verdict", "status"),
    [
        ("fts5-plain", "fts5-plain", "pass", 0),
        ("fts5-plain", "fts5-tuned", "pass", 0),
        ("fts5-tuned", "title-words", "fail", 4),
        ("fts5-plain", "title-words", "inconclusive", 3),
    ],
)
def test_each_verdict_on_the_demo(shop, snapshot, system, verdict, status):
    judgments, systems = shop
    kept = gainful.make_snapshot(judgments, systems[snapshot], "nDCG@10")
    result = gainful.gate(judgments, systems[system], kept, margin=0.05)
    assert (result.verdict, result.status) == (verdict, status)


def test_bounds_are_the_means_that_two_tests_of_scipy_do_not_reject(shop):
    judgments, systems = shop
    kept = gainful.make_snapshot(judgments, systems["fts5-plain"], "nDCG@10")
    (found,) = gainful.gate(judgments, systems["title-words"], kept, alpha=0.1).measures
    both = gainful.evaluate(judgments, runs=systems, measures="nDCG@10")
    old, new = (both.per_query(system=name) for name in ("fts5-plain", "title-words"))
    differences = np.array([new[query] - old[query] for query in old])
    n = len(differences)

    def p_greater(sample, mean):
        t = stats.ttest_1samp(sample, mean).statistic
        b = stats.skew(sample) / n**0.5
        corrected = t + b * (t * t / 3 + 1 / 6) + b * b * t**3 / 27
        return max(stats.t.sf(t, n - 1), stats.t.sf(corrected, n - 1))

    # Losses are skewed, so the lower bound is below that of the t test, and the upper one is its.
    plain = stats.ttest_1samp(differences, 0, alternative="greater").confidence_interval(0.9)
    assert found.low < plain.low - 0.001
    assert p_greater(differences, found.low) == pytest.approx(0.1, rel=1e-9)
    assert p_greater(-differences, -found.high) == pytest.approx(0.1, rel=1e-9)
    assert found.method == "t"
    # The same means as an evaluation prints, to the last digit.
    assert found.mean == both.mean(system="title-words")
    assert found.snapshot_mean == both.mean(system="fts5-plain")


def test_the_verdict_changes_where_a_bound_reaches_the_margin():
    def verdict(low, high, fail_on="margin"):
        return verdict_of(Bounds(low, high, "t", 30), 0.05, fail_on)

    assert verdict(-0.0499, 0.1) == "pass"
    assert verdict(-0.05, 0.1) == "inconclusive"
    assert verdict(-0.09, -0.05) == "inconclusive"
    assert verdict(-0.09, -0.0501) == "fail"
    assert verdict(-0.04, -0.001, "decrease") == "fail"
    assert verdict(-0.04, 0.0, "decrease") == "pass"


def test_nothing_changed_passes_even_without_a_margin():
    result = gate_reciprocal_ranks([1, 2, None, 4], [1, 2, None, 4], margin=0)
    assert result.verdict == "pass"
    (found,) = result.measures
    assert (found.low, found.high, found.method, found.changed) == (0, 0, "none", 0)
    assert "the value of no query changed" in str(result)


def test_few_changes_assume_another_one_and_a_note_says_so():
    before = [1] * 40
    after = [1] * 33 + [2, 4, 2, 5, 2, 3, 10]
    result = gate_reciprocal_ranks(before, after, margin=0.2)
    differences = np.array([1 / rank - 1 for rank in after])
    (found,) = result.measures
    assert found.method == "extended-t"
    loss, gain = (OneSided.of([*differences, end], Design(41)) for end in (-0.9, 0.9))
    assert (found.low, found.high) == pytest.approx((loss.lower(0.05), gain.upper(0.05)))
    assert "only 7 queries changed, so the bounds allow for one more that changes" in str(result)
    # With ten changed queries it is Student's t.
    # So it is if at least half of the queries changed.
    for n, changed in ((40, 10), (8, 4)):
        after = [1] * (n - changed) + [2] * changed
        (found,) = gate_reciprocal_ranks(before[:n], after, margin=0.2).measures
        assert found.method == "t"


def test_few_changes_pass_no_more_often_than_alpha():
    random = np.random.default_rng(1)
    passed = 0
    for _ in range(300):
        losses = np.where(random.random(50) < 0.08, random.exponential(0.5, 50), 0.0)
        bounds = bounds_of(-losses, Design(50), 0.05, 0.05)
        passed += bounds.changed > 0 and bounds.low > -0.04
    assert passed / 300 < 0.08


def test_one_change_among_few_queries_is_inconclusive():
    result = gate_reciprocal_ranks([1, 1, 1], [1, 1, 10])
    assert result.verdict == "inconclusive"
    (found,) = result.measures
    assert (found.low, found.high, found.method) == (-math.inf, math.inf, "none")
    assert result.to_dict()["measures"][0]["low"] is None


def test_what_inconclusive_counts_as():
    assert gate_reciprocal_ranks([1, 1, 1], [1, 1, 10]).status == 3
    assert gate_reciprocal_ranks([1, 1, 1], [1, 1, 10], inconclusive="fail").status == 4
    assert gate_reciprocal_ranks([1, 1, 1], [1, 1, 10], inconclusive="pass").status == 0


def test_several_measures_all_have_to_pass_and_one_that_fails_is_enough():
    judgments = {f"q{n:02}": {"a": 1, "b": 1} for n in range(40)}
    before = {query: ["a", "b"] for query in judgments}
    after = {query: ["b", "x"] for query in judgments}
    snapshot = gainful.make_snapshot(judgments, before, ["RR", "P@2"])
    result = gainful.gate(judgments, after, snapshot, alpha=0.04)
    assert [each.verdict for each in result.measures] == ["pass", "fail"]
    assert result.verdict == "fail"
    (only,) = gainful.gate(judgments, after, snapshot, "RR").measures
    assert only.measure == "RR"


def test_upper_bounds_of_several_measures_share_alpha(shop):
    judgments, systems = shop
    kept = gainful.make_snapshot(judgments, systems["fts5-plain"], ["nDCG@10", "P@10"])
    run = systems["title-words"]
    both = gainful.gate(judgments, run, kept, alpha=0.1).measures
    (whole,) = gainful.gate(judgments, run, kept, "nDCG@10", alpha=0.1).measures
    (half,) = gainful.gate(judgments, run, kept, "nDCG@10", alpha=0.05).measures
    assert both[0].low == whole.low
    assert both[0].high == half.high


def test_weights_and_clusters_are_those_of_the_design():
    before, after = [1] * 24, [1, 2, 4] * 8
    weights = {f"q{n:03}": 1.0 + n % 5 for n in range(24)}
    clusters = {f"q{n:03}": n // 2 for n in range(24)}
    differences = [1 / rank - 1 for rank in after]
    result = gate_reciprocal_ranks(before, after, weights=weights, clusters=clusters)
    (found,) = result.measures
    design = Design(24, weights=list(weights.values()), clusters=list(clusters.values()))
    df = design.degrees_of_freedom(differences, conservative=True)
    assert 7 < df < design.df
    wide = stats.t.ppf(0.95, df) * design.standard_error(differences)
    assert found.difference == pytest.approx(design.mean(differences))
    assert found.low == OneSided.of(np.array(differences), design).lower(0.05)
    assert found.low <= design.mean(differences) - wide + 1e-12
    assert found.effective == pytest.approx(design.effective)
    assert f"Effective sample size: {design.effective:.1f}." in str(result)
    few = [2, 1] * 4 + [1] * 16
    assert "only 4 clusters changed" in str(gate_reciprocal_ranks(before, few, clusters=clusters))
    del weights["q003"]
    with pytest.raises(ParameterError, match="weights, query 'q003': found no value"):
        gate_reciprocal_ranks(before, after, weights=weights)


def test_the_queries_needed_are_those_of_a_t_test_and_not_of_the_difference_observed():
    differences = np.random.default_rng(1).normal(0, 0.2, 30)
    needed = {
        GatedMeasure.of(
            "RR",
            {f"q{n}": (0.5, 0.5 + float(d) + shift) for n, d in enumerate(differences)},
            left_out=0,
            margin=0.05,
            fail_on="margin",
            alpha_low=0.05,
            alpha_high=0.05,
        ).needed
        for shift in (-0.01, 0.0, 0.01)
    }
    (n,) = needed
    deviation = np.std(differences, ddof=1)
    power = [
        1 - stats.nct.cdf(stats.t.ppf(0.95, k - 1), k - 1, 0.05 / (deviation / k**0.5))
        for k in (n - 1, n)
    ]
    assert power[0] < 0.8 <= power[1]


def judged(differences, clusters=None, alpha=0.05):
    return GatedMeasure.of(
        "RR",
        {f"q{n}": (0.5, 0.5 + float(d)) for n, d in enumerate(differences)},
        left_out=0,
        margin=0.05,
        fail_on="margin",
        alpha_low=alpha,
        alpha_high=alpha,
        clusters=clusters,
    )


def test_needed_counts_clusters_and_not_their_queries():
    differences = np.random.default_rng(1).normal(0, 0.2, 12) - 0.1
    alone = judged(differences)
    # Each cluster repeats one query three times, so it has the same information.
    clusters = {f"q{n}": n // 3 for n in range(36)}
    thrice = judged(np.repeat(differences, 3), clusters)
    assert thrice.low == pytest.approx(alone.low)
    assert thrice.needed == 3 * alone.needed


def test_wrong_types_are_rejected():
    for options in ({"weights": [1, 2]}, {"clusters": "ab"}):
        with pytest.raises(ArgumentError, match="expected a mapping of query ids"):
            gate_reciprocal_ranks([1, 2], [1, 2], **options)
    with pytest.raises(ArgumentError, match="found int as a snapshot"):
        gainful.gate({"a": {"d": 1}}, {"a": ["d"]}, 5)
    with pytest.raises(ArgumentError, match="found str as after"):
        gainful.make_snapshot({"a": {"d": 1}}, {"a": ["d"]}, "RR", after="b.json")


def test_a_margin_too_narrow_for_any_number_of_queries_is_not_an_error():
    result = gate_reciprocal_ranks([1, 2, 3, 1] * 5, [2, 1, 3, 1] * 5, margin=1e-12)
    assert result.verdict == "inconclusive"
    assert result.measures[0].needed is None
    assert "worse by more than the margin 1e-12" in str(result)
    assert "it may or may not be worse" in str(
        gate_reciprocal_ranks([1, 2, 3, 1] * 5, [2, 1, 3, 1] * 5, margin=0.0)
    )


def test_queries_of_weight_0_are_ignored():
    weights = {"q000": 1.0, "q001": 2.0, "q002": 0.0}
    result = gate_reciprocal_ranks([1, 2, 1], [2, 2, 5], weights=weights)
    (only,) = result.measures
    assert (only.n, only.changed, only.left_out) == (2, 1, 0)
    assert result.worst() == [("q000", -0.5)]


def test_inputs_without_a_common_query_are_rejected():
    snapshot = gainful.make_snapshot({"a": {"d": 1}}, {"a": ["d"]}, "RR")
    with pytest.raises(MatchError, match="no query in common"):
        gainful.gate({"b": {"d": 1}}, {"b": ["d"]}, snapshot)
    skipping = gainful.conventions.get("gainful-1").replace(no_relevant="skip")
    nothing = {"a": {"d": 0}}
    snapshot = gainful.make_snapshot(nothing, {"a": ["d"]}, "RR", convention=skipping)
    with pytest.raises(MatchError, match="RR: found no query with a value on both sides"):
        gainful.gate(nothing, {"a": ["d"]}, snapshot)


def test_geometric_means_are_rejected_by_name():
    with pytest.raises(MeasureError, match="GMAP: found a geometric mean"):
        gainful.make_snapshot({"a": {"d": 1}}, {"a": ["d"]}, ["RR", "GMAP"])
