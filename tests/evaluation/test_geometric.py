"""Geometric means over queries: values, intervals, weights and output."""

from __future__ import annotations

import math
import statistics

import pytest

import gainful
from gainful.inference import geometric_interval

QRELS = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
RUN = {"q1": ["a"], "q2": ["b", "a"], "q3": ["b"]}
LOGARITHMS = [0.0, math.log(0.5), math.log(0.00001)]


def test_a_query_of_0_counts_a_hundred_thousandth() -> None:
    result = gainful.evaluate(QRELS, RUN, ["GMAP", "AP"])
    summary = result.summary("GMAP")
    assert result.per_query("GMAP") == result.per_query("AP") == {"q1": 1.0, "q2": 0.5, "q3": 0.0}
    assert summary.mean == summary.value == math.exp(sum(LOGARITHMS) / 3)
    assert summary.standard_deviation == pytest.approx(statistics.stdev(LOGARITHMS))
    expected = geometric_interval(summary.mean, summary.standard_deviation, 3, low=0.0, high=1.0)
    assert summary.interval == expected
    assert summary.median == 0.5
    assert summary.aggregate == "geometric"
    # It is printed like any mean.
    assert f"{summary.mean:.4f}".lstrip("0") in str(result)
    assert "mean or sum" not in str(result)


def test_weights_are_exponents() -> None:
    weights = {"q1": 1.0, "q2": 2.0, "q3": 0.0}
    result = gainful.evaluate(QRELS, RUN, "GMAP", weights=weights)
    assert result.mean() == pytest.approx(0.5 ** (2 / 3))


def test_a_query_left_out_does_not_count() -> None:
    qrels = {**QRELS, "q4": {"a": 0}}
    policy = gainful.Convention(no_relevant="skip")
    result = gainful.evaluate(qrels, RUN, "GMAP", convention=policy)
    assert result.summary().n == 3
    assert result.mean() == math.exp(sum(LOGARITHMS) / 3)
