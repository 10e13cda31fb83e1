"""Numbers in options, files and variables are ASCII digits, without the underscores of Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from gainful.cli import main
from repeated_tests import for_each

pytestmark = pytest.mark.usefixtures("small_files")

EVALUATE = "evaluate qrels.txt bm25.run"
COMPARE = "compare qrels.txt bm25.run dense.run"


@for_each("number", ["1_0", "１", "٣"])
@for_each(
    "words",
    [
        f"{COMPARE} --alpha {{}}",
        f"{COMPARE} --seed {{}}",
        f"{EVALUATE} -m nDCG@{{}}",
        f"{EVALUATE} -m RBP(p=.{{}})",
        f"{EVALUATE} --weights weights.txt",
        f"{EVALUATE} --bounds --scale 0,{{}}",
        f"{EVALUATE} --convention gainful:unjudged={{}}",
        f"{EVALUATE} --threads {{}}",
        "pool bm25.run dense.run --depth {}",
        "pool bm25.run dense.run --overlap {}%",
        "find-unjudged qrels.txt bm25.run --prior 0=0.5,{}=0.5",
        "reconcile qrels.txt bm25.run --reported 0.5 --reported-per-query weights.txt",
        "analyze-power --deviation {} --difference 0.1",
    ],
)
def test_other_digits_are_refused(words: str, number: str, capsys) -> None:
    Path("weights.txt").write_text(f"q0 1\nq1 {number}\nq2 1\n")
    assert main(words.format(number).split()) == 2
    assert number in capsys.readouterr().err


def test_variables_have_ascii_digits(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    for name in ("GAINFUL_THREADS", "GAINFUL_JUDGMENTS_MEMORY"):
        for number in ("1_0", "３"):
            monkeypatch.setenv(name, number)
            assert main(EVALUATE.split()) == 2, name
            assert number in capsys.readouterr().err
        monkeypatch.delenv(name)
