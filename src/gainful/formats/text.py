"""Tables and terms as text, fitted to a width."""

from __future__ import annotations

from gainful.formats.table import ALWAYS, Cells, Column, Note, Table, cut, width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Entries = Sequence[tuple[str, str]]

__all__ = [
    "WIDTH",
    "arranged",
    "definitions",
    "fitted",
    "folded",
    "shortened",
    "text",
    "turned",
    "wrapped",
]


#: The minimum width of a name or of wrapped text.
_LEAST = 16
_WRAPPED = 24

#: Spaces between columns of plain text.
_GAP = 2


def arranged(table: Table, columns: int, gap: int = _GAP, *, cutting: bool = False) -> list[Cells]:
    """Return a table as text, in several parts if it is wider than a page.

    Columns of low priority are left out first. Rows and columns change places if the table may be
    turned. Then the table is divided; each part begins with the names, which are the text columns
    among the first three.

    Examples
    --------
    >>> wide = Table([Column("measure"), Column("tau-b", show=str), Column("tau-AP", show=str)],
    ...     [["nDCG@10", 0.5, 0.4]])
    >>> [part.headers for part in arranged(wide, 16)]
    [['measure', 'tau-b'], ['measure', 'tau-AP']]
    """
    cells = table.cells("\n")
    for priority in sorted(
        {column.priority for column in table.columns if column.priority < ALWAYS}
    ):
        if _total_width(cells.widths(), gap) <= columns:
            return [cells]
        table = table.only(lambda column, least=priority: column.priority > least)  # type: ignore[misc]
        cells = table.cells("\n")
    if table.turned:
        cells = turned(table, columns, gap).cells("\n")
    widths = cells.widths()
    least = [_minimum_width(cells, index, wide, cutting) for index, wide in enumerate(widths)]
    if _total_width(least, gap) <= columns:
        return [cells]
    start = [
        index for index in range(min(3, len(least) - 1)) if cells.columns[index].align == "l"
    ] or [0]
    parts = [list(start)]
    for place in (index for index in range(len(least)) if index not in start):
        taken = sum(least[part] for part in parts[-1]) + gap * len(parts[-1])
        if least[place] > columns - taken and len(parts[-1]) > len(start):
            parts.append(list(start))
        parts[-1].append(place)
    return [cells.take(part) for part in parts]


def shortened(table: Table, columns: int, gap: int = _GAP) -> Table:
    """Return a table with its short labels, if it is too wide for a page.

    Examples
    --------
    >>> wide = Table([Column("x", "a long label", str, short="A")], [[1]], notes=[Note("x", "…")])
    >>> shortened(wide, 10).headers, shortened(wide, 10).notes
    (('A',), ('A  …',))
    """
    short = {column.key: column.short for column in table.columns if column.short}
    if not short or _total_width(table.cells("\n").widths(), gap) <= columns:
        return table
    return table.replace(
        columns=[
            Column(
                column.key, column.short, column.show, align=column.align, priority=column.priority
            )
            if column.short
            else column
            for column in table.columns
        ],
        notes=[
            (
                Note(note.key, f"{short[note.key]}  {note}", explains=note.explains)
                if note.key in short
                else note
            )
            for note in table.notes
        ],
    )


def turned(table: Table, columns: int, gap: int = _GAP) -> Table:
    """Transpose a table if it then fits, or fits in fewer parts.

    Examples
    --------
    >>> upright = Table([Column("system"), Column("news", show=str), Column("web", show=str)],
    ...     [["bm25", 0.5, 0.6]], turned="collection")
    >>> from gainful.formats.text import text
    >>> print(text(turned(upright, 15)))
    collection  bm25
    ────────────────
    news         0.5
    web          0.6
    """
    cells = table.cells("\n")
    if _total_width(cells.widths(), gap) <= columns:
        return table
    names = [row[0] for row in cells.rows]
    other = Table(
        [Column("name", table.turned), *(Column(name, align="r") for name in names)],
        list(zip(cells.headers, *cells.rows, strict=True))[1:],
        title=table.title,
        notes=table.notes,
    )
    fits = _total_width(other.cells().widths(), gap) <= columns
    return other if fits or len(names) <= len(cells.headers) - 1 else table


