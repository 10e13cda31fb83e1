"""Options that are given twice: one message, or several values."""

from __future__ import annotations

from pathlib import Path

import pytest

from gainful.cli.program import run
from repeated_tests import for_each


@for_each(
    "words",
    [
        "evaluate qrels.txt bm25.run --weights a.tsv --weights b.tsv",
        "evaluate qrels.txt bm25.run -o a.txt --output b.txt",
        "evaluate qrels.txt bm25.run --format csv --format csv",
        "evaluate qrels.txt bm25.run --bounds --bounds cutoff",
        "compare qrels.txt bm25.run dense.run --clusters a.tsv --clusters b.tsv",
        "compare qrels.txt bm25.run dense.run --seed 1 --seed=2",
        "explain qrels.txt bm25.run --query q1 --query q2",
        "conventions diff trec_eval gdeval --format csv --format json",
    ],
)
def test_a_second_value_is_refused(
    words: str, small_files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = words.replace("=", " ").split()[-2]
    assert run(words.split()) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == f"gainful: {name} is not repeatable, and has 2 values\n"


def test_a_flag_and_a_repeatable_option_can_be_repeated(
    small_files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "evaluate qrels.txt bm25.run -m AP -m RR --notes --notes"
    assert run(words.split()) == 0
    printed = capsys.readouterr().out
    assert "AP " in printed
    assert "RR " in printed
