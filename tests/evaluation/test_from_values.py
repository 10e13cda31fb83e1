"""Evaluation.from_values and join: values that were computed elsewhere."""

from __future__ import annotations

import json
import pickle
import random
from pathlib import Path

import pytest

import gainful
from gainful import Evaluation
from gainful.errors import ArgumentError, FormatError, MatchError, MeasureError, ParameterError
from gainful.inference import mean_interval
from gainful.measures import declare

QUERIES = [f"q{at:02}" for at in range(30)]
FEW = {"resamples": 2_000, "bootstrap": 0}


def correctness() -> dict[str, dict[str, object]]:
    source = random.Random(1)
    values: dict[str, dict[str, object]] = {
        system: {query: int(source.random() < share) for query in QUERIES}
        for system, share in (("old", 0.3), ("new", 0.8))
    }
    values["new"]["q03"] = None
    values["old"]["q05"] = float("nan")
    del values["old"]["q07"]
    return values


def latencies() -> Evaluation:
    source = random.Random(2)
    values = {
        system: {query: source.lognormvariate(3, 0.5) * factor for query in QUERIES}
        for system, factor in (("old", 1.0), ("new", 0.5))
    }
    return Evaluation.from_values(values, "latency", range=(0, None), higher_is_better=False)


def answers(**options: object) -> Evaluation:
    return Evaluation.from_values(correctness(), "answer correctness", range=(0, 1), **options)


def test_means_intervals_and_missing_values() -> None:
    result = answers()
    own = [value for value in correctness()["old"].values() if value == value]
    summary = result.summary("answer correctness", "old")
    assert (summary.n, summary.mean) == (28, sum(own) / 28)
    deviation = summary.standard_deviation
    assert summary.interval == mean_interval(summary.mean, deviation, 28, low=0.0, high=1.0)
    assert summary.judged is None
    assert list(result.per_query("answer correctness", "new")) == [
        query for query in QUERIES if query != "q03"
    ]
    text = " ".join(str(result).split())
    assert (
        "answer correctness has no value for 2 of 30 queries of old (q05, q07), 1 of 30 queries of"
        " new (q03); left out."
    ) in text
    assert "Computed elsewhere: values by system and query." in text
    assert "judged" not in text
    assert "gain linear" not in text


def test_comparisons_have_the_numbers_of_the_values() -> None:
    values = correctness()
    both = [q for q in QUERIES if q not in ("q03", "q05", "q07")]
    differences = [values["new"][query] - values["old"][query] for query in both]  # type: ignore[operator]
    pair = gainful.compare(answers(), baseline="old", **FEW).pair()
    assert (pair.n, pair.left_out) == (27, 3)
    assert pair.difference == pytest.approx(sum(differences) / 27)
    assert pair.verdict == "better"
    # The same values as grades of a single document.
    qrels = {query: {"a": 1} for query in both}
    runs = {
        system: {query: ["a"] if values[system][query] else ["b"] for query in both}
        for system in values
    }
    known = gainful.compare(qrels, runs, "P@1", baseline="old", **FEW).pair()
    assert (pair.p, pair.interval) == (known.p, pytest.approx(known.interval))


def test_lower_is_better() -> None:
    pair = gainful.compare(latencies(), baseline="old", **FEW).pair()
    assert pair.difference < 0
    assert (pair.verdict, pair.wins > pair.losses) == ("better", True)


def test_a_known_measure_keeps_its_definition() -> None:
    result = Evaluation.from_values({"a": {"q1": 0.5, "q2": 0.25}}, "ndcg_cut_10")
    assert result.mean("nDCG@10") == 0.375
    assert result.summary().interval.high <= 1.0
    with pytest.raises(MeasureError, match="range cannot be changed"):
        Evaluation.from_values({"a": {"q1": 0.5}}, "nDCG@10", range=(0, 2))
    declare("seconds", range=(0, None), higher_is_better=False)
    again = Evaluation.from_values({"a": {"q1": 0.5}}, "seconds", range=(0, 10))
    [measure] = again.measures
    assert (measure.range(), measure.higher_is_better) == ((0, 10), False)


def test_geometric_means_and_sums() -> None:
    values = {"a": {"q1": 0.01, "q2": 1.0}}
    mean = Evaluation.from_values(values, "geo", aggregate="geometric").summary()
    assert mean.value == pytest.approx(0.1)
    assert Evaluation.from_values(values, "clicks", aggregate="sum").summary().value == 1.01


def test_weights_clusters_and_slices() -> None:
    groups = {query: f"u{at // 3}" for at, query in enumerate(QUERIES)}
    result = answers(
        weights=dict.fromkeys(QUERIES, 2.0), clusters=groups, by={q: q[-1] for q in QUERIES}
    )
    assert result.summary("answer correctness", "old").clusters == 10
    assert {part.slice for part in result.slices} == set("0123456789")
    assert result.mean("answer correctness", "old") == answers().mean("answer correctness", "old")


def test_integers_and_several_measures() -> None:
    nested = {"clicks": {"a": {1: 3, 2: 4}}, "AP": {"a": {1: 0.5}}}
    result = Evaluation.from_values(nested)
    assert result.per_query("clicks", "a") == {1: 3.0, 2: 4.0}
    assert result.per_query("AP", "a") == {1: 0.5}
    only = Evaluation.from_values(nested, ["AP"])
    assert list(map(repr, only.measures)) == ["AP"]


def test_rows_exports_and_files(tmp_path: Path) -> None:
    result = answers()
    assert result.columns == ("system", "query_id", "answer correctness")
    rows = list(result.rows())
    assert len(rows) == 28 + 29
    for name in ("values.csv", "values.tsv", "values.parquet"):
        result.save(tmp_path / name)
        again = Evaluation.from_values(tmp_path / name)
        assert again.means() == result.means()
        assert gainful.compare(again, **FEW).pairs == gainful.compare(result, **FEW).pairs
    document = json.loads(json.dumps(result.to_dict()))
    assert document["given"] == {"answer correctness": "values by system and query"}


