"""`gainful conventions diff`: in words, and with judgments and runs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import gainful as package
from gainful.cli import main
from gainful.conventions import diff, get
from gainful_program import gainful
from json_schema import errors, schema_of

pytestmark = pytest.mark.usefixtures("small_files")

Say = Callable[..., str]
WORDS = ("conventions", "diff", "trec_eval", "gainful")
ONE = (*WORDS, "qrels.txt", "bm25.run")
BOTH = (*ONE, "dense.run")


@pytest.fixture
def cut(small_files: Path) -> Path:
    """Return a run that lacks two queries."""
    lines = (small_files / "bm25.run").read_text().splitlines(keepends=True)
    path = small_files / "cut.run"
    path.write_text("".join(line for line in lines if not line.startswith(("q2 ", "q5 "))))
    return path


def test_in_words(said: Say) -> None:
    assert said(*WORDS) == f"{diff(get('trec_eval'), 'gainful')}\n"
    found = json.loads(said(*WORDS, "--format", "json"))
    assert [each["name"] for each in found["differences"]] == [
        "precision",
        "negative",
        "fractions",
        "missing",
        "ties",
    ]
    rows = list(csv.DictReader(io.StringIO(said(*WORDS, "--format", "csv"))))
    assert [row["name"] for row in rows] == [each["name"] for each in found["differences"]]
    assert "| missing " in said(*WORDS, "--format", "markdown")
    assert "same policies" in said("conventions", "diff", "gainful", "gainful-1")
    assert "same policies" in said(
        "conventions", "diff", "gainful", "gainful-1", "--format", "markdown"
    )


def test_the_account_is_the_contrast_as_text(cut: Path, said: Say) -> None:
    told = package.contrast("qrels.txt", "cut.run", "trec_eval", "gainful", "AP")
    assert said(*WORDS, "qrels.txt", "cut.run", "-m", "AP") == f"{told}\n"
    assert "missing counts it" in str(told)


def test_policies_of_both_conventions_and_of_one(cut: Path, said: Say) -> None:
    text = said(*WORDS, "--policy", "missing=empty")
    changed = get("trec_eval").replace(missing="empty")
    assert text == f"{diff(changed, 'gainful')}\n"
    assert "differ in 3 policies" in text
    # What the trec_eval -c option does, of one side alone.
    words = ("conventions", "diff", "trec_eval", "trec_eval", "qrels.txt", "cut.run", "-m", "AP")
    told = package.contrast("qrels.txt", "cut.run", "trec_eval", changed, "AP")
    assert said(*words, "--policy", "b:missing=empty") == f"{told}\n"
    assert "missing: skip → empty" in str(told)
    assert said(*words, "--policy", "B:missing=empty", "--policy", "A:missing=empty") == said(
        *words, "--policy", "missing=empty"
    )
    # A colon in a value names no side.
    rounded = said(*words, "--policy", "a:rounding=query:2", "--format", "csv")
    assert "rounding" in rounded
    # A name of one's own measures what the preset is not verified for.
    lightgbm = ("conventions", "diff", "gainful", "lightgbm", *words[4:])
    assert "B  mine" in said(*lightgbm, "--policy", "b:name=mine")


def test_the_default_measure_is_one_of_both(said: Say) -> None:
    text = said("conventions", "diff", "gdeval", "gdeval", "qrels.txt", "bm25.run")
    assert text.startswith("bm25, nDCG@20\n")
    text = said("conventions", "diff", "gdeval", "gainful", "qrels.txt", "bm25.run")
    assert text.startswith("bm25, nDCG@10\n")


def test_several_runs(said: Say, cut: Path) -> None:
    text = said(*BOTH, "other=cut.run")
    assert text.startswith("3 systems, nDCG@10\nA  trec_eval-9.0.8\nB  gainful-1\n")
    assert "Kendall's tau-b" in text


def test_per_query_lists_all_that_move(said: Say) -> None:
    words = (*WORDS[:3], "ndeval", "qrels.txt", "bm25.run", "--per-query", "-m", "NumRel")
    assert "none moves" in said(*words)
    text = said("conventions", "diff", "gainful", "gainful", "qrels.txt", "bm25.run")
    assert "same policies for this measure" in text


def test_csv(cut: Path, said: Say) -> None:
    words = (*WORDS, "qrels.txt", "cut.run", "--format", "csv")
    told = package.contrast("qrels.txt", "cut.run", "trec_eval", "gainful")
    account = told.account()
    rows = list(csv.DictReader(io.StringIO(said(*words))))
    assert [row["policies"] for row in rows] == [step.names for step in told.steps]
    assert [float(row["after"]) for row in rows] == list(account.means[1:])
    assert (rows[-1]["queries_before"], rows[-1]["queries_after"]) == ("4", "6")
    rows = list(csv.DictReader(io.StringIO(said(*words, "--per-query"))))
    assert len(rows) == len(told.steps) * 6
    left_out = [row for row in rows if row["query_id"] == "q2"]
    assert [row["before"] for row in left_out] == [""] * 4
    assert [row["after"] for row in left_out] == ["", "", "", "0.0"]


@pytest.mark.parametrize("per_query", [False, True])
def test_json_meets_its_schema(per_query: bool, said: Say) -> None:
    words = ("--per-query",) if per_query else ()
    found = json.loads(said(*BOTH, "--format", "json", *words))
    schema = schema_of("contrast")
    assert errors(found, schema) == []
    assert ("per_query" in found) == per_query


def test_markdown(said: Say, cut: Path) -> None:
    page = said(*WORDS, "qrels.txt", "cut.run", "--format", "markdown")
    assert page.startswith("**cut, nDCG@10: A trec_eval-9.0.8, B gainful-1**\n")
    assert "| missing: skip → empty " in page


def test_weights_files_and_standard_input(small_files: Path, cut: Path, said: Say) -> None:
    (small_files / "weights.tsv").write_text("".join(f"q{n} {n}\n" for n in range(1, 7)))
    text = said(*WORDS, "qrels.txt", "cut.run", "--weights", "weights.tsv", "-o", "account.txt")
    assert text == ""
    told = (small_files / "account.txt").read_text()
    assert told.startswith("cut, nDCG@10, weighted means\n")
    weights = {f"q{n}": float(n) for n in range(1, 7)}
    expected = package.contrast("qrels.txt", "cut.run", "trec_eval", "gainful", weights=weights)
    assert told == f"{expected}\n"
    piped = gainful(*WORDS, "qrels.txt", "cut=-", input=cut.read_bytes())
    assert piped.stdout == gainful(*WORDS, "qrels.txt", "cut.run").stdout != b""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("conventions", "diff"), "Missing argument 'A'"),
        (("conventions", "diff", "gainful"), "Missing argument 'B'"),
        (("conventions", "diff", "gainful", "trec_evil"), "did you mean trec_eval-9.0.8"),
        ((*WORDS, "qrels.txt"), "found judgments without a run"),
        ((*ONE, "bm25.run"), "two of the name 'bm25'"),
        ((*ONE, "-m", "ndgc"), "unknown measure 'ndgc'"),
        ((*ONE, "-m", "ERR@20"), "ERR@20 is not verified for trec_eval-9.0.8, "),
        ((*ONE, "--policy", "missing"), "--policy: found 'missing', expected NAME=VALUE"),
        ((*ONE, "--policy", "c:missing=empty"), "found the unknown policy 'c:missing'"),
        ((*ONE, "--policy", "b:missing=never"), "missing"),
        ((*WORDS, "-", "-"), "standard input named 2 times"),
        ((*WORDS, "nowhere.txt", "bm25.run"), "nowhere.txt: found no such file"),
        (
            ("conventions", "diff", "gainful", "trec_eval-10", "qrels.txt", "cut.run"),
            "under trec_eval-10.0-rc3: found no ranking for 2 judged queries",
        ),
    ],
)
def test_bad_input(
    words: tuple[str, ...], message: str, cut: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""


def test_its_help_says_how_it_is_called(said: Say) -> None:
    told = said("conventions", "diff", "--help")
    assert told.startswith("Usage: gainful conventions diff [OPTIONS] A B [QRELS] [RUN]...")
    assert said("conventions", "diff", "-h") == told
    assert "conventions diff" in said("conventions", "--help")


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["conventions", "di"], "diff"),
        (["conventions", "trec"], "trec_eval-9.0.8"),
        (["conventions", "diff", "trec"], "trec_eval-9.0.8"),
        (["conventions", "diff", "gainful", "ndev"], "ndeval-4.5"),
        (["conventions", "diff", "gainful", "ndeval", "--per"], "--per-query"),
    ],
)
def test_what_a_shell_is_offered(words: list[str], offered: str) -> None:
    done = gainful(
        _GAINFUL_COMPLETE="bash_complete",
        COMP_WORDS=" ".join(["gainful", *words]),
        COMP_CWORD=str(len(words)),
    )
    assert f"plain,{offered}" in done.stdout.decode().splitlines()
