"""Arguments and data that are of no use are told in one message, and never in a wrong number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gainful
from comparison_data import MEASURE, collection
from gainful.errors import GainfulError, MatchError, ParameterError
from gainful.formats.rendering import rendered

FEW: dict[str, Any] = {"resamples": 500, "bootstrap": 0}
QRELS, RUNS = collection(
    {
        "old": [0.1, 0.5, 0.2, 0.4, 0.3, 0.6, 0.2, 0.1],
        "new": [0.3, 0.4, 0.6, 0.5, 0.7, 0.2, 0.9, 0.4],
        "other": [0.2, 0.2, 0.1, 0.8, 0.4, 0.3, 0.2, 0.5],
    }
)


@pytest.mark.parametrize("value", ["x", [1], float("nan"), -1, 10**30])
@pytest.mark.parametrize(
    "name", ["alpha", "tie_margin", "resamples", "bootstrap", "seed", "margin", "detect"]
)
def test_numbers_that_are_none(name, value) -> None:
    if value == 10**30 and name in ("tie_margin", "margin", "detect"):
        return
    with pytest.raises(ParameterError, match=f"^{name}: found"):
        gainful.compare(QRELS, RUNS, MEASURE, **{**FEW, name: value})


def test_numbers_of_numpy_are_numbers() -> None:
    found = gainful.compare(
        QRELS, RUNS, MEASURE, alpha=np.float64(0.1), resamples=np.int64(500), seed=np.int64(3)
    )
    assert found.alpha == 0.1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": 3}, "baseline: found 3, expected the name of a system"),
        ({"baseline": [3]}, "baseline: found \\[3\\]"),
        ({"baseline": "runs/old.run.gz"}, "Hint: did you mean old"),
        ({"tests": 3}, "tests: found 3"),
        ({"clusters": [1, 2]}, "clusters: found list, expected {query: value} or the path"),
        ({"by": 7}, "by: found int, expected"),
        ({"weights": [1, 2]}, "weights: found list, expected {query: weight}"),
        ({"weights": dict.fromkeys(QRELS, "x")}, "weights, query 'q0000': found 'x'"),
        ({"weights": dict.fromkeys(QRELS)}, "weights, query 'q0000': found None"),
        ({"weights": dict.fromkeys(QRELS, 1e308)}, "a sum above 1e300"),
        ({"alpha": 1e-5, "resamples": 500}, "expected 100,000 or more, for this alpha"),
    ],
)
def test_what_is_of_another_kind(options, message) -> None:
    with pytest.raises(GainfulError, match=message):
        gainful.compare(QRELS, RUNS, MEASURE, **{**FEW, **options})


def test_names_that_are_one_as_text() -> None:
    with pytest.raises(ParameterError, match="that are one as text"):
        gainful.compare(QRELS, {1: RUNS["old"], "1": RUNS["new"]}, MEASURE)  # type: ignore[dict-item]
    with pytest.raises(GainfulError, match="qrels: found NoneType without runs"):
        gainful.compare(None)  # type: ignore[arg-type]


def test_segments_that_there_are_not() -> None:
    found = gainful.compare(QRELS, RUNS, MEASURE, by=dict.fromkeys(QRELS, "x"), **FEW)
    for ask in (found.letters, found.leaderboard, found.means):
        with pytest.raises(ParameterError, match="segment: found 'y', expected one of x"):
            ask(MEASURE, "y")
    with pytest.raises(ParameterError, match="k: found -1"):
        found.worst(found.pairs[0], -1)
    with pytest.raises(ParameterError, match="aversion: found 'x'"):
        found.risk(MEASURE, "x")  # type: ignore[arg-type]


def test_what_a_data_frame_has_for_nothing_is_no_segment() -> None:
    by = dict(zip(QRELS, ["x", "", None, float("nan"), "x", "x", "x", "x"], strict=True))
    found = gainful.compare(QRELS, RUNS, MEASURE, by=by, **FEW)
    assert {name: pairs[0].n for name, pairs in found.segments.items()} == {"x": 5, "(none)": 3}


def test_a_measure_without_any_value() -> None:
    qrels = {query: dict.fromkeys(found, 0) for query, found in QRELS.items()}
    for policy in ("nan", "skip"):
        convention = gainful.conventions.get("gainful-1").replace(no_relevant=policy)
        with pytest.raises(MatchError, match="no query"):
            gainful.compare(qrels, RUNS, "nDCG@10", convention=convention)


def test_more_systems_beside_a_baseline_than_pairs_are_shown() -> None:
    qrels, runs = collection({f"s{at:02}": [0.1, 0.2, at / 100] for at in range(60)})
    found = gainful.compare(qrels, runs, MEASURE, baseline="s00", **FEW)
    assert len(found.tables()[0].rows) == 59


def test_losses_on_no_query_have_no_table() -> None:
    runs = {"old": RUNS["old"], "same": RUNS["old"], "new": RUNS["new"]}
    found = gainful.compare(QRELS, runs, MEASURE, baseline="old", **FEW)
    text = rendered(found.tables(worst=2), "table")
    assert "where same loses most" not in text
    assert f"Worse on no query: same beside old ({MEASURE})." in text
    assert "where new loses most beside old" in text


def test_systems_that_do_not_differ_need_no_test() -> None:
    found = gainful.compare(QRELS, {"old": RUNS["old"], "same": RUNS["old"]}, MEASURE, **FEW)
    assert "Verdict without a test: there is no query on which the systems differ." in str(found)


def test_flips_are_those_of_the_queries_that_count() -> None:
    weights = {query: float(at < 3) for at, query in enumerate(QRELS)}
    found = gainful.compare(QRELS, RUNS, MEASURE, baseline="old", weights=weights, **FEW)
    assert [pair.p for pair in found.pairs if pair.system == "new"] == [0.5]
    alone = {name: RUNS[name] for name in ("old", "new")}
    assert "with all 8 sign flips" in str(
        gainful.compare(QRELS, alone, MEASURE, weights=weights, **FEW)
    )
    first = {query: float(at < 1) for at, query in enumerate(QRELS)}
    assert "with both sign flips" in str(
        gainful.compare(QRELS, alone, MEASURE, weights=first, **FEW)
    )


def test_one_cluster_of_everything() -> None:
    found = gainful.compare(QRELS, RUNS, MEASURE, clusters=dict.fromkeys(QRELS, "ann"), **FEW)
    assert "1 cluster of 8 queries (cluster) stands or falls together." in str(found)


def test_differences_that_a_measure_cannot_have_are_not_said_to_be_found() -> None:
    qrels = {f"q{at}": {"a": 1} for at in range(6)}
    runs = {
        "old": {query: ["b", "a"] for query in qrels},
        "new": {query: ["a"] if at else ["b", "c", "d", "a"] for at, query in enumerate(qrels)},
    }
    weights = {query: 1000.0 if at < 2 else 0.001 for at, query in enumerate(qrels)}
    found = gainful.compare(qrels, runs, "RR", weights=weights, **FEW)
    assert found.pairs[0].detectable is not None
    assert found.pairs[0].detectable > 1
    assert "with power .8, so few queries find no difference." in str(found)


def test_differences_that_no_number_of_queries_finds_are_left_open() -> None:
    found = gainful.compare(QRELS, RUNS, MEASURE, margin=1e-200, **FEW)
    assert {pair.needed for pair in found.pairs} == {None}


def test_of_several_baselines_a_number_of_queries_names_both() -> None:
    found = gainful.compare(QRELS, RUNS, MEASURE, margin=0.05, **FEW)
    assert "(new beside old)" in " ".join(str(found).split())


def test_too_few_resamples_for_so_many_pairs() -> None:
    qrels, runs = collection(
        {f"s{at:02}": [(at * 7 + query * 13) % 17 / 17 for query in range(30)] for at in range(9)}
    )
    found = gainful.compare(qrels, runs, MEASURE, baseline="s00", resamples=100, bootstrap=0)
    assert "So few resamples can tell nothing of 8 pairs: p cannot be below .0792." in str(found)


def test_of_so_few_queries_no_difference_is_ruled_out() -> None:
    qrels = dict(list(QRELS.items())[:5])
    for options in ({}, {"baseline": "old"}):
        found = gainful.compare(qrels, RUNS, MEASURE, **options, **FEW)
        assert {(pair.low, pair.high) for pair in found.pairs} == {(None, None)}
    # One more, and p can be .03125.
    qrels = dict(list(QRELS.items())[:6])
    found = gainful.compare(qrels, RUNS, MEASURE, **FEW)
    assert all(pair.low is not None for pair in found.pairs)
