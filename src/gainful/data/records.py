"""Small tables in files: TSV, CSV or JSON lines with named columns."""

from __future__ import annotations

import json
from typing import NamedTuple

from gainful.data.columns import repeated
from gainful.data.corpus_fields import has_lone_surrogate
from gainful.data.delimited import delimiter_of, named_rows, parse_csv
from gainful.data.text_lines import text_lines
from gainful.errors import FormatError
from gainful.numerals import parse_number
from gainful.quoting import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from typing import Any

__all__ = [
    "Record",
    "Records",
    "check_surrogates",
    "finite",
    "json_record",
    "json_value",
    "read_records",
    "strict_json_prefix",
    "strict_json_value",
]


class Record(NamedTuple):
    """A row: its line number, and its cells by column; missing cells are None."""

    line: int | None
    cells: dict[str, object]


class Records(NamedTuple):
    """The rows of a file.

    Attributes
    ----------
    name : str
        The file's name in messages.
    columns : tuple of str
        The column names, in the order of the file.
    rows : list of Record
        Cells of TSV and CSV are texts, those of JSON lines have JSON types.
    """

    name: str
    columns: tuple[str, ...]
    rows: list[Record]


def read_records(path: str | PathLike[str]) -> Records:
    r"""Read a file whose first line names the columns, or whose lines are JSON objects.

    Parameters
    ----------
    path : path
        The file; ``"-"`` is the standard input. TSV if the header contains a tab, else CSV with
        commas or semicolons; all may have CSV quotes.

    Raises
    ------
    SourceError
        If the file cannot be read.
    FormatError
        If it is empty, a line is not a JSON object or has too many cells, or column names are not
        unique.

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
        raise FormatError("the file is empty, expected a header and rows", file=name)
    if lines[0][1].lstrip().startswith("{"):
        rows = [json_record(name, number, line) for number, line in lines]
        columns = tuple(dict.fromkeys(key for row in rows for key in row.cells))
        return Records(name, columns, rows)
    delimiter = delimiter_of(lines[0][1], name) or ","
    numbered = ((number, line + "\n") for number, line in lines)
    names, cells = named_rows(parse_csv(numbered, name, delimiter), name)
    if len(set(names)) < len(names):
        raise FormatError(f"two columns named {repeated(names)[0]!r}", file=name, line=lines[0][0])
    rows = [
        Record(number, {key: str(cell).strip() or None for key, cell in row.items()})
        for number, row in cells
    ]
    return Records(name, tuple(names), rows)


def json_value(text: str, file: str | None = None, line: int | None = None) -> object:
    """Parse a JSON value; return ``None`` if it is invalid.

    Raises
    ------
    FormatError
        For a duplicate key of an object, with the file and the line.
    """
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except KeyError as error:
        raise FormatError(
            f"the key {shown(error.args[0])} occurs twice in one object", file=file, line=line
        ) from None
    except (ValueError, RecursionError):
        return None


def strict_json_value(text: str) -> Any:
    """Parse a JSON text; NaN and infinities become texts, which are not valid grades.

    Raises
    ------
    ValueError, RecursionError
        For invalid JSON.
    KeyError
        For a duplicate key of an object.
    """
    return json.loads(text, object_pairs_hook=_unique, parse_constant=str)


def strict_json_prefix(text: str, start: int) -> tuple[Any, int]:
    """Parse the JSON value that begins at a place of a text; return it and where it ends.

    Raises
    ------
    ValueError, RecursionError, KeyError
        As for `strict_json_value`.
    """
    decoder = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=str)
    return decoder.raw_decode(text, start)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise KeyError(repeated(key for key, _ in pairs)[0])
    return members


def json_record(name: str, number: int, line: str) -> Record:
    """Parse a line of JSON lines.

    Raises
    ------
    FormatError
        If it is not an object.
    """
    cells = json_value(line, name, number)
    if not isinstance(cells, dict):
        raise FormatError(f"not a JSON object: {line[:80]!r}", file=name, line=number)
    check_surrogates(cells, name, number)
    return Record(number, cells)


def check_surrogates(cells: dict[str, object], name: str, number: int | None) -> None:
    """Refuse lone surrogates in the names and texts of a record; JSON can encode them.

    Raises
    ------
    FormatError
        If there is one.
    """
    for text in (*cells, *cells.values()):
        if isinstance(text, str) and has_lone_surrogate(text):
            raise FormatError(f"a lone surrogate in {shown(text)}", file=name, line=number)


def finite(
    name: str, row: Record, column: str, *, expected: str, least: float = float("-inf")
) -> float | None:
    """Return the number in a cell, ``None`` for an empty cell.

    Raises
    ------
    FormatError
        If it is not a finite number, or below `least`.
    """
    value = row.cells.get(column)
    if value is None:
        return None
    try:
        number = parse_number(value)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    # The difference of a number with itself is 0 only if it is finite.
    if number - number != 0.0 or number < least:
        raise FormatError(
            f"{column}: found {shown(value)}, expected {expected}", file=name, line=row.line
        )
    return number
