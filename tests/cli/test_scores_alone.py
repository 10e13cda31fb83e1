"""Every command reads runs that are files of scores, with judgments in SVMlight."""

from __future__ import annotations

from pathlib import Path

import pytest

import gainful as package
from gainful.cli import main

ROWS = ["2 qid:1 1:0.7", "0 qid:1 1:0.2", "1 qid:1 1:0.9", "0 qid:2 1:0.1", "1 qid:2 1:0.4"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rank.svm").write_text("\n".join(ROWS) + "\n", encoding="utf-8")
    Path("scores.txt").write_text("0.1\n0.5\n0.3\n0.9\n0.2\n", encoding="utf-8")


@pytest.mark.parametrize("options", [(), ("--run-format", "scores", "--qrels-format", "svmlight")])
@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", "rank.svm", "scores.txt", "-m", "nDCG@5"),
        ("evaluate", "rank.svm", "scores.txt", "--convention", "xgboost", "--convention", "rax"),
        ("contrast", "rank.svm", "scores.txt", "-a", "lightgbm", "-b", "catboost"),
        ("explain", "rank.svm", "scores.txt"),
        ("explain", "rank.svm", "scores.txt", "--query", "1", "--convention", "lightgbm"),
    ],
)  # fmt: skip
def test_commands(
    words: tuple[str, ...], options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, *options]) == 0
    assert capsys.readouterr().err == ""


def test_an_explanation_has_the_value_of_the_evaluation() -> None:
    paths = "rank.svm", "scores.txt"
    values = package.evaluate(*paths, "nDCG@5", convention="lightgbm").per_query()
    assert package.explain(*paths, "1", "nDCG@5", convention="lightgbm").value == values["1"]
