"""compare() rejects wrong arguments and unusable data with one message."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gainful
from comparison_data import MEASURE, collection
from gainful.errors import GainfulError, MatchError, ParameterError
from gainful.formats.saving import rendered

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
def test_values_out_of_range_are_rejected(name, value) -> None:
    if value == 10**30 and name in ("tie_margin", "margin", "detect"):
        return
    with pytest.raises(ParameterError, match=f"^{name}: found"):
        gainful.compare(QRELS, RUNS, MEASURE, **{**FEW, name: value})


def test_numpy_scalars_are_accepted() -> None:
    found = gainful.compare(
        QRELS, RUNS, MEASURE, alpha=np.float64(0.1), resamples=np.int64(500), seed=np.int64(3)
    )
    assert found.alpha == 0.1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": 3}, "baseline: found 3, expected one or several names of systems"),
        ({"baseline": [3]}, "baseline: found \\[3\\]"),
        ({"baseline": "runs/old.run.gz"}, "Hint: did you mean old"),
        ({"tests": 3}, "tests: found 3"),
        ({"clusters": [1, 2]}, "clusters: found list, expected {query: value} or the path"),
        ({"by": 7}, "by: found int, expected"),
        ({"weights": [1, 2]}, "weights: found list, expected {query: weight}"),
        ({"weights": dict.fromkeys(QRELS, "x")}, "weights, query 'q0000': found 'x'"),
        ({"weights": dict.fromkeys(QRELS)}, "weights, query 'q0000': found None"),
        ({"weights": dict.fromkeys(QRELS, 1e308)}, "a sum above 1e300"),
        ({"alpha": 1e-5, "resamples": 500}, "expected 100,000 or more for this alpha"),
    ],
)
def test_arguments_of_the_wrong_type_are_rejected(options, message) -> None:
    with pytest.raises(GainfulError, match=message):
        gainful.compare(QRELS, RUNS, MEASURE, **{**FEW, **options})


def test_names_that_are_equal_as_text_are_rejected() -> None:
    with pytest.raises(ParameterError, match="runs: two names are the same as text: 1, '1'"):
        gainful.compare(QRELS, {1: RUNS["old"], "1": RUNS["new"]}, MEASURE)  # type: ignore[dict-item]
    with pytest.raises(GainfulError, match="qrels: found NoneType without runs"):
        gainful.compare(None)  # type: ignore[arg-type]


def test_unknown_segments_are_rejected() -> None:
    found = gainful.compare(QRELS, RUNS, MEASURE, by=dict.fromkeys(QRELS, "x"), **FEW)
    for method in (found.letters, found.leaderboard, found.means):
        with pytest.raises(ParameterError, match="segment: found 'y', expected one of x"):
            method(MEASURE, "y")
    with pytest.raises(ParameterError, match="k: found -1"):
        found.worst(found.pairs[0], -1)
    with pytest.raises(ParameterError, match="aversion: found 'x'"):
        found.risk(MEASURE, "x")  # type: ignore[arg-type]


def test_missing_values_of_data_frames_are_not_a_segment() -> None:
    by = dict(zip(QRELS, ["x", "", None, float("nan"), "x", "x", "x", "x"], strict=True))
    found = gainful.compare(QRELS, RUNS, MEASURE, by=by, **FEW)
    assert {name: pairs[0].n for name, pairs in found.segments.items()} == {"x": 5, "(none)": 3}


def test_a_measure_without_values_is_rejected() -> None:
    qrels = {query: dict.fromkeys(found, 0) for query, found in QRELS.items()}
    for policy in ("nan", "skip"):
        convention = gainful.conventions.get("gainful-1").replace(no_relevant=policy)
        with pytest.raises(MatchError, match="no query"):
            gainful.compare(qrels, RUNS, "nDCG@10", convention=convention)


def test_comparisons_with_a_baseline_are_never_shortened() -> None:
    qrels, runs = collection({f"s{at:02}": [0.1, 0.2, at / 100] for at in range(60)})
    found = gainful.compare(qrels, runs, MEASURE, baseline="s00", **FEW)
    assert len(found.tables()[0].rows) == 59


def test_losses_on_no_query_have_no_table() -> None:
    runs = {"old": RUNS["old"], "same": RUNS["old"], "new": RUNS["new"]}
    found = gainful.compare(QRELS, runs, MEASURE, baseline="old", **FEW)
    text = rendered(found.tables(worst=2), "table")
    assert "largest losses of same" not in text
    assert f"No losses: same vs. old ({MEASURE})." in text
    assert "largest losses of new vs. old" in text


def test_systems_that_do_not_differ_need_no_test() -> None:
    found = gainful.compare(QRELS, {"old": RUNS["old"], "same": RUNS["old"]}, MEASURE, **FEW)
    assert "No test was run: the systems do not differ on any query." in str(found)


def test_only_queries_with_weight_are_flipped() -> None:
    weights = {query: float(at < 3) for at, query in enumerate(QRELS)}
    found = gainful.compare(QRELS, RUNS, MEASURE, baseline="old", weights=weights, **FEW)
    assert [pair.p for pair in found.pairs if pair.system == "new"] == [0.5]
    alone = {name: RUNS[name] for name in ("old", "new")}
    assert "Randomization test, all 8 sign flips" in str(
        gainful.compare(QRELS, alone, MEASURE, weights=weights, **FEW)
    )
    first = {query: float(at < 1) for at, query in enumerate(QRELS)}
    assert "Randomization test, both sign flips" in str(
        gainful.compare(QRELS, alone, MEASURE, weights=first, **FEW)
    )


def test_one_cluster_of_everything() -> None:
    found = gainful.compare(QRELS, RUNS, MEASURE, clusters=dict.fromkeys(QRELS, "ann"), **FEW)
    assert "8 queries in 1 cluster (cluster), which are resampled as a whole." in str(found)


@pytest.mark.parametrize(("clusters", "least"), [(6, ".0312"), (8, None)])
def test_few_clusters_have_few_p_values(clusters: int, least: str | None) -> None:
    queries = [f"q{at}" for at in range(4 * clusters)]
    qrels = {query: {"a": 1} for query in queries}
    good, bad = {"a": 2.0, "b": 1.0}, {"a": 1.0, "b": 2.0}
    runs = {
        name: {query: good if at % 4 < hits else bad for at, query in enumerate(queries)}
        for name, hits in (("old", 1), ("new", 3))
    }
    of_four = {query: str(at // 4) for at, query in enumerate(queries)}
    text = str(gainful.compare(qrels, runs, "RR", clusters=of_four, **FEW))
    note = "Fewer than 8 clusters differ, so p cannot be below"
    assert (f"{note} {least}." in text) if least else (note not in text)


def test_no_minimum_detectable_difference_beyond_the_range_of_the_measure() -> None:
    qrels = {f"q{at}": {"a": 1} for at in range(6)}
    runs = {
        "old": {query: ["b", "a"] for query in qrels},
        "new": {query: ["a"] if at else ["b", "c", "d", "a"] for at, query in enumerate(qrels)},
    }
    weights = {query: 1000.0 if at < 2 else 0.001 for at, query in enumerate(qrels)}
    found = gainful.compare(qrels, runs, "RR", weights=weights, **FEW)
    assert found.pairs[0].detectable is not None
    assert found.pairs[0].detectable > 1
    text = " ".join(str(found).split())
    assert "These queries are too few to detect any difference (80% power)." in text


def test_differences_that_require_too_many_queries_have_no_number() -> None:
    found = gainful.compare(QRELS, RUNS, MEASURE, margin=1e-200, **FEW)
    assert {pair.needed for pair in found.pairs} == {None}


def test_required_queries_name_both_systems_with_several_baselines() -> None:
    found = gainful.compare(QRELS, RUNS, MEASURE, margin=0.05, **FEW)
    assert "(new vs. old)" in " ".join(str(found).split())


def test_too_few_resamples_for_the_number_of_pairs() -> None:
    qrels, runs = collection(
        {f"s{at:02}": [(at * 7 + query * 13) % 17 / 17 for query in range(30)] for at in range(9)}
    )
    found = gainful.compare(qrels, runs, MEASURE, baseline="s00", resamples=100, bootstrap=0)
    assert "Too few resamples for 8 pairs: p cannot be below .0792." in str(found)


def test_five_queries_have_no_interval() -> None:
    qrels = dict(list(QRELS.items())[:5])
    for options in ({}, {"baseline": "old"}):
        found = gainful.compare(qrels, RUNS, MEASURE, **options, **FEW)
        assert {pair.interval for pair in found.pairs} == {None}
    # With six queries p can be .03125.
    qrels = dict(list(QRELS.items())[:6])
    found = gainful.compare(qrels, RUNS, MEASURE, **FEW)
    assert all(pair.interval is not None for pair in found.pairs)
