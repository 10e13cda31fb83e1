"""``gainful compare --predicted``: verdicts from judgments of people and of a model."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gainful
from gainful.cli import main
from gainful.errors import ArgumentError, ParameterError
from gainful.inference import max_t, predicted_mean
from json_schema import errors, schema_of
from model_labels import Labels, collection, easy_where_judged, write_collection


def third(runs: dict[str, Labels]) -> dict[str, Labels]:
    """Add a run that ignores the labels."""
    alphabetical = {
        query: {each: float(at) for at, each in enumerate(sorted(own))}
        for query, own in runs["good"].items()
    }
    return {**runs, "third": alphabetical}


def compared(**options: object) -> gainful.Comparison:
    people, model, runs = collection()
    options = {"predicted": model, "sampled": "random", "resamples": 2000, **options}
    return gainful.compare(people, third(runs), "nDCG@10", **options)  # type: ignore[arg-type]


def values(labels: Labels, system: str) -> dict[str, float]:
    _, _, runs = collection()
    return gainful.evaluate(labels, {system: third(runs)[system]}, "nDCG@10").per_query("nDCG@10")


def test_a_pair_is_the_estimate_of_its_differences() -> None:
    people, model, _ = collection()
    found = compared().pair("good", "third")
    one, two = values(people, "good"), values(people, "third")
    f, g = values(model, "good"), values(model, "third")
    nan = float("nan")
    same = predicted_mean(
        [one.get(query, nan) - two.get(query, nan) for query in f],
        [f[query] - g[query] for query in f],
    )
    assert found.difference == pytest.approx(same.mean)
    assert found.people_difference == pytest.approx(same.people_mean)
    assert found.model_difference == pytest.approx(same.model_mean)
    assert found.rate == pytest.approx(same.rate)
    assert found.worth == pytest.approx(same.effective)
    assert found.n == 30
    assert found.wins == sum(one[query] > two[query] for query in one)
    assert found.verdict == "better"
    assert found.mean == pytest.approx(
        predicted_mean([one.get(query, nan) for query in f], list(f.values())).mean
    )


def test_intervals_of_people_are_those_of_a_comparison_of_people() -> None:
    people, _, runs = collection()
    options = {"baseline": "poor", "resamples": 2000}
    alone = gainful.compare(people, third(runs), "nDCG@10", **options)  # type: ignore[arg-type]
    found = compared(baseline="poor")
    for pair, other in zip(found.pairs, alone.pairs, strict=True):
        assert pair.people_difference == pytest.approx(other.difference)
        # An end of exactly 0 agrees with the verdict.
        ends = zip(pair.people_interval, other.interval, strict=True)
        assert [one for one, end in ends if end] == pytest.approx(
            [end for end in other.interval if end]
        )


def test_the_intervals_are_simultaneous() -> None:
    people, model, _ = collection()
    columns = []
    found = compared()
    nan = float("nan")
    for pair in found.pairs:
        one, two = values(people, pair.system), values(people, pair.baseline)
        f, g = values(model, pair.system), values(model, pair.baseline)
        y = [one.get(query, nan) - two.get(query, nan) for query in sorted(f)]
        columns.append(predicted_mean(y, [f[query] - g[query] for query in sorted(f)]).values)
    joint = max_t(np.column_stack(columns), resamples=2000)
    for at, pair in enumerate(found.pairs):
        # An end of exactly 0 agrees with the verdict.
        ends = zip(pair.interval, (joint.low[at], joint.high[at]), strict=True)
        assert all(one == pytest.approx(end) for one, end in ends if one)


def test_a_mirrored_pair_swaps_the_intervals() -> None:
    found = compared()
    one, other = found.pair("good", "poor"), found.pair("poor", "good")
    assert one.people_interval is not None
    assert other.people_interval == (-one.people_interval.high, -one.people_interval.low)
    assert other.model_difference == -one.model_difference
    assert other.worth == one.worth


def test_the_leaderboard_has_the_combined_means() -> None:
    people, model, _ = collection()
    found = compared()
    y, f = values(people, "good"), values(model, "good")
    same = predicted_mean([y.get(query, float("nan")) for query in f], list(f.values()))
    first = found.leaderboard()[0]
    assert (first.system, first.mean) == ("good", pytest.approx(same.mean))
    assert first.interval == pytest.approx(same.interval(0.95, 0.0, 1.0), rel=0.01)
    assert found.means()["good"] == pytest.approx(same.mean)
    assert [each.system for each in found.leaderboard()] == ["good", "poor", "third"]


def test_a_sample_of_easy_queries_is_doubted() -> None:
    people, model, runs = collection()
    # The differences of equal systems are 0 on easy queries, too.
    found = gainful.compare(
        people,
        {"good": runs["good"], "same": runs["good"]},
        "nDCG@10",
        predicted=easy_where_judged(people, model),
        sampled="random",
    )
    assert found.pair("good", "same").p_random < 0.001
    assert "do not look like a random sample" in found.to_text()
    assert "random sample:" not in compared().to_text()


def test_a_slice_with_few_judged_queries_has_people_only() -> None:
    _, model, _ = collection()
    by = {query: "small" if n < 20 else "large" for n, query in enumerate(sorted(model))}
    found = compared(by=by, baseline="poor")
    small, large = found.segments["small"], found.segments["large"]
    assert {pair.worth for pair in small} == {None}
    assert all(pair.worth is not None for pair in large)
    assert large[0].n + small[0].n == 30
    assert "Fewer than 10 human-judged queries in small: people only." in str(found)


def test_a_slice_without_the_model_says_why() -> None:
    people, model, _ = collection()
    by = {query: "agreed" if n % 2 else "other" for n, query in enumerate(sorted(model))}
    agreed = {
        query: people.get(query, own) if by[query] == "agreed" else own
        for query, own in model.items()
    }
    found = compared(predicted=agreed, by=by, baseline="poor")
    reasons = {name: {pair.judged_reason for pair in own} for name, own in found.segments.items()}
    assert reasons == {"agreed": {"few-errors"}, "other": {""}}
    text = " ".join(found.to_text().split())
    assert (
        "good vs. poor in agreed, third vs. poor in agreed: people and the model disagree on fewer"
        " than 10 queries" in text
    )


def test_the_required_queries_with_and_without_the_model() -> None:
    found = compared(detect=0.03, baseline="poor")
    people, _, runs = collection()
    alone = gainful.compare(people, third(runs), "nDCG@10", detect=0.03, baseline="poor")
    for pair, other in zip(found.pairs, alone.pairs, strict=True):
        assert pair.needed is not None
        assert pair.needed_without == pytest.approx(other.needed, rel=0.03)
        assert pair.needed < other.needed
    most = max(found.pairs, key=lambda pair: pair.needed or 0)
    text = f"{most.needed} human-judged queries with this model, {most.needed_without} without it."
    assert text in " ".join(str(found).split())
    assert compared().pairs[0].needed_without is None


def test_clusters_widen_the_intervals() -> None:
    people, model, _ = collection()
    order = [*people, *(query for query in model if query not in people)]
    clusters = {query: str(at // 2) for at, query in enumerate(order)}
    found = compared(clusters=clusters)
    assert found.pairs[0].worth is not None
    weights = {query: 1.0 + at % 2 for at, query in enumerate(order)}
    assert compared(weights=weights).pairs[0].effective is not None
    with pytest.raises(ParameterError, match="missing"):
        compared(clusters=dict.fromkeys(people, "a"))


def test_the_json_meets_its_schema() -> None:
    found = compared(margin=0.02, bayes=True)
    document = found.to_dict()
    assert errors(json.loads(json.dumps(document)), schema_of("comparison")) == []
    assert document["predicted"] == {
        "sampled": "random",
        "queries": 120,
        "judged": 30,
        "left_out": 0,
        "highest_grades": {"people": 2.0, "model": 2.0},
    }
    people, _, runs = collection()
    assert gainful.compare(people, runs, resamples=1000).to_dict()["predicted"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sampled": None}, "declare that people judged a random sample"),
        ({"predicted": None}, "there are no predictions"),
        ({"tests": "sign"}, "further tests"),
        ({"correction": "tukey"}, "Tukey"),
    ],
)
def test_invalid_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        compared(**options)


def test_evaluations_are_refused() -> None:
    people, model, runs = collection()
    with pytest.raises(ArgumentError, match="judgments and runs"):
        gainful.compare(
            gainful.evaluate(people, runs, "nDCG@10"), predicted=model, sampled="random"
        )


def test_the_command_shows_people_model_and_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_collection(tmp_path)
    monkeypatch.chdir(tmp_path)
    words = ["compare", "human.qrels", "good.run", "poor.run", "--predicted", "llm.qrels"]
    assert main([*words, "--sampled", "random"]) == 0
    shown = capsys.readouterr().out
    for text in ("people only", "model only", "worth", "was fixed without them"):
        assert text in shown
    assert main(words) == 2
    assert "--sampled random" in capsys.readouterr().err
