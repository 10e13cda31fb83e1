"""``gainful evaluate --sample`` and ``gainful.evaluate_sample``: nonresponse, notes, errors."""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path
from statistics import stdev

import pytest

import gainful
from gainful.cli import main
from gainful.errors import (
    ConventionError,
    FormatError,
    GainfulError,
    MatchError,
    MeasureError,
    ParameterError,
)
from gainful.inference import mean_interval
from json_schema import errors, schema_of

pytestmark = pytest.mark.usefixtures("small_files")

RUNS = ["bm25.run", "dense.run"]
MEASURES = ["DCG@5", "P@5", "nDCG@5", "AP@5", "R@5"]


@pytest.fixture
def drawn() -> gainful.pooling.Pool:
    return gainful.pool(RUNS, "sample", depth=5, budget=20, seed=1)


def labels(drawn) -> dict[str, dict[str, float]]:
    """Return a grade for each document of a sample."""
    judged = gainful.read_qrels("qrels.txt")
    found: dict[str, dict[str, float]] = {}
    for query, document in zip(drawn.queries, drawn.documents, strict=True):
        found.setdefault(query, {})[document] = dict(judged[query]).get(document, 0)
    return found


def test_file_and_pool_give_the_same_estimates(drawn, capsys) -> None:
    drawn.write("pool.jsonl")
    found = gainful.evaluate_sample(labels(drawn), RUNS, drawn)
    assert found == gainful.evaluate_sample(labels(drawn), RUNS, "pool.jsonl")
    assert found.is_frame_known
    assert not errors(found.to_dict(), schema_of("sample-evaluation"))
    assert main(["evaluate", "qrels.txt", *RUNS, "--sample", "pool.jsonl", "--format", "json"]) == 0
    assert not errors(json.loads(capsys.readouterr().out), schema_of("sample-evaluation"))


def test_bounds_contain_the_estimates_under_all_grades(drawn, monkeypatch) -> None:
    monkeypatch.setattr("gainful.sampled.call._PAIRS", 4)
    complete = labels(drawn)
    missing = [(query, next(iter(own))) for query, own in list(complete.items())[:3]]
    partly = {
        query: {each: grade for each, grade in own.items() if (query, each) not in missing}
        for query, own in complete.items()
    }
    found = gainful.evaluate_sample(partly, RUNS, drawn, MEASURES, scale=[0, 1, 2])
    assert found.not_judged == 3
    for grades in product((0, 1, 2), repeat=3):
        for (query, document), grade in zip(missing, grades, strict=True):
            partly[query][document] = grade
        full = gainful.evaluate_sample(partly, RUNS, drawn, MEASURES)
        for bounded, one in zip(found.estimates, full.estimates, strict=True):
            assert bounded.lowest - 1e-12 <= one.mean <= bounded.highest + 1e-12
    for each in found.estimates:
        assert each.lowest <= each.mean <= each.highest
        assert each.interval.low <= each.lowest
        assert each.interval.high >= each.highest
    assert "3 drawn documents have no judgment" in str(found)


def test_judged_documents_outside_the_pool_have_probability_1(drawn) -> None:
    """A run outside the pool: its own documents count once if judged, and are reported if not."""
    first = next(iter(labels(drawn)))
    other = {"other": {first: ["new1", "new2"]}}
    found = gainful.evaluate_sample(labels(drawn), other, drawn, "CG@5")
    assert found.estimate(system="other").outside == 2
    assert "lower bounds" in str(found)
    more = labels(drawn)
    more[first]["new1"] = 3
    found = gainful.evaluate_sample(more, other, drawn, "CG@5")
    assert found.estimate(system="other").outside == 1
    assert found.values["CG@5", "other"][first] == 3.0


def test_judged_documents_of_the_pool_that_were_not_drawn_are_left_out(drawn) -> None:
    own = labels(drawn)
    before = gainful.evaluate_sample(own, RUNS, drawn, MEASURES)
    spare = next(
        (query, document)
        for query, document, _, _ in drawn.ranks()
        if document not in own.get(query, {})
    )
    own[spare[0]][spare[1]] = 3
    after = gainful.evaluate_sample(own, RUNS, drawn, MEASURES)
    assert after.ignored == 1
    assert list(after.estimates) == list(before.estimates)


