"""Tables as LaTeX with booktabs."""

from __future__ import annotations

import re

from gainful.formats.figure import Figure, best_places
from gainful.formats.fitting import turned
from gainful.formats.text import WIDTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.formats.table import Cells, Table

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
        rf"\caption{{{escaped(table.caption or table.title)}}}",
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
        lines += [rf"{escaped(note)}\par" for note in table.notes]
        lines.append(r"\end{flushleft}")
    lines.append(r"\end{table}")
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    r"""Escape text.

    Examples
    --------
    >>> escaped("95% of nDCG_x")
    '95\\% of nDCG\\_x'
    """
    written = []
    for at, char in enumerate(text):
        # Apostrophes may be typographic, quotes around values may not.
        apostrophe = char == "'" and text[at - 1 : at].isalpha() and text[at + 1 : at + 2].isalpha()
        written.append(char if apostrophe else _ESCAPES.get(char, char))
    return "".join(written)


def _rows(table: Table, cells: Cells) -> Iterator[str]:
    """Yield the rows, with the best numbers in bold and marks as superscripts and subscripts."""
    best = [
        best_places([row[at] for row in table.rows], [row[at] for row in cells.rows], column.best)
        for at, column in enumerate(cells.columns)
    ]
    for number, (values, texts) in enumerate(zip(table.rows, cells.rows, strict=True)):
        written = []
        for at, (value, text) in enumerate(zip(values, texts, strict=True)):
            cell = _cell(text, first=at == 0)
            if cells.columns[at].align == "r":
                cell = _MINUS.sub("$-$", cell)
            if number in best[at]:
                cell = rf"\textbf{{{cell}}}"
            written.append(cell + (_marks(value) if isinstance(value, Figure) else ""))
        yield " & ".join(written) + r" \\"


def _marks(figure: Figure) -> str:
    above = f"^{{{figure.above}}}" if figure.above else ""
    below = f"_{{{figure.below}}}" if figure.below else ""
    return f"${above}{below}$" if above or below else ""


def _row(cells: Sequence[str]) -> str:
    return " & ".join(_cell(cell, first=at == 0) for at, cell in enumerate(cells)) + r" \\"


def _cell(cell: str, *, first: bool) -> str:
    text = escaped(cell)
    # A bracket after \\ or \midrule would be read as their argument.
    return "{" + text + "}" if first and text.startswith(("[", "*")) else text
