"""Tables of typed cells: results make them, and every renderer takes them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

__all__ = [
    "ALWAYS",
    "Cells",
    "Column",
    "Note",
    "Table",
    "brief",
    "cut",
    "noted",
    "shown",
    "visible",
    "width",
]

#: The priority of a column that is shown however narrow the page is.
ALWAYS = 100

#: How many explaining notes an output has unless all are requested.
EXPLAINING = 2


class Column:
    """What a column of a table is called, and how its values are shown.

    Parameters
    ----------
    key : str
        What programs call the column.
    label : str, optional
        Its heading; the key without it.
    show : callable, optional
        What makes text of a value. Text is shown as it is, and None as a dash.
    align : {"l", "r"}, optional
        To which side; without it values that `show` writes to the right, text to the left.
    priority : int
        Where a table is too wide for its page, columns below `ALWAYS` are left out, the least
        first.
    fit : {"middle", "end", "wrap", "whole", "picture"}, optional
        What happens to long text on a narrow page: it loses its middle or its end, it is wrapped,
        or it stays whole. Without it text loses its middle and numbers stay whole. A picture is
        drawn of block characters; LaTeX has no such column.
    most : int, optional
        How wide a column of wrapped text is at most.
    short : str, optional
        Another label for narrow pages. Notes with the key of the column then begin with it.
    """

    __slots__ = ("align", "fit", "key", "label", "most", "priority", "short", "show")

    def __init__(
        self,
        key: str,
        label: str | None = None,
        show: Callable[[Any], str] | None = None,
        *,
        align: str = "",
        priority: int = ALWAYS,
        fit: str = "",
        most: int = 10_000,
        short: str = "",
    ) -> None:
        self.key = key
        self.label = visible(key if label is None else label)
        self.show = show or str
        self.align = align or ("r" if show else "l")
        self.priority = priority
        self.fit = fit or ("whole" if self.align == "r" else "middle")
        self.most = most
        self.short = short


class Note(str):
    """A line below a table, with a key that says what it is about.

    Parameters
    ----------
    key : str
        The subject; the key of a column if the note is about one.
    text : str
        One sentence, or a line of data.
    explains : bool
        Whether it explains how to read the table. Of these an output has the first two, unless all
        are requested. Test, convention and data checks are not explanations.

    Examples
    --------
    >>> note = Note("convention", "gainful-1")
    >>> note.key, note
    ('convention', 'gainful-1')
    """

    key: str
    explains: bool

    def __new__(cls, key: str, text: str, *, explains: bool = False) -> Note:
        """Make a note of a key and a text."""
        note = super().__new__(cls, visible(text))
        note.key = key
        note.explains = explains
        return note


def noted(key: str, lines: Iterable[str], *, explains: bool = False) -> list[Note]:
    """Return lines as notes of one key."""
    return [Note(key, line, explains=explains) for line in lines]


class Table:
    """Rows of values under columns, with a title above and notes below.

    Parameters
    ----------
    columns : sequence of Column
        What is in the rows.
    rows : sequence of sequences
        A value for each column: text, a number, None, or what its column shows. A wrapped column
        also takes several texts, which begin a line each.
    title : str, optional
        A line above the table.
    notes : sequence of Note, optional
        Lines below it.
    turned : str, optional
        What the columns after the first are, as in ``"collection"``, if rows and columns may change
        places where the table is too wide.

    Examples
    --------
    >>> from gainful.formats.numbers import digits
    >>> columns = [Column("measure"), Column("mean", show=digits)]
    >>> from gainful.formats.text import text
    >>> print(text(Table(columns, [["nDCG@10", 0.50583]], notes=[Note("remark", "Good.")])))
    measure   mean
    ──────────────
    nDCG@10  .5058
    <BLANKLINE>
    Good.
    """

    __slots__ = ("columns", "notes", "rows", "title", "turned")

    def __init__(
        self,
        columns: Sequence[Column],
        rows: Iterable[Sequence[object]],
        *,
        title: str = "",
        notes: Sequence[Note] = (),
        turned: str = "",
    ) -> None:
        self.columns = tuple(columns)
        self.rows = tuple(map(tuple, rows))
        self.title = visible(title)
        self.notes = tuple(notes)
        self.turned = turned

    @property
    def headers(self) -> tuple[str, ...]:
        """The labels of the columns."""
        return tuple(column.label for column in self.columns)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the columns."""
        return tuple(column.key for column in self.columns)

    def replace(
        self,
        *,
        columns: Sequence[Column] | None = None,
        rows: Iterable[Sequence[object]] | None = None,
        title: str | None = None,
        notes: Sequence[Note] | None = None,
    ) -> Table:
        """Return the table with other columns and rows, another title or other notes."""
        return Table(
            self.columns if columns is None else columns,
            self.rows if rows is None else rows,
            title=self.title if title is None else title,
            notes=self.notes if notes is None else notes,
            turned=self.turned,
        )

    def only(self, chosen: Callable[[Column], bool]) -> Table:
        """Return the table with some of its columns, and without notes on the others."""
        at = [number for number, column in enumerate(self.columns) if chosen(column)]
        return self.replace(
            columns=[self.columns[each] for each in at],
            rows=[[row[each] for each in at] for row in self.rows],
            notes=[
                note
                for note in self.notes
                if all(chosen(column) for column in self.columns if column.key == note.key)
            ],
        )

    def cells(self, separator: str = "; ") -> Cells:
        """Return the table as text, with a separator between the texts of one cell."""
        return Cells(
            self.columns,
            self.headers,
            [
                [
                    _text(column, value, separator)
                    for column, value in zip(self.columns, row, strict=True)
                ]
                for row in self.rows
            ],
        )