def fitted(cells: Cells, columns: int) -> Cells:
    """Cut or wrap long text in cells that are too wide for a page.

    Text that may be wrapped is made narrower first, then text that loses its end, then names and
    headers, the widest first. Numbers stay whole. CSV, JSON and Markdown have the full
    names.

    Examples
    --------
    >>> long = Table([Column("system"), Column("mean", show=str)],
    ...     [["multilingual-e5-large-instruct", 0.5]])
    >>> fitted(long.cells(), 24).rows
    [['multiling…instruct', '0.5']]
    """
    widths = cells.widths()
    most = [min(wide, column.most) for wide, column in zip(widths, cells.columns, strict=True)]
    for fits in ("wrap", "end", "middle"):
        free = [index for index in range(len(most)) if _fit_of(cells, index) == fits]
        least = _WRAPPED if fits == "wrap" else _LEAST
        while _total_width(most, _GAP) > columns:
            widest = max(free, key=lambda place: most[place], default=None)
            if widest is None or most[widest] <= least:
                break
            most[widest] -= 1
    if most == widths and all(column.fit != "wrap" for column in cells.columns):
        return cells
    headers, *rows = (
        [_lines(cell, most[index], cells.columns[index].fit) for index, cell in enumerate(row)]
        for row in (cells.headers, *cells.rows)
    )
    return Cells(
        cells.columns,
        [" ".join(lines) for lines in headers],
        [
            [lines[index] if index < len(lines) else "" for lines in row]
            for row in rows
            for index in range(max(map(len, row)))
        ],
    )


def wrapped(text: str, columns: int, indent: str = "  ") -> list[str]:
    """Wrap a text between words, with further lines indented.

    Only a word that is wider than a line is broken.

    Examples
    --------
    >>> wrapped("a note of more than a line", 16)
    ['a note of more', '  than a line']
    """
    lines = [""]
    for number, word in enumerate(text.split(" ")):
        longer = f"{lines[-1]} {word}" if number else word
        if width(longer) <= columns:
            lines[-1] = longer
            continue
        if number:
            lines.append(indent + word)
        else:
            lines[-1] = word
        while width(lines[-1]) > columns:
            head = cut(lines[-1], columns + 1)[:-1]
            lines[-1:] = [head, indent + lines[-1][len(head) :]]
    return [line.rstrip() for line in lines]


def _fit_of(cells: Cells, index: int) -> str:
    """Return how to make a column narrower; numeric columns only by their header."""
    column = cells.columns[index]
    if column.align == "r" and column.fit == "whole" and _body_width(cells, index) <= _LEAST:
        return "middle"
    return column.fit


def _body_width(cells: Cells, index: int) -> int:
    return max((width(row[index]) for row in cells.rows), default=0)


def _minimum_width(cells: Cells, index: int, wide: int, cutting: bool) -> int:
    """Return the minimum width of a column."""
    fit = _fit_of(cells, index) if cutting else cells.columns[index].fit
    return wide if fit in ("whole", "picture") else min(wide, _WRAPPED if fit == "wrap" else _LEAST)


def _lines(cell: str, columns: int, fit: str) -> list[str]:
    if fit == "wrap":
        return [line for part in cell.split("\n") for line in wrapped(part, columns)]
    return [cut(cell, columns, middle=fit != "end")]


def _total_width(widths: Sequence[int], gap: int) -> int:
    return sum(widths) + gap * (len(widths) - 1)


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


def definitions(title: str, *groups: Entries, width: int = WIDTH) -> str:
    """Format terms on the left and wrapped texts on the right, with a blank line between groups.

    Examples
    --------
    >>> known, parameters = [("range", "0 to 1")], [("gain", "what a grade is worth")]
    >>> print(definitions("nDCG", known, parameters), end="")
    nDCG
    <BLANKLINE>
      range  0 to 1
    <BLANKLINE>
      gain   what a grade is worth
    """
    # It imports `re`, which tables do without.
    from textwrap import wrap

    indent = 4 + max((len(term) for group in groups for term, _ in group), default=0)
    lines = [title]
    for group in groups:
        if group:
            lines.append("")
        for term, text in group:
            wrapped = wrap(text, width - indent, break_long_words=False, break_on_hyphens=False)
            first, *others = wrapped or [""]
            lines.append(f"  {term}".ljust(indent) + first)
            lines += [" " * indent + other for other in others]
    return "\n".join(line.rstrip() for line in lines) + "\n"
