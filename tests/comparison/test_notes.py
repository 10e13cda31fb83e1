"""Notes name the reason and the remedy that apply."""

from __future__ import annotations

import pytest

import gainful

FEW = {"resamples": 500, "bootstrap": 0}


@pytest.mark.parametrize(
    ("queries", "reason"),
    [(30, "all queries differ equally"), (9, "fewer than 10 queries differ")],
)
def test_why_there_are_no_probabilities(queries: int, reason: str) -> None:
    judged = {f"q{at}": {"a": 1} for at in range(queries)}
    runs = {name: {query: list(name) for query in judged} for name in ("a", "ba")}
    found = gainful.compare(judged, runs, "RR", bayes=True, **FEW)
    assert f"No probabilities where {reason}: ba vs. a." in str(found)


@pytest.mark.parametrize("corrected", [True, False])
def test_a_p_corrected_for_skewness_is_named(corrected: bool) -> None:
    """Of 12 losses, one can be much larger than the others."""
    judged = {f"q{at}": {"a": 1} for at in range(12)}
    low = {query: [f"b{rank}" for rank in range(12)] + ["a"] for query in judged}
    high = {query: [f"b{rank}" for rank in range(10)] + ["a"] for query in judged}
    if corrected:
        high["q0"] = ["a"]
    text = str(gainful.compare(judged, {"high": high, "low": low}, "RR", **FEW))
    note = "all 4,096 sign flips; p is corrected for skewed differences (without: .0005)."
    assert (note in text) == corrected
