"""Tables in columns: Parquet and Arrow files, and the Arrow streams of data frames."""

from __future__ import annotations

from os import fsencode, scandir
from os.path import basename, exists, isdir, join, realpath

from gainful import _kernel
from gainful.data.columns import find_columns
from gainful.data.formats import COLUMNAR_SUFFIXES
from gainful.errors import ArgumentError, ColumnError, GainfulError, SourceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["expanded", "files", "is_note", "stream"]

_WHAT = {"qrels": "judgments", "run": "a run"}

#: What holds its rows in memory, and so exports the same stream each time it is asked.
_HELD = {
    "pandas": ("DataFrame",),
    "polars": ("DataFrame",),
    "pyarrow": ("Table", "RecordBatch"),
    "gainful": ("Part",),
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
            found += remote(COLUMNAR_SUFFIXES)
        elif any(mark in path for mark in "*?[") and not exists(path):
            from glob import glob

            matches = sorted(glob(path, recursive=True), key=fsencode)
            # What Spark leaves beside its files, such as _SUCCESS, is no table.
            matches = [name for name in matches if not is_note(basename(name))]
            if not matches:
                raise SourceError(
                    where=path, found="no file of such a name", expected="at least one"
                )
            found += expanded(matches, table)
        elif isdir(path) and not (table == "qrels" and isdir(join(path, "qrels"))):
            files = _data_set(path)
            if not files and table == "run":
                raise SourceError(
                    where=path,
                    found="a directory without Parquet or Arrow files",
                    expected=f"files that end in {', '.join(COLUMNAR_SUFFIXES)}",
                    hint="name the file in it, or files by a pattern such as night/*.run",
                )
            found += files or [path]
        else:
            found.append(path)
    return found


def is_note(name: str) -> bool:
    """Return whether a name is one of those by which writers of data sets leave each other notes.

    Examples
    --------
    >>> is_note("_SUCCESS"), is_note("_old.run")
    (True, False)
    """
    return name.startswith("_") and "." not in name


def _data_set(folder: str, within: tuple[str, ...] = ()) -> list[str]:
    """Return the files of a folder, which stands in these, all of them without symbolic links."""
    own = realpath(folder)
    if own in within:
        raise SourceError(
            where=folder,
            found="a symbolic link to a folder that it is in",
            expected="folders that end somewhere",
        )
    files: list[str] = []
    try:
        with scandir(folder) as scanned:
            entries = sorted(scanned, key=lambda entry: fsencode(entry.name))
    except OSError as error:
        raise SourceError(
            where=folder,
            found=f"a folder that cannot be read ({error.strerror})",
            expected="permission to list what is in it",
        ) from None
    for entry in entries:
        if entry.name.startswith((".", "_")):
            continue
        if entry.is_dir():
            files += _data_set(entry.path, (*within, own))
        elif entry.name.lower().endswith(COLUMNAR_SUFFIXES):
            files.append(entry.path)
    return files


def files(
    paths: list[str], format: str, table: str, columns: object, subtopics: bool = False
) -> _kernel.Columnar:
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
    try:
        return _kernel.columns_of_files(paths, format, table, _finder(table, columns, subtopics))
    except ColumnError as error:
        # The engine names the file; which column is which is found out in Python.
        raise error if error.file is not None else error.inside(paths[0]) from None


def stream(obj: object, table: str, columns: object, subtopics: bool = False) -> _kernel.Columnar:
    """Take the Arrow stream that an object exports.

    Parameters
    ----------
    obj : object
        With ``__arrow_c_stream__``.
    table, columns, subtopics
        As for `files`.
    """
    kind = type(obj)
    library = kind.__module__.partition(".")[0]
    again = kind.__name__ in _HELD.get(library, ())
    find = _finder(table, columns, subtopics)
    if again and library == "polars":
        # Other columns may be of types that only polars has, or that it exports in its own way.
        names = obj.columns  # type: ignore[attr-defined]
        obj = obj.select(list(dict.fromkeys(find(names).values())))  # type: ignore[attr-defined]
    try:
        return _kernel.columns_of_stream(obj, table, find, again)
    except GainfulError:
        raise
    except Exception as error:
        if library == "pandas":
            raise  # Whoever called reads it column by column.
        raise SourceError(
            where=_WHAT[table],
            found=f"{kind.__module__}.{kind.__qualname__}, whose Arrow stream cannot be had"
            f" ({type(error).__name__}: {error})",
            expected="a table",
        ) from error


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
