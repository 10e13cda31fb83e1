"""Output contains no passwords, no control characters and no formulas."""

from __future__ import annotations

import csv
import io

import pytest

from gainful.cli import main
from repeated_tests import for_each

ADDRESS = "https://me:secret@example.org/qrels.txt"


@for_each(
    "words",
    [
        [ADDRESS],
        ["evaluate", "--threads", ADDRESS, "qrels.txt", "bm25.run"],
        ["evaluate", "--convention", ADDRESS, "qrels.txt", "bm25.run"],
        ["evaluate", "--format", ADDRESS, "qrels.txt", "bm25.run"],
        ["evaluate", "--policy", ADDRESS, "qrels.txt", "bm25.run"],
        ["convert", "qrels.txt", "out", "--kind", ADDRESS],
        ["measures", ADDRESS],
        ["conventions", "diff", ADDRESS, "beir"],
        ["search", ADDRESS],
    ],
)
def test_a_usage_error_prints_no_password(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    printed = capsys.readouterr()
    assert printed.err
    assert "secret" not in printed.out + printed.err


def test_names_of_files_reach_the_terminal_without_escape_codes(tmp_path, capsys) -> None:
    name = tmp_path / "a\x1b[31mred.run"
    for words in (["evaluate", "qrels.txt", str(name)], ["convert", str(name), "out"]):
        assert main(words) == 2
        assert "\x1b" not in capsys.readouterr().err
    name.write_text("q1 Q0 d1 1 1 t\n")
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    assert main(["evaluate", str(tmp_path / "qrels"), str(name)]) == 0
    assert "\x1b" not in "".join(capsys.readouterr())


@pytest.mark.parametrize("style", ["csv", "tsv"])
def test_spreadsheet_escapes_formulas(style: str, tmp_path, output_of) -> None:
    (tmp_path / "qrels").write_text('=HYPERLINK("x") 0 d1 1\n@q 0 d1 1\n-1 0 d1 1\n')
    (tmp_path / "run").write_text('=HYPERLINK("x") Q0 d1 1 1 t\n@q Q0 d1 1 1 t\n-1 Q0 d1 1 1 t\n')
    files = [str(tmp_path / "qrels"), str(tmp_path / "run")]

    def ids(*more: str) -> set[str]:
        text = output_of("evaluate", *files, "--per-query", "--format", style, *more)
        rows = csv.DictReader(io.StringIO(text), delimiter="\t" if style == "tsv" else ",")
        return {row["query_id"] for row in rows}

    assert ids() == {'=HYPERLINK("x")', "@q", "-1"}
    assert ids("--spreadsheet") == {'\'=HYPERLINK("x")', "'@q", "-1"}
