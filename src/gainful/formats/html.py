"""A table as a fragment of HTML, for notebooks and pages."""

from __future__ import annotations

from html import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.formats.table import Table

__all__ = ["html"]

_STYLE = {"l": "text-align:left", "r": "text-align:right"}


def html(table: Table) -> str:
    """Return a table with its title as the caption and its notes below."""
    cells = table.cells()

    def row(texts: Sequence[str], tag: str) -> str:
        return "".join(
            f'<{tag} style="{_STYLE[side]}">{escape(text)}</{tag}>'
            for text, side in zip(texts, cells.align, strict=True)
        )

    body = "".join(f"<tr>{row(each, 'td')}</tr>" for each in cells.rows)
    title = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    notes = "".join(f"<div>{escape(note)}</div>" for note in table.notes)
    return (
        f"<table>{title}<thead><tr>{row(cells.headers, 'th')}</tr></thead>"
        f"<tbody>{body}</tbody></table><div style='font-size:smaller'>{notes}</div>"
    )
