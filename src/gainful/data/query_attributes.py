"""Attributes of queries, such as a category or a user, and the classes of documents."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import NamedTuple

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

__all__ = [
    "read_document_classes",
    "read_query_attribute",
    "read_query_clusters",
    "read_query_ids",
    "value_column",
]


#: The words for ids in messages.
_NOUNS = {"query_id": "query id", "doc_id": "document id"}
#: The name of the second of two columns without a header.
_VALUE = "value"


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
    name, rows = _read_query_values(place)
    return QueryAttribute(name, _single_values(rows, "query_id"))


def read_query_clusters(place: str | os.PathLike[str]) -> QueryAttribute:
    r"""Read the cluster of each query from a file.

    Examples
    --------
    >>> with open("gold.tsv", "w") as file:
    ...     _ = file.write("query_id\tdocument_id\nq1\ta\nq1\tb\nq2\tb\nq3\tc\n")
    >>> read_query_clusters("gold.tsv:document").values
    {'q1': 'a + b', 'q2': 'a + b', 'q3': 'c'}
    """
    name, rows = _read_query_values(place)
    # Each value belongs to the cluster of its parent, and a root to its own.
    parents: dict[str, str] = {}

    def root_of(value: str) -> str:
        parents.setdefault(value, value)
        while parents[value] != value:
            parents[value] = value = parents[parents[value]]
        return value

    firsts: dict[str, str] = {}
    for _, query, value in rows.values:
        if value:
            parents[root_of(value)] = root_of(firsts.setdefault(query, value))
    members: dict[str, list[str]] = {}
    for value in sorted(parents):
        members.setdefault(root_of(value), []).append(value)
    labels = {root: " + ".join(values) for root, values in members.items()}
    return QueryAttribute(
        name, {query: labels[root_of(first_query)] for query, first_query in firsts.items()}
    )


def read_document_classes(place: str | os.PathLike[str]) -> dict[str, str]:
    r"""Read the class of each document from a file.

    Examples
    --------
    >>> with open("same.tsv", "w") as file:
    ...     _ = file.write("document\tclass\na1\ta\na2\ta\n")
    >>> read_document_classes("same.tsv")
    {'a1': 'a', 'a2': 'a'}
    """
    return _single_values(_read(place, "doc_id"), "doc_id")


class _Rows(NamedTuple):
    """The file's name in messages, its columns, that of the values, and lines, ids and values."""

    file: str
    columns: Sequence[str]
    column: str
    values: list[tuple[int, str, str]]


def _read_query_values(place: str | os.PathLike[str]) -> tuple[str, _Rows]:
    """Return the name of an attribute, and its values."""
    path, _ = _split(os.fspath(place))
    rows = _read(place, "query_id")
    # Two columns without a header are named after their file.
    bare = rows.column == _VALUE and list(rows.columns) == ["query_id", _VALUE] and path != "-"
    return stem(path) if bare else rows.column, rows


def _read(place: str | os.PathLike[str], part: str) -> _Rows:
    path, column = _split(os.fspath(place))
    with opened(path) as (name, stream):
        names, rows = _table(list(stream), name, part)
        id_column = find_column(names, part, name)
        if id_column is None:
            raise missing_column(names, part, f"{_NOUNS[part]}s", name)
        wanted = value_column(path, name, names, id_column, column, part)
        values = []
        for number, row in rows:
            key, value = (
                _text(name, number, cell, row.get(cell)).strip() for cell in (id_column, wanted)
            )
            if not key:
                raise FormatError(f"no {_NOUNS[part]}", file=name, line=number)
            values.append((number, key, value))
    return _Rows(name, names, wanted, values)


def _single_values(rows: _Rows, part: str) -> dict[str, str]:
    """Return the only value of each id; ids without one are missing."""
    values: dict[str, str] = {}
    for number, key, value in rows.values:
        if values.setdefault(key, value) != value:
            raise FormatError(
                f"two values of {rows.column}: {values[key]!r} and {value!r}",
                file=rows.file,
                line=number,
                query=key if part == "query_id" else None,
                document=key if part == "doc_id" else None,
            )
    return {key: value for key, value in values.items() if value}


def _split(place: str) -> tuple[str, str | None]:
    path, colon, column = place.rpartition(":")
    # A colon may be part of a path, as after a drive letter.
    drive = len(path) < 2 and path != "-"
    if not colon or os.path.exists(place) or drive or os.sep in column:
        return place, None
    return path, column


def _table(lines: Sequence[bytes], name: str, part: str) -> Table:
    def unnamed(cells: Sequence[str]) -> Sequence[str] | None:
        """Return the names of two columns without a header."""
        return [part, _VALUE] if len(cells) == 2 and not names_with(list(cells), part) else None

    table = table_rows(lines, name, unnamed)
    if table is None:
        return named_rows(_words(lines, name), name, unnamed)
    if not table[0]:
        raise FormatError("not a table, nor JSON lines", file=name)
    return table


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


def value_column(
    path: str, name: str, names: Sequence[str], id_column: str, column: str | None, part: str
) -> str:
    """Return the column of values next to that of ids."""
    others = [other for other in names if other and other != id_column]
    shown_names = names_shown(others)
    if column is None:
        if len(others) == 1:
            return others[0]
        raise ColumnError(
            f"{len(others)} columns besides the {_NOUNS[part]}" + f": {shown_names}" * bool(others),
            file=name,
            hint=f"name one, as in {path}:{others[0]}" if others else None,
        )
    alike = [other for other in others if plain_name(other) == plain_name(column)]
    matches = [other for other in alike if other == column] or alike
    if not matches and names_with([column], "doc_id"):
        # Another name of the column of documents.
        matches = names_with(others, "doc_id")[:1]
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
        table = table_rows(lines, name, _unnamed)
        if table is None:
            ids = ((number, [line.strip()]) for number, line in decode_lines(lines, name))
            table = named_rows(ids, name, _unnamed)
        names, rows = table
        column = find_column(names, "query_id", name)
        if column is None:
            raise FormatError("no ids of queries", file=name, hint="name the column query_id")
        for number, row in rows:
            query = str(row.get(column, "")).strip()
            if not query:
                raise FormatError("no query id", file=name, line=number)
            yield query


def _unnamed(cells: Sequence[str]) -> Sequence[str] | None:
    """Return names of columns without a header, the first of which has the ids."""
    if names_with(list(cells), "query_id"):
        return None
    return ["query_id", *map(str, range(1, len(cells)))]