def test_judgments_from_before_have_probability_1() -> None:
    runs = {"one": {"q": [f"d{n}" for n in range(20)]}}
    known = {"q": {f"d{n}": 1 for n in range(5)}}
    drawn = gainful.pool(runs, "sample", depth=20, budget=6, judged=known)
    judged = {"q": dict.fromkeys(drawn.documents, 1)}
    found = gainful.evaluate_sample(judged, runs, drawn, ["CG@5", "CG@20"])
    assert found.estimate("CG@5", "one").mean == 5.0
    assert found.estimate("CG@20", "one").mean == pytest.approx(20.0)


@pytest.mark.parametrize("budget", [2, 4, 6])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.9, 1.0])
def test_intervals_stay_within_what_the_measure_can_reach(budget: int, share: float) -> None:
    draw = random.Random(1)
    runs = {"one": {f"q{at}": [f"d{n}" for n in range(40)] for at in range(6)}}
    drawn = gainful.pool(runs, "sample", depth=40, budget=6 * budget)
    judged: dict[str, dict[str, int]] = {query: {} for query in runs["one"]}
    for query, document in zip(drawn.queries, drawn.documents, strict=True):
        judged[query][document] = 2 if draw.random() < share else 0
    found = gainful.evaluate_sample(judged, runs, drawn, ["P@2", "CG@40", "nDCG@9"], scale=[0, 2])
    for measure, most in (("P@2", 1.0), ("CG@40", 80.0), ("nDCG@9", 1.0)):
        estimate = found.estimate(measure, "one")
        assert 0.0 <= estimate.interval.low < estimate.interval.high <= most


def test_without_the_file_of_ranks_the_runs_are_the_pool(drawn) -> None:
    drawn.write("pool.jsonl")
    Path("pool.ranks.tsv").unlink()
    found = gainful.evaluate_sample(labels(drawn), RUNS, "pool.jsonl", MEASURES)
    known = gainful.evaluate_sample(labels(drawn), RUNS, drawn, MEASURES)
    assert not found.is_frame_known
    assert list(found.estimates) == list(known.estimates)
    query = drawn.queries[0]
    runs = {"new": {query: [f"new{n}" for n in range(5)]}}
    for path in RUNS:
        runs[path] = gainful.read_run(path).to_dict()
    with pytest.raises(FormatError, match="but the sample was drawn from"):
        gainful.evaluate_sample(labels(drawn), runs, "pool.jsonl", MEASURES)


@pytest.mark.parametrize(
    ("wrong", "error", "text"),
    [
        ({"measures": "nDCG@6"}, MeasureError, "the cutoff 6"),
        ({"measures": "AP"}, MeasureError, "no cutoff"),
        ({"measures": "Success@5"}, MeasureError, "no estimate"),
        ({"measures": "nDCG(ideal='list')@5"}, MeasureError, "ideal=list"),
        ({"measures": "DCG(gain='exponential+1')@5"}, MeasureError, "gain=exponential"),
        ({"convention": "trec_eval"}, GainfulError, "expected"),
        ({"measures": "P@5", "scale": []}, ParameterError, "scale"),
    ],
)
def test_unsupported_arguments_are_errors(drawn, wrong, error, text) -> None:
    with pytest.raises(error, match=text):
        gainful.evaluate_sample(labels(drawn), RUNS, drawn, **wrong)


