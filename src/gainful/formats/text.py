"""Several tables below each other as plain text, the notes no wider than a page."""

from __future__ import annotations

from textwrap import wrap

from gainful.formats.fitting import fitted
from gainful.formats.table import TextTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: Columns of a page of plain text.
WIDTH = 100


def stacked(tables: Iterable[TextTable], columns: int = WIDTH) -> str:
    """Return tables one below the other, with a blank line between them.

    Examples
    --------
    >>> one = TextTable(["measure"], [["AP"]], notes=["a note of more than a line"])
    >>> print(stacked([one, TextTable(["system"], [["bm25"]])], 16))
    measure
    ───────
    AP
    <BLANKLINE>
    a note of more
      than a line
    <BLANKLINE>
    system
    ──────
    bm25
    """
    return "\n\n".join(str(_folded(table, columns)) for table in tables)


def _folded(table: TextTable, columns: int) -> TextTable:
    notes = [
        line
        for note in table.notes
        for line in wrap(
            note,
            columns,
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        or [""]
    ]
    return fitted(table.told(notes=notes), columns)
