"""Tables as plain text no wider than a page."""

from __future__ import annotations

from gainful.formats.fitting import arranged, fitted, shortened, wrapped
from gainful.formats.table import width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gainful.formats.table import Cells, Table

__all__ = ["WIDTH", "folded", "text"]

#: The width of a page of plain text.
WIDTH = 100


def folded(heading: Iterable[str], columns: int = WIDTH) -> list[str]:
    """Wrap sentences, each on its own lines."""
    lines = [line for sentence in heading for line in wrapped(sentence, columns)]
    return ["\n".join(lines)] if lines else []


def text(table: Table, columns: int | None = WIDTH) -> str:
    """Return a table as text, wrapped to a width if one is given.

    Examples
    --------
    >>> from gainful.formats.table import Column, Note, Table
    >>> note = Note("remark", "a note of more than a line")
    >>> print(text(Table([Column("measure")], [["AP"]], notes=[note]), 16))
    measure
    ───────
    AP
    <BLANKLINE>
    a note of more
      than a line
    """
    lines: list[str] = []
    if columns is None:
        parts = [table.cells()]
    else:
        table = shortened(table, columns)
        parts = [fitted(part, columns) for part in arranged(table, columns, cutting=True)]
    for number, cells in enumerate(parts):
        if number:
            lines.append("")
        elif table.title:
            lines += _fold(table.title, columns)
        widths = cells.widths()
        lines.append(_line(cells, cells.headers, widths))
        lines.append("─" * (sum(widths) + 2 * (len(widths) - 1)))
        lines.extend(_line(cells, row, widths) for row in cells.rows)
    if table.notes:
        lines.append("")
        lines += [line for note in table.notes for line in _fold(note, columns)]
    return "\n".join(lines)


def _fold(line: str, columns: int | None) -> list[str]:
    return [line] if columns is None else wrapped(line, columns)


def _line(cells: Cells, row: Sequence[str], widths: Sequence[int]) -> str:
    padded = (
        " " * (wide - width(cell)) + cell if side == "r" else cell + " " * (wide - width(cell))
        for cell, wide, side in zip(row, widths, cells.align, strict=True)
    )
    return "  ".join(padded).rstrip()
