"""Attributes of queries, such as a category, a user or an intent."""

from __future__ import annotations

import os
from dataclasses import dataclass

from gainful.data.columns import ALIASES, normal
from gainful.data.delimited import parse_csv, parse_tsv
from gainful.data.paths import stem
from gainful.data.records import json_record
from gainful.data.text_lines import text_lines
from gainful.errors import ColumnError, FormatError
from gainful.quoting import names_shown, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    Row: TypeAlias = tuple[int, dict[str, str]]

__all__ = ["QueryAttribute", "read_query_attribute"]

#: Names of the column of query ids, in order of precedence.
_IDS = (*ALIASES["query_id"], "_id", "id")

#: The names of two columns without a header.
_BARE = ("query_id", "value")


@dataclass(frozen=True)
class QueryAttribute:
    """One attribute of queries.

    Attributes
    ----------
    name : str
        The name of the column, or of the file if columns have no names.
    values : dict of str to str
        The value by query id; queries without a value are missing.
    """

    name: str
    values: dict[str, str]

    def __repr__(self) -> str:
        return f"<QueryAttribute {self.name} of {len(self.values)} queries>"


def read_query_attribute(place: str | os.PathLike[str]) -> QueryAttribute:
    r"""Read an attribute of queries from a file.

    Parameters
    ----------
    place : path
        ``FILE`` or ``FILE:COLUMN``. TSV, CSV or JSON lines with a header or keys, one of which is
        the query id (``query_id``, ``qid`` and so on), or two columns without a header: query id
        and value. Name the column if there are several besides the id.

    Raises
    ------
    SourceError
        If the file cannot be read.
    ColumnError
        If the column is missing, or there are several and none is named.
    FormatError
        For an invalid line or a duplicate query.

    Examples
    --------
    >>> with open("kinds.tsv", "w") as file:
    ...     _ = file.write("query_id\tkind\tuser\nq1\tsoup\tann\nq2\tbread\t\n")
    >>> attribute = read_query_attribute("kinds.tsv:kind")
    >>> attribute.name, attribute.values
    ('kind', {'q1': 'soup', 'q2': 'bread'})
    >>> read_query_attribute("kinds.tsv:user").values
    {'q1': 'ann'}
    """
    path, column = _split(os.fspath(place))
    name, lines = text_lines(path, stripped=False)
    if not lines:
        raise FormatError("the file is empty", file=name)
    names, rows = _table(name, lines)
    id_column = _id_column(name, names)
    wanted = _value_column(path, name, names, id_column, column)
    values: dict[str, str] = {}
    seen: set[str] = set()
    for number, row in rows:
        query = row.get(id_column, "").strip()
        if not query:
            raise FormatError("no query id", file=name, line=number)
        if query in seen:
            raise FormatError(f"duplicate query {query!r}", file=name, line=number)
        seen.add(query)
        value = row.get(wanted, "").strip()
        if value:
            values[query] = value
    # Two columns without a header are named after their file.
    bare = wanted == _BARE[1] and names == list(_BARE) and path != "-"
    return QueryAttribute(stem(path) if bare else wanted, values)


def _split(place: str) -> tuple[str, str | None]:
    path, colon, column = place.rpartition(":")
    # A colon may be part of a path, as after a drive letter.
    drive = len(path) < 2 and path != "-"
    if not colon or os.path.exists(place) or drive or os.sep in column:
        return place, None
    return path, column


def _table(name: str, lines: list[tuple[int, str]]) -> tuple[list[str], Iterator[Row]]:
    """Return the column names, and the rows by name."""
    first = lines[0][1]
    if first.lstrip().startswith("{"):
        records = list(_records(name, lines))
        names = list(dict.fromkeys(key for _, record in records for key in record))
        return names, iter(records)
    cells = list(_cells(name, lines))
    header = [cell.strip() for cell in cells[0][1]]
    has_header = any(normal(cell) in _IDS for cell in header)
    if not has_header and len(header) != 2:
        raise ColumnError(
            file=name,
            found=f"the columns {names_shown(header)}",
            expected=f"one of the query's id ({', '.join(_IDS[:4])}, ...), or two columns: a query"
            " id and a value",
        )
    names = header if has_header else list(_BARE)

    def rows() -> Iterator[Row]:
        for number, row in cells[1:] if has_header else cells:
            if len(row) > len(names):
                raise FormatError(
                    f"found {len(row)} cells, expected {len(names)}", file=name, line=number
                )
            yield number, dict(zip(names, row, strict=False))

    return names, rows()


def _cells(name: str, lines: list[tuple[int, str]]) -> Iterator[tuple[int, list[str]]]:
    first = lines[0][1]
    if "\t" in first:
        yield from parse_tsv(iter(lines), name)
    elif "," in first:
        yield from parse_csv(((number, line + "\n") for number, line in lines), name)
    else:
        # Two words; the id may contain spaces.
        for number, line in lines:
            query, _, value = line.strip().rpartition(" ")
            yield number, [query, value] if query else [value]


def _records(name: str, lines: list[tuple[int, str]]) -> Iterator[Row]:
    for number, line in lines:
        cells = json_record(name, number, line).cells
        yield number, {key: _text(name, number, key, value) for key, value in cells.items()}


def _text(name: str, number: int, key: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    raise FormatError(
        f"found a {type(value).__name__} as {key!r}, expected a text or a number",
        file=name,
        line=number,
    )


def _id_column(name: str, names: Sequence[str]) -> str:
    for alias in _IDS:
        for each in names:
            if normal(each) == alias:
                return each
    raise ColumnError(
        file=name,
        found=f"the columns {names_shown(names)}",
        expected=f"one of the query's id ({', '.join(_IDS[:4])}, ...)",
    )


def _value_column(
    path: str, name: str, names: Sequence[str], id_column: str, column: str | None
) -> str:
    others = [each for each in names if each != id_column]
    if column is not None:
        for each in others:
            if each == column or normal(each) == normal(column):
                return each
        raise ColumnError(
            f"no column {shown(column)}",
            file=name,
            hint=f"the columns are {names_shown(others)}" if others else None,
        )
    if len(others) == 1:
        return others[0]
    raise ColumnError(
        f"{len(others)} columns besides the query id" + (f": {names_shown(others)}" * bool(others)),
        file=name,
        hint=f"name one, as in {path}:{others[0]}" if others else None,
    )
