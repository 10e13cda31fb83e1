"""Tables on a terminal, drawn by Rich. Elsewhere a table is its plain `str`."""

from __future__ import annotations

from io import StringIO
from shutil import get_terminal_size

from gainful.formats.fitting import parted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.formats.table import TextTable


#: Spaces that Rich puts between columns.
_GAP = 3


def drawn(*tables: TextTable, width: int | None = None) -> str:
    """Return tables as a terminal shows them: bold headers, quiet notes, wrapped to its width.

    Parameters
    ----------
    *tables : TextTable
        One below the other; in parts, where names would be folded to a few letters.
    width : int, optional
        Columns of the terminal; asked for without it.

    Returns
    -------
    str
        Text with the terminal's codes for colours.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    into = StringIO()
    columns = width or terminal_width()
    console = Console(file=into, force_terminal=True, width=columns, highlight=False)
    parts = [part for table in tables for part in parted(table, columns, _GAP)]
    for number, table in enumerate(parts):
        if number:
            console.print()
        if table.title:
            console.print(Text(table.title, style="bold"))
        drawing = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
        for at, (header, side) in enumerate(zip(table.headers, table.align, strict=True)):
            # Numbers stay whole; what is too long is wrapped, never cut.
            drawing.add_column(
                Text(header),
                justify="right" if side == "r" else "left",
                no_wrap=side == "r",
                overflow="fold",
                style="cyan" if at == 0 else None,
            )
        for row in table.rows:
            drawing.add_row(*map(Text, row))
        console.print(drawing)
        if table.notes:
            console.print()
        for note in table.notes:
            console.print(Text(note, style="dim"))
    return into.getvalue()


def terminal_width() -> int:
    """Return the columns of the terminal."""
    return max(40, get_terminal_size().columns)
