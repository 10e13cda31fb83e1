"""Stream the rows of CSV, TSV and JSON lines with named columns."""

from __future__ import annotations

from gainful.data.delimited import delimiter_of, is_header, named_rows, parse_cells, text_from
from gainful.data.records import check_surrogates, strict_json_value
from gainful.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gainful.data.delimited import Row, Table, Unnamed

__all__ = ["keys", "table_rows"]


def table_rows(stream: Iterable[bytes], label: str, unnamed: Unnamed = is_header) -> Table | None:
    """Return the columns of a table, and an iterable of its rows.

    Parameters
    ----------
    stream : iterable of bytes
        The lines of the file: JSON objects, or cells between tabs, commas or semicolons.
    label : str
        The file's name, for messages.
    unnamed : function, optional
        Takes the first row; returns the names of the columns if it is not a header, else None.
        Default: the first row is a header.

    Returns
    -------
    columns : sequence of str
        Their names, stripped.
    rows : iterable of (int, mapping)
        The number of the line, and the cells by column; missing cells are empty, and empty rows
        are skipped.

    Or None if it is not a table.

    Raises
    ------
    FormatError
        For an empty file, a row with too many cells, or a line that is not a JSON object.
    """
    first, lines = text_from(stream, label)
    if first[1].lstrip().startswith("{"):
        objects = _objects(lines, label)
        return keys([row for _, row in objects]), objects
    delimiter = delimiter_of(first[1], label)
    if delimiter is None:
        return None
    return named_rows(parse_cells(lines, label, delimiter), label, unnamed)


def keys(rows: Iterable[Mapping[str, object]]) -> list[str]:
    """Return the names in all rows, in order of appearance; rows may have different names."""
    return list(dict.fromkeys(str(name) for row in rows for name in row))


def _objects(lines: Iterable[tuple[int, str]], label: str) -> list[Row]:
    """Return JSON lines as rows; an empty list if the first line is not a JSON object."""
    rows: list[Row] = []
    for number, line in lines:
        if not line.strip():
            continue
        try:
            row = strict_json_value(line)
        except (ValueError, RecursionError):
            row = None
        except KeyError as error:
            raise FormatError(
                f"the field {error.args[0]!r} occurs twice", file=label, line=number
            ) from None
        if not isinstance(row, dict):
            # The whole file may be one JSON value, which the kernel reads.
            if not rows:
                return []
            raise FormatError("not a JSON object", file=label, line=number)
        check_surrogates(row, label, number)
        rows.append((number, row))
    return rows
