"""Tables and figures in Markdown and LaTeX."""

from __future__ import annotations

import re

from gainful.formats.table import width
from gainful.formats.text import WIDTH, turned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gainful.formats.table import Cells, Table

__all__ = [
    "Figure",
    "best_places",
    "escape_latex",
    "escape_markdown",
    "latex",
    "markdown",
    "number",
]


class Figure:
    """A number with an interval and marks; HTML draws the interval next to the text.

    Parameters
    ----------
    text : str
        What is shown.
    value, low, high : float, optional
        The number and its interval.
    title : str
        More text, which HTML shows when the pointer is over the cell.
    above, below : str
        Marks that Markdown and LaTeX show as superscript and subscript.
    """

    __slots__ = ("above", "below", "high", "low", "text", "title", "value")

    def __init__(
        self,
        text: str,
        value: float | None = None,
        low: float | None = None,
        high: float | None = None,
        title: str = "",
        above: str = "",
        below: str = "",
    ) -> None:
        self.text = text
        self.value = value
        self.low = low
        self.high = high
        self.title = title
        self.above = above
        self.below = below

    def __str__(self) -> str:
        return self.text


def best_places(values: Iterable[object], texts: Sequence[str], direction: int = 1) -> set[int]:
    """Return the places of the best number; more than one if they are shown alike.

    Parameters
    ----------
    values, texts
        The values of a column, and how they are shown.
    direction : {1, -1, 0}
        Whether the highest or the lowest number is best; 0 for no place.
    """
    if not direction:
        return set()
    numbers = [number(value) for value in values]
    known = [number for number in numbers if number is not None]
    if len(known) < 2 or min(known) == max(known):
        return set()
    best = texts[numbers.index(max(known) if direction > 0 else min(known))]
    return {index for index, text in enumerate(texts) if text == best}


def number(value: object) -> float | None:
    """Return a finite number of a cell, or None."""
    if isinstance(value, Figure):
        value = value.value
    return float(value) if isinstance(value, (int, float)) and value - value == 0 else None


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
    headers = [escape_markdown(cell) for cell in cells.headers]
    rows = [
        [_marked(escape_markdown(cell), value) for cell, value in zip(row, values, strict=True)]
        for row, values in zip(cells.rows, table.rows, strict=True)
    ]
    for index, column in enumerate(cells.columns):
        if column.best:
            values = [row[index] for row in table.rows]
            for best in best_places(values, [row[index] for row in cells.rows], column.best):
                text = escape_markdown(cells.rows[best][index])
                rows[best][index] = f"**{text}**{rows[best][index].removeprefix(text)}"
    widths = [max(3, *map(width, column)) for column in zip(headers, *rows, strict=True)]
    rule = [
        "-" * (wide + 1) + ":" if side == "r" else ":" + "-" * (wide + 1)
        for wide, side in zip(widths, cells.align, strict=True)
    ]
    lines = [f"**{escape_markdown(table.title)}**", ""] if table.title else []
    lines.append(_line(headers, widths, cells.align))
    lines.append("|" + "|".join(rule) + "|")
    lines += [_line(row, widths, cells.align) for row in rows]
    for note in table.notes:
        lines += ["", escape_markdown(note)]
    return "\n".join(lines) + "\n"


def _marked(text: str, value: object) -> str:
    if not isinstance(value, Figure):
        return text
    above = f"<sup>{escape_markdown(value.above)}</sup>" if value.above else ""
    below = f"<sub>{escape_markdown(value.below)}</sub>" if value.below else ""
    return text + above + below


def escape_markdown(text: str) -> str:
    r"""Escape text, so that it is shown unchanged, without links and mentions.

    Examples
    --------
    >>> escape_markdown("trec_eval _x_ 2*3"), escape_markdown("nDCG@10 of @me, #1")
    ('trec_eval \\_x\\_ 2\\*3', 'nDCG@10 of @<!-- -->me, #<!-- -->1')
    """
    written = []
    breaks = {match.end() for match in _LINKED.finditer(text)}
    for position, char in enumerate(text):
        if position in breaks:
            written.append(_BREAK)
        if char == "_":
            inside = (
                text[position - 1 : position].isalnum()
                and text[position + 1 : position + 2].isalnum()
            )
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


