"""Options that people know from other tools: -V, --json, --quiet, --verbose, --output-format."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import gainful
from gainful.cli import main

pytestmark = pytest.mark.usefixtures("small_files")

RUN = ("evaluate", "qrels.txt", "bm25.run", "-m", "nDCG@10", "-m", "AP")


def test_the_version(output_of) -> None:
    assert output_of("-V") == output_of("--version")


@pytest.mark.parametrize(
    "words", [("--json",), ("--output-format", "json"), ("--output-format=json",)]
)
def test_json_has_several_spellings(words: tuple[str, ...], output_of) -> None:
    assert output_of(*RUN, *words) == output_of(*RUN, "--format", "json")
    assert json.loads(output_of("measures", *words)) == json.loads(
        output_of("measures", "--format", "json")
    )


def test_a_baseline_as_json(output_of) -> None:
    output_of("baseline", "oracle", "qrels.txt", "-k", "3", "--quiet", "--json", "-o", "out.txt")
    assert json.loads(Path("out.txt").read_text())["q1"]


@pytest.mark.parametrize("words", [("--json", "--format", "csv"), ("--json", "--json")])
def test_two_formats_are_an_error(words: tuple[str, ...], capsys) -> None:
    assert main([*RUN, *words]) == 2
    assert "--format is not repeatable, and has 2 values" in capsys.readouterr().err


def test_a_command_without_formats_has_no_json(capsys) -> None:
    assert main(["report", "qrels.txt", "bm25.run", "--json"]) == 2
    assert "No such option '--json'" in capsys.readouterr().err


@pytest.mark.parametrize("flag", ["-v", "--verbose"])
def test_verbose_prints_all_notes(flag: str, output_of) -> None:
    words = ("compare-measures", "qrels.txt", "bm25.run", "dense.run", "-m", "nDCG@10", "-m", "AP")
    assert output_of(*words, flag) == output_of(*words, "--notes") != output_of(*words)


@pytest.mark.parametrize("flag", ["-q", "--quiet"])
def test_quiet_prints_no_notes_on_the_standard_error(flag: str, capsys) -> None:
    words = ["baseline", "oracle", "qrels.txt"]
    assert main(words) == 0
    run, note = capsys.readouterr()
    assert "in ideal order" in note
    assert main([*words, flag]) == 0
    assert capsys.readouterr() == (run, "")
    assert main(["baseline", "oracle", "none.txt", flag]) == 2
    assert capsys.readouterr().err.startswith("gainful: no such file")


def test_explain_keeps_its_short_option(output_of) -> None:
    words = ("explain", "qrels.txt", "bm25.run")
    assert output_of(*words, "-q", "q1", "--quiet") == output_of(*words, "--query", "q1")


@pytest.mark.parametrize(
    ("option", "near"),
    [
        ("--formats", "--format"),
        ("--lon", "--long"),
        ("--jsn", "--json"),
        ("--per-querry", "--per-query"),
    ],
)
def test_an_unknown_option_suggests_a_near_one(option: str, near: str, capsys) -> None:
    assert main([*RUN, option]) == 2
    assert f"did you mean {near}?" in capsys.readouterr().err


def test_values_of_queries_as_tidy_rows(output_of) -> None:
    words = (*RUN, "--per-query", "--format")
    evaluation = gainful.evaluate("qrels.txt", {"bm25": "bm25.run"}, ["nDCG@10", "AP"])
    tidy = list(csv.DictReader(io.StringIO(output_of(*words, "csv", "--long"))))
    assert list(tidy[0]) == ["system", "query_id", "measure", "value"]
    wide = list(csv.DictReader(io.StringIO(output_of(*words, "csv", "--wide"))))
    assert output_of(*words, "csv") == output_of(*words, "csv", "--wide")
    assert [(row["query_id"], row["measure"], row["value"]) for row in tidy] == [
        (row["query_id"], name, row[name]) for row in wide for name in ("nDCG@10", "AP")
    ]
    assert list(evaluation.records("values")) == list(tidy[0])
    assert evaluation.records("values")["value"] == [float(row["value"]) for row in tidy]
    # They are values that other commands read.
    Path("values.csv").write_text(output_of(*words, "csv", "--long"))
    assert "nDCG@10" in output_of("evaluate", "values.csv", "-m", "nDCG@10")
