"""Tables: columns, cells and their look."""

from __future__ import annotations

from gainful.errors import ParameterError
from gainful.formats.numbers import digits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from gainful.measures import Measure
    from gainful.measures.parameters import Policies

__all__ = [
    "ALWAYS",
    "Cells",
    "Column",
    "Note",
    "Table",
    "TableFormat",
    "brief",
    "cut",
    "noted",
    "shown",
    "width",
]

#: The priority of a column that is never left out.
ALWAYS = 100

#: How many explaining notes an output shows unless all are requested.
EXPLAINING = 2


class Column:
    """A column of a table: names and format.

    Parameters
    ----------
    key : str
        The name for programs.
    label : str, optional
        The heading. Default: the key.
    show : callable, optional
        Formats a value. Text is shown unchanged, None as a dash.
    align : {"l", "r"}, optional
        The alignment. Default: right for values with `show`, left for text.
    priority : int
        If a table is too wide, columns below `ALWAYS` are left out, the lowest first.
    fit : {"middle", "end", "wrap", "whole", "picture"}, optional
        What happens to long text on a narrow page: cut in the middle or at the end, wrapped, or
        kept. Default: cut text in the middle and keep numbers. A picture consists of block
        characters and is left out in LaTeX.
    most : int, optional
        The maximum width of wrapped text.
    short : str, optional
        A shorter label for narrow pages. Notes with the column's key then begin with it.
    best : {0, 1, -1}
        Whether HTML, Markdown and LaTeX show a number in bold: the highest (1), the lowest (-1).
    around : str, optional
        The key of the column with the values that these intervals are around. HTML draws both.
    zero : bool
        Whether the drawing includes 0, and shows by its color which intervals exclude it.
    """

    __slots__ = (
        "align",
        "around",
        "best",
        "fit",
        "key",
        "label",
        "most",
        "priority",
        "short",
        "show",
        "zero",
    )

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
        best: int = 0,
        around: str = "",
        zero: bool = False,
    ) -> None:
        self.key = key
        self.label = _visible(key if label is None else label)
        self.show = show or str
        self.align = align or ("r" if show else "l")
        self.priority = priority
        self.fit = fit or ("whole" if self.align == "r" else "middle")
        self.most = most
        self.short = short
        self.best = best
        self.around = around
        self.zero = zero


class Note(str):
    """A line below a table, with a key that names its subject.

    Parameters
    ----------
    key : str
        The subject; the key of a column if the note is about one.
    text : str
        One sentence, or a line of data.
    explains : bool
        Whether it explains how to read the table. An output shows the first two such notes, unless
        all are requested. It always shows other notes: test, convention and data checks.
    is_doubt : bool
        Whether it is a data check that does not pass, which `gainful.strict` makes an error.

    Examples
    --------
    >>> note = Note("convention", "gainful-1")
    >>> note.key, note
    ('convention', 'gainful-1')
    """

    key: str
    explains: bool
    is_doubt: bool

    def __new__(
        cls, key: str, text: str, *, explains: bool = False, is_doubt: bool = False
    ) -> Note:
        """Make a note of a key and a text."""
        note = super().__new__(cls, _visible(text))
        note.key = key
        note.explains = explains
        note.is_doubt = is_doubt
        return note


def noted(
    key: str, lines: Iterable[str], *, explains: bool = False, is_doubt: bool = False
) -> list[Note]:
    """Return lines as notes of one key."""
    return [Note(key, line, explains=explains, is_doubt=is_doubt) for line in lines]


