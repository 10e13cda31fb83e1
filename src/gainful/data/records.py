"""Small tables in files: rows under the names of their columns, as TSV, CSV or JSON lines."""

from __future__ import annotations

import json
from typing import NamedTuple

from gainful.data.corpus_fields import has_half_characters
from gainful.data.delimited import quoted
from gainful.data.text_lines import text_lines
from gainful.errors import FormatError
from gainful.quoting import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike
    from typing import Any

__all__ = [
    "Record",
    "Records",
    "check_whole_characters",
    "finite",
    "json_record",
    "json_value",
    "read_records",
    "strict_json_value",
]


class Record(NamedTuple):
    """A row: the number of its line, and its cells by column. A cell that is not there is None."""

    line: int | None
    cells: dict[str, object]


class Records(NamedTuple):
    """The rows of a file.

    Attributes
    ----------
    name : str
        What the file is called in messages.
    columns : tuple of str
        Their names, in the order of the file.
    rows : list of Record
        Cells of TSV and CSV are texts, those of JSON lines what JSON says.
    """

    name: str
    columns: tuple[str, ...]
    rows: list[Record]


def read_records(path: str | PathLike[str]) -> Records:
    r"""Read a file whose first line names the columns, or whose lines are JSON objects.

    Parameters
    ----------
    path : path
        The file; ``"-"`` is the standard input. TSV where the header holds a tab, else CSV; cells
        are quoted as in CSV in both.

    Raises
    ------
    SourceError
        If the file cannot be read.
    FormatError
        If it is empty, a line is no JSON object or has more cells than there are columns, or two
        columns have one name.

    Examples
    --------
    >>> with open("tests.tsv", "w") as file:
    ...     _ = file.write("experiment\toffline\nnew ranker\t0.02\nold ranker\t\n")
    >>> table = read_records("tests.tsv")
    >>> table.columns
    ('experiment', 'offline')
    >>> table.rows[1]
    Record(line=3, cells={'experiment': 'old ranker', 'offline': None})
    """
    name, lines = text_lines(path, stripped=False)
    if not lines:
        raise FormatError(file=name, found="an empty file", expected="a header and rows")
    if lines[0][1].lstrip().startswith("{"):
        rows = [json_record(name, number, line) for number, line in lines]
        columns = tuple(dict.fromkeys(key for row in rows for key in row.cells))
        return Records(name, columns, rows)
    cells = _cells(name, lines)
    _, header = next(cells)
    columns = tuple(cell.strip() for cell in header)
    if len(set(columns)) < len(columns):
        twice = next(each for each in columns if columns.count(each) > 1)
        raise FormatError(
            file=name, line=lines[0][0], found=f"two columns {twice!r}", expected="a name for each"
        )
    return Records(name, columns, [_row(name, number, columns, row) for number, row in cells])


def _cells(name: str, lines: list[tuple[int, str]]) -> Iterator[tuple[int, list[str]]]:
    delimiter = "\t" if "\t" in lines[0][1] else ","
    return quoted(((number, line + "\n") for number, line in lines), name, delimiter)


def _row(name: str, number: int, columns: tuple[str, ...], row: list[str]) -> Record:
    if len(row) > len(columns):
        raise FormatError(
            file=name,
            line=number,
            found=f"{len(row)} cells",
            expected=f"{len(columns)}, as the first line has columns",
        )
    cells: dict[str, object] = dict.fromkeys(columns)
    cells.update((key, cell.strip() or None) for key, cell in zip(columns, row, strict=False))
    return Record(number, cells)


def json_value(text: str) -> object:
    """Return a JSON value, ``None`` for what is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def strict_json_value(text: str) -> Any:
    """Return the value of a JSON text; NaN and infinities in it are texts, which no grade is.

    Raises
    ------
    ValueError, RecursionError
        For what is no JSON, or cannot be read.
    KeyError
        With a key that an object has twice, of which one would be lost.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [key for key, _ in pairs]
            raise KeyError(next(key for key in names if names.count(key) > 1))
        return found

    return json.loads(text, object_pairs_hook=unique, parse_constant=str)


def json_record(name: str, number: int, line: str) -> Record:
    """Return the row that a line of JSON lines is.

    Raises
    ------
    FormatError
        If it is no object.
    """
    cells = json_value(line)
    if not isinstance(cells, dict):
        raise FormatError(
            file=name, line=number, found=repr(line[:80]), expected="a JSON object a line"
        )
    check_whole_characters(cells, name, number)
    return Record(number, cells)


def check_whole_characters(cells: dict[str, object], name: str, number: int | None) -> None:
    """Check the names and texts of a record for lone surrogates, which JSON can write.

    Raises
    ------
    FormatError
        If there is one: no id or name can have half a character.
    """
    for text in (*cells, *cells.values()):
        if isinstance(text, str) and has_half_characters(text):
            raise FormatError(
                file=name,
                line=number,
                found=f"half a character in {shown(text)}",
                expected="whole characters",
            )


def finite(
    name: str, row: Record, column: str, *, expected: str, least: float = float("-inf")
) -> float | None:
    """Return the number in a cell, ``None`` where there is no cell.

    Raises
    ------
    FormatError
        For what is no finite number, or less than the least.
    """
    value = row.cells.get(column)
    if value is None:
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    # A difference of a number to itself is 0 only if it is finite.
    if number - number != 0.0 or number < least:
        raise FormatError(
            file=name, line=row.line, found=f"{shown(value)} as {column}", expected=expected
        )
    return number
