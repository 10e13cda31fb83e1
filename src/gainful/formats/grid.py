"""A table of two directions that is turned or cut where it would be too wide."""

from __future__ import annotations

from gainful.formats.table import TextTable, width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Grid", "drawn_width", "laid_out"]


class Grid:
    r"""Cells of text by row and column, and further columns at the end of the rows.

    Parameters
    ----------
    rows, columns : str
        What the rows and what the columns are: ``system``, ``collection``.
    names : sequence of str
        The names of the columns.
    further : sequence of str
        Headers of the columns after these.

    Examples
    --------
    >>> grid = Grid("system", "collection", ["news", "web"], ["macro"])
    >>> grid.add("bm25", [".5000", ".6000"], [".5500"])
    >>> for columns in (100, 20):
    ...     print(*laid_out(grid, "AP", columns), sep="\n")
    AP
    system   news    web  macro
    ───────────────────────────
    bm25    .5000  .6000  .5500
    AP
    collection   bm25
    ─────────────────
    news        .5000
    web         .6000
    macro       .5500
    """

    __slots__ = ("columns", "further", "names", "rows", "starts")

    def __init__(
        self, rows: str, columns: str, names: Sequence[str], further: Sequence[str] = ()
    ) -> None:
        self.rows = rows
        self.columns = columns
        self.names = list(names)
        self.further = list(further)
        self.starts: list[tuple[str, list[str]]] = []

    def add(self, name: str, cells: Sequence[str], further: Sequence[str] = ()) -> None:
        """Add a row."""
        self.starts.append((name, [*cells, *further]))


def laid_out(grid: Grid, title: str, columns: int) -> list[TextTable]:
    """Return a grid as a table: as it is, else turned round, else cut into several.

    Parameters
    ----------
    grid : Grid
        What to lay out.
    title : str
        Above each table.
    columns : int
        How wide a table may be.
    """
    headers = [*grid.names, *grid.further]
    upright = _table(grid.rows, headers, grid.starts, title)
    if drawn_width(upright) <= columns:
        return [upright]
    across = [name for name, _ in grid.starts]
    down = [(header, [cells[at] for _, cells in grid.starts]) for at, header in enumerate(headers)]
    turned = _table(grid.columns, across, down, title)
    if drawn_width(turned) <= columns:
        return [turned]
    # The more there are of one kind, the better they stand below each other.
    if len(across) > len(headers):
        return list(_cut(grid.rows, headers, grid.starts, title, columns))
    return list(_cut(grid.columns, across, down, title, columns))


def _table(
    corner: str, headers: Sequence[str], rows: Sequence[tuple[str, list[str]]], title: str
) -> TextTable:
    return TextTable(
        [corner, *headers],
        [[name, *cells] for name, cells in rows],
        align="l" + "r" * len(headers),
        title=title,
    )


def _cut(
    corner: str,
    headers: Sequence[str],
    rows: Sequence[tuple[str, list[str]]],
    title: str,
    columns: int,
) -> Iterator[TextTable]:
    """Yield tables of as many columns as there is room for, at least one."""
    start = 0
    while start < len(headers):
        end = start + 1
        part = _part(corner, headers, rows, start, end)
        while end < len(headers):
            wider = _part(corner, headers, rows, start, end + 1)
            if drawn_width(wider) > columns:
                break
            part, end = wider, end + 1
        yield part.told(title=title)
        start = end


def _part(
    corner: str,
    headers: Sequence[str],
    rows: Sequence[tuple[str, list[str]]],
    start: int,
    end: int,
) -> TextTable:
    return _table(
        corner, headers[start:end], [(name, cells[start:end]) for name, cells in rows], ""
    )


def drawn_width(table: TextTable) -> int:
    """Return how wide a table is on a terminal, where there are three blanks between columns.

    Examples
    --------
    >>> drawn_width(TextTable(["measure", "mean"], [["AP", ".5058"]]))
    15
    """
    columns = zip(table.headers, *table.rows, strict=True)
    widths = [max(map(width, column)) for column in columns]
    return sum(widths) + 3 * (len(widths) - 1)
