"""A table that people read: result objects make it of themselves, every renderer takes it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class TextTable:
    """Cells of text under headers, with a title above and notes below.

    Parameters
    ----------
    headers : sequence of str
        One a column.
    rows : sequence of sequences of str
        The cells, one sequence a row.
    align : str, optional
        One letter a column, ``l`` or ``r``; all left without it.
    title : str, optional
        A line above the table.
    notes : sequence of str, optional
        Lines below it.

    Examples
    --------
    >>> print(TextTable(["measure", "mean"], [["nDCG@10", ".5058"]], align="lr", notes=["Good."]))
    measure   mean
    ──────────────
    nDCG@10  .5058
    <BLANKLINE>
    Good.
    """

    __slots__ = ("align", "headers", "notes", "rows", "title")

    def __init__(
        self,
        headers: Sequence[str],
        rows: Sequence[Sequence[str]],
        *,
        align: str = "",
        title: str = "",
        notes: Sequence[str] = (),
    ) -> None:
        self.headers = tuple(map(visible, headers))
        self.rows = tuple(tuple(map(visible, row)) for row in rows)
        self.align = align or "l" * len(self.headers)
        self.title = visible(title)
        self.notes = tuple(map(visible, notes))

    def told(self, *, title: str | None = None, notes: Sequence[str] | None = None) -> TextTable:
        """Return the table with another title or other notes.

        Examples
        --------
        >>> print(TextTable(["n"], [["3"]], title="Before").told(title="After"))
        After
        n
        ─
        3
        """
        return TextTable(
            self.headers,
            self.rows,
            align=self.align,
            title=self.title if title is None else title,
            notes=self.notes if notes is None else notes,
        )

    def __str__(self) -> str:
        widths = [
            max(width(cell) for cell in column)
            for column in zip(self.headers, *self.rows, strict=True)
        ]
        lines = [self.title] if self.title else []
        lines.append(self._line(self.headers, widths))
        lines.append("─" * (sum(widths) + 2 * (len(widths) - 1)))
        lines.extend(self._line(row, widths) for row in self.rows)
        if self.notes:
            lines.append("")
            lines.extend(self.notes)
        return "\n".join(lines)

    def plain(self, width: int = 100) -> str:
        """Return the table as text with its title and notes wrapped at a width.

        Examples
        --------
        >>> print(TextTable(["n"], [["3"]], notes=["A note of some length."]).plain(12))
        n
        ─
        3
        <BLANKLINE>
        A note of
          some
          length.
        """
        from textwrap import wrap

        def wrapped(text: str) -> list[str]:
            return wrap(text, width, subsequent_indent="  ", break_on_hyphens=False)

        lines = wrapped(self.title) if self.title else []
        lines.append(str(self.told(title="", notes=())))
        if self.notes:
            lines.append("")
            lines += [line for note in self.notes for line in wrapped(note)]
        return "\n".join(lines)

    def _line(self, cells: Sequence[str], widths: Sequence[int]) -> str:
        padded = (
            " " * (wide - width(cell)) + cell if side == "r" else cell + " " * (wide - width(cell))
            for cell, wide, side in zip(cells, widths, self.align, strict=True)
        )
        return "  ".join(padded).rstrip()

    def html(self) -> str:
        """Return the table as HTML, for notebooks."""
        from html import escape

        style = {"l": "text-align:left", "r": "text-align:right"}

        def row(cells: Sequence[str], tag: str) -> str:
            return "".join(
                f'<{tag} style="{style[side]}">{escape(cell)}</{tag}>'
                for cell, side in zip(cells, self.align, strict=True)
            )

        body = "".join(f"<tr>{row(cells, 'td')}</tr>" for cells in self.rows)
        title = f"<caption>{escape(self.title)}</caption>" if self.title else ""
        notes = "".join(f"<div>{escape(note)}</div>" for note in self.notes)
        return (
            f"<table>{title}<thead><tr>{row(self.headers, 'th')}</tr></thead>"
            f"<tbody>{body}</tbody></table><div style='font-size:smaller'>{notes}</div>"
        )


#: Line ends and tabs, and the other controls with the marks that turn the direction of writing.
_CONTROLS = dict.fromkeys(
    (*range(32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd"
) | dict.fromkeys(map(ord, "\t\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"), " ")


def visible(text: str) -> str:
    r"""Return text that takes one line and tells a terminal nothing: ids may hold anything.

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
    r"""Return text that a terminal shows as it stands: on one line, without control characters.

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


def with_sign(value: float | None, places: int = 4) -> str:
    """Return a difference as tables print it, with its sign; a dash where it has no finite value.

    >>> [with_sign(value) for value in (0.0388, -0.5, 0.0, -0.00001, float("inf"))]
    ['+.0388', '-.5000', '.0000', '.0000', '–']
    """
    if value is None or abs(value) == float("inf"):
        return digits(None)
    text = digits(value, places)
    if not text.strip("-.0"):
        return text.removeprefix("-")
    return text if text.startswith("-") else f"+{text}"


def digits(value: float | None, places: int = 4) -> str:
    """Return a measure's value as tables print it: without the zero before the point.

    >>> digits(0.50583), digits(1.0), digits(-0.25), digits(12.5), digits(None)
    ('.5058', '1.0000', '-.2500', '12.5000', '–')
    """
    if value is None:
        return "–"
    text = f"{value:.{places}f}"
    if text.startswith("0."):
        return text[1:]
    if text.startswith("-0."):
        return "-" + text[2:]
    return text


def short(number: float) -> str:
    """Return a number that a person chose, as tables print it.

    >>> short(0.05), short(0.1), short(12.0), short(0.0)
    ('.05', '.1', '12', '0')
    """
    text = f"{number:g}"
    return text[1:] if text.startswith("0.") else text