def test_pickle_and_concat() -> None:
    result = answers()
    assert pickle.loads(pickle.dumps(result)) == result
    halves = [
        Evaluation.from_values(
            {s: {q: v for q, v in own.items() if (q < "q15") == low} for s, own in values.items()},
            "answer correctness",
        )
        for values in [correctness()]
        for low in (True, False)
    ]
    whole = Evaluation.concat(halves)
    assert whole.means() == result.means()
    assert not whole.has_rankings


@pytest.mark.parametrize("picture", ["means", "difficulty"])
def test_pictures(picture: str) -> None:
    pytest.importorskip("altair")
    assert answers().plot(picture)
    assert gainful.compare(answers(), **FEW).plot("differences")


@pytest.mark.parametrize(
    ("values", "measure", "options", "error", "message"),
    [
        ({"a": {"q": 2}}, "m", {"range": (0, 1)}, FormatError, "found 2.0, expected 0 to 1. Hint"),
        ({"a": {"q": -1}}, "m", {"range": (0, None)}, FormatError, "expected at least 0"),
        ({"a": {"q": 2}}, "AP", {}, FormatError, "AP, a.*expected 0 to 1"),
        ({"a": {"q": 1}}, ["m", "n"], {}, ParameterError, "found 2 names"),
        ({"a": {"q": 1}}, "m", {"clusters": {"x": "a"}}, ParameterError, "a cluster is missing"),
    ],
)
def test_wrong_values_are_refused(values, measure, options, error, message) -> None:
    with pytest.raises(error, match=message):
        Evaluation.from_values(values, measure, **options)


# --- join -------------------------------------------------------------------------------------

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 0}}
RUNS = {"old": {"q1": ["x", "a"], "q2": ["b"]}, "new": {"q1": ["a"], "q2": ["b"], "q3": ["c"]}}
CORRECT = {"old": {"q1": 0, "q2": 1, "q9": 1}, "new": {"q1": 1, "q2": 1}}


@pytest.mark.parametrize("policies", [{}, {"no_relevant": "skip"}, {"missing": "skip"}])
def test_joined_measures_keep_their_values(policies: dict[str, str]) -> None:
    rankings = gainful.evaluate(QRELS, RUNS, ["nDCG@10", "DCG@10", "RR"], **policies)
    correct = Evaluation.from_values(CORRECT, "correct", range=(0, 1))
    for both in (rankings.join(correct), correct.join(rankings)):
        for system in RUNS:
            for measure in rankings.measures:
                known = rankings.summary(measure, system)
                found = both.summary(measure, system)
                assert (found.n, found.mean, found.interval) == (
                    known.n,
                    known.mean,
                    known.interval,
                )
                assert both.values_by_text_id(measure, system) == rankings.values_by_text_id(
                    measure, system
                )
            assert both.values_by_text_id("correct", system) == correct.values_by_text_id(
                "correct", system
            )
        assert both.convention == rankings.convention
        assert both.judgments_digest == rankings.judgments_digest
        rows = {(row["system"], row["query_id"]): row for row in both.rows()}
        known_rows = {(row["system"], row["query_id"]): row for row in rankings.rows()}
        for key, row in known_rows.items():
            assert row.items() <= rows[key].items()
        assert rows["old", "q9"]["nDCG@10"] is None
        text = " ".join(str(both).split())
        assert "have no value for 1 of" in text
        assert "correct computed elsewhere" in text
        pairs = gainful.compare(both, baseline="old", **FEW).pairs
        assert [(pair.measure, pair.n) for pair in pairs if pair.measure == "correct"] == [
            ("correct", 2)
        ]
        assert pickle.loads(pickle.dumps(both)) == both


def test_what_cannot_be_joined_is_refused() -> None:
    rankings = gainful.evaluate(QRELS, RUNS, "RR")
    correct = Evaluation.from_values(CORRECT, "correct")
    with pytest.raises(MatchError, match="no values of correct for new"):
        rankings.join(Evaluation.from_values({"old": {"q1": 1}}, "correct"))
    with pytest.raises(MatchError, match="both have correct"):
        correct.join(correct)
    with pytest.raises(MatchError, match="the conventions"):
        rankings.join(gainful.evaluate(QRELS, RUNS, "AP", convention="trec_eval"))
    with pytest.raises(MatchError, match="the judgments differ"):
        rankings.join(gainful.evaluate({**QRELS, "q4": {"a": 1}}, RUNS, "AP"))
    with pytest.raises(ParameterError, match="bounds cannot be joined"):
        gainful.evaluate(QRELS, RUNS, "RR", bounds=True).join(correct)
    with pytest.raises(ArgumentError, match="expected an Evaluation"):
        rankings.join(CORRECT)  # type: ignore[arg-type]
    weighted = gainful.evaluate(QRELS, RUNS, "RR", weights=dict.fromkeys(QRELS, 1.0))
    other = Evaluation.from_values(CORRECT, "correct", weights=dict.fromkeys(QRELS, 2.0))
    with pytest.raises(MatchError, match="weights differ"):
        weighted.join(other)


def test_rankings_are_needed_elsewhere() -> None:
    result = answers()
    with pytest.raises(gainful.errors.GainfulError):
        gainful.explain(result, RUNS["old"], "q1")  # type: ignore[arg-type]
    with pytest.raises(gainful.errors.GainfulError):
        gainful.find_unjudged(result, RUNS)  # type: ignore[arg-type]
