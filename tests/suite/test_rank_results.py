"""Leaderboards of the result files of MTEB and BEIR."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import gainful
from gainful.errors import FormatError, GainfulError, ParameterError, SourceError
from gainful.formats.text import text
from gainful.inference import max_t_pairs, rank_posterior
from gainful.suite import read_results
from gainful.suite.macro import standardize
from gainful_program import gainful as run_program
from json_schema import errors, schema_of

Say = Callable[..., str]
REVISION = "13f00a0e36500c80ce12870ea513846a066004af"


def subset(score: float, name: str = "default", languages: tuple[str, ...] = ("eng-Latn",)) -> Any:
    return {
        "hf_subset": name,
        "languages": list(languages),
        "main_score": score,
        "ndcg_at_10": score,
        "recall_at_100": score + 0.1,
    }


def write(path: Path, document: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document if isinstance(document, str) else json.dumps(document), "utf-8")


def write_mteb(top: Path, model: str, task: str, splits: Any, revision: str = REVISION) -> None:
    document = {
        "dataset_revision": "r",
        "mteb_version": "1.12.75",
        "task_name": task,
        "evaluation_time": 3.5,
        "scores": splits,
    }
    write(top / model / revision / f"{task}.json", document)
    write(top / model / revision / "model_meta.json", {"name": model})


def test_mteb_files_are_read_by_model_and_task(tmp_path: Path) -> None:
    for score, model in ((0.5, "org__a"), (0.4, "b")):
        write_mteb(tmp_path, model, "FiQA2018", {"dev": [subset(0.9)], "test": [subset(score)]})
        write_mteb(tmp_path, model, "MSMARCO", {"dev": [subset(score / 2)]})
    found = read_results(tmp_path)
    assert found.scores == {
        "FiQA2018": {"b": 0.4, "org/a": 0.5},
        "MSMARCO": {"b": 0.2, "org/a": 0.25},
    }
    assert found.left_out == ()
    for name in ("R@100", "recall_at_100", "Recall@100"):
        assert read_results(tmp_path, name).scores["FiQA2018"]["b"] == pytest.approx(0.5)
    dev = read_results(tmp_path, split="dev").scores
    assert dev["FiQA2018"] == {"b": 0.9, "org/a": 0.9}


def test_subsets_are_averaged_and_chosen_by_language(tmp_path: Path) -> None:
    parts = [subset(0.2, "de", ("deu-Latn",)), subset(0.6, "de-fr", ("deu-Latn", "fra-Latn"))]
    write_mteb(tmp_path, "a", "Many", {"test": [*parts, subset(0.4, "en")]})
    write_mteb(tmp_path, "a", "English", {"test": [subset(0.4, "en")]})
    assert read_results(tmp_path).scores["Many"]["a"] == pytest.approx(0.4)
    german = read_results(tmp_path, language="deu")
    assert german.scores == {"Many": {"a": pytest.approx(0.4)}}
    assert german.left_out == (str(Path("a", REVISION, "English.json")),)
    assert read_results(tmp_path, language="fra-Latn").scores["Many"]["a"] == pytest.approx(0.6)


def test_the_format_before_version_1_11_is_read(tmp_path: Path) -> None:
    common = {"mteb_dataset_name": "NQ", "mteb_version": "1.1.1", "dataset_revision": None}
    write(tmp_path / "a" / "NQ.json", {**common, "test": {"ndcg_at_10": 0.3, "evaluation_time": 9}})
    by_language = {"evaluation_time": 9.1, "de": {"main_score": 0.2}, "en": {"main_score": 0.6}}
    old = {
        **common,
        "mteb_dataset_name": "Massive",
        "test": {"evaluation_time": 9.1, **by_language},
    }
    write(tmp_path / "a" / "Massive.json", old)
    assert read_results(tmp_path).scores == {"Massive": {"a": 0.4}, "NQ": {"a": 0.3}}
    assert read_results(tmp_path, language="de").scores == {"Massive": {"a": 0.2}}


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("fiqa.json", {"ndcg": {"NDCG@1": 0.1, "NDCG@10": 0.25}, "map": {"MAP@10": 0.2}}),
        ("fiqa.json", {"NDCG@1": 0.1, "NDCG@10": 0.25}),
        ("fiqa.json", [{"NDCG@10": 0.25}, {"MAP@10": 0.2}, {"Recall@10": 0.3}, {"P@10": 0.1}]),
        (
            "fiqa.json",
            {"q1": {"ndcg_cut_10": 0.5, "P_5": 0.2}, "q2": {"ndcg_cut_10": 0.0, "P_5": 0}},
        ),
        ("fiqa/metrics.json", {"ndcg": {"NDCG@10": 0.25}}),
        ("fiqa.txt", "{'NDCG@1': 0.1, 'NDCG@10': 0.25} {'MAP@10': 0.2}"),
        (
            "fiqa.log",
            "2024-05-01 10:00:00 - NDCG@1: 0.1000\n2024-05-01 10:00:00 - NDCG@10: 0.2500\n",
        ),
    ],
)
def test_what_beir_writes_and_prints_is_read(tmp_path: Path, name: str, document: object) -> None:
    write(tmp_path / "dense" / name, document)
    assert read_results(tmp_path).scores == {"fiqa": {"dense": 0.25}}
    assert read_results(tmp_path, "nDCG@10").scores == {"fiqa": {"dense": 0.25}}
    with pytest.raises(ParameterError, match="measure nDCG@7"):
        read_results(tmp_path, "nDCG@7")


def test_each_revision_is_a_system(tmp_path: Path) -> None:
    write_mteb(tmp_path, "a", "NQ", {"test": [subset(0.3)]})
    write_mteb(tmp_path, "a", "NQ", {"test": [subset(0.4)]}, revision="f" * 40)
    assert read_results(tmp_path).scores == {"NQ": {"a@13f00a0e": 0.3, "a@ffffffff": 0.4}}


def test_bad_folders_have_one_clear_message(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such folder"):
        read_results(tmp_path / "absent")
    with pytest.raises(ParameterError, match="no results"):
        read_results(tmp_path)
    for damaged in ("{", "[" * 100_000, '{"NDCG@10": ' + "9" * 5_000 + "}"):
        write(tmp_path / "a" / "NQ.json", damaged)
        with pytest.raises(SourceError, match="invalid JSON"):
            read_results(tmp_path)
    write(tmp_path / "a" / "NQ.json", {"NDCG@10": 0.1})
    write(tmp_path / "a" / "NQ.txt", "NDCG@10: 0.2")
    with pytest.raises(ParameterError, match="two files have results of a on NQ"):
        read_results(tmp_path)
    (tmp_path / "a" / "NQ.txt").unlink()
    write_mteb(tmp_path, "b", "NQ", {"dev": [subset(0.1)], "train": [subset(0.1)]})
    done = run_program("rank-results", str(tmp_path))
    assert done.returncode == 2
    assert b"the splits dev, train" in done.stderr
    assert b"--split" in done.stderr


def scores_of(tasks: int, systems: int, seed: int = 0) -> dict[str, dict[str, float]]:
    chance = random.Random(seed)
    return {
        f"task{task}": {
            f"s{at:02}": 0.3 + task / 50 + 0.01 * at + chance.gauss(0, 0.02)
            for at in range(systems)
        }
        for task in range(tasks)
    }


def test_means_intervals_and_ranks_are_those_over_tasks() -> None:
    scores = scores_of(15, 4)
    found = gainful.rank_results(scores, resamples=2_000)
    table = np.array([[own[f"s{at:02}"] for at in range(4)] for own in scores.values()])
    for entry in found.entries:
        column = table[:, int(entry.system[1:])]
        low, high = stats.t.interval(0.95, 14, column.mean(), stats.sem(column))
        assert entry.mean == pytest.approx(column.mean())
        assert entry.interval == pytest.approx((low, high))
    p = max_t_pairs([table], resamples=2_000)[0].p
    means = table.mean(axis=0)
    for at, system in enumerate(f"s{at:02}" for at in range(4)):
        significant = p[at] <= 0.05
        assert found.ranks[system].low == 1 + (significant & (means > means[at])).sum()
        assert found.ranks[system].high == 4 - (significant & (means < means[at])).sum()
    assert [entry.rank.rank for entry in found.entries] == [1, 2, 3, 4]


def test_empirical_scores_order_systems_as_a_borda_count_does() -> None:
    scores = scores_of(12, 5, seed=2)
    found = gainful.rank_results(scores, aggregate="empirical", resamples=999)
    points = dict.fromkeys(scores["task0"], 0)
    for own in scores.values():
        for points_of_place, system in enumerate(sorted(own, key=lambda name: own[name])):
            points[system] += points_of_place
    assert [entry.system for entry in found.entries] == sorted(points, key=lambda s: -points[s])


def test_borda_counts_have_half_points_for_equal_scores() -> None:
    scores = {"t": {"a": 0.5, "b": 0.5, "c": 0.1}, "u": {"a": 0.2, "b": 0.3, "c": 0.4, "d": 0.9}}
    board = gainful.rank_results(scores, over="all")
    assert {entry.system: entry.borda for entry in board.entries} == {"a": 1.5, "b": 2.5, "c": 2.0}
    assert board.incomplete == {"d": ("t",)}


@pytest.mark.parametrize("aggregate", ["mean", "standardized"])
def test_posterior_ranks_are_those_over_tasks(aggregate: str) -> None:
    scores = scores_of(12, 3)
    board = gainful.rank_results(scores, aggregate=aggregate, bayes=True, resamples=999, seed=4)
    systems = [entry.system for entry in board.entries]
    table = standardize([[row[name] for name in systems] for row in scores.values()], aggregate)
    expected = rank_posterior(table, seed=4)
    assert expected is not None
    chances = [entry.posterior_rank for entry in board.entries if entry.posterior_rank]
    assert [chance.low for chance in chances] == expected.low.tolist()
    assert sum(chance.first for chance in chances) == pytest.approx(1)
    assert [chance.first for chance in chances] == pytest.approx(expected.first, abs=0.02)
    assert "P(rank 1)" in str(board)
    assert errors(board.to_dict(), schema_of("leaderboard")) == []
    few = gainful.rank_results(scores_of(9, 3), bayes=True, resamples=999)
    assert {entry.posterior_rank for entry in few.entries} == {None}
    assert "differ on fewer than 10 tasks" in str(few)


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ({"NDCG@10": 1.31}, "nDCG@10"),
        ({"NDCG@10": 41.3}, "nDCG@10"),
        ({"q1": {"ndcg_cut_10": 1.9}, "q2": {"ndcg_cut_10": 1}}, "nDCG@10"),
        ({"mteb_dataset_name": "NQ", "test": {"ndcg_at_10": -0.1}}, "nDCG@10"),
        ({"mteb_dataset_name": "NQ", "test": {"main_score": 31.2}}, "main_score"),
        ({"scores": {"test": [subset(0.1), subset(1.31)]}}, "main_score"),
    ],
)
def test_a_score_outside_the_range_is_refused(tmp_path: Path, document: Any, place: str) -> None:
    write(tmp_path / "a" / "NQ.json", document)
    write(tmp_path / "b" / "NQ.json", {"NDCG@10": 0.3})
    with pytest.raises(
        FormatError, match=rf"NQ.json, {place}: found -?[0-9.]+, expected -?[01] to"
    ):
        gainful.rank_results(tmp_path)


def test_a_measure_without_an_upper_end_has_any_score(tmp_path: Path) -> None:
    for system in "ab":
        write(tmp_path / system / "NQ.json", {"DCG@10": 31.2, "cosine_spearman": -0.4, "x": 7})
    for measure in ("DCG@10", "cosine_spearman", "x"):
        assert len(gainful.rank_results(tmp_path, measure).entries) == 2


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ({}, "results: found scores of no system, expected at least two systems"),
        ({"t": {"a": 0.1}}, "results: found scores of a, expected at least two systems"),
        ({"t": {"a": float("nan"), "b": 0.2}}, "task t, system a: found nan, expected a number"),
        ({"t": {"a": "x", "b": 0.2}}, "task t, system a: found 'x', expected a number"),
        ({"t": {"a": None, "b": 0.2}}, "task t, system a: found None, expected a number"),
        ({"t": [1, 2]}, r"task t: found \[1, 2\], expected scores by system"),
    ],
)
def test_scores_in_memory_are_checked(scores: Any, message: str) -> None:
    with pytest.raises(GainfulError, match=message):
        gainful.rank_results(scores)


def test_few_tasks_have_no_intervals() -> None:
    found = gainful.rank_results(scores_of(5, 3))
    assert {entry.interval for entry in found.entries} == {None}
    assert {(rank.low, rank.high) for rank in found.ranks.values()} == {(1, 3)}
    assert "Too few tasks" in str(found)


def test_a_system_without_all_tasks_is_not_ranked() -> None:
    scores = scores_of(7, 3)
    del scores["task2"]["s00"]
    found = gainful.rank_results(scores, resamples=999)
    assert found.incomplete == {"s00": ("task2",)}
    assert {entry.system for entry in found.entries} == {"s01", "s02"}
    assert "s00 (1 missing)" in str(found)
    common = gainful.rank_results(scores, over="common", resamples=999)
    assert len(common.entries) == 3
    assert "task2" not in common.tasks
    with pytest.raises(ParameterError, match="alpha"):
        gainful.rank_results(scores, over="common", alpha=2)
    with pytest.raises(ParameterError, match="unknown task 'x'"):
        gainful.rank_results(scores, over=["x"])
    del scores["task3"]["s01"]
    with pytest.raises(ParameterError, match="1 of 3 systems"):
        gainful.rank_results(scores)


def test_twenty_systems_on_many_tasks_fit_on_a_screen() -> None:
    found = gainful.rank_results(scores_of(56, 20), resamples=999)
    (board,) = found.tables()
    lines = text(board).splitlines()
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 100


def test_the_command_prints_what_python_does(tmp_path: Path, output_of: Say) -> None:
    for task, own in scores_of(8, 3).items():
        for system, score in own.items():
            write_mteb(tmp_path, system, task, {"test": [subset(score)]})
    found = gainful.rank_results(tmp_path, aggregate="standardized", alpha=0.1, seed=3)
    words = ("rank-results", str(tmp_path), "--aggregate", "standardized", "--alpha", "0.1")
    assert output_of(*words, "--seed", "3") == f"{found}\n"
    document = json.loads(output_of(*words, "--seed", "3", "--format", "json"))
    assert len(document.pop("inputs")) == 3 * 9
    assert document == json.loads(json.dumps(found.to_dict()))
    assert errors(document, schema_of("leaderboard")) == []
