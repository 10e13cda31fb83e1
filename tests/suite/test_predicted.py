"""evaluate_suite with judgments of people for a sample of queries, and of a model for all."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.cli import main
from gainful.comparison import Pair
from gainful.errors import GainfulError, ParameterError
from gainful.suite import Suite
from json_schema import errors, schema_of
from model_labels import Labels, collection, write_collection

PEOPLE, MODEL, RUNS = collection()
BY = {query: f"kind {at % 2}" for at, query in enumerate(sorted(MODEL))}
COLLECTIONS: dict[str, Any] = {"first": (PEOPLE, RUNS), "second": (MODEL, RUNS)}


def evaluated(**options: Any) -> Suite:
    options = {"predicted": {"first": MODEL}, "sampled": "random", **options}
    return gainful.evaluate_suite(COLLECTIONS, "nDCG@10", **options)


def combined(**options: Any) -> Any:
    return gainful.evaluate(PEOPLE, RUNS, "nDCG@10", predicted=MODEL, sampled="random", **options)


def rounded(pair: Pair) -> dict[str, Any]:
    """Return the fields of a pair; a suite adds the shares of weights in another order."""
    return {
        name: float(f"{value:.10g}") if isinstance(value, float) else value
        for name, value in pair.to_dict().items()
    }


def test_a_collection_has_the_combined_mean() -> None:
    suite, alone = evaluated(), combined()
    for system in RUNS:
        summary = suite.summary(system=system, collection="first")
        estimate = alone.estimate(system=system)
        assert summary is not None
        assert (summary.mean, summary.interval) == (estimate.mean, estimate.interval)
        macro, other = suite.macro(system=system), suite.value(system=system, collection="second")
        assert macro is not None
        assert other is not None
        assert macro.mean == pytest.approx((estimate.mean + other) / 2)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sliced", [False, True])
def test_one_collection_gives_the_pairs_of_compare(weighted: bool, sliced: bool) -> None:
    weights = {query: 1.0 + at % 3 for at, query in enumerate(MODEL)} if weighted else None
    options: dict[str, Any] = {"predicted": MODEL, "sampled": "random", "weights": weights}
    options |= {"by": BY} if sliced else {}
    one = gainful.compare(PEOPLE, RUNS, "nDCG@10", baseline="good", resamples=500, **options)
    named = {name: {"first": each} for name, each in options.items() if isinstance(each, dict)}
    suite = gainful.evaluate_suite(
        {"first": (PEOPLE, RUNS)}, "nDCG@10", sampled="random", **named
    ).compare("good", resamples=500)
    assert rounded(suite.pairs[0]) == rounded(one.pairs[0])
    assert {name: rounded(own) for name, (own,) in suite.segments.items()} == {
        name: rounded(own) for name, (own,) in one.segments.items()
    }
    [gap] = suite.gaps["first"]
    assert gap.people_difference == one.pairs[0].people_difference


def test_a_pair_over_collections_is_the_mean_of_their_estimates() -> None:
    [pair] = evaluated().compare("good", resamples=500).pairs
    first = combined().combine("nDCG@10", "poor", "good")
    second = gainful.compare(MODEL, RUNS, "nDCG@10", baseline="good", resamples=500).pairs[0]
    assert second.deviation is not None
    error = sqrt(first.standard_error**2 + second.deviation**2 / second.n) / 2
    assert pair.difference == pytest.approx((first.mean + second.difference) / 2)
    assert pair.people_difference == pytest.approx((first.people_mean + second.difference) / 2)
    assert pair.model_difference == pytest.approx((first.model_mean + second.difference) / 2)
    assert pair.t_statistic == pytest.approx(pair.difference / error)
    assert pair.worth is not None
    assert pair.worth > pair.n == 150
    assert pair.rate == pytest.approx(first.rate)


def test_all_pairs_and_intervals_of_ranks() -> None:
    third = {"third": {query: list(own) for query, own in MODEL.items()}}
    found = gainful.evaluate_suite(
        {"first": (PEOPLE, RUNS | third), "second": (MODEL, RUNS | third)},
        "nDCG@10",
        predicted={"first": MODEL, "second": MODEL},
        sampled="random",
    ).compare(resamples=500)
    assert len(found.pairs) == 3
    assert {pair.correction for pair in found.pairs} == {"max-t"}
    assert found.tied_for_first() == ("good",)
    # The model judged the second collection only as itself, which says nothing about its errors.
    assert found.suite.predictions["second"].estimate(system="good").reason == "few-errors"


def test_queries_that_do_not_count_are_no_error() -> None:
    people: Labels = {
        query: dict.fromkeys(own, 0.0) if at < 5 else own
        for at, (query, own) in enumerate(PEOPLE.items())
    }
    policies = gainful.conventions.get("gainful-1").replace(no_relevant="skip", name="skipping")
    options: dict[str, Any] = {"sampled": "random", "convention": policies}
    one = gainful.compare(people, RUNS, "nDCG@10", predicted=MODEL, resamples=500, **options)
    suite = gainful.evaluate_suite(
        {"first": (people, RUNS)}, "nDCG@10", predicted={"first": MODEL}, **options
    )
    [pair] = suite.compare(resamples=500).pairs
    assert pair.to_dict() == one.pairs[0].to_dict()
    assert pair.people_difference == pytest.approx(
        gainful.compare(people, RUNS, "nDCG@10", convention=policies, resamples=500)
        .pairs[0]
        .difference
    )


def test_the_output_shows_people_model_and_combined() -> None:
    found = evaluated().compare("good", resamples=500)
    table = next(each for each in found.tables() if each.title == "nDCG@10, people and model")
    assert [column.key for column in table.columns][:5] == [
        *("collection", "judged", "system", "mean", "interval")
    ]
    assert table.rows[0][:3] == ("first", "30 of 120", "good")
    said = {note.key: str(note) for note in found.tables()[-1].notes}
    assert said["worth"].startswith("Your 30 human-judged queries are worth ")
    assert "was fixed without them" in said["condition"]
    document = found.to_dict()
    assert errors(document, schema_of("suite")) == []
    assert document["predicted"]["first"] == combined().to_dict()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"sampled": None}, "declare that people judged a random sample"),
        ({"predicted": None}, "there are no predictions"),
        ({"predicted": {"third": MODEL}}, "unknown collection 'third'"),
        ({"aggregate": "standardized"}, "relative scores cannot be combined"),
        ({"predicted": {"second": {"x": {"d": 1}}}}, "collection second"),
    ],
)
def test_invalid_options_are_refused(options: dict[str, Any], text: str) -> None:
    with pytest.raises(GainfulError, match=text):
        evaluated(**options)
    with pytest.raises(ParameterError, match="Tukey"):
        evaluated().compare(correction="tukey")


def test_the_command_finds_the_labels_in_each_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("first", "second"):
        folder = tmp_path / "all" / name
        folder.mkdir(parents=True)
        write_collection(folder)
        (folder / "human.qrels").rename(folder / "qrels.txt")
    (tmp_path / "all" / "second" / "llm.qrels").unlink()
    words = ["evaluate-suite", "all", "--predicted", "llm.qrels"]
    assert main([*words, "--sampled", "random", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert list(document["predicted"]) == ["first"]
    assert document["comparison"]["pairs"][0]["rate"] is not None
    assert main(words) == 2
    assert "--sampled random" in capsys.readouterr().err
    assert main(["evaluate-suite", "all", "--sampled", "random"]) == 2
    assert main([*words[:-1], "other.qrels", "--sampled", "random"]) == 2
    assert "no such file in any collection's folder" in capsys.readouterr().err