def test_unsupported_policies_and_strategies_are_errors(drawn) -> None:
    policies = gainful.conventions.get("gainful-1").replace(ties="expected")
    with pytest.raises(ConventionError, match="ties=expected"):
        gainful.evaluate_sample(labels(drawn), RUNS, drawn, "P@5", convention=policies)
    with pytest.raises(ParameterError, match="strategy depth"):
        gainful.evaluate_sample("qrels.txt", RUNS, gainful.pool(RUNS))
    with pytest.raises(MatchError, match="no document of the sample"):
        gainful.evaluate_sample({"other": {"d": 1}}, RUNS, drawn)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([{"query_id": "q", "doc_id": "a"}], "no column 'stratum'"),
        ([{"stratum": None}], "only a sample"),
        ([{"probability": 1.5}], "expected at most 1"),
        ([{"probability": 0}], "above 0"),
        ([{}, {}], "appears twice"),
        ([{}, {"doc_id": "b", "depth": 7}], "depths"),
        ([{}, {"doc_id": "b", "probability": 0.25}], "in stratum 1"),
        ([{"probability": 0.3}], "expected n / N"),
    ],
)
def test_wrong_files_are_errors_with_status_2(rows, text, capsys) -> None:
    usual = {"query_id": "q", "doc_id": "a", "stratum": 1, "probability": 0.5, "depth": 10}
    if "stratum" in text and "column" in text:
        usual = {}
    lines = [json.dumps({**usual, **row}) for row in rows]
    Path("pool.jsonl").write_text("\n".join(lines) + "\n")
    with pytest.raises(FormatError, match=text):
        gainful.evaluate_sample("qrels.txt", RUNS, "pool.jsonl")
    assert main(["evaluate", "qrels.txt", *RUNS, "--sample", "pool.jsonl"]) == 2
    assert text in capsys.readouterr().err


PROBABILITIES = {
    "halved": lambda row: {**row, "probability": row["probability"] / 2},
    "all 1": lambda row: {**row, "probability": 1},
    "a stratum is lost": lambda row: None if row["stratum"] == 2 else row,
    "a query is lost": lambda row: None if row["query_id"] == "q2" else row,
    "unequal": lambda row: {**row, "probability": 0.4 + 0.01 * int(row["doc_id"][1:])},
}


@pytest.mark.parametrize("change", PROBABILITIES)
def test_probabilities_that_do_not_fit_the_file_of_ranks_are_errors(
    change: str, drawn, capsys
) -> None:
    drawn.write("pool.jsonl")
    rows = [json.loads(line) for line in Path("pool.jsonl").read_text().splitlines()]
    changed = [row for row in map(PROBABILITIES[change], rows) if row is not None]
    assert changed != rows
    Path("pool.jsonl").write_text("\n".join(map(json.dumps, changed)) + "\n")
    assert main(["evaluate", "qrels.txt", *RUNS, "--sample", "pool.jsonl"]) == 2
    shown = capsys.readouterr().err
    assert ("statAP" if change == "unequal" else "pool.ranks.tsv has") in shown
    assert "not in the pool" not in shown


def test_sample_and_bounds_exclude_each_other(drawn, capsys) -> None:
    drawn.write("pool.jsonl")
    assert main(["evaluate", "qrels.txt", *RUNS, "--sample", "pool.jsonl", "--bounds"]) == 2
    assert "--sample" in capsys.readouterr().err


def test_the_upper_end_allows_for_documents_that_the_sample_lacks() -> None:
    """One drawn document is relevant; without sampling, nothing is added."""
    runs = {"one": {f"q{at}": [f"d{n}" for n in range(20)] for at in range(30)}}
    drawn = gainful.pool(runs, "sample", depth=20, budget=120, seed=1)
    judged: dict[str, dict[str, int]] = {}
    for query, document in zip(drawn.queries, drawn.documents, strict=True):
        judged.setdefault(query, {})[document] = 0
    judged["q0"][next(iter(judged["q0"]))] = 1
    found = gainful.evaluate_sample(judged, runs, drawn, ["P@20", "CG@20"])
    for each in found.estimates:
        values = list(found.values[each.measure, "one"].values())
        plain = mean_interval(each.mean, stdev(values), len(values))
        assert each.interval.low <= each.mean
        assert each.interval.high > plain[1] + 0.01
    complete = gainful.pool(runs, "sample", depth=20, budget=600)
    everything = {q: dict.fromkeys(own, 0) | {"d3": 1} for q, own in _all(complete).items()}
    one = gainful.evaluate_sample(everything, runs, complete, "CG@20").estimates[0]
    assert one.interval == pytest.approx(mean_interval(1.0, 0.0, 30, low=0.0, high=20.0))


def _all(drawn) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for query, document in zip(drawn.queries, drawn.documents, strict=True):
        found.setdefault(query, set()).add(document)
    return found
