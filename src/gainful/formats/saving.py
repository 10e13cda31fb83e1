"""Render results in a format, and save them."""

from __future__ import annotations

from gainful.formats.table import brief

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.formats.table import Table

__all__ = ["SUFFIXES", "rendered"]


def rendered(
    tables: Sequence[Table],
    style: str,
    heading: Sequence[str] = (),
    *,
    notes: bool = False,
    name: str = "",
    columns: int | None = None,
) -> str:
    """Render tables one after the other."""
    explaining = [note for table in tables for note in table.notes if note.explains]
    if not notes:
        tables = brief(tables)
    if style == "markdown":
        from gainful.formats.markup import escape_markdown, markdown

        return "\n".join(
            [*(f"{escape_markdown(line)}\n" for line in heading), *map(markdown, tables)]
        )
    if style == "latex":
        return "\n".join(_floats(tables, heading, notes, name or "table"))
    if style == "html":
        from gainful.formats.markup import page

        return page(tables, heading, explaining=explaining)
    from gainful.formats.text import WIDTH, folded, text

    shown = (text(table, columns or WIDTH) for table in tables)
    return "\n\n".join([*folded(heading, columns or WIDTH), *shown])


def _floats(
    tables: Sequence[Table], heading: Sequence[str], notes: bool, name: str
) -> Iterator[str]:
    """Yield tables in LaTeX; the heading is part of the first caption."""
    from gainful.formats.markup import latex

    for number, table in enumerate(tables, 1):
        caption = table.caption or table.title
        above = " ".join(heading) if number == 1 else ""
        caption = ". ".join(filter(None, (above.rstrip("."), caption))) or name.capitalize()
        label = name if number == 1 else f"{name}-{number}"
        yield latex(table.replace(caption=caption), label, notes=notes)


#: The formats by the suffix of a file's name.
SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".json": "json",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
    ".txt": "table",
}
