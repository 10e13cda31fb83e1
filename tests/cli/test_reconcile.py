"""`gainful reconcile`: its output in every format, and its exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gainful as package
from gainful.cli import main
from repeated_tests import for_each

pytestmark = pytest.mark.usefixtures("small_files")

ONE = ("reconcile", "qrels.txt", "bm25.run")


def output_of(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    found = main((*ONE, *words))
    captured = capsys.readouterr()
    assert found == status, captured.err
    return captured.err if status == 2 else captured.out


def test_the_table_equals_that_of_the_function(capsys: pytest.CaptureFixture[str]) -> None:
    found = package.reconcile("qrels.txt", "bm25.run", "0.6118", "AP")
    assert found.matches[0].preset == "gainful-1"
    text = output_of(capsys, "--reported", "0.6118", "--measure", "AP")
    assert text == f"{found}\n"


def test_json_is_complete(capsys: pytest.CaptureFixture[str]) -> None:
    found = package.reconcile("qrels.txt", "bm25.run", "0.612", "AP", digits=3)
    words = ("--reported", "0.612", "-m", "AP", "--digits", "3", "--format", "json")
    status = 0 if found.explained else 3
    assert found.matches
    written = json.loads(output_of(capsys, *words, status=status))
    assert len(written.pop("inputs")) == 2
    assert written == json.loads(json.dumps(found.to_dict()))


@pytest.mark.parametrize("style", ["tsv", "csv"])
def test_rows_have_full_precision(style: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = package.reconcile("qrels.txt", "bm25.run", "0.6118", "AP")
    words = ("--reported", "0.6118", "-m", "AP", "--format", style)
    lines = output_of(capsys, *words).splitlines()
    assert lines[0].startswith("measure")
    assert len(lines) == len(found.matches) + 1
    assert repr(found.matches[0].value) in lines[1]


@pytest.mark.parametrize("style", ["markdown", "latex"])
def test_tables_for_pages(style: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--reported", "0.6118", "-m", "AP", "--format", style)
    assert "gainful-1" in output_of(capsys, *words)


def test_no_match_is_a_negative_result(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "found.txt"
    words = ("--reported", "0.0123456", "-m", "AP", "-o", str(out))
    assert output_of(capsys, *words, status=4) == ""
    assert out.read_text("utf-8").startswith("No convention gives 0.0123456 for AP")


def test_values_of_queries(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    values = package.evaluate("qrels.txt", "bm25.run", "AP").per_query()
    file = tmp_path / "queries.txt"
    file.write_text("".join(f"{query} {value:.4f}\n" for query, value in values.items()))
    words = ("--reported", "0.6118", "-m", "AP", "--reported-per-query", str(file))
    text = output_of(capsys, *words)
    assert "gainful-1" in text
    assert "the reported values of 6 queries" in text


@for_each(
    ("words", "message"),
    [
        (("--reported", "abc"), "a finite number"),
        (("--reported", "1"), "no digits after the point"),
        (("--reported", "0.5", "--digits", "0"), "a whole number from 1 to 12"),
        (("--reported", "0.5", "-m", "ndgc"), "unknown measure"),
        (("--reported", "0.5", "--reported-per-query", "nowhere.txt"), "no such file"),
        ((), "--reported"),
    ],
)
def test_each_mistake_gives_one_message(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = output_of(capsys, *words, status=2)
    assert text.startswith("gainful: ")
    assert message in text


def test_scores_only_with_judgments_in_svmlight(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    labels, scores = tmp_path / "rank.svm", tmp_path / "scores.txt"
    labels.write_text("3 qid:1 1:1\n0 qid:1 1:2\n1 qid:2 1:1\n2 qid:2 1:3\n")
    scores.write_text("0.5\n0.9\n0.8\n0.1\n")
    words = ["reconcile", str(labels), str(scores), "--reported", ".7138", "-m", "nDCG"]
    assert main([*words, "--format", "json"]) == 0
    assert "lightgbm-4.7.0" in capsys.readouterr().out
