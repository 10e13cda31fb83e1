"""LaTeX: booktabs, and nothing in a cell that means something to TeX."""

from __future__ import annotations

import re

import pytest

from gainful.formats.markup import escape_latex, latex
from gainful.formats.table import Column, Note, Table


def test_a_table_with_title_and_notes() -> None:
    table = Table(
        [Column("measure"), Column("mean", show=lambda value: f"{value:.1f}")],
        [["nDCG@10", 0.5]],
        title="bm25_a",
        notes=[Note("level", "95 % sure")],
    )
    assert latex(table).splitlines() == [
        r"\textbf{bm25\_a}\par\smallskip",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"measure & mean \\",
        r"\midrule",
        r"nDCG@10 & 0.5 \\",
        r"\bottomrule",
        r"\end{tabular}",
        "",
        r"\medskip",
        r"{\footnotesize",
        r"95 \% sure\par",
        "}",
    ]


@pytest.mark.parametrize("char", list("\\{}#$%&_~^<>|\"'`"))
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
    text = latex(table)
    assert "█" not in text
    assert "Drawn" not in text
    assert "Counted" in text
