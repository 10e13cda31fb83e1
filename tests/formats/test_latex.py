"""LaTeX: booktabs, and nothing in a cell that means something to TeX."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import gainful
from gainful.formats.markup import escape_latex, latex
from gainful.formats.table import Column, Note, Table
from repeated_tests import for_each
from requirements import need


def test_a_table_with_title_and_notes() -> None:
    table = Table(
        [Column("measure"), Column("mean", show=lambda value: f"{value:.1f}")],
        [["nDCG@10", 0.5]],
        title="bm25_a",
        notes=[Note("level", "95 % sure")],
    )
    assert latex(table, "means", notes=True).splitlines() == [
        r"\begin{table}",
        r"\centering",
        r"\caption{bm25\_a}",
        r"\label{tab:means}",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"measure & mean \\",
        r"\midrule",
        r"nDCG@10 & 0.5 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\begin{flushleft}",
        r"\footnotesize",
        r"95 \% sure\par",
        r"\end{flushleft}",
        r"\end{table}",
    ]
    assert "95" not in latex(table, "means")


def test_a_negative_number_has_a_minus_and_a_name_a_hyphen() -> None:
    table = Table(
        [Column("system"), Column("change", show=str), Column("p", show=str)],
        [["-1-a", "-.5 to -.25", "1e-9"]],
    )
    assert r"-1-a & $-$.5 to $-$.25 & 1e-9 \\" in latex(table)


@for_each("char", list("\\{}#$%&_~^<>|\"'`"))
def test_what_tex_would_read_is_escaped(char: str) -> None:
    text = escape_latex(f"1{char}2")
    assert re.sub(r"\\[a-z]+\{\}|\\[{}#$%&_]", "", text) == "12"


def test_apostrophes_curl_and_quotes_do_not() -> None:
    assert escape_latex("Student's t") == "Student's t"
    assert escape_latex("gain='linear'") == r"gain=\textquotesingle{}linear\textquotesingle{}"


@pytest.mark.parametrize("cell", ["[draft]", "*"])
def test_a_row_does_not_begin_with_what_ends_the_one_before(cell: str) -> None:
    r"""After \\ a bracket or star would be read as its argument."""
    assert f"\n{{{cell}}} & 1" in latex(Table([Column("a"), Column("b")], [[cell, "1"]]))


def test_pictures_of_blocks_are_left_out_with_the_notes_on_them() -> None:
    table = Table(
        [Column("n"), Column("bar", "", fit="picture")],
        [["5", "███"]],
        notes=[Note("bar", "Drawn."), Note("n", "Counted.")],
    )
    text = latex(table, notes=True)
    assert "█" not in text
    assert "Drawn" not in text
    assert "Counted" in text


def test_pdflatex_reads_every_table(tmp_path: Path) -> None:
    """Also names with all that TeX reads, notes and several tables."""
    pdflatex = need("pdflatex")
    strange = "\\{}#$%&_~^<>|\"'`–…−×→≤≥"
    qrels = {f"q{n}": {"a": 2, "b": 1} for n in range(12)}
    runs = {strange: {q: ["b", "a"] for q in qrels}, "[new]": {q: ["a", "b"] for q in qrels}}
    comparison = gainful.compare(qrels, runs, ["nDCG@10", "AP"])
    evaluation = gainful.evaluate(qrels, runs=runs)
    tables = [
        comparison.to_latex(notes=True, details=True),
        gainful.formats.saving.rendered(comparison.tables(), "latex", notes=True),
        evaluation.to_latex(notes=True),
        gainful.explain(qrels, runs["[new]"], "q1", "nDCG@10").to_latex(),
    ]
    preamble = (
        r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{textcomp,lmodern,booktabs}"
    )
    body = "\n".join(tables)
    (tmp_path / "paper.tex").write_text(
        f"{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\n", "utf-8"
    )
    done = subprocess.run(
        [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
        errors="replace",
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Missing character" not in (tmp_path / "paper.log").read_text("latin-1")
