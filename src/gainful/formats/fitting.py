"""Tables no wider than they may be: names lose their middle, or the table is cut in parts."""

from __future__ import annotations

from gainful.formats.table import TextTable, cut, width

__all__ = ["fitted", "parted"]

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
    multiling…instruct    .5
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


def parted(table: TextTable, columns: int, gap: int = _GAP) -> list[TextTable]:
    """Return a table, or parts of it where names would be folded to a few letters.

    Each part begins with the names, which are what stands on the left in the first three columns,
    and the notes stand below the last.

    Examples
    --------
    >>> wide = TextTable(["measure", "tau-b", "tau-AP"], [["nDCG@10", ".5", ".4"]], align="lrr")
    >>> for part in parted(wide, 16):
    ...     print(part)
    measure  tau-b
    ──────────────
    nDCG@10     .5
    measure  tau-AP
    ───────────────
    nDCG@10      .4
    """
    cells = (table.headers, *table.rows)
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    # Text may be folded, numbers may not.
    least = [
        min(wide, _LEAST) if side == "l" else wide
        for wide, side in zip(widths, table.align, strict=True)
    ]
    if sum(least) + gap * (len(least) - 1) <= columns:
        return [table]
    start = [at for at in range(min(3, len(least) - 1)) if table.align[at] == "l"] or [0]
    parts = [list(start)]
    for at in (each for each in range(len(least)) if each not in start):
        taken = sum(least[each] for each in parts[-1]) + gap * len(parts[-1])
        if least[at] > columns - taken and len(parts[-1]) > len(start):
            parts.append(list(start))
        parts[-1].append(at)
    return [
        TextTable(
            [table.headers[at] for at in part],
            [[row[at] for at in part] for row in table.rows],
            align="".join(table.align[at] for at in part),
            title=table.title if number == 0 else "",
            notes=table.notes if number == len(parts) - 1 else (),
        )
        for number, part in enumerate(parts)
    ]


def _named(table: TextTable, at: int) -> bool:
    """Say whether a column of numbers is as wide as it is for its header."""
    return max((width(row[at]) for row in table.rows), default=0) <= _LEAST
