"""The highest sums of gains that the judgments allow, and the intervals that use them."""

from __future__ import annotations

import pickle
from math import log2

import pytest

import gainful

QRELS = {
    "q1": {"a": 3, "b": 1, "c": 0},
    "q2": {"a": 1, "b": 2, "c": 1, "d": 0},
    "q3": {"e": 0.5},
}
RUN = {"q1": ["b", "x"], "q2": ["c", "a"], "q3": ["x"]}


@pytest.mark.parametrize(
    ("measure", "highest"),
    [
        ("P@10", 1.0),
        ("CG@1", 3.0),
        ("CG", 4.0),
        ("CG(gain='judged')", 4.0),
        ("CG(gain={3: 10})@2", 11.0),
        ("CG(gain='exponential+1')@2", 18.0),
        ("DCG@2", 3.0 + 1 / log2(3)),
        ("DCG(gain='exponential', discount='none')@2", 8.0),
        ("DCG(gain='binary', discount=[1, 0.5])@3", 1.5),
        ("DCG(gain='binary', discount=[0.1, 1])@2", None),
        ("DCG(judged_only=True)@2", 3.0 + 1 / log2(3)),
        ("IDCG@2", None),
    ],
)
def test_the_range_on_data(measure: str, highest: float | None) -> None:
    result = gainful.evaluate(QRELS, RUN, ["P@10", measure])
    assert result.range_on_data(measure, result.systems[0])[1] == pytest.approx(highest)
    ideal = {query: sorted(judged, key=lambda d: -judged[d]) for query, judged in QRELS.items()}
    best = gainful.evaluate(QRELS, ideal, measure).per_query()
    assert highest is None or max(best.values()) <= highest + 1e-9


@pytest.mark.parametrize(
    ("measure", "policies", "highest"),
    [
        ("DCG@5", {"unjudged": 1}, None),
        ("CG", {"duplicates": "count"}, 8.0),
        ("CG@2", {"negative": "signed"}, 4.0),
        ("CG@2", {"ties": "average-rank"}, 4.0),
    ],
)
def test_conventions_can_extend_the_range(
    measure: str, policies: dict[str, object], highest: float | None
) -> None:
    convention = gainful.conventions.get("gainful-1").replace(**policies)
    run = {**RUN, "q1": ["b", "b"]} if "duplicates" in policies else RUN
    result = gainful.evaluate(QRELS, run, measure, convention=convention)
    assert result.range_on_data(measure, result.systems[0])[1] == highest


@pytest.mark.parametrize(
    ("measure", "highest"), [("DCG@10", 2.0), ("CG", 2.0), ("DCG(gain='exponential')@3", 3.0)]
)
def test_queries_without_a_hit_have_an_interval(measure: str, highest: float) -> None:
    qrels = {f"q{n}": {"a": 2} for n in range(25)}
    summary = gainful.evaluate(qrels, {query: ["x"] for query in qrels}, measure).summary()
    assert summary.interval_method == "bounded-t"
    assert summary.interval == pytest.approx((0.0, 0.1135 * highest), abs=1e-3)


@pytest.mark.parametrize("grade", [0, 2000])
def test_an_ideal_without_gains_or_end_is_no_limit(grade: int) -> None:
    qrels = {f"q{n}": {"a": grade} for n in range(25)}
    result = gainful.evaluate(qrels, {query: ["x"] for query in qrels}, "DCG(gain='exponential')")
    assert (result.summary().interval, result.summary().interval_method) == (None, None)


@pytest.mark.parametrize("options", [{}, {"bounds": True, "scale": [0, 1, 3]}], ids=str)
def test_limits_are_stored_with_the_rows(options: dict[str, object]) -> None:
    measures = ["CG", "nDCG@2", "DCG@3"]
    whole = gainful.evaluate(QRELS, RUN, measures, **options)
    parts = [
        gainful.evaluate({query: QRELS[query]}, {query: RUN[query]}, measures, **options)
        for query in QRELS
    ]
    joined = gainful.Evaluation.concat(parts)
    restored = gainful.Evaluation.from_rows(whole.to_rows(), measures, **options)
    for evaluation in (joined, restored, pickle.loads(pickle.dumps(whole))):
        for measure in measures:
            assert repr(evaluation.summary(measure)) == repr(whole.summary(measure))
