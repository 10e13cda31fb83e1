"""reconcile(): the order of matches, and equal presets."""

from __future__ import annotations

import pytest

import gainful
import gainful.report
from gainful.errors import GainfulError
from gainful.measures import Measure
from gainful.reconciliation.space import UNUSUAL, cutoff_cost
from reconcile_data import WHOLE, close, collection, per_query

TYPE_CHECKING = False


def test_an_unusual_cutoff_counts_more_than_other_changes() -> None:
    qrels, run = collection("unusual", twice=False)
    convention = gainful.conventions.get("trec_eval").replace(
        defaults={"nDCG": {"gain": "exponential", "discount": "reciprocal"}}
    )
    value = gainful.evaluate(qrels, run, "nDCG@10", convention=convention).mean()
    found = gainful.reconcile(qrels, run, f"{value:.2f}", "nDCG")
    places = [
        (len(each.changes) + unusual, unusual)
        for each in found.matches
        for unusual in [cutoff_cost(each.measure.cutoff) >= UNUSUAL]
    ]
    assert places == sorted(places)
    assert len(set(places)) > 1


def test_a_tool_that_always_cuts_is_named_with_a_deep_enough_cutoff() -> None:
    qrels, run = WHOLE
    value = gainful.evaluate(qrels, run, "nDCG", convention="ranx-burges").mean()
    first = gainful.reconcile(qrels, run, f"{value:.8f}", "nDCG").matches[0]
    assert first.measure == Measure("nDCG")
    assert first.preset is not None
    assert "ranx-0.3.21-burges" in (first.preset, *first.also)
    always = [each for each in first.also if each.endswith(" (nDCG@1000)")]
    assert "quepid-8.6-cut (nDCG@1000)" in always
    for each in always:
        name = each.removesuffix(" (nDCG@1000)")
        again = gainful.evaluate(qrels, run, "nDCG@1000", convention=name).per_query()
        assert close(again, per_query(qrels, run, first))


def test_rounded_values_match_those_of_other_tools() -> None:
    qrels, run = WHOLE
    value = gainful.evaluate(qrels, run, "nDCG@10", convention="gdeval").mean()
    found = gainful.reconcile(qrels, run, f"{value:.4f}", "nDCG@10")
    named = [match for match in found.matches if "gdeval-1.3" in (match.preset, *match.also)]
    assert len(named) == 1
    assert "ir_measures-0.4.3-exp-log2" in (named[0].preset, *named[0].also)


def test_a_match_that_contradicts_values_of_queries_is_the_nearest() -> None:
    qrels, run = WHOLE
    result = gainful.evaluate(qrels, run, "nDCG@10", convention="trec_eval")
    values = {"q1": "0.01234"}
    found = gainful.reconcile(qrels, run, f"{result.mean():.4f}", "nDCG@10", per_query=values)
    assert not found
    assert found.nearest[0].preset == "gainful-1"
    assert abs(found.nearest[0].difference) < 0.5e-4
    assert "and the reported value of queries; nearest misses" in str(found)


def test_the_cutoff_of_ndcg_does_not_affect_other_measures() -> None:
    qrels, run = collection("others")
    for measure in ("Rprec", "AP"):
        convention = gainful.conventions["xgboost"].replace(name="own")
        value = gainful.evaluate(qrels, run, measure, convention=convention).mean()
        for match in gainful.reconcile(qrels, run, f"{value:.1f}", measure).matches:
            assert "no cutoff" not in match.changes


def test_usual_cutoffs_come_first() -> None:
    assert sorted([137, 20, 10, 40, 35, 1], key=cutoff_cost) == [10, 20, 1, 40, 35, 137]


def test_a_preset_that_rejects_the_data_is_tried_without_the_policy() -> None:
    # scikit-learn rejects the query with one document; torchmetrics gives the same value.
    qrels = {"q1": {"a": 1, "b": 3, "z": 2}, "q2": {"c": 1, "d": 2}, "q3": {"e": 2, "f": 1}}
    run = {"q1": {"a": 1.0, "b": 1.0, "x": 0.5}, "q2": {"c": 2.0, "d": 1.0}, "q3": {"f": 1.0}}
    convention = gainful.conventions.get("torchmetrics")
    mean = gainful.evaluate(qrels, run, "nDCG@10", convention=convention).mean()
    found = gainful.reconcile(qrels, run, f"{mean:.6f}", "nDCG@10")
    first = found.matches[0]
    assert first.preset is not None
    assert first.value == pytest.approx(mean)
    named = (first.label, *first.also)
    assert "torchmetrics-1.9.0" in named
    assert "scikit-learn-1.9.1-returned with single=keep" in named
    assert "scikit-learn-1.9.1-returned" in found.refused
    with pytest.raises(GainfulError, match="only one document") as raised:
        gainful.evaluate(qrels, run, "nDCG@10", convention="scikit-learn-returned")
    assert str(raised.value) == found.refused["scikit-learn-1.9.1-returned"]


def test_a_rounded_mean_matches_that_of_other_tools() -> None:
    qrels, run = collection("rounded", ties=False, twice=False)
    mean = gainful.evaluate(qrels, run, "nDCG@10", convention="beir").mean()
    first = gainful.reconcile(qrels, run, f"{mean:.4f}", "nDCG@10").matches[0]
    assert {"beir-2.2.0", "mteb-2.26.24"} <= {first.label, *first.also}


def test_roundings_of_a_match_are_not_listed_with_it() -> None:
    qrels, run = collection("roundings")
    mean = gainful.evaluate(qrels, run, "AP", convention="lenskit").mean()
    found = gainful.reconcile(qrels, run, f"{mean:.2f}", "AP")
    names = [
        (match.measure, match.nearest, *(c for c in match.changes if not c.startswith("rounding")))
        for match in found.matches
    ]
    assert len(names) == len(set(names)) > 1
