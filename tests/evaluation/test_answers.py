"""Answers that were judged elsewhere, by whether the evidence for them was found."""

from __future__ import annotations

import json
from math import hypot
from pathlib import Path

import pytest

import gainful
from gainful.cli import main
from gainful.inference import mean_interval

#: Queries q0 to q29: both documents found, then one of two; right answers in a half and a third.
FOUND = 18
QRELS = {f"q{number}": {"a": 1, "b": 1} for number in range(30)}
RUN = {f"q{number}": ["a", "b" if number < FOUND else "c"] for number in range(30)}
RIGHT = {
    f"q{number}": int(number % 2 == 0 if number < FOUND else number % 3 == 0)
    for number in range(30)
}


def joined(values: dict[str, float], measures: object = "FullRecall@2", **options: object):
    evaluation = gainful.evaluate(QRELS, RUN, measures, **options)
    return evaluation.join(gainful.Evaluation.from_values({"run": values}, "correct"))


def test_the_counts_and_rates() -> None:
    (crossed,) = joined(RIGHT).answers
    assert (crossed.evidence, crossed.answers) == ("FullRecall@2", "correct")
    assert (crossed.found.n, crossed.found.right, crossed.found.mean) == (18, 9, 0.5)
    assert (crossed.missing.n, crossed.missing.right) == (12, 4)
    assert crossed.difference == pytest.approx(1 / 6)


def test_the_intervals() -> None:
    (crossed,) = joined(RIGHT).answers
    deviation = (0.25 * 18 / 17) ** 0.5
    expected = mean_interval(0.5, deviation, 18, low=0.0, high=1.0)
    assert tuple(crossed.found.interval) == pytest.approx(expected)
    low, high = crossed.interval
    found, missing = crossed.found, crossed.missing
    assert crossed.difference - low == pytest.approx(
        hypot(found.mean - found.interval.low, missing.interval.high - missing.mean)
    )
    assert high - crossed.difference == pytest.approx(
        hypot(found.interval.high - found.mean, missing.mean - missing.interval.low)
    )


def test_clusters_widen_them() -> None:
    clusters = {query: str(int(query[1:]) // 6) for query in QRELS}
    (plain,), (clustered,) = joined(RIGHT).answers, joined(RIGHT, clusters=clusters).answers
    assert clustered.found.mean == plain.found.mean
    assert clustered.found.interval != plain.found.interval


def test_a_query_without_an_answer_or_evidence_counts_nowhere() -> None:
    values = {query: value for query, value in RIGHT.items() if query != "q0"}
    (crossed,) = joined(values | {"q99": 1}).answers
    assert (crossed.found.n, crossed.missing.n) == (17, 12)


def test_degrees_of_correctness_have_no_counts() -> None:
    result = joined({query: value / 2 for query, value in RIGHT.items()})
    (crossed,) = result.answers
    assert (crossed.found.right, crossed.found.mean) == (None, 0.25)
    assert "wrong" not in result.to_text()


def test_all_found() -> None:
    evaluation = gainful.evaluate(QRELS, {query: ["a", "b"] for query in QRELS}, "FullRecall@2")
    result = evaluation.join(gainful.Evaluation.from_values({"run": RIGHT}, "correct"))
    (crossed,) = result.answers
    assert (crossed.missing.n, crossed.missing.mean, crossed.difference) == (0, None, None)
    assert "difference" in result.to_text()


def test_without_evidence_or_answers_there_is_no_table() -> None:
    assert joined(RIGHT, "R@2").answers is None
    assert gainful.evaluate(QRELS, RUN, "FullRecall@2").answers is None
    alone = gainful.Evaluation.from_values({"run": RIGHT}, "correct")
    assert alone.answers is None


def test_spans_and_several_measures() -> None:
    qrels = {"q1": {"d#char=0,10": 1}, "q2": {"d#char=50,60": 1}, "q3": {"d#char=5,9": 1}}
    run = {query: ["d#char=0,20"] for query in qrels}
    evaluation = gainful.evaluate(qrels, run, ["SpanFull@1", "SpanR@1", "Success@1"])
    values = {"run": {"q1": 1, "q2": 0, "q3": 1}}
    result = evaluation.join(gainful.Evaluation.from_values(values, "correct"))
    assert [crossed.evidence for crossed in result.answers] == ["SpanFull@1", "Success@1"]
    assert [crossed.difference for crossed in result.answers] == [1.0, 1.0]


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("golden.json").write_text(json.dumps(QRELS))
    Path("run.json").write_text(json.dumps(RUN))
    rows = "".join(f"{query},run,{value}\n" for query, value in RIGHT.items())
    Path("answers.csv").write_text(f"query_id,system,correct\n{rows}")
    words = ("golden.json", "run.json", "-m", "FullRecall@2", "--values", "answers.csv")
    assert main(["evaluate", *words]) == 0
    output = capsys.readouterr().out
    assert "Answers by evidence" in output
    assert "FullRecall@2      correct  found            18      9      9  .5000" in output
    assert main(["evaluate", *words, "--format", "json"]) == 0
    (crossed,) = json.loads(capsys.readouterr().out)["answers"]
    assert crossed["found"]["right"] == 9