_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "#": r"\#",
    "$": r"\$",
    "%": r"\%",
    "&": r"\&",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "–": "--",
    "…": r"\ldots{}",
    "−": "$-$",
    "×": r"$\times$",
    "→": r"$\rightarrow$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "\n": " ",
    "\r": " ",
}
#: The sign of a number, also of one between other words.
_MINUS = re.compile(r"(?<![\w.-])-(?=[.\d])")


def latex(table: Table, label: str = "table", *, notes: bool = False) -> str:
    r"""Return a floating table with a caption and a label.

    The LaTeX document must load ``booktabs``, and for pdfLaTeX ``[T1]{fontenc}`` and ``textcomp``.

    Parameters
    ----------
    table : Table
        The table.
    label : str
        The name that ``\\ref`` uses, after ``tab:``.
    notes : bool
        Whether the notes are below the table.

    Examples
    --------
    >>> from gainful.formats.table import Column, Table
    >>> columns = [Column("doc_id"), Column("gain", show=str)]
    >>> print(latex(Table(columns, [["a&b", 3]], title="Gains"), "gains"), end="")
    \begin{table}
    \centering
    \caption{Gains}
    \label{tab:gains}
    \begin{tabular}{lr}
    \toprule
    doc\_id & gain \\
    \midrule
    a\&b & 3 \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    # A page of a paper is at most as wide as one of plain text.
    table = table.only(lambda column: column.fit != "picture")
    table = turned(table, WIDTH) if table.turned else table
    cells = table.cells()
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape_latex(table.caption or table.title)}}}",
        rf"\label{{tab:{label}}}",
        rf"\begin{{tabular}}{{{cells.align}}}",
        r"\toprule",
        _row(cells.headers),
        r"\midrule",
        *_rows(table, cells),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if notes and table.notes:
        lines += [r"\begin{flushleft}", r"\footnotesize"]
        lines += [rf"{escape_latex(note)}\par" for note in table.notes]
        lines.append(r"\end{flushleft}")
    lines.append(r"\end{table}")
    return "\n".join(lines) + "\n"


def escape_latex(text: str) -> str:
    r"""Escape text.

    Examples
    --------
    >>> escape_latex("95% of nDCG_x")
    '95\\% of nDCG\\_x'
    """
    written = []
    for position, char in enumerate(text):
        # Apostrophes may be typographic, quotes around values may not.
        apostrophe = (
            char == "'"
            and text[position - 1 : position].isalpha()
            and text[position + 1 : position + 2].isalpha()
        )
        written.append(char if apostrophe else _ESCAPES.get(char, char))
    return "".join(written)


def _rows(table: Table, cells: Cells) -> Iterator[str]:
    """Yield the rows, with the best numbers in bold and marks as superscripts and subscripts."""
    best = [
        best_places(
            [row[index] for row in table.rows], [row[index] for row in cells.rows], column.best
        )
        for index, column in enumerate(cells.columns)
    ]
    for number, (values, texts) in enumerate(zip(table.rows, cells.rows, strict=True)):
        written = []
        for place, (value, text) in enumerate(zip(values, texts, strict=True)):
            cell = _cell(text, first=place == 0)
            if cells.columns[place].align == "r":
                cell = _MINUS.sub("$-$", cell)
            if number in best[place]:
                cell = rf"\textbf{{{cell}}}"
            written.append(cell + (_marks(value) if isinstance(value, Figure) else ""))
        yield " & ".join(written) + r" \\"


def _marks(figure: Figure) -> str:
    above = f"^{{{figure.above}}}" if figure.above else ""
    below = f"_{{{figure.below}}}" if figure.below else ""
    return f"${above}{below}$" if above or below else ""


def _row(cells: Sequence[str]) -> str:
    return " & ".join(_cell(cell, first=index == 0) for index, cell in enumerate(cells)) + r" \\"


def _cell(cell: str, *, first: bool) -> str:
    text = escape_latex(cell)
    # A bracket after \\ or \midrule would be read as their argument.
    return "{" + text + "}" if first and text.startswith(("[", "*")) else text
