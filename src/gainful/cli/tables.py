"""Results that are several tables: in which formats they are written, and where to."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from gainful.formats.table import TextTable

    class Tables(Protocol):
        """What can be written."""

        def to_dict(self) -> dict[str, object]:
            """Return it as plain values."""

        def tables(self) -> list[TextTable]:
            """Return it as tables of text."""


#: In the order of the help.
FORMATS = ("table", "tsv", "csv", "json", "markdown", "latex")


def write(
    result: Tables,
    columns: dict[str, list[object]],
    style: str,
    output: str | None,
    *,
    pages: Sequence[TextTable] | None = None,
) -> None:
    """Hand a result to the renderer of a format, and its text to where it goes.

    Parameters
    ----------
    result
        What is written.
    columns : dict of str to list
        Its rows column by column, for TSV and CSV.
    style : str
        One of `FORMATS`.
    output : str or None
        A file, or the standard output.
    pages : sequence of TextTable, optional
        Its tables for LaTeX, if they are others than those of a terminal.
    """
    from gainful.cli.output import deliver, on_terminal

    if style == "table":
        shown = result.tables()
        if output in (None, "-") and on_terminal():
            from gainful.formats.console import drawn

            deliver(["\n".join(drawn(table) for table in shown)], output)
        else:
            from gainful.formats.text import stacked

            deliver([stacked(shown) + "\n"], output)
    elif style == "json":
        from gainful.formats.json import text

        deliver([text(result.to_dict(), indent=2)], output)
    elif style in ("tsv", "csv"):
        from gainful.cli.output import delimited

        rows = list(zip(*columns.values(), strict=True))
        deliver(delimited(style)(list(columns), rows), output)
    elif style == "markdown":
        from gainful.formats.markdown import markdown

        deliver(["\n".join(map(markdown, result.tables()))], output)
    else:
        from gainful.formats.latex import latex

        deliver(["\n\\bigskip\n".join(map(latex, pages or result.tables()))], output)
