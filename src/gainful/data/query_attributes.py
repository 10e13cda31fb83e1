"""Attributes of queries, such as a category, a user or an intent."""

from __future__ import annotations

import os
from dataclasses import dataclass

from gainful._kernel import names_with, plain_name
from gainful.data.column_names import find_column, missing_column, refuse_several
from gainful.data.paths import stem
from gainful.data.records import table_rows
from gainful.data.text_files import decode_lines, named_rows, opened
from gainful.errors import ArgumentError, ColumnError, FormatError
from gainful.quoting import names_shown, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from gainful.data.table import Id
    from gainful.data.text_files import Table

    #: Ids of queries, the path of a file with them, or ids separated by commas.
    QueryIds: TypeAlias = str | os.PathLike[str] | Iterable[Id]

__all__ = ["read_query_attribute", "read_query_ids"]


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
        ``FILE`` or ``FILE:COLUMN``. TSV, CSV (with commas or semicolons) or JSON lines with a
        header or keys, one of which is the query id (``query_id``, ``qid`` and so on), or two
        columns without a header: query id and value. Name the column if there are several besides
        the id. Rows of a query may repeat its value.

    Raises
    ------
    SourceError
        If the file cannot be read.
    ColumnError
        If the column is missing, there are several and none is named, or several have its name.
    FormatError
        For an invalid line, or two values of a query.

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
    with opened(path) as (name, stream):
        names, rows = _table(list(stream), name)
        id_column = find_column(names, "query_id", name)
        if id_column is None:
            raise missing_column(names, "query_id", "query ids", name)
        wanted = _value_column(path, name, names, id_column, column)
        values: dict[str, str] = {}
        for number, row in rows:
            query, value = (
                _text(name, number, key, row.get(key)).strip() for key in (id_column, wanted)
            )
            if not query:
                raise FormatError("no query id", file=name, line=number)
            if values.setdefault(query, value) != value:
                raise FormatError(
                    f"two values of {wanted}: {values[query]!r} and {value!r}",
                    file=name,
                    line=number,
                    query=query,
                )
    # Two columns without a header are named after their file.
    bare = wanted == _BARE[1] and list(names) == list(_BARE) and path != "-"
    found = {query: value for query, value in values.items() if value}
    return QueryAttribute(stem(path) if bare else wanted, found)


def _split(place: str) -> tuple[str, str | None]:
    path, colon, column = place.rpartition(":")
    # A colon may be part of a path, as after a drive letter.
    drive = len(path) < 2 and path != "-"
    if not colon or os.path.exists(place) or drive or os.sep in column:
        return place, None
    return path, column


def _table(lines: Sequence[bytes], name: str) -> Table:
    table = table_rows(lines, name, _query_attributes_unnamed)
    if table is None:
        return named_rows(_words(lines, name), name, _query_attributes_unnamed)
    if not table[0]:
        raise FormatError("not a table, nor JSON lines", file=name)
    return table


def _query_attributes_unnamed(cells: Sequence[str]) -> Sequence[str] | None:
    """Return the names of two columns without a header."""
    return _BARE if len(cells) == 2 and not names_with(list(cells), "query_id") else None


def _words(lines: Sequence[bytes], name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield two words per line; the id may contain spaces."""
    for number, line in decode_lines(lines, name):
        query, _, value = line.strip().rpartition(" ")
        if value:
            yield number, [query, value] if query else [value]


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


def _value_column(
    path: str, name: str, names: Sequence[str], id_column: str, column: str | None
) -> str:
    others = [other for other in names if other and other != id_column]
    shown_names = names_shown(others)
    if column is None:
        if len(others) == 1:
            return others[0]
        raise ColumnError(
            f"{len(others)} columns besides the query id" + f": {shown_names}" * bool(others),
            file=name,
            hint=f"name one, as in {path}:{others[0]}" if others else None,
        )
    alike = [other for other in others if plain_name(other) == plain_name(column)]
    matches = [other for other in alike if other == column] or alike
    refuse_several(matches, name)
    if not matches:
        raise ColumnError(
            f"no column {shown(column)}",
            file=name,
            hint=f"the columns are {shown_names}" if others else None,
        )
    return matches[0]


def read_query_ids(queries: QueryIds) -> list[str]:
    r"""Return the ids of queries without duplicates, in their order.

    Parameters
    ----------
    queries : iterable of ids, path or str
        The ids; a file of one id per line, or of a table or JSON lines with query ids in a column
        (``query_id``, ``qid`` and so on) or, without a header, in the first; or a text of ids
        separated by commas, if no such file exists.

    Raises
    ------
    SourceError
        If the file cannot be read.
    FormatError
        For a row without an id, or JSON lines without ids.
    ArgumentError
        For another type.

    Examples
    --------
    >>> with open("ids.tsv", "w") as file:
    ...     _ = file.write("query_id\tkind\nq1\tsoup\nq2\tbread\n")
    >>> read_query_ids("ids.tsv"), read_query_ids("q2,q1,q2"), read_query_ids([7])
    (['q1', 'q2'], ['q2', 'q1'], ['7'])
    """
    if isinstance(queries, str) and queries != "-" and not os.path.exists(queries):
        ids: Iterable[str] = filter(None, map(str.strip, queries.split(",")))
    elif isinstance(queries, (str, os.PathLike)):
        ids = _of_file(os.fspath(queries))
    elif hasattr(queries, "__iter__") and not isinstance(queries, (bytes, dict)):
        ids = map(str, queries)
    else:
        raise ArgumentError(
            where="queries",
            found=type(queries).__name__,
            expected="ids of queries, or the path of a file with them",
        )
    return list(dict.fromkeys(ids))


def _of_file(path: str) -> Iterator[str]:
    with opened(path) as (name, stream):
        lines = list(stream)
        table = table_rows(lines, name, _query_ids_unnamed)
        if table is None:
            for number, (_, line) in enumerate(decode_lines(lines, name)):
                query = line.strip()
                if query and not (number == 0 and names_with([query], "query_id")):
                    yield query
            return
        names, rows = table
        column = find_column(names, "query_id", name) if names else None
        if column is None:
            raise FormatError("no ids of queries", file=name, hint="name the column query_id")
        for number, row in rows:
            query = str(row.get(column, "")).strip()
            if not query:
                raise FormatError("no query id", file=name, line=number)
            yield query


def _query_ids_unnamed(cells: Sequence[str]) -> Sequence[str] | None:
    """Return names of columns without a header, the first of which has the ids."""
    if names_with(list(cells), "query_id"):
        return None
    return ["query_id", *map(str, range(1, len(cells)))]
