"""Tables of means for papers: --wide, --long, --digits, --sort and --percent."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import gainful
from gainful.cli import main
from gainful.errors import ParameterError

pytestmark = pytest.mark.usefixtures("small_files")

Say = Callable[..., str]
RUNS = {"bm25": "bm25.run", "dense": "dense.run"}
MEASURES = ("-m", "nDCG@10", "-m", "AP")
BOTH = ("evaluate", "qrels.txt", "bm25.run", "dense.run", *MEASURES)


def lines(text: str) -> list[str]:
    return [re.sub(r"\s+", " ", line) for line in text.splitlines()]


@pytest.fixture
def evaluation() -> gainful.Evaluation:
    return gainful.evaluate("qrels.txt", runs=RUNS, measures=["nDCG@10", "AP"])


@pytest.fixture
def many() -> tuple[str, ...]:
    """Return the arguments of sixty queries on which the systems differ significantly."""
    queries = [f"q{at}" for at in range(60)]
    Path("many.txt").write_text("".join(f"{q} 0 d1 1\n{q} 0 d2 0\n" for q in queries))
    for name, order in (("good", ("d1", "d2")), ("bad", ("d2", "d1"))):
        rows = [f"{q} Q0 {doc} {at} {9 - at} r\n" for q in queries for at, doc in enumerate(order)]
        Path(f"{name}.run").write_text("".join(rows))
    return ("many.txt", "bad.run", "good.run", "-m", "nDCG@10")


def test_latex_and_markdown_are_systems_by_measures(output_of: Say) -> None:
    markdown = lines(output_of(*BOTH, "--format", "markdown"))
    assert markdown[0] == "| | system | nDCG@10 | AP |"
    assert markdown[2:4] == [
        "| a | bm25 | .7193 | .6118 |",
        "| b | dense | **.7581** | **.7750** |",
    ]
    latex = output_of(*BOTH, "--format", "latex")
    assert r"b & dense & \textbf{.7581} & \textbf{.7750} \\" in latex
    assert "gainful-1" not in latex
    latex = output_of(*BOTH, "--format", "latex", "--notes")
    assert "Randomization test" in latex
    assert "gainful-1: gain linear" in latex


def test_marks_name_the_systems(many: tuple[str, ...], output_of: Say) -> None:
    latex = output_of("evaluate", *many, "--format", "latex")
    assert r"a & bad & .6309$_{b}$ \\" in latex
    assert r"b & good & \textbf{1.0000}$^{a}$ \\" in latex
    markdown = lines(output_of("evaluate", *many, "--format", "markdown"))
    assert "| b | good | **1.0000**<sup>a</sup> |" in markdown


def test_letters_follow_the_order(many: tuple[str, ...], output_of: Say) -> None:
    latex = output_of("evaluate", *many, "--format", "latex", "--sort", "nDCG@10")
    assert r"a & good & \textbf{1.0000}$^{b}$ \\" in latex


def test_the_marks_are_those_of_compare(many: tuple[str, ...], output_of: Say) -> None:
    words = (*many, "--format", "latex", "--percent", "--digits", "1", "--sort", "name")
    rows = [
        [line for line in output_of(command, *words).splitlines() if line.endswith(r"\\")]
        for command in ("evaluate", "compare")
    ]
    assert rows[0] == rows[1]
    assert r" & system & nDCG@10 (\%) \\" in rows[0]
    assert r"a & bad & 63.1$_{b}$ \\" in rows[0]


def test_long_tables_have_intervals(output_of: Say) -> None:
    for style in ("markdown", "latex"):
        text = output_of(*BOTH, "--format", style, "--long", "--digits", "2")
        assert ".31 to 1.00" in text
        assert "95" in text
        assert "median" in text


def test_a_single_system_has_a_long_table(output_of: Say) -> None:
    text = output_of("evaluate", "qrels.txt", "bm25.run", "-m", "AP", "--format", "markdown")
    assert "95% CI" in text
    assert "<sup>" not in text


def test_a_single_query_has_no_marks(output_of: Say) -> None:
    for name in RUNS:
        rows = Path(f"{name}.run").read_text("utf-8").splitlines(keepends=True)
        Path(f"{name}-1.run").write_text("".join(row for row in rows if row.startswith("q1 ")))
    rows = Path("qrels.txt").read_text("utf-8").splitlines(keepends=True)
    Path("one.txt").write_text("".join(row for row in rows if row.startswith("q1 ")))
    text = output_of("evaluate", "one.txt", "bm25-1.run", "dense-1.run", "--format", "markdown")
    assert "system" in text.splitlines()[0]


def test_a_table_on_the_terminal(output_of: Say) -> None:
    wide = lines(output_of(*BOTH, "--wide", "--percent", "--sort", "AP"))
    assert wide[0] == "system nDCG@10 (%) AP (%)"
    assert wide[2:4] == ["dense 75.81 77.50", "bm25 71.93 61.18"]
    long = lines(output_of(*BOTH, "--sort", "name", "--digits", "0"))
    assert long[2].startswith("bm25 nDCG@10 1 0 to 1")


def test_percentages_leave_other_measures(output_of: Say) -> None:
    words = ("-m", "DCG@10", "-m", "NumRel", "--percent")
    text = lines(output_of("evaluate", "qrels.txt", "bm25.run", *words))
    plain = lines(output_of("evaluate", "qrels.txt", "bm25.run", *words[:-1], "--digits", "2"))
    assert text == plain


def test_python_has_the_same_tables(evaluation: gainful.Evaluation, output_of: Say) -> None:
    for options, words in (
        ({"wide": True, "digits": 2}, ["--wide", "--digits", "2"]),
        ({"sort": "AP", "percent": True}, ["--sort", "AP", "--percent"]),
    ):
        [table] = evaluation.tables(**options)  # type: ignore[arg-type]
        from gainful.formats.text import text

        shown = text(gainful.formats.table.brief([table])[0])
        assert output_of(*BOTH, *words).rstrip("\n") == shown
    assert evaluation.to_latex(digits=1).count(r"\textbf{.8}") == 2
    assert "<sup>" not in evaluation.to_markdown()


def test_a_comparison_has_the_table_as_markdown(many: tuple[str, ...], output_of: Say) -> None:
    words = ("compare", *many, "--format", "markdown", "--wide")
    printed = output_of(*words)
    runs = {"bad": "bad.run", "good": "good.run"}
    found = gainful.compare("many.txt", runs, "nDCG@10")
    assert printed == found.to_markdown(wide=True)
    with pytest.raises(ParameterError, match="need wide=True"):
        found.to_markdown(digits=2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--digits", "2", "--format", "csv"), "--digits does not work with --format csv"),
        (("--long", "--per-query"), "--per-query --long does not work with --format table"),
        (("--sort", "AP", "--per-query"), "--sort does not work with --per-query"),
        (("--sort", "RR"), "sort: found 'RR', expected name or one of nDCG@10, AP"),
        (("--digits", "16"), "16"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_options_that_do_not_fit(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*BOTH, *words]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("digits", [-1, 16, 2.0, "2"])
def test_digits_are_a_whole_number(evaluation: gainful.Evaluation, digits: object) -> None:
    with pytest.raises(ParameterError, match="digits: found .*a whole number from 0 to 15"):
        evaluation.tables(digits=digits)  # type: ignore[arg-type]
