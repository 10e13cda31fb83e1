"""A table as Markdown, in the dialect of GitHub, GitLab, Pandoc and MyST."""

from __future__ import annotations

import re

from gainful.formats.figure import Figure, best_places
from gainful.formats.table import width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.formats.table import Table

# Markup characters inside a line. An underscore is one only at the start or end of a word.
_SPECIAL = frozenset("\\|*`[]<>~$&")

#: The beginnings of what GitHub links: people, who are also notified, issues and bare addresses.
_LINKED = re.compile(
    r"(?<!\w)@(?=\w)|@(?=[\w.-]+\.\w)|#(?=\d)|GH-(?=\d)|(?:https?|ftp):(?=//)|www(?=\.)"
    r"|(?:mailto|xmpp):(?=\S)",
    re.IGNORECASE | re.ASCII,
)

#: What readers do not see, and what ends such a beginning. A backslash before it would not.
_BREAK = "<!-- -->"


def markdown(table: Table) -> str:
    r"""Return a table with its title above and its notes below.

    Examples
    --------
    >>> from gainful.formats.table import Column, Table
    >>> print(markdown(Table([Column("doc"), Column("grade", show=str)], [["a|b", 3]])), end="")
    | doc  | grade |
    |:-----|------:|
    | a\|b |     3 |
    """
    cells = table.cells()
    headers = [escaped(cell) for cell in cells.headers]
    rows = [
        [_marked(escaped(cell), value) for cell, value in zip(row, values, strict=True)]
        for row, values in zip(cells.rows, table.rows, strict=True)
    ]
    for at, column in enumerate(cells.columns):
        if column.best:
            values = [row[at] for row in table.rows]
            for best in best_places(values, [row[at] for row in cells.rows], column.best):
                text = escaped(cells.rows[best][at])
                rows[best][at] = f"**{text}**{rows[best][at].removeprefix(text)}"
    widths = [max(3, *map(width, column)) for column in zip(headers, *rows, strict=True)]
    rule = [
        "-" * (wide + 1) + ":" if side == "r" else ":" + "-" * (wide + 1)
        for wide, side in zip(widths, cells.align, strict=True)
    ]
    lines = [f"**{escaped(table.title)}**", ""] if table.title else []
    lines.append(_line(headers, widths, cells.align))
    lines.append("|" + "|".join(rule) + "|")
    lines += [_line(row, widths, cells.align) for row in rows]
    for note in table.notes:
        lines += ["", escaped(note)]
    return "\n".join(lines) + "\n"


def _marked(text: str, value: object) -> str:
    if not isinstance(value, Figure):
        return text
    above = f"<sup>{escaped(value.above)}</sup>" if value.above else ""
    below = f"<sub>{escaped(value.below)}</sub>" if value.below else ""
    return text + above + below


def escaped(text: str) -> str:
    r"""Escape text, so that it is shown unchanged, without links and mentions.

    Examples
    --------
    >>> escaped("trec_eval _x_ 2*3"), escaped("nDCG@10 of @me, #1")
    ('trec_eval \\_x\\_ 2\\*3', 'nDCG@10 of @<!-- -->me, #<!-- -->1')
    """
    written = []
    breaks = {match.end() for match in _LINKED.finditer(text)}
    for at, char in enumerate(text):
        if at in breaks:
            written.append(_BREAK)
        if char == "_":
            inside = text[at - 1 : at].isalnum() and text[at + 1 : at + 2].isalnum()
            written.append("_" if inside else "\\_")
        elif char in _SPECIAL:
            written.append("\\" + char)
        else:
            # A line end would end the row.
            written.append(" " if char in "\r\n" else char)
    return "".join(written)


def _line(cells: list[str], widths: list[int], align: str) -> str:
    padded = (
        " " * (wide - width(cell)) + cell if side == "r" else cell + " " * (wide - width(cell))
        for cell, wide, side in zip(cells, widths, align, strict=True)
    )
    return "| " + " | ".join(padded) + " |"
