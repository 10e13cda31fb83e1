"""Ids of queries, from files and from memory."""

from __future__ import annotations

import os

from gainful._kernel import names_with
from gainful.data.column_names import find_column
from gainful.data.decompressed import opened
from gainful.data.delimited import decode_lines
from gainful.data.table_rows import table_rows
from gainful.errors import ArgumentError, FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from gainful.data.table import Id

    #: Ids of queries, the path of a file with them, or ids separated by commas.
    QueryIds: TypeAlias = str | os.PathLike[str] | Iterable[Id]

__all__ = ["read_query_ids"]


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
        table = table_rows(lines, name, _unnamed)
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


def _unnamed(cells: Sequence[str]) -> Sequence[str] | None:
    """Return names of columns without a header, the first of which has the ids."""
    if names_with(list(cells), "query_id"):
        return None
    return ["query_id", *map(str, range(1, len(cells)))]
