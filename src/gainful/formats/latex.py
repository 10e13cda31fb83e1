"""Tables as LaTeX with booktabs."""

from __future__ import annotations

from gainful.formats.figure import Figure, best_places
from gainful.formats.fitting import turned
from gainful.formats.text import WIDTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

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


def latex(table: Table) -> str:
    r"""Return a table with its title above and its notes below.

    The LaTeX document must load ``booktabs``, and for pdfLaTeX ``[T1]{fontenc}`` and ``textcomp``.

    Examples
    --------
    >>> from gainful.formats.table import Column, Table
    >>> print(latex(Table([Column("doc_id"), Column("gain", show=str)], [["a&b", 3]])), end="")
    \begin{tabular}{lr}
    \toprule
    doc\_id & gain \\
    \midrule
    a\&b & 3 \\
    \bottomrule
    \end{tabular}
    """
    # A page of a paper is at most as wide as one of plain text.
    table = table.only(lambda column: column.fit != "picture")
    table = turned(table, WIDTH) if table.turned else table
    cells = table.cells()
    lines = [rf"\textbf{{{escaped(table.title)}}}\par\smallskip"] if table.title else []
    lines += [
        rf"\begin{{tabular}}{{{cells.align}}}",
        r"\toprule",
        _row(cells.headers),
        r"\midrule",
        *_rows(table, cells),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if table.notes:
        lines += ["", r"\medskip", "{\\footnotesize"]
        lines += [rf"{escaped(note)}\par" for note in table.notes]
        lines.append("}")
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


def _rows(table: Table, cells: Cells) -> list[str]:
    """Return the rows, with the best numbers in bold and marks as superscripts and subscripts."""
    best = [
        best_places([row[at] for row in table.rows], [row[at] for row in cells.rows], column.best)
        for at, column in enumerate(cells.columns)
    ]
    if not any(best) and not any(isinstance(v, Figure) for row in table.rows for v in row):
        return [_row(row) for row in cells.rows]
    lines = []
    for number, (values, texts) in enumerate(zip(table.rows, cells.rows, strict=True)):
        found = []
        for at, (value, text) in enumerate(zip(values, texts, strict=True)):
            cell = _cell(text, first=at == 0)
            if number in best[at]:
                cell = rf"\textbf{{{cell}}}"
            found.append(cell + (_marks(value) if isinstance(value, Figure) else ""))
        lines.append(" & ".join(found) + r" \\")
    return lines


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
