"""``gainful evaluate --predicted``: judgments of people for some queries, of a model for all."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.cli import main
from gainful.errors import GainfulError, MatchError, MeasureError, ParameterError
from gainful.evaluation.predicted import PredictedEvaluation
from gainful.inference import predicted_mean
from model_labels import collection, easy_where_judged, write_collection


def found(**options: object) -> PredictedEvaluation:
    people, model, runs = collection()
    options = {"measures": ["nDCG@10", "P@5"], "predicted": model, "sampled": "random", **options}
    return gainful.evaluate(people, runs, **options)  # type: ignore[call-overload, no-any-return]


def test_an_estimate_is_that_of_the_values_by_query() -> None:
    people, model, runs = collection()
    estimate = found().estimate("P@5", "good")
    human = gainful.evaluate(people, runs, "P@5").per_query("P@5", "good")
    other = gainful.evaluate(model, runs, "P@5").per_query("P@5", "good")
    same = predicted_mean([human.get(query, float("nan")) for query in other], list(other.values()))
    assert (estimate.n, estimate.queries) == (30, 120)
    assert estimate.mean == pytest.approx(same.mean)
    assert estimate.interval == pytest.approx(same.interval(0.95, 0.0, 1.0))
    assert estimate.people_mean == pytest.approx(sum(human.values()) / 30)
    assert estimate.model_mean == pytest.approx(sum(other.values()) / 120)
    assert estimate.effective == pytest.approx(same.effective)
    assert estimate.effective > 40
    assert estimate.interval is not None
    assert estimate.people_interval is not None
    assert estimate.interval.low > estimate.people_interval.low


def test_weights_apply_to_all_three_means() -> None:
    people, model, runs = collection()
    weights = {query: 1.0 + n % 3 for n, query in enumerate(model)}
    estimate = found(weights=weights).estimate("P@5", "poor")
    human = gainful.evaluate(people, runs, "P@5", weights=weights)
    other = gainful.evaluate(model, runs, "P@5", weights=weights)
    assert estimate.people_mean == pytest.approx(human.mean("P@5", "poor"))
    assert estimate.model_mean == pytest.approx(other.mean("P@5", "poor"))
    interval = human.summary("P@5", "poor")
    assert estimate.people_interval == pytest.approx(interval.interval)


def test_the_interval_of_people_is_that_of_an_evaluation_of_people() -> None:
    people, _, runs = collection()
    estimate = found().estimate("nDCG@10", "good")
    summary = gainful.evaluate(people, runs, "nDCG@10").summary("nDCG@10", "good")
    assert estimate.people_interval == pytest.approx(summary.interval)


def test_queries_that_do_not_count_are_no_error() -> None:
    people, model, runs = collection()
    for query in list(people)[:5]:
        people[query] = dict.fromkeys(people[query], 0)
    policies = gainful.conventions.get("gainful-1").replace(no_relevant="skip", name="skipping")
    options = {"convention": policies, "predicted": model, "sampled": "random"}
    estimate = gainful.evaluate(people, runs, "nDCG@10", **options).estimate(system="good")  # type: ignore[call-overload]
    alone = gainful.evaluate(people, runs, "nDCG@10", convention=policies)
    assert estimate.people_mean == pytest.approx(alone.mean("nDCG@10", "good"))


def notes(result: PredictedEvaluation) -> dict[str, str]:
    return {note.key: str(note) for note in result.tables()[0].notes}


def test_the_output_states_the_worth_and_the_condition() -> None:
    said = notes(found())
    assert "Your 30 human-judged queries are worth " in said["worth"]
    assert "model (prompt, examples, calibration) was fixed without them" in said["condition"]
    assert not {"random", "scale", "few_errors", "no_gain", "left_out"} & said.keys()


def test_a_model_that_adds_nothing_is_named() -> None:
    _, model, _ = collection()
    draw = random.Random(1)
    noise = {query: {each: draw.choice([0, 1, 2]) for each in own} for query, own in model.items()}
    result = found(predicted=noise)
    text = notes(result)["no_gain"]
    assert "he model adds nothing" in text
    for each in result.estimates:
        if each.reason == "no-gain":
            assert (each.mean, each.interval) == (each.people_mean, each.people_interval)
            assert each.effective == each.n


def test_a_model_that_agrees_with_people_is_not_trusted() -> None:
    people, model, _ = collection()
    result = found(predicted={**model, **people})
    assert {each.reason for each in result.estimates} == {"few-errors"}
    assert notes(result)["few_errors"].startswith("People and the model disagree on fewer than 10")


def test_a_sample_of_easy_queries_is_doubted() -> None:
    people, model, _ = collection()
    easy = easy_where_judged(people, model)
    assert "do not look like a random sample" in notes(found(predicted=easy))["random"]


def test_few_human_values_are_named() -> None:
    people, model, _ = collection()
    rare = {
        query: dict.fromkeys(own, 0) if at >= 3 else own
        for at, (query, own) in enumerate(people.items())
    }
    result = gainful.evaluate(
        rare,
        {query: dict.fromkeys(own, 1.0) for query, own in model.items()},
        "nDCG@10",
        predicted=model,
        sampled="random",
    )
    assert result.estimate().reason == "few-values"
    assert notes(result)["few_values"].startswith("Fewer than 6 human-judged queries")


def test_other_scales_are_named() -> None:
    _, model, _ = collection()
    more = {query: {each: 2 * grade for each, grade in own.items()} for query, own in model.items()}
    assert (
        "highest grade is 2 by people and 4 by the model" in notes(found(predicted=more))["scale"]
    )


def test_human_judged_queries_without_predictions_are_left_out() -> None:
    people, model, _ = collection()
    gone = next(iter(people))
    rest = {query: own for query, own in model.items() if query != gone}
    result = found(predicted=rest)
    assert result.estimates[0].n == 29
    assert notes(result)["left_out"].endswith("left out: 1.")


@pytest.mark.parametrize("sampled", [None, "easy", ""])
def test_a_sample_that_is_not_declared_random_is_refused(sampled: str | None) -> None:
    with pytest.raises(ParameterError, match="declare that people judged a random sample"):
        found(sampled=sampled)


def test_invalid_input_is_refused() -> None:
    people, model, runs = collection()
    with pytest.raises(ParameterError, match="there are no predictions"):
        found(predicted=None)
    with pytest.raises(MatchError, match="no query was judged by both"):
        found(predicted={"other": {"d1": 1}})
    few = dict(list(people.items())[:9])
    with pytest.raises(ParameterError, match="found 9 human-judged queries with predictions"):
        gainful.evaluate(few, runs, "P@5", predicted=model, sampled="random")
    with pytest.raises(MeasureError, match="means of per-query values"):
        found(measures="GMAP")
    with pytest.raises(GainfulError, match="bounds"):
        found(bounds=True)
    with pytest.raises(ParameterError, match="a weight is missing"):
        found(weights=dict.fromkeys(people, 1.0))
    with pytest.raises(ParameterError, match="one of"):
        found().estimate()


def test_the_command_prints_the_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_collection(tmp_path)
    monkeypatch.chdir(tmp_path)
    words = ["evaluate", "human.qrels", "good.run", "poor.run", "--predicted", "llm.qrels"]
    assert main([*words, "--sampled", "random"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("30 of 120 queries judged by people, all by the model\n")
    assert main(words) == 2
    refused = capsys.readouterr().err
    assert "--sampled random" in refused
    assert refused.count("\n") == 1


def write_labels(path: Path, examples: list[list[str]]) -> None:
    """Write labels as `gainful judge-llm` does."""
    rows = [
        {"query_id": query, "doc_id": each, "grade": grade, "outcome": "grade"}
        for query, own in collection()[1].items()
        for each, grade in own.items()
    ]
    more = {"source": "model", "model": "m", "prompt_hash": "x", "characters": 9}
    more |= {"examples": examples} if examples else {}
    path.write_text("".join(json.dumps(row | more) + "\n" for row in rows))


def test_examples_of_the_prompt_are_refused_among_the_human_judged_queries(tmp_path: Path) -> None:
    people, model, _ = collection()
    path = tmp_path / "labels.jsonl"
    seen, other = next(iter(people)), next(query for query in model if query not in people)
    write_labels(path, [[other, "d1"]])
    assert found(predicted=str(path)).to_dict() == found().to_dict()
    write_labels(path, [[other, "d1"], [seen, "d9"]])
    with pytest.raises(ParameterError, match="as an example of its prompt") as refused:
        found(predicted=str(path))
    assert refused.value.query == seen


def test_a_comparison_takes_the_result() -> None:
    people, model, runs = collection()
    options: dict[str, Any] = {"predicted": model, "sampled": "random", "resamples": 500}
    one = gainful.compare(found(), baseline="good", measures="P@5", resamples=500)
    other = gainful.compare(people, runs, "P@5", baseline="good", **options)
    assert one.pairs[0].to_dict() == other.pairs[0].to_dict()
    with pytest.raises(GainfulError, match="requires judgments and runs"):
        gainful.compare(found(), **options)


def test_a_summary_has_the_combined_mean() -> None:
    summary, estimate = found().summary("P@5", "good"), found().estimate("P@5", "good")
    assert (summary.mean, summary.interval, summary.n) == (estimate.mean, estimate.interval, 30)
