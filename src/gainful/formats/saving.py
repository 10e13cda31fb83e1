"""Render results in a format, and save them."""

from __future__ import annotations

from os import fspath
from os.path import splitext

from gainful._kernel import parquet_bytes
from gainful.errors import ParameterError
from gainful.formats.table import brief
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from os import PathLike

    from gainful.formats.table import Table
    from gainful.results import Result

__all__ = ["SUFFIXES", "encoded", "rendered", "save"]


def rendered(
    tables: Sequence[Table],
    style: str,
    heading: Sequence[str] = (),
    *,
    notes: bool = False,
    name: str = "",
    columns: int | None = None,
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
        Whether all explaining notes are shown; without it the first two, and in LaTeX no notes.
    name : str
        What the tables show, for captions of tables without a title and for labels.
    columns : int, optional
        The width of plain text. Default: 100.
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

_PAGE = (
    '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
    '<meta name="color-scheme" content="light dark">\n<title>{}</title>\n'
    '<body style="font-family:system-ui,sans-serif">\n{}\n</html>\n'
)


def save(
    result: Result,
    path: str | PathLike[str],
    records: str | None,
    inputs: Iterable[str | PathLike[str]] = (),
) -> None:
    """Implement `gainful.results.Result.save`."""
    name = fspath(path)
    style = SUFFIXES.get(splitext(name)[1].lower())
    if style is None:
        raise ParameterError(
            where="save", found=repr(name), expected=f"a name that ends in {', '.join(SUFFIXES)}"
        )
    document = None
    if inputs:
        from gainful.input_files import InputFiles, check_output

        files = InputFiles(inputs)
        check_output(name, files.paths)
        if style == "json":
            document = {**result.to_dict(), "inputs": files.digests()}
    write_whole(name, encoded(result, style, records=records, document=document))


def encoded(
    result: Result,
    style: str,
    *,
    records: str | None = None,
    tables: Sequence[Table] | None = None,
    document: dict[str, object] | None = None,
    spreadsheet: bool = False,
    notes: bool = False,
) -> Iterable[bytes]:
    """Return a result in a format.

    Parameters
    ----------
    result : Result
        The result.
    style : str
        One of the values of `SUFFIXES`.
    records : str, optional
        The records for CSV, TSV and Parquet. Default: the first.
    tables : sequence of Table, optional
        Tables instead of `Result.tables`.
    document : dict, optional
        A document instead of `Result.to_dict`.
    spreadsheet : bool
        Whether to protect text in CSV and TSV from being run as a formula.
    notes : bool
        Whether tables have all their explaining notes; without it the first two.
    """
    if style == "parquet":
        return [parquet_bytes(result._exported(records))]
    if style in ("csv", "tsv") and not spreadsheet:
        content = result._delimited(style, records)
        if content is not None:
            return content
    return (
        chunk.encode("utf-8", "surrogateescape")
        for chunk in _text(result, style, records, tables, document, spreadsheet, notes)
    )


def _text(
    result: Result,
    style: str,
    records: str | None,
    tables: Sequence[Table] | None,
    document: dict[str, object] | None,
    spreadsheet: bool,
    notes: bool,
) -> Iterable[str]:
    if style in ("csv", "tsv"):
        from gainful.formats.delimited import WRITERS

        columns = result.records(records)
        rows = zip(*columns.values(), strict=True)
        return WRITERS[style](list(columns), rows, spreadsheet=spreadsheet)
    if style == "json":
        from gainful.formats.delimited import text

        return [text(result.to_dict() if document is None else document, indent=2)]
    if tables is not None:
        shown = rendered(tables, style, result._heading(), notes=notes, name=result._name)
    elif style == "markdown":
        shown = result.to_markdown(notes=notes)
    elif style == "latex":
        shown = result.to_latex(notes=notes)
    else:
        shown = result.to_html(notes=notes) if style == "html" else result.to_text(notes=notes)
    if style == "html":
        from html import escape

        return [_PAGE.format(escape(type(result).__name__), shown)]
    return [shown if shown.endswith("\n") else f"{shown}\n"]
