"""Tables on a terminal: everything is there, nothing is cut, and it fits."""

from __future__ import annotations

import re

import pytest

from gainful.formats.console import drawn
from gainful.formats.table import Column, Table, noted

TABLE = Table(
    [Column("document"), Column("gain", align="r")],
    [["a-very-long-document-id-that-fills-half-of-the-line", "3.0000"], ["[red]b[/red]", "-.5"]],
    title="bm25 [1]",
    notes=noted("n", ["A note that is long enough to be wrapped where the terminal is narrow."]),
)


def seen(width: int) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", drawn(TABLE, width=width))


@pytest.mark.parametrize("width", [30, 48, 120])
def test_nothing_is_cut_and_it_fits(width: int) -> None:
    text = seen(width)
    assert max(map(len, text.splitlines())) <= width
    letters = re.sub(r"\s", "", text)
    for word in (*TABLE.headers, *TABLE.title.split(), *TABLE.notes[0].split(), "[red]b[/red]"):
        assert word in letters
    for number in ("3.0000", "-.5"):
        assert number in text


def test_a_long_id_is_folded_not_dropped() -> None:
    """The parts of a table are below each other."""
    text = re.sub(r"\s", "", seen(30).replace("3.0000", ""))
    assert str(TABLE.rows[0][0]) in text


def test_colours_are_codes_around_the_same_text() -> None:
    assert "\x1b[1m" in drawn(TABLE, width=80)
