"""compare(): geometric means are compared by logarithms."""

from __future__ import annotations

from math import exp, log
from typing import Any

import numpy as np
import pytest

import gainful
from gainful.errors import MeasureError
from gainful.inference import paired_t, randomization_test
from gainful.report import make_report

OPTIONS: dict[str, Any] = {"resamples": 2_000, "bootstrap": 999, "threads": 1}
DRAW = np.random.default_rng(5)
QRELS = {f"q{at:02}": {"a": 1, "b": 1, "z": 1} for at in range(30)}
RUNS = {
    name: {query: DRAW.permutation(["a", "b", "c", "d"]).tolist() for query in QRELS}
    for name in ("one", "two", "three")
}
# A query without relevant documents: its value is replaced by the least.
RUNS["two"]["q00"] = ["c", "d"]


def logarithms(name: str) -> np.ndarray:
    values = gainful.evaluate(QRELS, RUNS[name], "GMAP").per_query("GMAP")
    return np.array([log(max(values[query], 0.00001)) for query in QRELS])


def test_a_pair_is_compared_by_logarithms() -> None:
    two = {name: RUNS[name] for name in ("one", "two")}
    (pair,) = gainful.compare(QRELS, two, "GMAP", **OPTIONS).pairs
    differences = logarithms("two") - logarithms("one")
    assert (pair.scale, pair.system) == ("log", "two")
    assert pair.difference == pytest.approx(differences.mean())
    assert pair.p == randomization_test(differences, resamples=2_000).p
    test = paired_t(differences)
    assert (pair.t_statistic, pair.p_t) == pytest.approx((test.statistic, test.p))
    assert pair.interval.low < pair.difference < pair.interval.high
    # Its exponential is the ratio of the means that `evaluate` reports.
    for name, mean in (("two", pair.mean), ("one", pair.baseline_mean)):
        assert mean == pytest.approx(gainful.evaluate(QRELS, RUNS[name], "GMAP").mean(), rel=1e-12)
    assert pair.mean / pair.baseline_mean == pytest.approx(exp(pair.difference))


def test_its_margin_is_a_ratio() -> None:
    qrels = {f"q{at}": {"a": 1} for at in range(40)}
    # Reciprocal ranks of 1/4 and 1/5, by turns better and worse: logarithms differ by log(5/4).
    late, later = ["x", "y", "z", "a"], ["x", "y", "z", "v", "a"]
    runs = {
        "old": {query: (late if at % 2 else later) for at, query in enumerate(qrels)},
        "new": {query: (later if at % 2 else late) for at, query in enumerate(qrels)},
    }
    wide = gainful.compare(qrels, runs, "GMAP", margin=log(1.25), **OPTIONS).pair()
    narrow = gainful.compare(qrels, runs, "GMAP", margin=log(1.02), **OPTIONS).pair()
    assert (wide.verdict, narrow.verdict) == ("equivalent", "inconclusive")
    # On the scale of AP all differences are within .05.
    assert gainful.compare(qrels, runs, "AP", margin=0.05, **OPTIONS).pair().verdict == "equivalent"


def test_all_pairs_and_the_leaderboard_are_on_the_scale_of_logarithms() -> None:
    found = gainful.compare(QRELS, RUNS, "GMAP", **OPTIONS)
    for pair in found.pairs:
        assert pair.interval.low <= pair.difference <= pair.interval.high
        own = found.differences(pair)
        assert np.mean(list(own.values())) == pytest.approx(pair.difference)
    for standing in found.leaderboard():
        assert 0 < standing.interval.low < standing.mean < standing.interval.high
    assert found.values(system="one")["q01"] > 0
    text = " ".join(str(found).split())
    assert "GMAP: differences and their intervals are of natural logarithms" in text
    assert "logarithms" not in str(gainful.compare(QRELS, RUNS, "AP", **OPTIONS))


def test_tables_print_the_difference_of_logarithms() -> None:
    two = {name: RUNS[name] for name in ("one", "two")}
    found = gainful.compare(QRELS, two, ["GMAP", "AP"], **OPTIONS)
    for measure, table in zip(("GMAP", "AP"), found.tables(), strict=True):
        pair = found.pair("two", "one", measure=measure)
        (row,) = table.cells().rows
        assert float(row[2]) == pytest.approx(pair.difference, abs=2e-4)
        assert float(row[1]) == pytest.approx(pair.mean, abs=1e-4)


def test_weights_are_those_of_the_mean_logarithm() -> None:
    weights = {query: 1.0 + at % 3 for at, query in enumerate(QRELS)}
    two = {name: RUNS[name] for name in ("one", "two")}
    pair = gainful.compare(QRELS, two, "GMAP", weights=weights, **OPTIONS).pair()
    expected = gainful.evaluate(QRELS, RUNS["two"], "GMAP", weights=weights).mean()
    assert pair.mean == pytest.approx(expected, rel=1e-12)
    own = np.average(logarithms("two") - logarithms("one"), weights=list(weights.values()))
    assert pair.difference == pytest.approx(own)


def test_a_report_refuses_geometric_means_of_several_systems() -> None:
    with pytest.raises(MeasureError, match="use AP instead of GMAP"):
        make_report(QRELS, RUNS, "GMAP")
