"""Render an explanation as text, for terminals, and as tables."""

from __future__ import annotations

from io import StringIO
from shutil import get_terminal_size

from gainful.explanation.cells import columns, groups, misplaced, title
from gainful.explanation.layout import layout
from gainful.explanation.sentences import describe_query, headline, remarks, summary
from gainful.formats.table import Column, Note, Table, cut, noted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.explanation.result import Explanation

__all__ = ["drawn", "plain", "tables"]

#: Maximum length of a title in tables with one line per row.
_TITLE = 40

_STYLES = {"": "", "strong": "bold", "quiet": "dim", "loss": "red", "gain": "green"}


def plain(explanation: Explanation, width: int = 100) -> str:
    """Return an explanation as text: the tables, a summary and remarks.

    Parameters
    ----------
    explanation : Explanation
        The explanation.
    width : int
        Maximum width; ids and titles are shortened to fit.

    Examples
    --------
    >>> from gainful.explanation import Explanation
    >>> print(plain(Explanation.of_grades([2, 3, 0])))
    nDCG = .9134 = 3.8928 / 4.2619 (DCG / IDCG)
    <BLANKLINE>
    rank  document  grade  discount  discounted     DCG  │  ideal  grade  ...
    ...
    """
    return "\n".join(
        "".join(text for text, _ in line).rstrip() for line in layout(explanation, width)
    )


def drawn(explanation: Explanation, width: int | None = None) -> str:
    """Return an explanation for a terminal, with colors, rendered by Rich.

    Parameters
    ----------
    explanation : Explanation
        The explanation.
    width : int, optional
        Columns of the terminal. Default: detected.
    """
    from rich.text import Text

    from gainful.formats.console import open_console

    wide = width or max(60, get_terminal_size().columns)
    into = StringIO()
    console = open_console(into, wide, soft_wrap=True)
    for line in layout(explanation, wide):
        console.print(Text.assemble(*((text, _STYLES[style]) for text, style in line)))
    return into.getvalue()


def tables(explanation: Explanation) -> list[Table]:
    """Return the ranks and the misplaced documents as tables.

    Examples
    --------
    >>> from gainful.explanation import Explanation
    >>> [table.headers[0] for table in tables(Explanation.of_grades([2, 3, 0]))]
    ['rank', 'document']
    """
    heads: list[Column] = []
    cells = []
    for column in columns(explanation):
        header = column.header.strip()
        heads.append(Column(f"{column.panel}.{header}", header, align=column.align))
        cells.append(column.cells)
        if column.ids is not None and explanation.texts:
            heads.append(Column(f"{column.panel}.title", "title", fit="end"))
            cells.append([_title(explanation, name) for name in column.ids])
    account = Table(
        heads,
        zip(*cells, strict=True),
        title=" – ".join(
            part for part in (describe_query(explanation), headline(explanation)) if part
        ),
        notes=[
            Note("summary", summary(explanation)),
            *noted("remark", remarks(explanation)),
            Note("convention", str(explanation.convention)),
        ],
    )
    listed = [account]
    names, rows = groups(explanation)
    if rows:
        heads = [Column(name, align="r" if name == "weight" else "l") for name in names]
        listed.append(Table(heads, rows, title="Groups"))
    names, rows, ids = misplaced(explanation)
    if not rows:
        return listed
    sides = "lrllr"
    heads = [Column(name, align=side) for name, side in zip(names, sides, strict=False)]
    if explanation.texts:
        heads.insert(1, Column("title", fit="end"))
        words = [_title(explanation, name) for name in ids]
        words += [""] * (len(rows) - len(words))
        rows = [[row[0], text, *row[1:]] for row, text in zip(rows, words, strict=True)]
    title = "Misplaced documents" if explanation.dcg is not None else "Relevant, but not counted"
    return [*listed, Table(heads, rows, title=title)]


def _title(explanation: Explanation, document: str) -> str:
    return cut(title(explanation, document), _TITLE) if document else ""
