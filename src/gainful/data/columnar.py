"""Tables in columns: Parquet and Arrow files, and the Arrow streams of data frames."""

from __future__ import annotations

from os import fsencode, scandir
from os.path import exists, isdir, join

from gainful import _engine
from gainful.data.columns import find_columns
from gainful.errors import ArgumentError, SourceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["COLUMNAR", "expanded", "files", "stream"]

#: The formats that the engine reads by columns.
COLUMNAR = ("parquet", "arrow")

#: Suffixes of the files of a data set.
_SUFFIXES = (".parquet", ".pq", ".arrow", ".arrows", ".ipc", ".feather")

#: What holds its rows in memory, and so exports the same stream each time it is asked.
_HELD = {
    "pandas": ("DataFrame",),
    "polars": ("DataFrame",),
    "pyarrow": ("Table", "RecordBatch"),
}


def expanded(paths: list[str], table: str) -> list[str]:
    """Return the files that paths are, where they have wildcards or are folders of columns.

    A path that exists is never taken for a pattern. Files are in the order of their names; those
    that begin with a dot or an underscore are no part of a data set.

    Parameters
    ----------
    paths : list of str
        As `gainful.data.paths.as_paths` returns them.
    table : {"qrels", "run"}
        What they hold: a folder of judgments may be a collection of BEIR, and then stays one.

    Raises
    ------
    SourceError
        For a pattern that no file has.

    Examples
    --------
    >>> expanded(["qrels.txt", "*.run"], "run")
    ['qrels.txt', 'bm25.run', 'dense.run']
    """
    found: list[str] = []
    for path in paths:
        remote = getattr(path, "expanded", None)
        if remote is not None:
            found += remote(_SUFFIXES)
        elif any(mark in path for mark in "*?[") and not exists(path):
            from glob import glob

            matches = sorted(glob(path, recursive=True), key=fsencode)
            if not matches:
                raise SourceError(
                    where=path, found="no file of such a name", expected="at least one"
                )
            found += expanded(matches, table)
        elif isdir(path) and not (table == "qrels" and isdir(join(path, "qrels"))):
            found += _data_set(path) or [path]
        else:
            found.append(path)
    return found


def _data_set(folder: str) -> list[str]:
    files: list[str] = []
    with scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: fsencode(entry.name)):
            if entry.name.startswith((".", "_")):
                continue
            if entry.is_dir():
                files += _data_set(entry.path)
            elif entry.name.lower().endswith(_SUFFIXES):
                files.append(entry.path)
    return files


def files(
    paths: list[str], format: str, table: str, columns: object, subtopics: bool = False
) -> _engine.Columnar:
    """Open Parquet or Arrow files as one table; only what says how they are laid out is read.

    Parameters
    ----------
    paths : list of str
        The files.
    format : {"parquet", "arrow"}
        What they are in.
    table : {"qrels", "run"}
        What they hold.
    columns : mapping of str to str, optional
        Which column is which.
    subtopics : bool
        Whether each judgment is of a subtopic.
    """
    return _engine.columns_of_files(paths, format, table, _finder(table, columns, subtopics))


def stream(obj: object, table: str, columns: object, subtopics: bool = False) -> _engine.Columnar:
    """Take the Arrow stream that an object exports.

    Parameters
    ----------
    obj : object
        With ``__arrow_c_stream__``.
    table, columns, subtopics
        As for `files`.
    """
    kind = type(obj)
    again = kind.__name__ in _HELD.get(kind.__module__.partition(".")[0], ())
    return _engine.columns_of_stream(obj, table, _finder(table, columns, subtopics), again)


def _finder(table: str, columns: object, subtopics: bool) -> Callable[[list[str]], dict[str, str]]:
    given: Mapping[str, str] | None = None
    if columns is not None:
        if not hasattr(columns, "items"):
            raise ArgumentError(
                where="columns",
                found=repr(columns),
                expected="a mapping of our names to the table's, as in {'grade': 'stars'}",
            )
        given = columns  # type: ignore[assignment]
    sought = "subtopic qrels" if subtopics else table

    def find(names: list[str]) -> dict[str, str]:
        return find_columns(names, sought, given)

    return find
