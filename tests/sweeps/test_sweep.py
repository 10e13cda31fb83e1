"""Sweeps: the searches at each point, the comparison of points, and errors."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import gainful
from gainful.conventions import get
from gainful.errors import ArgumentError, GainfulError, ParameterError, SearchError
from gainful.sweeps import Range
from json_schema import errors, schema_of
from sweep_data import DESCRIPTION, GOOD, QRELS, QUERIES, THINGS, Shelf, made_shop

FAST = {"resamples": 1_000}


def test_the_run_of_a_point_equals_that_of_search(tmp_path: Path) -> None:
    path = made_shop(tmp_path)
    found = gainful.sweep(path, QUERIES, QRELS, {"title": [1, 8]}, k=20, **FAST)
    assert list(found.runs) == ["title=1", "title=8"]
    path.write_text(DESCRIPTION.replace("title = 8", "title = 1"))
    alone = gainful.search(path, QUERIES, k=20)
    assert found.runs["title=1"] == alone
    assert found.runs["title=8"] != alone
    assert found.runs["title=1"].name == "title=1"


def test_the_comparison_equals_that_of_compare(tmp_path: Path) -> None:
    grid = {"title": [1, 8], "brand": [1, 4]}
    found = gainful.sweep(
        made_shop(tmp_path), QUERIES, QRELS, grid, ["nDCG@10", "AP"], margin=0.02, **FAST
    )
    options = {"margin": 0.02, "correction": "max-t", "bootstrap": 0, **FAST}
    compared = gainful.compare(QRELS, found.runs, ["nDCG@10", "AP"], **options)
    assert found.comparison.pairs == compared.pairs
    assert len(found.comparison.pairs) == 2 * 6
    means = compared.means("nDCG@10")
    assert found.best.name == max(means, key=lambda name: means[name])
    assert found.choice.estimates["nDCG@10"].measured == pytest.approx(means[found.best.name])


def test_the_value_of_the_best_point_is_cross_validated(tmp_path: Path) -> None:
    grid = {"title": [1, 2, 4, 8]}
    found = gainful.sweep(
        made_shop(tmp_path), QUERIES, QRELS, grid, ["nDCG@10", "AP"], baseline="title=8", **FAST
    )
    values = np.array(
        [
            [found.comparison.values(measure, name)[query] for name in found.runs]
            for measure in ("nDCG@10", "AP")
            for query in found.comparison.queries
        ]
    ).reshape(2, -1, 4)
    by_hand = gainful.inference.chosen_best(values[0])
    assert found.choice.estimates["nDCG@10"].expected == by_hand.expected
    assert found.choice.shares[found.best.name] == by_hand.chosen[by_hand.best]
    other = gainful.inference.chosen_best(values[0], scored=values[1])
    assert found.choice.estimates["AP"].expected == other.expected, "chosen by the first measure"
    gain = found.choice.improvements["nDCG@10"]
    assert gain.expected == pytest.approx(by_hand.expected - values[0, :, 3].mean())


def test_the_baseline_can_be_the_description(tmp_path: Path) -> None:
    path = made_shop(tmp_path)
    outside = gainful.sweep(path, QUERIES, QRELS, {"title": [1, 2]}, baseline="current", **FAST)
    assert [point.name for point in outside.points] == ["current", "title=1", "title=2"]
    assert outside.points[0].settings == {"title": 8}
    assert outside.comparison.baselines == ("current",)
    assert "current: title=8 (from the description)." in str(outside)
    inside = gainful.sweep(path, QUERIES, QRELS, {"title": [1, 8]}, baseline="current", **FAST)
    assert [point.name for point in inside.points] == ["title=1", "title=8"]
    assert inside.baseline == "title=8"


@pytest.mark.parametrize(
    ("baseline", "names"),
    [
        ("weight=2", ["weight=1", "weight=2"]),
        ({"weight": 2}, ["weight=1", "weight=2"]),
        ({"weight": 3}, ["weight=3", "weight=1", "weight=2"]),
        ("current", ["current", "weight=1", "weight=2"]),
    ],
)
def test_baselines_of_functions(baseline: object, names: list[str]) -> None:
    found = gainful.sweep(Shelf(), THINGS, GOOD, {"weight": [1, 2]}, baseline=baseline, **FAST)
    assert [point.name for point in found.points] == names
    assert found.comparison.baselines == (found.baseline,)


def test_a_journal_repeats_eight_queries_in_total(tmp_path: Path) -> None:
    shelf, kept = Shelf(), tmp_path / "sweep.journal"
    arguments = (shelf, THINGS, GOOD)
    first = gainful.sweep(*arguments, {"weight": [1, 2]}, journal=kept, **FAST)
    assert len(shelf.asked) == 24
    again = gainful.sweep(*arguments, {"weight": [1, 2]}, journal=kept, **FAST)
    assert Counter(weight for weight, _ in shelf.asked[24:]) == {"1": 4, "2": 4}
    assert str(again) == str(first)
    assert "24 of them from the journal" in again.account_line()
    assert "8 answers were requested again and are the same" in again.account_line()
    del shelf.asked[:]
    gainful.sweep(*arguments, {"weight": [1, 2, 3]}, journal=kept, **FAST)
    assert Counter(weight for weight, _ in shelf.asked) == {"1": 3, "2": 3, "3": 12}
    del shelf.asked[:]
    whole = {"weight": [1, 2, 3]}
    gainful.sweep(*arguments, whole, journal=kept, keep_answers=True, **FAST)
    assert not shelf.asked
    gainful.sweep(*arguments, whole, journal=kept, restart=True, **FAST)
    assert len(shelf.asked) == 36


def test_a_changed_system_is_noticed_at_a_point(tmp_path: Path) -> None:
    shelf, kept = Shelf(), tmp_path / "sweep.journal"
    gainful.sweep(shelf, THINGS, GOOD, {"weight": [1, 2]}, journal=kept, **FAST)

    shelf.prefix = "new"
    with pytest.raises(SearchError, match="'weight=1' has changed: 4 of 4 answers"):
        gainful.sweep(shelf, THINGS, GOOD, {"weight": [1, 2]}, journal=kept, **FAST)


def test_a_changed_description_is_another_system(tmp_path: Path) -> None:
    path, kept = made_shop(tmp_path), tmp_path / "sweep.journal"
    gainful.sweep(path, QUERIES, QRELS, {"title": [1, 2]}, journal=kept, **FAST)
    path.write_text(DESCRIPTION.replace("brand = 4", "brand = 5"))
    with pytest.raises(SearchError, match="brand"):
        gainful.sweep(path, QUERIES, QRELS, {"title": [1, 2]}, journal=kept, **FAST)


def test_failed_queries_are_an_error_after_all_points_have_run(tmp_path: Path) -> None:
    shelf, kept = Shelf(), tmp_path / "sweep.journal"
    shelf.fails = {("2", "thing 3"), ("2", "thing 5"), ("3", "thing 5")}
    arguments = (shelf, THINGS, GOOD, {"weight": [1, 2, 3]})
    message = r"weight=2, query 'q3': 3 queries failed at 2 of 3 points: "
    with pytest.raises(SearchError, match=message) as caught:
        gainful.sweep(*arguments, journal=kept, **FAST)
    assert "no thing 3 today" in str(caught.value)
    assert len(shelf.asked) == 36
    found = gainful.sweep(*arguments, journal=kept, as_complete=True, keep_answers=True, **FAST)
    assert len(shelf.asked) == 39, "only failed queries run again"
    assert found.runs["weight=2"].incomplete
    text = " ".join(str(found).split())
    assert "3 queries failed at 2 points and are treated as missing from the run." in text
    assert found.comparison.values(system="weight=2")["q3"] == 0.0
    shelf.fails.clear()
    whole = gainful.sweep(*arguments, journal=kept, keep_answers=True, **FAST)
    assert len(shelf.asked) == 42
    assert not any(run.incomplete for run in whole.runs.values())


def test_a_system_that_never_answers_ends_the_sweep() -> None:
    shelf = Shelf()
    shelf.fails = {("2", text) for text in THINGS.values()}
    with pytest.raises(SearchError, match="weight=2.*no query was answered .12 failed"):
        gainful.sweep(shelf, THINGS, GOOD, {"weight": [1, 2, 3]}, as_complete=True, **FAST)
    assert {weight for weight, _ in shelf.asked} == {"1", "2"}


def test_settings_without_effect_are_reported() -> None:
    def system(a, b=0):
        return lambda text, k: [f"{text}-{a}"]

    queries, qrels = ["x", "y"], {"x": {"x-1": 1}, "y": {"y-2": 1}}
    found = gainful.sweep(system, queries, qrels, {"a": [1, 2], "b": [1, 2]}, **FAST)
    assert found.idle == ("b",)
    assert "b has no effect on any answer. Does the system use it?" in str(found)
    alone = gainful.sweep(system, queries, qrels, {"a": [1, 2]}, **FAST)
    assert alone.idle == ()


def test_random_search_draws_from_ranges() -> None:
    grid = {"weight": Range(1, 9)}
    found = gainful.sweep(Shelf(), THINGS, GOOD, grid, sample=4, seed=5, **FAST)
    again = gainful.sweep(Shelf(), THINGS, GOOD, grid, sample=4, seed=5, **FAST)
    assert len(found.points) == found.sampled == 4
    assert found.points == again.points


def test_progress_is_reported_over_all_points() -> None:
    reported: list[tuple[int, int, int]] = []
    gainful.sweep(
        Shelf(),
        THINGS,
        GOOD,
        {"weight": [1, 2]},
        progress=lambda *numbers: reported.append(numbers),
        **FAST,
    )
    assert reported[-1] == (24, 24, 0)
    assert [done for done, _, _ in reported] == sorted(done for done, _, _ in reported)
    assert {total for _, total, _ in reported} == {24}


def test_json_meets_its_schema(tmp_path: Path) -> None:
    for more in ({}, {"baseline": "current"}):
        found = gainful.sweep(
            Shelf(), THINGS, GOOD, {"weight": [1, 2]}, ["RR", "P@1"], **more, **FAST
        )
        document = json.loads(json.dumps(found.to_dict()))
        schema = schema_of("sweep")
        assert errors(document, schema) == []
        inner = schema_of("comparison")
        assert errors(document["comparison"], inner) == []
        assert document["choice"]["best"] == found.best.name
        assert ("RR" in document["choice"]["improvements"]) == bool(more)


def test_it_converts_to_a_data_frame(need) -> None:
    polars = need("polars")
    found = gainful.sweep(Shelf(), THINGS, GOOD, {"weight": [1, 2]}, baseline="weight=1", **FAST)
    frame = polars.DataFrame(found)
    assert frame["point"].to_list() == ["weight=1", "weight=2"]
    assert frame["weight"].to_list() == [1, 2]
    assert frame["mean"].to_list() == [found.evaluation.mean(system=name) for name in found.runs]
    assert frame["difference"].to_list()[0] is None
    assert frame["verdict"].to_list()[1] == found.comparison.pair().verdict


def test_run_files_are_named_after_their_points(tmp_path: Path) -> None:
    found = gainful.sweep(Shelf(), THINGS, GOOD, {"weight": [1, 2], "odd": ["a b", "c/d"]}, **FAST)
    paths = found.write_runs(tmp_path / "runs")
    for name, path in paths.items():
        assert gainful.read_run(path) == found.runs[name]
    assert Path(paths["weight=1,odd=c/d"]).name == "weight=1,odd=c_d.run"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"system": 3}, "found int, expected a description, or a function"),
        ({"baseline": "weigth=1"}, "did you mean weight=1"),
        ({"grid": {"wait": [1, 2]}}, "a callable that rejects the settings wait"),
        ({"baseline": 3}, "'current', the name of a point, or its settings"),
        ({"folds": 1}, "folds"),
        ({"correction": "bonferroni"}, "correction"),
        ({"grid": {"weight": [1]}}, "one point"),
        ({"k": 0}, "k: found 0"),
    ],
)
def test_invalid_arguments_are_rejected(change: dict[str, object], message: str) -> None:
    given = {
        "system": Shelf(),
        "queries": THINGS,
        "qrels": GOOD,
        "grid": {"weight": [1, 2]},
        **change,
    }
    with pytest.raises((ArgumentError, ParameterError), match=message):
        gainful.sweep(**given)


def test_settings_that_a_description_lacks_are_rejected_before_searching(
    tmp_path: Path,
) -> None:
    kept = tmp_path / "sweep.journal"
    with pytest.raises(GainfulError, match="did you mean 'title'"):
        gainful.sweep(made_shop(tmp_path), QUERIES, QRELS, {"titel": [1, 2]}, journal=kept, **FAST)
    assert not kept.exists()


def test_unknown_points_are_rejected() -> None:
    found = gainful.sweep(Shelf(), THINGS, GOOD, {"weight": [1, 2]}, **FAST)
    with pytest.raises(ParameterError, match="did you mean weight=2"):
        found.point("weigth=2")


def test_queries_without_judgments_are_not_run() -> None:
    shelf = Shelf()
    few = {query: GOOD[query] for query in ("q1", "q2", "q3")}
    found = gainful.sweep(shelf, THINGS, few, {"weight": [1, 2]}, **FAST)
    assert {text for _, text in shelf.asked} == {"thing 1", "thing 2", "thing 3"}
    assert found.skipped == 9
    assert "9 queries without judgments were not run." in str(found)
    assert found.to_dict()["skipped"] == 9


def test_ids_with_spaces_and_empty_answers_are_written(tmp_path: Path) -> None:
    def system(a):
        return lambda text, k: ["d1"][: 0 if text == "two words" else a]

    queries, qrels = ["one", "two words"], {"one": {"d1": 1}, "two words": {"d1": 1}}
    found = gainful.sweep(system, queries, qrels, {"a": [0, 1]}, "RR", **FAST)
    assert found.comparison.values(system="a=1") == {"one": 1.0, "two words": 0.0}
    paths = found.write_runs(tmp_path / "runs")
    assert {Path(path).name for path in paths.values()} == {"a=0.tsv", "a=1.tsv"}
    for point, path in paths.items():
        assert gainful.read_run(path).to_dict() == found.runs[point].to_dict()
        assert list(gainful.read_run(path)) == ["one", "two words"]


def test_queries_left_out_at_some_points_are_ignored_in_the_choice() -> None:
    shelf = Shelf()
    shelf.fails = {("2", "thing 3"), ("3", "thing 3"), ("3", "thing 7")}
    found = gainful.sweep(
        shelf,
        THINGS,
        GOOD,
        {"weight": [1, 2, 3]},
        as_complete=True,
        convention=get("gainful-1").replace(missing="skip"),
        **FAST,
    )
    assert (found.choice.queries, found.choice.left_out) == (10, 2)
    text = " ".join(str(found).split())
    assert "2 queries have a value at some points only and are ignored in the choice." in text
    values = found.comparison.values(system=found.best.name)
    kept = [value for query, value in values.items() if query not in ("q3", "q7")]
    assert found.choice.estimates["nDCG@10"].measured == pytest.approx(sum(kept) / 10)


def test_an_interrupted_sweep_names_its_point_and_can_resume(tmp_path: Path) -> None:
    shelf, kept = Shelf(), tmp_path / "sweep.journal"
    arguments = (shelf, THINGS, GOOD, {"weight": [1, 2, 3]})

    def stop(done: int, total: int, failed: int) -> None:
        if done > 12:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        gainful.sweep(*arguments, journal=kept, progress=stop, **FAST)
    assert caught.value.__notes__[-1] == "Interrupted at point 2 of 3, weight=2."
    before = len(shelf.asked)
    found = gainful.sweep(*arguments, journal=kept, keep_answers=True, **FAST)
    assert len(shelf.asked) <= 36 + 8, "queries in flight may run again"
    assert len(shelf.asked) > before
    assert [len(run) for run in found.runs.values()] == [12, 12, 12]
