"""Read the documents of a pool that should be judged."""

from __future__ import annotations

from typing import NamedTuple

from gainful._kernel import names_with
from gainful.data.column_names import find_column, missing_column
from gainful.data.paths import as_paths
from gainful.data.records import table_rows
from gainful.data.text_files import opened, text_lines
from gainful.errors import ArgumentError, FormatError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from os import PathLike
    from typing import Any, TypeAlias

    #: A file, a `gainful.pooling.Pool`, or pairs of query and document.
    PoolLike: TypeAlias = str | PathLike[str] | Iterable[tuple[str, str]] | Any

__all__ = ["Task", "tasks_of"]


class Task(NamedTuple):
    """A document to judge.

    Attributes
    ----------
    query_id, doc_id : str
        The query and the document.
    judges : int
        How many people should judge it.
    """

    query_id: str
    doc_id: str
    judges: int = 1


def tasks_of(pool: PoolLike) -> list[Task]:
    """Return the documents of a pool that nobody has judged, in its order.

    Parameters
    ----------
    pool : path, Pool or iterable of (query, document)
        A pool as JSON lines or a table with the columns ``query_id``, ``doc_id`` and optionally
        ``judges``; a TREC pool; a `gainful.pooling.Pool`; or pairs, optionally with the number of
        judges.

    Raises
    ------
    ColumnError, FormatError, ParameterError
        If the columns are missing, or the number of judges is not a whole number from 0.
    SourceError
        If the file cannot be read.

    Examples
    --------
    >>> tasks_of([("q1", "d1"), ("q1", "d2", 2)])
    [Task(query_id='q1', doc_id='d1', judges=1), Task(query_id='q1', doc_id='d2', judges=2)]
    """
    paths = as_paths(pool)
    if paths is not None:
        found = [task for path in paths for task in _of_file(path)]
    elif hasattr(pool, "records"):
        columns = pool.records("documents")
        rows = zip(columns["query_id"], columns["doc_id"], columns["judges"], strict=True)
        found = [_task(row) for row in rows]
    elif hasattr(pool, "__iter__"):
        found = [_task(row) for row in pool]
    else:
        raise ArgumentError(
            where="a pool", found=type(pool).__name__, expected="a path, a Pool or pairs"
        )
    return [task for task in found if task.judges]


def _of_file(path: str) -> Iterator[Task]:
    with opened(path) as (label, stream):
        table = table_rows(stream, label)
        if table is not None:
            yield from _of_table(*table, label)
            return
    name, lines = text_lines(path)
    for number, line in lines:
        words = line.split()
        if len(words) == 4:
            raise _judgments_error(name)
        if len(words) != 2:
            raise FormatError(
                file=name, line=number, found=f"{len(words)} words", expected="query and document"
            )
        yield _task(words, name, number)


def _of_table(
    names: Iterable[str], rows: Iterable[tuple[int, Mapping[str, object]]], file: str
) -> Iterator[Task]:
    present = list(names)
    # The score of a run is no grade.
    grades = set(names_with(present, "grade")).difference(names_with(present, "score"))
    if "judges" not in present and grades:
        raise _judgments_error(file)
    ids = []
    for part, what in (("query_id", "query ids"), ("doc_id", "document ids")):
        column = find_column([name for name in present if name not in ids], part, file)
        if column is None:
            raise missing_column(present, part, what, file)
        ids.append(column)
    for line, row in rows:
        judges = row.get("judges", 1)
        yield _task((*map(row.get, ids), judges), file, line)


def _judgments_error(file: str) -> FormatError:
    return FormatError(
        file=file,
        found="judgments",
        expected="a pool of documents to judge",
        hint="with judgments, pass runs too: their unjudged documents are the pool; to judge the"
        " same documents again, pass a table of query_id and doc_id",
    )


def _task(row: Any, file: str | None = None, line: int | None = None) -> Task:
    if isinstance(row, (str, bytes)) or not hasattr(row, "__len__") or len(row) not in (2, 3):
        raise ArgumentError(
            where="a row of the pool", found=repr(row), expected="query, document and judges"
        )
    query, document = (str("" if each is None else each) for each in row[:2])
    number = str(row[2]) if len(row) == 3 else "1"
    if not query or not document:
        raise FormatError(file=file, line=line, found="an empty id", expected="query and document")
    if not (number.isascii() and number.isdigit()):
        raise ParameterError(
            where="judges", file=file, line=line, found=repr(row[2]), expected="a whole number"
        )
    return Task(query, document, int(number))
