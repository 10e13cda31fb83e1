"""Floor and ceiling agree with enumerations; shares, intervals and errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gainful
from gainful import bounds as floors
from gainful import headroom
from gainful.errors import GainfulError
from gainful.evaluation import chance
from gainful.inference import paired_t, ratio_interval
from json_schema import errors, schema_of
from requirements import need

QRELS = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 1}, "q3": {"c": 0}}
RUNS = {
    "good": {"q1": ["a", "b", "x"], "q2": ["a", "y"], "q3": ["c"]},
    "poor": {"q1": ["x", "c", "b"], "q2": ["y", "a"], "q3": ["z"]},
}
MEASURES = ["nDCG@2", "AP", "RR", "P@1", "ERR@3"]


def over_all_orders(qrels: dict[str, Any], documents: list[str], measure: str) -> dict[str, float]:
    """Return the mean over every order of the documents, by query."""
    totals = dict.fromkeys(qrels, 0.0)
    orders = list(permutations(documents))
    for order in orders:
        run = {query: list(order) for query in qrels}
        for query, value in gainful.evaluate(qrels, run, measure).per_query(measure).items():
            totals[query] += value
    return {query: total / len(orders) for query, total in totals.items()}


@pytest.mark.parametrize("measure", MEASURES)
def test_the_floor_is_the_mean_over_all_orders(measure: str) -> None:
    corpus = ["a", "b", "c", "x", "y"]
    expected = over_all_orders(QRELS, corpus, measure)
    found = headroom(QRELS, RUNS, measure, corpus=dict.fromkeys(corpus, "text"))
    assert found.floor is not None
    assert found.floor.values[measure] == pytest.approx(expected, abs=1e-12)
    assert (found.floor.kind, found.floor.documents, found.floor.taken) == ("corpus", 5, 5)
    counted = headroom(QRELS, RUNS, measure, documents=5)
    assert counted.floors == found.floors
    assert found.floors[measure] == pytest.approx(sum(expected.values()) / 3)


@pytest.mark.parametrize("measure", MEASURES)
def test_the_floor_of_pool_and_judged(measure: str) -> None:
    pool = headroom(QRELS, RUNS, measure).floor
    judged = headroom(QRELS, RUNS, measure, floor="judged").floor
    assert pool is not None
    assert judged is not None
    for query, own in (("q1", ["a", "b", "c", "x"]), ("q2", ["a", "y"]), ("q3", ["c", "z"])):
        one = {query: QRELS[query]}
        expected = over_all_orders(one, own, measure)[query]
        assert pool.values[measure][query] == pytest.approx(expected, abs=1e-12)
        expected = over_all_orders(one, list(QRELS[query]), measure)[query]
        assert judged.values[measure][query] == pytest.approx(expected, abs=1e-12)


def test_the_floor_of_a_large_corpus_is_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = headroom(QRELS, RUNS, MEASURES, documents=5_000)
    monkeypatch.setattr(floors, "LIMIT", 3_000)
    monkeypatch.setattr(chance, "_CHUNK", 700)
    bounded = headroom(QRELS, RUNS, MEASURES, documents=5_000)
    assert bounded.floor is not None
    assert bounded.floor.taken == 1_003
    for measure in MEASURES:
        assert exact.floors[measure] < bounded.floors[measure] < 0.01
    assert "floor: upper bound of the expected score" in " ".join(str(bounded).split())


def test_chunks_of_queries_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = headroom(QRELS, RUNS, MEASURES, documents=9)
    monkeypatch.setattr(chance, "_CHUNK", 1)
    assert headroom(QRELS, RUNS, MEASURES, documents=9).to_dict() == whole.to_dict()


def test_shares_are_those_of_the_means() -> None:
    found = headroom(QRELS, RUNS, "nDCG@2", baseline="poor", documents=50)
    low, top = found.floors["nDCG@2"], found.ceilings["nDCG@2"]
    assert top == pytest.approx(2 / 3)
    poor, good = found.place(system="poor"), found.place("nDCG@2", "good")
    assert good.achieved is not None
    assert good.vs_baseline is not None
    assert good.achieved.value == pytest.approx((good.mean - low) / (top - low))
    assert good.vs_baseline.value == pytest.approx((good.mean - poor.mean) / (top - poor.mean))
    assert poor.vs_baseline is None
    assert good.mean == pytest.approx(top)
    # The run poor has only b and c in q1, and a in q2.
    only_b = 1 / (2 + 1 / np.log2(3))
    assert poor.reranked == pytest.approx((only_b + 1 + 0) / 3)


def test_intervals_agree_with_the_paired_t_test() -> None:
    rng = np.random.default_rng(5)
    for n in (3, 10, 80):
        below = rng.uniform(0.4, 1.0, n)
        above = below * 0.6 + rng.normal(0, 0.2, n)
        ends = ratio_interval(above, below)
        assert ends is not None
        assert ends[0] < above.mean() / below.mean() < ends[1]
        for end in ends:
            assert paired_t(above - end * below).p == pytest.approx(0.05, abs=1e-9)
    constant = ratio_interval([0.3, 0.5, 0.1], [1.0, 1.0, 1.0])
    mean = gainful.evaluate(
        {f"q{n}": {"a": 1} for n in range(3)},
        {f"q{n}": ["a"] for n in range(3)},
        "P@1",
    )
    assert mean.mean() == 1.0
    from gainful.inference import mean_interval

    assert constant == pytest.approx(mean_interval(0.3, 0.2, 3))


@pytest.mark.parametrize(
    ("above", "below"),
    [([1.0], [1.0]), ([0.1, 0.2], [0.5, -0.5]), ([0.0, 0.0], [0.0, 0.0]), ([1, 2, 3], [0, 0, 1])],
)
def test_a_ratio_with_an_uncertain_denominator_has_no_interval(above: Any, below: Any) -> None:
    assert ratio_interval(above, below) is None


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (([1.0, 2.0], [1.0]), {}),
        (([1.0, np.nan], [1.0, 1.0]), {}),
        (([1.0, 1.0], [1.0, 1.0]), {"level": 1.0}),
    ],
)
def test_ratios_are_checked(arguments: Any, options: Any) -> None:
    with pytest.raises(GainfulError):
        ratio_interval(*arguments, **options)


def test_the_level_of_the_intervals() -> None:
    qrels = {f"q{number}": {"a": 1} for number in range(9)}
    run = {query: ["b", "a"] if at % 3 else ["a", "b"] for at, query in enumerate(qrels)}
    ends = []
    for level, words in ((0.9, "90% CI"), (0.999, "99.9% CI")):
        found = headroom(qrels, {"x": run}, "RR", level=level, documents=50)
        assert words in str(found)
        share = found.place(system="x").achieved
        assert share is not None
        assert share.interval is not None
        ends.append((share.interval.low, share.value, share.interval.high))
    (low, value, high), (lower, same, higher) = ends
    assert lower < low < value == same < high < higher


def test_queries_that_do_not_count_are_excluded_from_shares() -> None:
    convention = gainful.conventions.get("gainful-1").replace(no_relevant="skip")
    found = headroom(QRELS, RUNS, "nDCG@2", documents=50, convention=convention)
    place = found.place(system="good")
    assert place.n == 2
    assert place.achieved is not None
    assert (place.achieved.n, place.achieved.value) == (2, pytest.approx(1.0))


def test_no_share_if_nothing_is_achievable() -> None:
    qrels = {"q1": {"a": 0}, "q2": {"b": 0}}
    found = headroom(qrels, {"x": {"q1": ["a"], "q2": ["b"]}}, "nDCG@2", documents=4)
    assert found.place(system="x").achieved is None
    assert "ceiling" in str(found)


def test_bm25_is_built_from_a_corpus() -> None:
    need("bm25s")
    need("PyStemmer")
    corpus = {"a": "oak lamp", "b": "lamp", "c": "table", "x": "chair"}
    queries = {"q1": "oak lamp", "q2": "lamp", "q9": "nobody judged this"}
    found = headroom(QRELS, {"good": RUNS["good"]}, corpus=corpus, queries=queries)
    assert found.baseline == "bm25"
    assert found.evaluation.systems == ("good", "bm25")
    assert found.baseline_description is not None
    assert "BM25 (lucene, k1 1.2, b 0.75" in str(found)
    assert found.evaluation.counts("bm25")["extra"] == 0
    assert found.floor is not None
    assert (found.floor.kind, found.floor.documents) == ("corpus", 4)
    same = gainful.baselines.bm25(corpus, queries)
    assert found.place(system="bm25").mean == gainful.evaluate(QRELS, same, "nDCG@10").mean()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": "none"}, "baseline: found 'none', expected one of good, poor"),
        ({"floor": "corpus"}, "'corpus' without a corpus"),
        ({"floor": "bm25"}, "floor: found 'bm25'"),
        ({"documents": 0}, "documents: found 0"),
        ({"documents": 2}, "2 documents, and 3 judged for a query"),
        ({"measures": "GMAP"}, "a geometric mean over queries"),
        ({"measures": []}, "no measure"),
        ({"measures": "infAP"}, "floor='none' omits the floor"),
        ({"runs": {}}, "no run"),
    ],
)
def test_invalid_arguments_are_errors(options: dict[str, Any], message: str) -> None:
    with pytest.raises(GainfulError) as caught:
        headroom(**{"qrels": QRELS, "runs": RUNS, **options})
    assert message in str(caught.value)


def test_a_measure_without_floor_has_a_ceiling() -> None:
    found = headroom(QRELS, RUNS, "bpref", floor="none")
    assert found.floors == {}
    assert found.ceilings["bpref"] >= found.place(system="good").mean
    assert "floor" not in str(found)


def test_systems_above_the_ceiling_are_reported() -> None:
    qrels = {"q1": {"a": 1, "b": 0}}
    found = headroom(qrels, {"x": {"q1": ["u", "v"]}}, "Unjudged@2", floor="none")
    assert "Above the ceiling: x (Unjudged@2)" in str(found)


@pytest.mark.parametrize("options", [{}, {"baseline": "poor"}, {"documents": 9}, {"floor": "none"}])
def test_json_matches_its_schema(options: dict[str, Any]) -> None:
    whole = json.loads(json.dumps(headroom(QRELS, RUNS, MEASURES, **options).to_dict()))
    assert errors(whole, schema_of("headroom")) == []


def test_the_command(small_files: Path, output_of: Callable[..., str]) -> None:
    table = output_of("headroom", "qrels.txt", "bm25.run", "dense.run", "--baseline", "bm25")
    assert max(map(len, table.splitlines())) <= 100
    names = [line.split()[0] for line in table.splitlines()[3:7]]
    assert names == ["ceiling", "dense", "bm25", "floor"]
    tsv = output_of("headroom", "qrels.txt", "bm25.run", "--documents", "20", "--format", "tsv")
    header, *rows = (line.split("\t") for line in tsv.splitlines())
    assert [row[header.index("role")] for row in rows] == ["ceiling", "system", "floor"]
    output_of("headroom", "qrels.txt", "bm25.run", "--format", "json", "-o", "out.json")
    assert json.loads(Path("out.json").read_text())["schema"] == "gainful.headroom/1"
    for style in ("csv", "markdown", "latex"):
        assert "floor" in output_of("headroom", "qrels.txt", "a=bm25.run", "--format", style)


def test_the_command_fails_with_one_message(
    small_files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from gainful.cli import main

    assert main(["headroom", "qrels.txt", "bm25.run", "--documents", "2"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("gainful: the corpus: found 2 documents")
    assert err.count("\n") == 1


def test_a_share_without_an_interval_is_explained() -> None:
    """If all queries but one have no relevant documents, floor and ceiling may be equal."""
    qrels = {f"q{number}": {"a": int(number == 0), "b": 0} for number in range(40)}
    found = headroom(qrels, {"x": {query: {"a": 1.0} for query in qrels}}, floor="judged")
    assert found.place(system="x").achieved.interval is None  # type: ignore[union-attr]
    assert "gain achieved –: floor and ceiling do not differ significantly." in str(found)
    certain = {query: {"a": 1, "b": 0} for query in qrels}
    shown = str(headroom(certain, {"x": certain}, floor="judged"))
    assert "do not differ significantly" not in shown