class Table:
    """A table with columns, rows, a title and notes.

    Parameters
    ----------
    columns : sequence of Column
        The columns.
    rows : sequence of sequences
        One value per column: text, a number, None, or what `Column.show` accepts. A wrapped column
        also accepts several texts, one per line.
    title : str, optional
        A line above the table.
    notes : sequence of Note, optional
        Lines below it.
    caption : str, optional
        What the table shows, for formats with captions. Default: the title.
    turned : str, optional
        The name of the columns after the first, such as ``"collection"``, if the table may be
        transposed when it is too wide.

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

    __slots__ = ("caption", "columns", "notes", "rows", "title", "turned")

    def __init__(
        self,
        columns: Sequence[Column],
        rows: Iterable[Sequence[object]],
        *,
        title: str = "",
        notes: Sequence[Note] = (),
        caption: str = "",
        turned: str = "",
    ) -> None:
        self.columns = tuple(columns)
        self.rows = tuple(map(tuple, rows))
        self.title = _visible(title)
        self.notes = tuple(notes)
        self.caption = _visible(caption)
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
        caption: str | None = None,
    ) -> Table:
        """Return the table with other columns, rows or texts."""
        return Table(
            self.columns if columns is None else columns,
            self.rows if rows is None else rows,
            title=self.title if title is None else title,
            notes=self.notes if notes is None else notes,
            caption=self.caption if caption is None else caption,
            turned=self.turned,
        )

    def only(self, chosen: Callable[[Column], bool]) -> Table:
        """Return the table with some columns and without the notes on others."""
        places = [number for number, column in enumerate(self.columns) if chosen(column)]
        return self.replace(
            columns=[self.columns[place] for place in places],
            rows=[[row[place] for place in places] for row in self.rows],
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
        """The alignment of each column, one letter each."""
        return "".join(column.align for column in self.columns)

    def take(self, places: Sequence[int]) -> Cells:
        """Return some of the columns."""
        return Cells(
            [self.columns[place] for place in places],
            [self.headers[place] for place in places],
            [[row[place] for place in places] for row in self.rows],
        )

    def widths(self) -> list[int]:
        """Return the width of each column."""
        return [
            max(width(line) for cell in column for line in cell.split("\n"))
            for column in zip(self.headers, *self.rows, strict=True)
        ]


def _text(column: Column, value: object, separator: str) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        return _visible(value)
    if column.fit == "wrap" and isinstance(value, (list, tuple)):
        return separator.join(
            _visible(item if separator == "\n" else item.strip()) for item in value
        )
    return _visible(column.show(value))


#: Line ends and tabs, other control characters, and marks that reverse the direction of text.
_CONTROLS = dict.fromkeys(
    (*range(32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd"
) | dict.fromkeys(map(ord, "\t\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"), " ")


def _visible(text: str) -> str:
    r"""Return text on one line without control characters, which ids may contain.

    Examples
    --------
    >>> _visible("two\nlines"), _visible("\x1b[31mred")
    ('two lines', '\ufffd[31mred')
    """
    return text if text.isprintable() else text.translate(_CONTROLS)


#: The characters of the tables themselves that are one column wide, as ASCII.
_NARROW = dict.fromkeys((*map(ord, "–—…−×≤≥"), *range(0x2190, 0x2194), *range(0x2500, 0x25A0)), "-")


def width(text: str) -> int:
    r"""Return the width of a text on a terminal.

    >>> width("naïve"), width("検索"), width("👩\u200d💻")
    (5, 4, 2)
    """
    if text.isascii() or (text := text.translate(_NARROW)).isascii():
        return len(text)
    from wcwidth import width as width_on_terminals

    return width_on_terminals(text)


def characters(text: str) -> Iterator[str]:
    r"""Yield what a terminal shows as one character, such as a letter with its accents.

    >>> list(characters("a👩\u200d💻"))
    ['a', '👩\u200d💻']
    """
    if text.isascii():
        return iter(text)
    from wcwidth import iter_graphemes

    return iter_graphemes(text)


def shown(text: str) -> str:
    r"""Return text that a terminal shows unchanged: on one line, without control characters.

    Examples
    --------
    >>> shown("a\tb\nc"), shown("\x1b[31mred"), shown("\udcff")
    ('a b c', '\ufffd[31mred', '\ufffd')
    """
    text = _visible(" ".join(text.split()))
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)


def cut(text: str, columns: int, *, middle: bool = False, end: int = 0) -> str:
    """Cut text to a width, with … for the part left out.

    Ids differ at both ends more than in the middle, which keeps as much of the start as of the end.
    ``end`` columns of the end are kept otherwise.

    Examples
    --------
    >>> cut("Lentil soup with cumin", 12), cut("clueweb12-0000wb-05-12114", 12, middle=True)
    ('Lentil soup…', 'cluewe…12114')
    """
    if width(text) <= columns:
        return text
    if middle:
        end = (columns - 1) // 2
    whole = list(characters(text))
    tail = ""
    for char in reversed(whole):
        if width(char + tail) > end:
            break
        tail = char + tail
    head = ""
    for char in whole:
        if width(head + char) > columns - 1 - width(tail):
            break
        head += char
    return f"{head.rstrip()}…{tail}"


_MOST_DIGITS = 15


class TableFormat:
    """The digits of means, whether they are percentages, and the order of the systems.

    Parameters
    ----------
    places : int, optional
        Digits after the point. Default: 4, or 2 for percentages.
    sort : str, optional
        The measure by whose mean systems are sorted, the highest first, or ``"name"``. Default: the
        order of the runs.
    percent : bool
        Whether to multiply by 100 the means of measures from 0 to 1.

    Raises
    ------
    ParameterError
        For a number of digits below 0 or above 15.

    Examples
    --------
    >>> TableFormat().text(0.50583), TableFormat(2).text(0.50583)
    ('.5058', '.51')
    >>> TableFormat(percent=True).text(50.583)
    '50.58'
    """

    __slots__ = ("percent", "places", "sort")

    def __init__(
        self, places: int | None = None, sort: str | None = None, percent: bool = False
    ) -> None:
        if places is not None and (type(places) is not int or not 0 <= places <= _MOST_DIGITS):
            raise ParameterError(
                where="digits",
                found=repr(places),
                expected=f"a whole number from 0 to {_MOST_DIGITS}",
            )
        self.places = (2 if percent else 4) if places is None else places
        self.sort = sort
        self.percent = percent

    def text(self, value: float) -> str:
        """Format a mean; an integer is a sum of counts."""
        return str(value) if isinstance(value, int) else digits(value, self.places)

    def scaled(self, measure: Measure, convention: Policies) -> bool:
        """Return whether the means of a measure are shown as percentages."""
        return (
            self.percent
            and measure.aggregate != "sum"
            and measure.range(convention) in ((0.0, 1.0), (0, 1))
        )

    def heading(self, measure: Measure, convention: Policies) -> str:
        """Return the heading of a measure's means."""
        return f"{measure!r} (%)" if self.scaled(measure, convention) else repr(measure)

    def order(
        self,
        systems: Sequence[str],
        measures: Sequence[Measure],
        means: Mapping[tuple[str, str], float],
    ) -> list[str]:
        """Return the systems in their order."""
        if self.sort is None:
            return list(systems)
        if self.sort == "name":
            return sorted(systems)
        names = [repr(measure) for measure in measures]
        if self.sort not in names:
            raise ParameterError(
                where="sort", found=repr(self.sort), expected=f"name or one of {', '.join(names)}"
            )

        direction = measures[names.index(self.sort)].direction

        def key(system: str) -> tuple[bool, float]:
            mean = means.get((str(self.sort), system), float("nan"))
            return mean != mean, -direction * mean

        return sorted(systems, key=key)
