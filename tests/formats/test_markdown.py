"""Markdown: a table that a reader of Markdown reads as the same table."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from gainful.formats.markup import escape_markdown, markdown
from gainful.formats.table import Column, Table, noted
from repeated_tests import for_each

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
    "@name",
    "me@example.org",
    "https://example.org",
    "www.example.org",
]


def cells(text: str) -> list[str]:
    """Return the text of each cell of a table, as a reader of Markdown sees it."""
    found = []
    for token in MarkdownIt("commonmark").enable("table").enable("strikethrough").parse(text):
        if token.type == "inline":
            children = token.children or []
            shown = [child for child in children if child.content != "<!-- -->"]
            assert {child.type for child in shown} <= {"text", "softbreak"}, token.content
            found.append("".join(child.content for child in shown))
    return found


def test_every_cell_reads_back_as_it_was() -> None:
    table = Table([Column("doc_id"), Column("grade", show=str)], [[cell, 1] for cell in HOSTILE])
    expected = ["doc_id", "grade"]
    for cell in HOSTILE:
        expected += [cell.replace("\n", " "), "1"]
    assert cells(markdown(table)) == expected


#: What GitHub links (https://docs.github.com/get-started/writing-on-github, autolinks and
#: mentions), and the text with a break in it.
LINKED = {
    "@name": "@<!-- -->name",
    "by @org/team, (@a-b)": "by @<!-- -->org/team, (@<!-- -->a-b)",
    "AP(rel=2)@10": "AP(rel=2)@<!-- -->10",
    "me@example.org": "me@<!-- -->example.org",
    "#1": "#<!-- -->1",
    "owner/repo#12": "owner/repo#<!-- -->12",
    "GH-1, gh-2": "GH-<!-- -->1, gh-<!-- -->2",
    "https://example.org": "https:<!-- -->//example.org",
    "HTTP://example.org": "HTTP:<!-- -->//example.org",
    "www.example.org": "www<!-- -->.example.org",
    "mailto:me@example.org": "mailto:<!-- -->me@<!-- -->example.org",
    "xmpp:me": "xmpp:<!-- -->me",
}


@for_each("text", LINKED)
def test_names_link_to_nothing_and_notify_nobody(text: str) -> None:
    assert escape_markdown(text) == LINKED[text]


@pytest.mark.parametrize("text", ["nDCG@10", "P@5, R@100. AP", "a @ b", "C# #x", "GHz-1 GH1"])
def test_other_text_has_no_breaks(text: str) -> None:
    assert escape_markdown(text) == text


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
    assert escape_markdown("trec_eval-9.0.8") == "trec_eval-9.0.8"