def brief(tables: Iterable[Table]) -> list[Table]:
    """Return tables with the first two of their explaining notes, and all other notes.

    Examples
    --------
    >>> notes = [Note("test", "Sign test."), *noted("p", ("One.", "Two.", "Three."), explains=True)]
    >>> [table] = brief([Table([Column("p")], [], notes=notes)])
    >>> table.notes
    ('Sign test.', 'One.', 'Two.')
    """
    left = EXPLAINING
    shortened = []
    for table in tables:
        kept = []
        for note in table.notes:
            if note.explains:
                left -= 1
                if left < 0:
                    continue
            kept.append(note)
        shortened.append(table.replace(notes=kept))
    return shortened


class Cells:
    """The headers and cells of a table as text."""

    __slots__ = ("columns", "headers", "rows")

    def __init__(
        self, columns: Sequence[Column], headers: Sequence[str], rows: Sequence[Sequence[str]]
    ) -> None:
        self.columns = columns
        self.headers = headers
        self.rows = rows

    @property
    def align(self) -> str:
        """The side of each column, a letter each."""
        return "".join(column.align for column in self.columns)

    def take(self, places: Sequence[int]) -> Cells:
        """Return some of the columns."""
        return Cells(
            [self.columns[at] for at in places],
            [self.headers[at] for at in places],
            [[row[at] for at in places] for row in self.rows],
        )

    def widths(self) -> list[int]:
        """Return how wide each column is."""
        return [
            max(width(line) for cell in column for line in cell.split("\n"))
            for column in zip(self.headers, *self.rows, strict=True)
        ]


def _text(column: Column, value: object, separator: str) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        return visible(value)
    if column.fit == "wrap" and isinstance(value, (list, tuple)):
        return separator.join(
            visible(each if separator == "\n" else each.strip()) for each in value
        )
    return visible(column.show(value))


#: Line ends and tabs, and the other controls with the marks that turn the direction of writing.
_CONTROLS = dict.fromkeys(
    (*range(32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd"
) | dict.fromkeys(map(ord, "\t\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"), " ")


def visible(text: str) -> str:
    r"""Return text that takes one line and has no control characters: ids may have any.

    Examples
    --------
    >>> visible("two\nlines"), visible("\x1b[31mred")
    ('two lines', '\ufffd[31mred')
    """
    return text if text.isprintable() else text.translate(_CONTROLS)


def width(text: str) -> int:
    """Return how many columns a text takes on a terminal.

    >>> width("naïve"), width("検索")
    (5, 4)
    """
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(
        0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text
    )


def shown(text: str) -> str:
    r"""Return text that a terminal shows as it is: on one line, without control characters.

    Examples
    --------
    >>> shown("a\tb\nc"), shown("\x1b[31mred"), shown("\udcff")
    ('a b c', '\ufffd[31mred', '\ufffd')
    """
    text = visible(" ".join(text.split()))
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)


def cut(text: str, columns: int, *, middle: bool = False) -> str:
    """Return text that takes no more columns, with … where something was left out.

    Ids differ at both ends more than in the middle.

    Examples
    --------
    >>> cut("Lentil soup with cumin", 12), cut("clueweb12-0000wb-05-12114", 12, middle=True)
    ('Lentil soup…', 'cluewe…12114')
    """
    if width(text) <= columns:
        return text
    tail = ""
    if middle:
        for char in reversed(text):
            if width(char + tail) > (columns - 1) // 2:
                break
            tail = char + tail
    head = ""
    for char in text:
        if width(head + char) > columns - 1 - width(tail):
            break
        head += char
    return f"{head.rstrip()}…{tail}"
