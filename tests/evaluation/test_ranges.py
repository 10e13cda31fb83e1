"""Intervals stay in the range that a measure can reach on the data."""

from __future__ import annotations

import pytest

import gainful
from gainful.conventions import get, presets

QRELS = {"q1": {"a": 2}, "q2": {"b": 1}, "q3": {"c": 1}}
RUN = {"q1": ["a", "z"], "q2": ["b"], "q3": ["z"]}
TWICE = {**RUN, "q1": ["a", "a"]}


@pytest.mark.parametrize("preset", [each.name for each in presets()])
def test_an_interval_without_duplicates_is_between_0_and_1(preset: str) -> None:
    convention = get(preset).replace(name="renamed")
    for measure in ("nDCG@10", "AP", "R@10", "nERR"):
        try:
            found = gainful.evaluate(QRELS, RUN, measure, convention=convention)
        except gainful.GainfulError:
            continue  # The convention refuses the measure or the data.
        summary = found.summary()
        # A ranking can be better than judgments in the given order.
        if summary.interval is not None and found.resolved[0].params.get("ideal") != "given-order":
            assert 0 <= summary.interval.low <= summary.interval.high <= 1


@pytest.mark.parametrize(
    ("changes", "qrels", "run", "expected"),
    [
        ({"negative": "signed"}, QRELS, RUN, (0, 1)),
        ({"negative": "signed"}, {**QRELS, "q4": {"d": -1}}, RUN, (None, None)),
        ({"ties": "average-rank"}, QRELS, RUN, (0, 1)),
        ({"ties": "average-rank"}, QRELS, {"q1": {"a": 1, "z": 1}}, (0, None)),
        ({"unjudged": 0.5}, QRELS, {"q1": ["a"]}, (0, 1)),
        ({"unjudged": 0.5}, QRELS, RUN, (0, None)),
        ({"unjudged": -1}, QRELS, RUN, (None, None)),
    ],
)
def test_policies_extend_the_range_where_they_have_an_effect(
    changes: dict[str, object], qrels: object, run: object, expected: tuple[float, float]
) -> None:
    convention = get("gainful-1").replace(name="changed", **changes)
    found = gainful.evaluate(qrels, run, "nDCG@10", convention=convention)
    assert found.range_on_data("nDCG@10", found.systems[0]) == expected


def test_duplicates_extend_the_range_and_a_note_names_them() -> None:
    found = gainful.evaluate(QRELS, TWICE, "nDCG@10", convention="recommenders")
    summary = found.summary()
    assert summary.interval == (0, 2)
    assert "A run lists documents twice, so nDCG@10 can exceed 1." in str(found)
    assert "exceed" not in str(gainful.evaluate(QRELS, RUN, "nDCG@10", convention="recommenders"))


def test_intervals_of_a_leaderboard_are_in_the_range() -> None:
    found = gainful.compare(
        QRELS, {"one": RUN, "other": {"q1": ["z"]}}, "nDCG@10", convention="recommenders"
    )
    assert all(
        0 <= each.interval.low <= each.interval.high <= 1 for each in found.leaderboard("nDCG@10")
    )


@pytest.mark.parametrize(
    ("measure", "convention", "text"),
    [
        ("ERR", "gainful-1", "ERR: highest grade 4, the default; ERR(max_grade=GRADE) sets it."),
        ("nERR@5", "gainful-1", "nERR@5: highest grade 4, the default"),
        ("RBP", "trec_eval-10.0-rc3", "RBP: highest grade of each query, of trec_eval-10.0-rc3;"),
        ("ERR(max_grade=2)", "gainful-1", None),
        ("nDCG", "gainful-1", None),
    ],
)
def test_a_note_has_the_highest_grade(measure: str, convention: str, text: str | None) -> None:
    shown = str(gainful.evaluate(QRELS, RUN, measure, convention=convention))
    if text is None:
        assert "highest grade" not in shown
    else:
        assert text in shown


def test_a_grade_of_another_measure_is_not_its_source() -> None:
    defaults = {"nDCG": {"ideal": "max-grade", "max_grade": 3}}
    convention = get("gainful-1").replace(name="mine", defaults=defaults)
    shown = str(gainful.evaluate(QRELS, RUN, ["ERR", "nDCG"], convention=convention))
    assert "ERR: highest grade 4, the default" in shown
    assert "nDCG: highest grade 3, of mine" in shown


@pytest.mark.parametrize(("run", "is_limited"), [(RUN, True), (TWICE, False)])
def test_the_note_on_power_has_the_range_on_the_data(
    run: dict[str, list[str]], is_limited: bool
) -> None:
    judged = {f"q{number}": {"a": 1} for number in range(8)}
    runs = {
        "one": {query: run["q1"] if at % 2 else ["z"] for at, query in enumerate(judged)},
        "other": {query: ["z"] if at % 2 else ["a"] for at, query in enumerate(judged)},
    }
    found = gainful.compare(judged, runs, "nDCG@10", convention="recommenders")
    assert ("too few to detect any difference" in str(found)) == is_limited


def test_a_macro_average_has_the_widest_range_of_its_collections() -> None:
    twice = {query: ["a", "a", "b", "b"] for query in ("q1", "q2", "q3", "q4")}
    once = {query: ["a", "b"] for query in twice}
    judged = {query: {"a": 1, "b": 1} for query in twice}
    suite = gainful.evaluate_suite(
        {"plain": (judged, {"one": once}), "twice": (judged, {"one": twice})},
        "nDCG@10",
        convention="recommenders",
    )
    macro = suite.macro(system="one")
    assert 1 < macro.mean < macro.interval.high


@pytest.mark.parametrize(("run", "can_exceed"), [(RUN, False), (TWICE, True)])
def test_a_difference_is_in_the_range_on_the_data(
    run: dict[str, list[str]], can_exceed: bool
) -> None:
    more = {f"more{number}": {"a": 1} for number in range(7)}
    judged = {**QRELS, **more}
    runs = {
        "one": {**run, **{query: ["a"] for query in more}},
        "other": {query: ["z"] for query in judged},
    }
    found = gainful.compare(judged, runs, "nDCG@10", convention="recommenders", baseline="other")
    (pair,) = found.pairs
    assert pair.difference < pair.interval.high
    assert (pair.interval.high > 1) == can_exceed
