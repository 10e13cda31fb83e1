"""Intervals stay in the range that a measure can reach on the data."""

from __future__ import annotations

import pytest

import gainful
from gainful.conventions import get, presets

QRELS = {"q1": {"a": 2}, "q2": {"b": 1}, "q3": {"c": 1}}
RUN = {"q1": ["a", "z"], "q2": ["b"], "q3": ["z"]}
TWICE = {**RUN, "q1": ["a", "a"]}


@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "R@10", "nERR"])
@pytest.mark.parametrize("preset", [each.name for each in presets()])
def test_an_interval_without_duplicates_is_between_0_and_1(preset: str, measure: str) -> None:
    convention = get(preset).replace(name="renamed")
    try:
        found = gainful.evaluate(QRELS, RUN, measure, convention=convention)
    except gainful.GainfulError:
        return  # The convention refuses the measure or the data.
    low, high = found.measures[0].range(convention.replace(duplicates="error"))
    summary = found.summary()
    if summary.low is not None and (low, high) == (0.0, 1.0):
        assert 0 <= summary.low <= summary.high <= 1


def test_duplicates_extend_the_range_and_a_note_names_them() -> None:
    found = gainful.evaluate(QRELS, TWICE, "nDCG@10", convention="recommenders")
    summary = found.summary()
    assert (summary.low, summary.high) == (0, 2)
    assert "A run lists documents twice, so nDCG@10 can exceed 1." in str(found)
    assert "exceed" not in str(gainful.evaluate(QRELS, RUN, "nDCG@10", convention="recommenders"))


def test_intervals_of_a_leaderboard_are_in_the_range() -> None:
    found = gainful.compare(
        QRELS, {"one": RUN, "other": {"q1": ["z"]}}, "nDCG@10", convention="recommenders"
    )
    assert all(0 <= each.low <= each.high <= 1 for each in found.leaderboard("nDCG@10"))


@pytest.mark.parametrize(
    ("measure", "convention", "text"),
    [
        ("ERR", "gainful-1", "ERR: highest grade 4, the default; ERR(max_grade=GRADE) sets it."),
        ("nERR@5", "gainful-1", "nERR@5: highest grade 4, the default"),
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


def test_a_macro_average_has_the_widest_range_of_its_collections() -> None:
    twice = {query: ["a", "a", "b", "b"] for query in ("q1", "q2", "q3", "q4")}
    once = {query: ["a", "b"] for query in twice}
    judged = {query: {"a": 1, "b": 1} for query in twice}
    suite = gainful.evaluate_suite(
        {"plain": (judged, {"one": once}), "twice": (judged, {"one": twice})},
        "nDCG@10",
        convention="recommenders",
    )
    macro = suite.macro("one")
    assert 1 < macro.mean < macro.high


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
    assert pair.difference < pair.high
    assert (pair.high > 1) == can_exceed
