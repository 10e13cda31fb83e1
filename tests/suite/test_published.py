"""Published scores in the tables of a suite."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import gainful
from gainful.cli import main
from gainful.published import PublishedScore, read_published
from json_schema import errors, schema_of


def score(system: str, collection: str | None, mean: float, **more: str) -> PublishedScore:
    values = {"measure": "ndcg_cut_10", "convention": "gainful-1", **more}
    return PublishedScore(system=system, collection=collection, mean=mean, **values)  # type: ignore[arg-type]


BOTH = [score("BM25", "help", 0.81), score("BM25", "recipes", 0.61)]


def test_rows_are_in_the_order_of_means(small_files: Path) -> None:
    suite = gainful.evaluate_suite("collections", published=[*BOTH, score("X", "help", 0.99)])
    table, *_ = suite.tables()
    systems = [row[0] for row in table.rows]
    assert systems == [
        "fts5-tuned",
        "BM25 (published)",
        "fts5-plain",
        "title-words",
        "X (published)",
        "oracle",
    ]
    keys = [column.key for column in table.columns]
    assert keys == [
        "system",
        "collection.help",
        "collection.recipes",
        "macro",
        "macro_interval",
        "convention",
    ]
    row = dict(zip(keys, table.rows[1], strict=True))
    assert (row["collection.help"], row["macro"], row["macro_interval"]) == (0.81, 0.71, None)
    assert {len(row) for row in table.rows} == {len(keys)}
    assert "Published under another" not in str(suite)


def test_other_conventions_are_named(small_files: Path) -> None:
    scores = [score("BM25", "help", 0.8, convention="beir-2.2.0")]
    text = str(gainful.evaluate_suite("collections", published=scores))
    assert "Published under another convention: BM25 (beir-2.2.0)." in text
    assert "Use convention=beir-2.2.0 for" in text
    same = gainful.evaluate_suite("collections", convention="beir", published=scores)
    assert "Published under another" not in str(same)


def test_scores_of_other_collections_and_measures(small_files: Path) -> None:
    scores = [
        score("BM25", "web", 0.8),
        score("BM25", None, 0.8),
        score("Y", "help", 1, measure="wow"),
    ]
    suite = gainful.evaluate_suite("collections", published=scores)
    assert "No published score is of these measures and collections; they are of web, no" in str(
        suite
    )
    assert str(gainful.evaluate_suite("collections")) in str(suite).replace(
        next(line for line in str(suite).splitlines(keepends=True) if "No published" in line), ""
    )


def test_relative_scores_have_no_published_average(small_files: Path) -> None:
    suite = gainful.evaluate_suite(
        "collections", aggregate="empirical", over="help", published=BOTH
    )
    rows = {row[0]: row for row in suite.tables()[0].rows}
    assert rows["BM25 (published)"][3] is None


def test_many_systems(small_files: Path) -> None:
    runs = {f"s{n}": {"q": ["b"] * (n > 3) + ["a"]} for n in range(12)}
    suite = gainful.evaluate_suite({"help": ({"q": {"a": 1}}, runs)}, "nDCG@10", published=BOTH)
    rows = {row[0]: row for row in suite.tables()[0].rows}
    assert rows["BM25 (published)"][1] == 0.81


def test_the_command_reads_and_writes(
    small_files: Path, output_of: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    output_of("evaluate-suite", "collections", "--publish", "own.json")
    own = read_published("own.json")
    suite = gainful.evaluate_suite("collections")
    assert own == suite.scores()
    assert len(own) == 5
    text = output_of("evaluate-suite", "collections", "--published", "own.json")
    assert "fts5-tuned (published)" in text
    document = json.loads(
        output_of("evaluate-suite", "collections", "--published", "own.json", "--format", "json")
    )
    assert errors(document, schema_of("suite")) == []
    assert len(document["published"]) == 5
    assert main(["evaluate-suite", "collections", "--published", "collections"]) == 2
    assert "is a directory" in capsys.readouterr().err
