"""The remarks of presets about values are true, shown on minimal data."""

from __future__ import annotations

from typing import Any

import pytest

from gainful import conventions, evaluate
from gainful.conventions import get

TWICE = [("q", "a", 2.0), ("q", "a", 1.0)]
TWO = {"q": {"a": 1, "b": 1}}


def mean(name: str, qrels: Any, run: Any, measure: str = "nDCG@10", **policies: Any) -> float:
    convention = conventions.get(name).replace(**policies)
    return evaluate(qrels, run, measure, convention=convention).mean()


@pytest.mark.parametrize("preset", conventions.presets(), ids=lambda preset: preset.name)
def test_a_document_returned_twice(preset: conventions.Preset) -> None:
    """nDCG exceeds 1 only with duplicates=count, if a remark says so."""
    text = " ".join(preset.remarks)
    if "twice counts twice, so nDCG can exceed 1" in text:
        assert get(preset.name).duplicates == "count"
    if get(preset.name).duplicates == "error" or "nDCG" not in (preset.measures or ("nDCG",)):
        return
    value = mean(preset.name, {"q": {"a": 1}}, TWICE, order="given")
    ideal = get(preset.name).defaults.get("nDCG", {}).get("ideal", "judged")
    exceeds = get(preset.name).duplicates == "count" and ideal != "max-grade"
    assert (value > 1) == exceeds


def test_other_values_above_1() -> None:
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0, "b": 0}}
    run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
    # A query without relevant documents counts as an unweighted 1, but the divisor has its weight.
    for name, value in (
        ("lightgbm", (0.01 * 1 + 1) / 0.11),
        ("xgboost", (0.01 * 1 + 1) / 0.11),
        ("xgboost-minus", 0.01 / 0.11),
    ):
        weights = {"q1": 0.01, "q2": 0.1}
        weighted = evaluate(qrels, run, "nDCG@10", convention=name, weights=weights).mean()
        assert weighted == pytest.approx(value)
    graded = {"q": {"a": 1, "b": 3}}
    assert mean("spark-graded", graded, {"q": ["b", "a"]}) > 1
    assert mean("elasticsearch", {"q": {"a": 1}}, {"q": ["a", "x"]}, unjudged=1) > 1
    assert mean("cwl_eval", {"q": {"a": 2}}, {"q": ["a"]}, "nDCG@1", largest_grade="any") == 2
    # Two tied documents are both at rank 1, three are all at rank 2.
    tied = {"q": {"a": 1.0, "b": 1.0}}
    assert mean("evidently", TWO, tied) == pytest.approx(2 / (1 + 0.6309297535714575))
    three = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    assert mean("evidently", {"q": {"a": 1, "b": 1, "c": 1}}, three, "nDCG@1") == 0


def test_perfect_values() -> None:
    one = {"q": ["a"]}
    many = {"q": {"a": 1, "b": 1, "c": 1}}
    for name in ("mlflow", "elasticsearch", "caserecommender", "phoenix"):
        assert mean(name, many, one) == 1
    # An ideal without a cutoff: the first ten of twenty documents do not reach it.
    twenty = {"q": {f"d{number:02}": 1 for number in range(20)}}
    first = {"q": list(twenty["q"])[:10]}
    for name in ("quepid", "llama-index", "haystack"):
        assert mean(name, twenty, first) < 0.7
    assert mean("quepid-cut", twenty, first) == 1


def test_limits_of_the_ranking() -> None:
    names = [f"d{number:04}" for number in range(1200)]
    for name, cutoff in (("xgboost", 32), ("implicit", 10), ("trectools", 1000), ("gdeval", 20)):
        above = {"q": {names[cutoff - 1]: 1}}
        below = {"q": {names[cutoff]: 1}}
        assert mean(name, above, {"q": names}, "nDCG") > 0
        assert mean(name, below, {"q": names}, "nDCG", no_relevant=0) == 0


def test_ignored_grades() -> None:
    zeros = {"q": {"a": 0, "b": 0, "c": 1}}
    run = {"q": ["a", "b", "c"]}
    for name in ("pyspark", "lenskit", "recommenders"):
        assert mean(name, zeros, run) == 1
    for name in ("implicit", "sentence-transformers", "recbole"):
        assert mean(name, zeros, run) == pytest.approx(0.5, abs=1e-4)
