"""Tables no wider than a page of text: names that are too long lose their middle."""

from __future__ import annotations

from gainful.report.explanation_cells import cut
from gainful.table import TextTable, width

__all__ = ["fitted"]

#: Fewer columns of a name tell too little.
_LEAST = 16

#: Two spaces stand between columns.
_GAP = 2


def fitted(table: TextTable, columns: int = 100) -> TextTable:
    """Return a table with long names cut in the middle, where it is too wide as it stands.

    Names are what stands on the left of its column, and headers. The widest are cut first, none to
    less than 16 columns; numbers and verdicts stay whole. Where a name stands whole: TSV, CSV, JSON
    and Markdown.

    Examples
    --------
    >>> long = TextTable(["system", "mean"], [["multilingual-e5-large-instruct", ".5"]], align="lr")
    >>> print(fitted(long, 24))
    system              mean
    ────────────────────────
    multiling…-instruct   .5
    """
    cells = (table.headers, *table.rows)
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    most = list(widths)
    free = [
        at
        for at, (side, header) in enumerate(zip(table.align, table.headers, strict=True))
        if most[at] > _LEAST and (header != "verdict" if side == "l" else _named(table, at))
    ]
    while sum(most) + _GAP * (len(most) - 1) > columns:
        widest = max(free, key=lambda at: most[at], default=None)
        if widest is None or most[widest] <= _LEAST:
            break
        most[widest] -= 1
    if most == widths:
        return table
    headers, *rows = (
        [cut(cell, most[at], middle=True) for at, cell in enumerate(row)] for row in cells
    )
    return TextTable(headers, rows, align=table.align, title=table.title, notes=table.notes)


def _named(table: TextTable, at: int) -> bool:
    """Say whether a column of numbers is as wide as it is for its header."""
    return max((width(row[at]) for row in table.rows), default=0) <= _LEAST
