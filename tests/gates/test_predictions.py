"""``gainful gate --predicted``: regressions from judgments of people and of a model."""

from __future__ import annotations

from pathlib import Path

import pytest

import gainful
from gainful.cli import main
from gainful.errors import MatchError, ParameterError
from gainful.gates import GateResult
from model_labels import collection, easy_where_judged, write_collection


def gated(run: str, saved: str = "good", **options: object) -> GateResult:
    people, model, runs = collection()
    snapshot = gainful.make_snapshot(model, runs[saved], "nDCG@10")
    options = {"predicted": model, "sampled": "random", "margin": 0.02, **options}
    return gainful.gate(people, runs[run], snapshot, **options)  # type: ignore[arg-type]


def test_the_difference_is_that_of_a_comparison() -> None:
    people, model, runs = collection()
    found = gated("poor").measures[0]
    pair = gainful.compare(
        people, runs, "nDCG@10", baseline="good", predicted=model, sampled="random", resamples=1000
    ).pair("poor")
    assert found.difference == pytest.approx(pair.difference)
    assert found.people_difference == pytest.approx(pair.people_difference)
    assert found.model_difference == pytest.approx(pair.model_difference)
    assert found.worth == pytest.approx(pair.worth)
    assert (found.n, found.wins, found.losses) == (30, pair.wins, pair.losses)
    assert found.mean - found.snapshot_mean == pytest.approx(found.difference)
    assert found.verdict == "fail"


def test_the_bounds_are_narrower_than_those_of_people() -> None:
    people, model, runs = collection()
    snapshot = gainful.make_snapshot(model, runs["good"], "nDCG@10")
    alone = gainful.gate(people, runs["poor"], snapshot, rescore=True, margin=0.02).measures[0]
    found = gated("poor").measures[0]
    assert found.people_difference == pytest.approx(alone.difference)
    assert found.high - found.low < alone.high - alone.low


def test_the_same_run_passes() -> None:
    assert gated("good").verdict == "pass"


def test_a_sample_of_easy_queries_is_doubted() -> None:
    people, model, runs = collection()
    easy = easy_where_judged(people, model)
    snapshot = gainful.make_snapshot(easy, runs["good"], "nDCG@10")
    found = gainful.gate(people, runs["good"], snapshot, predicted=easy, sampled="random")
    assert "do not look like a random sample" in found.to_text()
    assert "do not look like a random sample" not in gated("good").to_text()


def test_changes_that_only_the_model_saw_do_not_pass() -> None:
    people, model, runs = collection()
    same = {query: runs["good" if query in people else "poor"][query] for query in model}
    snapshot = gainful.make_snapshot(model, runs["good"], "nDCG@10")
    found = gainful.gate(people, same, snapshot, predicted=model, sampled="random")
    assert found.verdict == "inconclusive"


def test_invalid_input_is_refused() -> None:
    people, model, runs = collection()
    with pytest.raises(ParameterError, match="declare that people judged a random sample"):
        gated("poor", sampled=None)
    with pytest.raises(ParameterError, match="there are no predictions"):
        gated("poor", predicted=None)
    few = gainful.make_snapshot(people, runs["good"], "nDCG@10")
    with pytest.raises(MatchError, match="no rankings for 90 queries"):
        gainful.gate(people, runs["poor"], few, predicted=model, sampled="random")


def test_the_command_shows_people_and_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_collection(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["gate", "llm.qrels", "good.run", "--save", "saved.json"]) == 0
    words = ["gate", "human.qrels", "poor.run", "--snapshot", "saved.json"]
    words += ["--predicted", "llm.qrels"]
    capsys.readouterr()
    assert main([*words, "--sampled", "random"]) == 4
    shown = capsys.readouterr().out
    for text in ("people only", "model only", "worth", "was fixed without them"):
        assert text in shown
    assert main(words) == 2
