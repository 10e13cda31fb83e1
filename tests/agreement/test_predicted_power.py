"""analyze_power() of a pilot with judgments of people and of a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.cli import main
from gainful.inference.power import queries_needed
from json_schema import errors, schema_of
from model_labels import collection, write_collection

PEOPLE, MODEL, RUNS = collection()


def pilot(**options: Any) -> Any:
    return gainful.evaluate(
        PEOPLE, RUNS, ["nDCG@10", "P@5"], predicted=MODEL, sampled="random", **options
    )


def test_a_plan_has_the_queries_with_the_model_and_without_it() -> None:
    with_model, without, *others = gainful.analyze_power(pilot(), difference=0.03).measures
    assert [each.labels for each in (with_model, without, *others)] == 2 * ["combined", "people"]
    found = pilot().combine("nDCG@10", "poor", "good")
    assert with_model.deviation == pytest.approx(found.standard_error * 30**0.5)
    assert with_model.needed(0.03) == queries_needed(0.03, with_model.deviation)
    alone = gainful.evaluate(PEOPLE, RUNS, "nDCG@10")
    [people] = gainful.analyze_power(alone, difference=0.03).measures
    assert without.needed(0.03) == people.needed(0.03)
    assert without.upper_deviation == people.upper_deviation
    assert with_model.needed(0.03) < without.needed(0.03)
    assert with_model.past[0].ratio == 4.0


def test_it_is_the_plan_of_compare() -> None:
    pair = gainful.compare(
        PEOPLE, RUNS, "nDCG@10", predicted=MODEL, sampled="random", detect=0.03, resamples=500
    ).pairs[0]
    with_model, without, *_ = gainful.analyze_power(pilot(), "nDCG@10").measures
    assert pair.needed == with_model.needed(0.03)
    assert pair.needed_without == pytest.approx(without.needed(0.03), rel=0.01)


def test_the_output_says_both_numbers() -> None:
    analysis = gainful.analyze_power(pilot(), "nDCG@10", difference=0.03)
    with_model, without = (each.needed(0.03) for each in analysis.measures)
    said = [str(note) for note in analysis.tables()[-1].notes if note.key == "combined"]
    assert said[0] == (
        f"With this model, {with_model} human-judged queries detect .03; without it, {without}."
    )
    assert "4 times as many, as in the pilot" in said[1]
    assert errors(analysis.to_dict(), schema_of("power")) == []
    assert set(analysis.records()["labels"]) == {"combined", "people"}


def test_a_pilot_is_pooled_with_past_evaluations() -> None:
    alone = gainful.evaluate(PEOPLE, RUNS, "nDCG@10")
    with_model, without = gainful.analyze_power([pilot(), alone], "nDCG@10").measures
    assert (len(with_model.past), len(without.past)) == (1, 2)


def test_the_command_takes_the_labels_of_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_collection(tmp_path)
    monkeypatch.chdir(tmp_path)
    words = ["analyze-power", "human.qrels", "good.run", "poor.run", "--predicted", "llm.qrels"]
    assert main([*words, "--sampled", "random", "--difference", ".03", "--format", "json"]) == 0
    labels = [each["labels"] for each in json.loads(capsys.readouterr().out)["measures"]]
    assert labels == ["combined", "people"]
    assert main(words) == 2
    assert "--sampled random" in capsys.readouterr().err
    assert main(["analyze-power", "--deviation", ".2", "--predicted", "llm.qrels"]) == 2
    assert "--predicted requires QRELS" in capsys.readouterr().err
