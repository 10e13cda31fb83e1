"""`gainful contrast`: what each policy does to the scores of runs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import gainful as package
from gainful.cli import main
from gainful.conventions import get
from gainful_program import gainful
from json_schema import errors, schema_of
from repeated_tests import for_each

pytestmark = pytest.mark.usefixtures("small_files")

Say = Callable[..., str]
ENDS = ("-a", "trec_eval", "-b", "gainful")
ONE = ("contrast", "qrels.txt", "bm25.run", *ENDS)
CUT = ("contrast", "qrels.txt", "cut.run", *ENDS)


@pytest.fixture
def cut(small_files: Path) -> Path:
    """Return a run that lacks two queries."""
    lines = (small_files / "bm25.run").read_text().splitlines(keepends=True)
    path = small_files / "cut.run"
    path.write_text("".join(line for line in lines if not line.startswith(("q2 ", "q5 "))))
    return path


def test_the_account_is_the_contrast_as_text(cut: Path, output_of: Say) -> None:
    result = package.contrast("qrels.txt", "cut.run", "trec_eval", "gainful", "AP")
    assert output_of(*CUT, "-m", "AP") == f"{result}\n"
    assert "missing adds it" in str(result)


def test_policies_of_both_conventions_and_of_one(cut: Path, output_of: Say) -> None:
    # What the trec_eval -c option does, of one side alone.
    changed = get("trec_eval").replace(missing="empty")
    words = ("contrast", "qrels.txt", "cut.run", "-m", "AP", "-a", "trec_eval", "-b", "trec_eval")
    result = package.contrast("qrels.txt", "cut.run", "trec_eval", changed, "AP")
    assert output_of(*words, "--policy", "b:missing=empty") == f"{result}\n"
    assert "missing: skip → empty" in str(result)
    assert output_of(
        *words, "--policy", "B:missing=empty", "--policy", "A:missing=empty"
    ) == output_of(*words, "--policy", "missing=empty")
    # A colon in a value names no side.
    rounded = output_of(*words, "--policy", "a:rounding=query:2", "--format", "csv")
    assert "rounding" in rounded
    # A name of one's own measures what the preset is not verified for.
    lightgbm = (*words[:5], "-a", "gainful", "-b", "lightgbm")
    assert "B  mine" in output_of(*lightgbm, "--policy", "b:name=mine")


def test_the_default_measure_is_one_of_both(output_of: Say) -> None:
    text = output_of(*ONE[:3], "-a", "gdeval", "-b", "gdeval")
    assert text.startswith("bm25, nDCG@20\n")
    text = output_of(*ONE[:3], "-a", "gdeval", "-b", "gainful")
    assert text.startswith("bm25, nDCG@10\n")


def test_several_runs(output_of: Say, cut: Path) -> None:
    text = output_of(*ONE, "dense.run", "other=cut.run")
    assert text.startswith("3 systems, nDCG@10\nA  trec_eval-9.0.8\nB  gainful-1\n")
    assert "Kendall's tau-b" in text


def test_per_query_lists_all_that_move(output_of: Say) -> None:
    words = (*ONE[:-1], "ndeval", "--per-query", "-m", "NumRel")
    assert "unchanged" in output_of(*words)
    text = output_of(*ONE[:3], "-a", "gainful", "-b", "gainful")
    assert "same policies for this measure" in text


def test_csv(cut: Path, output_of: Say) -> None:
    words = (*CUT, "--format", "csv")
    result = package.contrast("qrels.txt", "cut.run", "trec_eval", "gainful")
    account = result.account()
    rows = list(csv.DictReader(io.StringIO(output_of(*words))))
    assert [row["policies"] for row in rows] == [step.names for step in result.steps]
    assert [float(row["after"]) for row in rows] == list(account.means[1:])
    assert (rows[-1]["queries_before"], rows[-1]["queries_after"]) == ("4", "6")
    rows = list(csv.DictReader(io.StringIO(output_of(*words, "--per-query"))))
    assert len(rows) == len(result.steps) * 6
    left_out = [row for row in rows if row["query_id"] == "q2"]
    assert [row["before"] for row in left_out] == [""] * 4
    assert [row["after"] for row in left_out] == ["", "", "", "0.0"]


@pytest.mark.parametrize("per_query", [False, True])
def test_json_meets_its_schema(per_query: bool, output_of: Say) -> None:
    words = ("--per-query",) if per_query else ()
    found = json.loads(output_of(*ONE, "dense.run", "--format", "json", *words))
    schema = schema_of("contrast")
    assert errors(found, schema) == []
    assert ("per_query" in found) == per_query


def test_markdown(output_of: Say, cut: Path) -> None:
    page = output_of(*CUT, "--format", "markdown")
    assert page.startswith("cut, nDCG@10\n\nA  trec_eval-9.0.8\n\nB  gainful-1\n")
    assert "| missing: skip → empty " in page


def test_weights_files_and_standard_input(small_files: Path, cut: Path, output_of: Say) -> None:
    (small_files / "weights.tsv").write_text("".join(f"q{n} {n}\n" for n in range(1, 7)))
    text = output_of(*CUT, "--weights", "weights.tsv", "-o", "account.txt")
    assert text == ""
    result = (small_files / "account.txt").read_text()
    assert result.startswith("cut, nDCG@10, weighted means\n")
    weights = {f"q{n}": float(n) for n in range(1, 7)}
    expected = package.contrast("qrels.txt", "cut.run", "trec_eval", "gainful", weights=weights)
    assert result == f"{expected}\n"
    piped = gainful("contrast", "qrels.txt", "cut=-", *ENDS, input=cut.read_bytes())
    assert piped.stdout.decode() == output_of(*CUT) != ""


@for_each(
    ("words", "message"),
    [
        (ONE[:3], "Missing option '-a'"),
        (ONE[:-2], "Missing option '-b'"),
        ((*ONE[:-1], "trec_evil"), "did you mean trec_eval-9.0.8"),
        (("contrast", "qrels.txt", *ENDS), "Missing argument 'RUN...'"),
        ((*ONE, "bm25.run"), "two runs have the name 'bm25'"),
        ((*ONE, "-m", "ndgc"), "unknown measure 'ndgc'"),
        ((*ONE, "-m", "ERR@20"), "ERR@20 is not verified for trec_eval-9.0.8, "),
        ((*ONE, "--policy", "missing"), "--policy: found 'missing', expected NAME=VALUE"),
        ((*ONE, "--policy", "c:missing=empty"), "unknown policy 'c:missing'"),
        ((*ONE, "--policy", "b:missing=never"), "missing"),
        (("contrast", "-", "-", *ENDS), "standard input (-) is given 2 times"),
        (("contrast", "nowhere.txt", "bm25.run", *ENDS), "no such file: nowhere.txt"),
        (
            (*CUT[:3], "-a", "gainful", "-b", "trec_eval-10"),
            "under trec_eval-10.0-rc3: the run has no ranking for 2 judged queries",
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
