"""`gainful conventions diff`: the policies in which two conventions differ."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

import pytest

from gainful.cli import main
from gainful.conventions import diff, get

Say = Callable[..., str]
WORDS = ("conventions", "diff", "trec_eval", "gainful")


def test_the_table(output_of: Say) -> None:
    assert output_of(*WORDS) == f"{diff(get('trec_eval'), 'gainful')}\n"
    found = json.loads(output_of(*WORDS, "--format", "json"))
    assert [each["name"] for each in found["differences"]] == [
        "precision",
        "negative",
        "fractions",
        "missing",
        "ties",
    ]
    rows = list(csv.DictReader(io.StringIO(output_of(*WORDS, "--format", "csv"))))
    assert [row["name"] for row in rows] == [each["name"] for each in found["differences"]]
    assert "| missing " in output_of(*WORDS, "--format", "markdown")
    assert "same policies" in output_of("conventions", "diff", "gainful", "gainful-1")
    assert "same policies" in output_of(
        "conventions", "diff", "gainful", "gainful-1", "--format", "markdown"
    )


def test_policies_of_both_conventions_and_of_one(output_of: Say) -> None:
    text = output_of(*WORDS, "--policy", "missing=empty")
    assert text == f"{diff(get('trec_eval').replace(missing='empty'), 'gainful')}\n"
    assert "differ in 3 policies" in text
    same = ("conventions", "diff", "gainful", "gainful")
    assert "differ in 1 policy" in output_of(*same, "--policy", "b:missing=skip")
    # A colon in a value is not a side.
    assert "rounding" in output_of(*same, "--policy", "a:rounding=query:2", "--format", "csv")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "Missing argument 'A'"),
        (("gainful",), "Missing argument 'B'"),
        (("gainful", "trec_evil"), "did you mean trec_eval-9.0.8"),
        (("gainful", "trec_eval", "qrels.txt"), "unexpected extra argument (qrels.txt)"),
        (("gainful", "trec_eval", "--policy", "missing"), "found 'missing', expected NAME=VALUE"),
    ],
)
def test_bad_input(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["conventions", "diff", *words]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""


def test_the_help(output_of: Say) -> None:
    listing = output_of("conventions", "diff", "--help")
    assert listing.startswith("Usage: gainful conventions diff [OPTIONS] A B")
    assert output_of("conventions", "diff", "-h") == listing
    assert "conventions diff" in output_of("conventions", "--help")
