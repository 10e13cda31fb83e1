"""Tables and paragraphs of methods as HTML, Markdown and LaTeX."""

from __future__ import annotations

import re
from os import fspath
from os.path import splitext
from unicodedata import normalize

from gainful.errors import ParameterError
from gainful.formats.table import width
from gainful.formats.text import WIDTH, turned
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from os import PathLike

    from gainful.formats.table import Cells, Column, Note, Table

__all__ = [
    "Figure",
    "Methods",
    "Reference",
    "escape_latex",
    "escape_markdown",
    "html",
    "latex",
    "markdown",
    "number",
    "page",
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


def _best_places(values: Iterable[object], texts: Sequence[str], direction: int = 1) -> set[int]:
    """Return the places of the best number; more than one if they are shown alike."""
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
            for best in _best_places(values, [row[index] for row in cells.rows], column.best):
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
        _best_places(
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


_WIN, _LOSS, _EVEN = "#2b7bd1", "#d2660f", "#7a8594"

#: The width of an interval's bar in pixels, in its own column and next to a number.
_WIDE, _NARROW = 120, 56

_HEIGHT = 14

_ALIGN = {"l": "text-align:left", "r": "text-align:right"}

#: Rules are repeated with !important where notebooks style all tables.
_STYLE = (
    "<style>"
    ".gainful{font-size:13px;line-height:1.5;max-width:100%;color:inherit}"
    ".gainful>div{overflow-x:auto}"
    ".gainful table{border-collapse:collapse;border:0!important;margin:.3em 0 .6em!important;"
    "font-size:13px!important;font-variant-numeric:tabular-nums;width:auto!important;"
    "display:table!important;color:inherit!important}"
    ".gainful caption{caption-side:top;text-align:left;font-weight:600;padding:.3em 0;"
    "color:inherit!important;white-space:nowrap}"
    ".gainful th,.gainful td{padding:.2em .5em!important;border:0!important;white-space:nowrap;"
    "background:none!important;vertical-align:baseline!important;max-width:none;"
    "color:inherit!important}"
    ".gainful th{white-space:normal}"
    ".gainful td:first-child,.gainful th:first-child{padding-left:0!important}"
    ".gainful th{font-weight:600!important}"
    ".gainful tr{background:none!important;border:0!important}"
    ".gainful thead th{border-bottom:1px solid rgba(128,128,128,.5)!important}"
    ".gainful tbody tr:hover td{background:rgba(128,128,128,.12)!important}"
    ".gainful th[title]{text-decoration:underline dotted rgba(128,128,128,.9);"
    "text-underline-offset:3px;cursor:help}"
    ".gainful .cut{display:inline-block;max-width:22em;overflow:hidden;text-overflow:ellipsis;"
    "vertical-align:bottom}"
    ".gainful td.wrap{white-space:normal!important;min-width:14em;max-width:36em}"
    ".gainful .bar{display:flex;justify-content:space-between;align-items:baseline;gap:.6em}"
    ".gainful .bar svg{flex:none;margin:0!important;position:relative;top:3px}"
    ".gainful .lead{margin:.2em 0 .5em;font-size:14px;max-width:60em}"
    ".gainful .notes{font-size:12px;opacity:.78;max-width:70em;margin-bottom:.6em}"
    ".gainful summary{cursor:pointer}"
    "</style>"
)


def page(
    tables: Sequence[Table], heading: Sequence[str] = (), *, explaining: Sequence[Note] = ()
) -> str:
    """Return tables as one fragment, with sentences above and notes below."""
    from html import escape

    lead = "".join(f'<p class="lead">{escape(line)}</p>' for line in heading)
    help_of: dict[str, str] = {}
    for note in explaining:
        help_of[note.key] = f"{help_of.get(note.key, '')} {note}".strip()
    return f'<div class="gainful">{_STYLE}{lead}{"".join(html(t, help_of) for t in tables)}</div>'


def html(table: Table, help_of: dict[str, str] | None = None) -> str:
    """Return a table with its title as the caption and its notes below."""
    from html import escape

    cells = table.cells()
    columns = []
    for index, column in enumerate(cells.columns):
        texts = [row[index] for row in cells.rows]
        values = [row[index] for row in table.rows]
        columns.append(_column(table, column, texts, values))
    side_of = cells.align

    def heading(at: int, label: str) -> str:
        text = (help_of or {}).get(cells.columns[at].key, "")
        title = f' title="{escape(text)}"' if text else ""
        return f'<th style="{_ALIGN[side_of[at]]}"{title}>{escape(label)}</th>'

    head = "".join(heading(at, label) for at, label in enumerate(cells.headers))
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in zip(*columns, strict=True))
    title = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    shown = f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div>{shown}</div>{_notes(table.notes)}"


def _notes(notes: Sequence[Note]) -> str:
    """Return the notes; the convention and explanations are folded."""
    from html import escape

    folded = [note for note in notes if note.explains or note.key == "convention"]
    shown = "".join(f"<div>{escape(note)}</div>" for note in notes if note not in folded)
    if folded:
        lines = "".join(f"<div>{escape(note)}</div>" for note in folded)
        what = "Convention and notes" if any(not note.explains for note in folded) else "Notes"
        shown += f"<details><summary>{what}</summary>{lines}</details>"
    return f'<div class="notes">{shown}</div>' if shown else ""


def _column(
    table: Table, column: Column, texts: Sequence[str], values: Sequence[object]
) -> list[str]:
    """Return the cells of a column."""
    from html import escape

    figures = [value if isinstance(value, Figure) else None for value in values]
    wide = _NARROW
    if column.around:
        index = table.keys.index(column.around) if column.around in table.keys else None
        middles = [None if index is None else row[index] for row in table.rows]
        figures = [
            _around(text, ends, middle)
            for text, ends, middle in zip(texts, values, middles, strict=True)
        ]
        wide = _WIDE
    bars = _bars(figures, wide, zero=column.zero)
    best = _best_places(values, texts, column.best)
    style = f' style="{_ALIGN[column.align]}"'
    kind = ' class="wrap"' if column.fit == "wrap" else ""
    places = []
    for index, (text, figure, bar) in enumerate(zip(texts, figures, bars, strict=True)):
        shown = escape(text)
        title = figure.title if figure is not None else ""
        if column.align == "l" and column.fit == "middle" and len(text) > 32:
            shown, title = f'<span class="cut">{shown}</span>', text
        if index in best:
            shown = f"<b>{shown}</b>"
        more = f' title="{escape(title)}"' if title else ""
        if bar:
            shown = f'<div class="bar">{bar}<span>{shown}</span></div>'
        places.append(f"<td{kind}{style}{more}>{shown}</td>")
    return places


def _around(text: str, ends: object, middle: object) -> Figure | None:
    """Return an interval and the value inside it; a pair of means stands for its difference."""
    if not isinstance(ends, tuple) or len(ends) != 2 or ends[0] is None or ends[1] is None:
        return None
    if isinstance(middle, tuple):
        middle = middle[1] - middle[0]
    return Figure(text, number(middle), ends[0], ends[1])


def _bars(figures: Sequence[Figure | None], wide: int, *, zero: bool) -> list[str]:
    """Return one drawing per interval, all on the same scale."""
    known = [figure for figure in figures if figure is not None]
    ends = [
        end for value in known for end in (number(value.low), number(value.high)) if end is not None
    ]
    ends += [0.0] if zero and ends else []
    if not ends or min(ends) == max(ends):
        return [""] * len(figures)
    return [_bar(figure, min(ends), max(ends), wide, zero=zero) for figure in figures]


def _bar(figure: Figure | None, low: float, high: float, wide: int, *, zero: bool) -> str:
    if figure is None or figure.low is None or figure.high is None:
        return ""

    def x(value: float) -> str:
        return f"{4 + (wide - 8) * (value - low) / (high - low):.1f}"

    color = _WIN
    if zero:
        color = _WIN if figure.low > 0 else _LOSS if figure.high < 0 else _EVEN
    middle = _HEIGHT // 2
    marks = []
    if zero:
        marks.append(
            f'<path d="M{x(0.0)} 0V{_HEIGHT}" stroke="currentColor" stroke-opacity=".45"/>'
        )
    marks.append(
        f'<path d="M{x(figure.low)} {middle}H{x(figure.high)}" stroke="{color}" stroke-width="2"/>'
    )
    if figure.value is not None:
        marks.append(f'<circle cx="{x(figure.value)}" cy="{middle}" r="3.2" fill="{color}"/>')
    return (
        f'<svg width="{wide}" height="{_HEIGHT}" viewBox="0 0 {wide} {_HEIGHT}" aria-hidden="true">'
        f"{''.join(marks)}</svg>"
    )


#: The places of references in sentences.
_CITED = re.compile(r"\{([a-z]+\d{4})\}")

#: Initials begin a list of authors; words such as "as defined in" may precede it.
_SOURCE = re.compile(r"((?:[A-Z]\. )+[^:]+): (.+?)[.?] (.+?),? (\d{4})\b")


class Reference:
    """A publication.

    Parameters
    ----------
    authors, title, venue, year : str
        Its parts; authors are separated by commas.

    Examples
    --------
    >>> source = "E. Yilmaz, J. Aslam: Estimating average precision. CIKM 2006"
    >>> reference = Reference.parse(source)
    >>> reference.key, reference.authors
    ('yilmaz2006', 'E. Yilmaz, J. Aslam')
    >>> print(reference.to_bibtex())
    @misc{yilmaz2006,
      author = {E. Yilmaz and J. Aslam},
      title = {{Estimating average precision}},
      howpublished = {CIKM},
      year = {2006},
    }
    """

    __slots__ = ("authors", "title", "venue", "year")

    def __init__(self, authors: str, title: str, venue: str, year: str) -> None:
        self.authors = authors
        self.title = title
        self.venue = venue
        self.year = year

    @classmethod
    def parse(cls, source: str) -> Reference | None:
        """Read ``AUTHORS: TITLE. VENUE, YEAR``; None for sources of another form."""
        parts = _SOURCE.search(source)
        return None if parts is None else cls(*parts.groups())

    @property
    def key(self) -> str:
        """The name of the first author and the year, in ASCII."""
        name = self.authors.removesuffix(" et al.").split(",")[0].split()[-1]
        letters = normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
        return f"{''.join(filter(str.isalpha, letters))}{self.year}"

    def __str__(self) -> str:
        return f"{self.authors.rstrip('.')}. {self.title}. {self.venue}, {self.year}."

    def to_bibtex(self) -> str:
        """Return the BibTeX entry."""
        authors = self.authors.replace(" et al.", ", others").replace(", ", " and ")
        fields = {
            "author": escape_latex(authors),
            # A second pair of braces keeps capital letters.
            "title": f"{{{escape_latex(self.title)}}}",
            "howpublished": escape_latex(self.venue),
            "year": self.year,
        }
        lines = (f"  {name} = {{{value}}},\n" for name, value in fields.items())
        return f"@misc{{{self.key},\n{''.join(lines)}}}"


class Methods:
    r"""Sentences for the methods section of a paper, with references.

    ``print`` shows them with a numbered list of references. `save` and the methods write Markdown,
    LaTeX and BibTeX.

    Parameters
    ----------
    sentences : iterable of str
        The sentences; ``{key}`` cites a reference.
    references : iterable of Reference
        The publications that the sentences cite.

    Examples
    --------
    >>> cited = Reference("S. Holm", "A procedure", "Scand. J. of Statistics", "1979")
    >>> methods = Methods(["We correct p by Holm {holm1979}."], [cited])
    >>> print(methods)
    We correct p by Holm [1].
    <BLANKLINE>
    [1] S. Holm. A procedure. Scand. J. of Statistics, 1979.
    >>> print(methods.to_latex().splitlines()[0])
    We correct p by Holm \cite{holm1979}.
    """

    __slots__ = ("references", "sentences")

    def __init__(self, sentences: Iterable[str], references: Iterable[Reference]) -> None:
        self.sentences = tuple(sentences)
        known = {reference.key: reference for reference in references}
        keys = dict.fromkeys(_CITED.findall(" ".join(self.sentences)))
        self.references = tuple(known[key] for key in keys)

    def _paragraph(self, escape: Callable[[str], str], cite: Callable[[str], str]) -> str:
        # Splitting at a group gives texts and keys in turn.
        parts = _CITED.split(" ".join(self.sentences))
        return "".join(
            cite(part) if number % 2 else escape(part) for number, part in enumerate(parts)
        )

    def _numbers(self) -> dict[str, int]:
        return {reference.key: number for number, reference in enumerate(self.references, 1)}

    def to_text(self) -> str:
        """Return the paragraph with a numbered list of references."""
        numbers = self._numbers()
        paragraph = self._paragraph(str, lambda key: f"[{numbers[key]}]")
        listed = "\n".join(
            f"[{numbers[reference.key]}] {reference}" for reference in self.references
        )
        return f"{paragraph}\n\n{listed}".rstrip()

    __str__ = to_text

    def to_markdown(self) -> str:
        """Return the paragraph with a numbered list of references, as Markdown."""
        numbers = self._numbers()
        paragraph = self._paragraph(escape_markdown, lambda key: rf"\[{numbers[key]}\]")
        listed = "\n".join(
            f"{numbers[reference.key]}. {escape_markdown(str(reference))}"
            for reference in self.references
        )
        return f"{paragraph}\n\n{listed}".rstrip()

    _repr_markdown_ = to_markdown

    def to_latex(self) -> str:
        r"""Return the paragraph with ``\cite``; `to_bibtex` has the entries."""
        return self._paragraph(escape_latex, lambda key: rf"\cite{{{key}}}")

    def to_bibtex(self) -> str:
        """Return the references as BibTeX."""
        return "\n\n".join(reference.to_bibtex() for reference in self.references)

    def rendered(self, path: str | PathLike[str] | None) -> str:
        """Return the text for a file: LaTeX, BibTeX and Markdown by suffix, else plain text."""
        suffix = "" if path is None else splitext(fspath(path))[1].lower()
        forms = {".tex": self.to_latex, ".bib": self.to_bibtex, ".md": self.to_markdown}
        return f"{forms.get(suffix, self.to_text)()}\n"

    def save(self, path: str | PathLike[str]) -> None:
        """Write the paragraph, or the references, in the format of the file's suffix."""
        name = fspath(path)
        if splitext(name)[1].lower() not in (".tex", ".md", ".txt", ".bib"):
            raise ParameterError(
                where="save", found=repr(name), expected="a name that ends in .tex, .md, .txt, .bib"
            )
        write_whole(name, [self.rendered(name).encode()])

    def __repr__(self) -> str:
        return f"<Methods: {len(self.sentences)} sentences, {len(self.references)} references>"
