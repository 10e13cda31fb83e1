"""Several tables as text, Markdown, LaTeX or HTML."""

from __future__ import annotations

from gainful.formats.table import brief

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.formats.table import Table

__all__ = ["rendered"]


def rendered(
    tables: Sequence[Table], style: str, heading: Sequence[str] = (), *, notes: bool = False
) -> str:
    """Render tables one after the other.

    Parameters
    ----------
    tables : sequence of Table
        The tables.
    style : {"table", "markdown", "latex", "html"}
        The format: plain text, Markdown, LaTeX for the package booktabs, or a fragment of HTML.
    heading : sequence of str
        Sentences above the first table.
    notes : bool
        Whether all explaining notes are shown; without it the first two.
    """
    explaining = [note for table in tables for note in table.notes if note.explains]
    if not notes:
        tables = brief(tables)
    if style == "markdown":
        from gainful.formats.markup import escape_markdown, markdown

        return "\n".join(
            [*(f"{escape_markdown(line)}\n" for line in heading), *map(markdown, tables)]
        )
    if style == "latex":
        from gainful.formats.markup import escape_latex as for_latex
        from gainful.formats.markup import latex

        lines = "".join(f"{for_latex(line)}\n\n" for line in heading)
        return lines + "\n\\bigskip\n".join(map(latex, tables))
    if style == "html":
        from gainful.formats.markup import page

        return page(tables, heading, explaining=explaining)
    from gainful.formats.text import folded, text

    return "\n\n".join([*folded(heading), *map(text, tables)])
