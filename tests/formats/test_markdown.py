"""Markdown: a table that a reader of Markdown reads as the same table."""

from __future__ import annotations

from markdown_it import MarkdownIt

from gainful.formats.markdown import escaped, markdown
from gainful.formats.table import Column, Table, noted

HOSTILE = [
    "a|b",
    "**bold**",
    "_slanted_",
    "trec_eval",
    "`code`",
    "[link](x)",
    "<b>",
    "back\\slash",
    "\\|",
    "~~gone~~",
    "検索",
    "line\nend",
    "nDCG(gain='exponential')@10",
]


def cells(text: str) -> list[str]:
    """Return the text of each cell of a table, as a reader of Markdown sees it."""
    found = []
    for token in MarkdownIt("commonmark").enable("table").enable("strikethrough").parse(text):
        if token.type == "inline":
            children = token.children or []
            assert {child.type for child in children} <= {"text", "softbreak"}, token.content
            found.append("".join(child.content for child in children))
    return found


def test_every_cell_reads_back_as_it_was() -> None:
    table = Table([Column("doc_id"), Column("grade", show=str)], [[cell, 1] for cell in HOSTILE])
    expected = ["doc_id", "grade"]
    for cell in HOSTILE:
        expected += [cell.replace("\n", " "), "1"]
    assert cells(markdown(table)) == expected


def test_title_and_notes_are_around_the_table() -> None:
    table = Table([Column("x")], [["1"]], title="a * b", notes=noted("n", ["first_", "second"]))
    assert markdown(table) == ("**a \\* b**\n\n| x   |\n|:----|\n| 1   |\n\nfirst\\_\n\nsecond\n")


def test_columns_are_aligned_in_the_source_and_for_the_reader() -> None:
    table = Table([Column("name"), Column("value", align="r")], [["検索", ".5"], ["b", "1.25"]])
    assert markdown(table).splitlines() == [
        "| name | value |",
        "|:-----|------:|",
        "| 検索 |    .5 |",
        "| b    |  1.25 |",
    ]


def test_names_with_underscores_inside_stay_readable() -> None:
    assert escaped("trec_eval-9.0.8") == "trec_eval-9.0.8"
