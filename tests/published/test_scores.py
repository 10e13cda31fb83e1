"""Files of published scores: read, written, refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.errors import FormatError, GainfulError, SourceError
from gainful.published import (
    PublishedScore,
    read_published,
    summarize_published,
    write_published,
)
from json_schema import errors, schema_of

SCORE: dict[str, Any] = {"system": "BM25", "measure": "nDCG@10", "mean": 0.5}


def written(folder: Path, *scores: object) -> Path:
    path = folder / "scores.json"
    path.write_text(json.dumps({"schema": "gainful.published/1", "scores": scores}), "utf-8")
    return path


def test_what_is_written_is_read(tmp_path: Path) -> None:
    qrels, runs = {"q": {"a": 1}, "r": {"a": 1}}, {"über 'x'": {"q": ["a"], "r": ["b", "a"]}}
    result = gainful.evaluate(qrels, runs=runs, measures=["RR", "P@1"])
    scores = summarize_published(result, collection="news", source="https://example.org")
    write_published(tmp_path / "own.json", scores)
    assert read_published(tmp_path / "own.json") == scores
    assert (scores[0].mean, scores[0].queries, scores[0].convention) == (0.75, 2, "gainful-1")
    document = json.loads((tmp_path / "own.json").read_text("utf-8"))
    assert errors(document, schema_of("published")) == []


def test_short_names_of_conventions_and_unknown_fields(tmp_path: Path) -> None:
    given = {**SCORE, "convention": "trec_eval", "low": None, "license": "CC"}
    (score,) = read_published(written(tmp_path, given))
    assert score == PublishedScore(**SCORE, convention="trec_eval-9.0.8")
    (score,) = read_published(written(tmp_path, {**SCORE, "convention": "my tool 3"}))
    assert score.convention == "my tool 3"


@pytest.mark.parametrize(
    "change",
    [
        {"measure": "nDCG@10", "convention": "recommenders"},
        {"measure": "DCG@10"},
        {"measure": "my score"},
        {"measure": "nDCG@10", "convention": "my tool 3"},
    ],
)
def test_measures_without_an_upper_end_have_any_mean(
    change: dict[str, Any], tmp_path: Path
) -> None:
    (score,) = read_published(written(tmp_path, {**SCORE, **change, "mean": 1.31}))
    assert score.mean == 1.31


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mean": None}, "score 1: the field mean is missing"),
        ({"mean": "0.5"}, "mean: found '0.5', expected a number"),
        ({"mean": True}, "mean: found True, expected a number"),
        ({"mean": float("nan")}, "mean: found nan, expected a number"),
        ({"system": ""}, "system: found '', expected text"),
        ({"system": 3}, "system: found 3, expected text"),
        ({"queries": 1.5}, "queries: found 1.5, expected a number"),
        ({"queries": -1}, "queries: found -1, expected a number"),
        ({"low": 0.9, "high": 0.1}, "low: found 0.9, expected at most high, 0.1"),
        (
            {"mean": 1.31},
            r"score 1, nDCG@10: found 1.31, expected 0 to 1. Hint: divide percentages",
        ),
        ({"mean": -0.2, "measure": "map"}, "score 1, map: found -0.2, expected 0 to 1"),
        ({"mean": -0.2, "measure": "DCG"}, "score 1, DCG: found -0.2, expected at least 0"),
    ],
)
def test_scores_that_are_refused(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=message):
        read_published(written(tmp_path, {**SCORE, **change}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: invalid JSON"),
        ("[\n1", "line 2: invalid JSON"),
        ("\udcff", "invalid JSON"),
        ("[]", "found no schema, expected 'gainful.published/1'"),
        ('{"schema": "gainful.suite/1"}', "found the schema 'gainful.suite/1'"),
        ('{"schema": "gainful.published/1", "scores": {}}', "found no list of scores"),
        ('{"schema": "gainful.published/1", "scores": [[]]}', "score 1: found list"),
        ("[" * 100_000, "invalid JSON"),
        ("9" * 5_000, "invalid JSON"),
    ],
)
def test_files_that_are_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(GainfulError, match=message):
        read_published(tmp_path / "x.json")


def test_folders_and_missing_files(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is a directory"):
        read_published(tmp_path)
    with pytest.raises(SourceError, match="no such file"):
        read_published(tmp_path / "none.json")


def test_two_scores_for_the_same(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"BM25 has two scores of nDCG@10. Hint: name their"):
        read_published(written(tmp_path, SCORE, {**SCORE, "mean": 0.6}))
    read_published(written(tmp_path, SCORE, {**SCORE, "mean": 0.6, "convention": "beir"}))
