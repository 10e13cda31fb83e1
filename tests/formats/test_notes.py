"""Of the notes that explain a table, an output has two at most unless all are requested."""

from __future__ import annotations

import pytest

from gainful.formats.saving import rendered
from gainful.formats.table import Column, Note, Table, noted

TABLES = [
    Table(
        [Column("system")],
        [["bm25"]],
        notes=[Note("test", "Sign test."), Note("p", "First.", explains=True)],
    ),
    Table(
        [Column("system")],
        [["bm25"]],
        notes=[
            *noted("p", ("Second.", "Third."), explains=True),
            Note("convention", "gainful-1"),
        ],
    ),
]


@pytest.mark.parametrize("style", ["table", "markdown", "html"])
@pytest.mark.parametrize("notes", [False, True])
def test_rendered_tables_have_two_explaining_notes(style: str, notes: bool) -> None:
    text = rendered(TABLES, style, notes=notes)
    for shown in ("Sign test.", "First.", "Second.", "gainful-1"):
        assert shown in text
    assert ("Third." in text) == notes


def test_latex_has_notes_on_request_only() -> None:
    for note in ("Sign test.", "First.", "Third.", "gainful-1"):
        assert note not in rendered(TABLES, "latex")
        assert note in rendered(TABLES, "latex", notes=True)


@pytest.mark.parametrize("notes", [False, True])
def test_the_terminal_has_two_explaining_notes(notes: bool) -> None:
    from gainful.formats.console import drawn

    text = drawn(*TABLES, width=60, notes=notes)
    assert "gainful-1" in text
    assert "Second." in text
    assert ("Third." in text) == notes
