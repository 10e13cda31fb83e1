"""Tables on a terminal, rendered by Rich. Elsewhere a table is its plain `str`."""

from __future__ import annotations

from io import StringIO
from os import environ
from shutil import get_terminal_size

from gainful.formats.text import WIDTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TextIO

    from rich.console import Console

    from gainful.formats.table import Table


#: Spaces that Rich puts between columns.
_GAP = 3


def drawn(
    *tables: Table, width: int | None = None, heading: Iterable[str] = (), notes: bool = False
) -> str:
    """Render tables for a terminal: bold headers, dim notes, wrapped to its width."""
    from rich import box
    from rich.table import Table as Drawing
    from rich.text import Text

    from gainful.formats.table import brief
    from gainful.formats.text import arranged, folded, shortened

    into = StringIO()
    columns = width or terminal_width()
    console = open_console(into, columns)
    for lines in folded(heading):
        console.print(Text(f"{lines}\n"))
    for number, wide in enumerate(tables if notes else brief(tables)):
        table = shortened(wide, columns, _GAP)
        if number:
            console.print()
        if table.title:
            console.print(Text(table.title, style="bold"))
        for index, cells in enumerate(arranged(table, columns, _GAP)):
            if index:
                console.print()
            drawing = Drawing(
                box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False
            )
            for place, (header, side) in enumerate(zip(cells.headers, cells.align, strict=True)):
                # Numbers stay whole; long text is wrapped, never cut.
                drawing.add_column(
                    Text(header),
                    justify="right" if side == "r" else "left",
                    no_wrap=side == "r",
                    overflow="fold",
                    style="cyan" if place == 0 else None,
                )
            for row in cells.rows:
                drawing.add_row(*map(Text, row))
            console.print(drawing)
        if table.notes:
            console.print()
        for note in table.notes:
            console.print(Text(note, style="dim"))
    return into.getvalue()


def terminal_width() -> int:
    """Return the columns of the terminal."""
    return max(40, get_terminal_size((WIDTH, 24)).columns)


def has_colors() -> bool:
    """Return whether text on a terminal may have color codes.

    NO_COLOR (https://no-color.org) and dumb terminals turn them off.
    """
    return not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def open_console(into: TextIO, width: int, **options: Any) -> Console:
    """Return a console that writes text for a terminal, with colors where they are allowed."""
    from rich.console import Console

    colors = "auto" if has_colors() else None
    return Console(
        file=into,
        force_terminal=True,
        width=width,
        # Without a height, Rich gives dumb terminals 80 columns.
        height=25,
        highlight=False,
        color_system=colors,  # type: ignore[arg-type]
        **options,
    )
