"""Columnar tables: Parquet and Arrow files, and Arrow streams of data frames."""

from __future__ import annotations

from os import fsencode, scandir
from os.path import basename, exists, isdir, join, realpath

from gainful import _kernel
from gainful.data.columns import find_columns, named
from gainful.data.formats import COLUMNAR_SUFFIXES
from gainful.errors import GainfulError, SourceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["expand_paths", "files", "is_metadata_file", "stream"]

_WHAT = {"qrels": "judgments", "run": "a run"}

#: Types that export the same stream every time, because their rows are in memory.
_IN_MEMORY = {
    "pandas": ("DataFrame",),
    "polars": ("DataFrame",),
    "pyarrow": ("Table", "RecordBatch"),
    "gainful": ("Part",),
}


def expand_paths(paths: list[str], table: str) -> list[str]:
    """Expand wildcards and folders of columnar files.

    An existing path is never a pattern. Files are sorted by name; those that begin with a dot or
    an underscore are skipped.

    Parameters
    ----------
    paths : list of str
        As `gainful.data.paths.as_paths` returns them.
    table : {"qrels", "run"}
        The content: a folder of judgments may be a BEIR collection, which is not expanded.

    Raises
    ------
    SourceError
        For a pattern without matches.

    Examples
    --------
    >>> expand_paths(["qrels.txt", "*.run"], "run")
    ['qrels.txt', 'bm25.run', 'dense.run']
    """
    found: list[str] = []
    for path in paths:
        remote = getattr(path, "expand", None)
        if remote is not None:
            found += remote(COLUMNAR_SUFFIXES)
        elif any(mark in path for mark in "*?[") and not exists(path):
            from glob import glob

            matches = sorted(glob(path, recursive=True), key=fsencode)
            # Skip files such as Spark's _SUCCESS.
            matches = [name for name in matches if not is_metadata_file(basename(name))]
            if not matches:
                raise SourceError("no file matches the pattern", where=path)
            found += expand_paths(matches, table)
        elif isdir(path) and not (table == "qrels" and isdir(join(path, "qrels"))):
            files = _data_set(path)
            if not files and table == "run":
                raise SourceError(
                    "a directory without Parquet or Arrow files",
                    where=path,
                    hint=f"files need a suffix ({', '.join(COLUMNAR_SUFFIXES)}); for others give "
                    f"a pattern such as night/*.run",
                )
            found += files or [path]
        else:
            found.append(path)
    return found


def is_metadata_file(name: str) -> bool:
    """Return whether a name marks metadata that writers of data sets add.

    Examples
    --------
    >>> is_metadata_file("_SUCCESS"), is_metadata_file("_old.run")
    (True, False)
    """
    return name.startswith("_") and "." not in name


def _data_set(folder: str, within: tuple[str, ...] = ()) -> list[str]:
    """Return the files of a folder; `within` are its parents, without symbolic links."""
    real = realpath(folder)
    if real in within:
        raise SourceError("a symbolic link to one of its parent folders", where=folder)
    files: list[str] = []
    try:
        with scandir(folder) as scanned:
            entries = sorted(
                # Whether it is a folder: a link may not be readable.
                ((entry, entry.is_dir()) for entry in scanned if entry.name[0] not in "._"),
                key=lambda pair: fsencode(pair[0].name),
            )
    except OSError as error:
        raise SourceError(f"the folder cannot be read: {error.strerror}", where=folder) from None
    for entry, is_folder in entries:
        if is_folder:
            files += _data_set(entry.path, (*within, real))
        elif entry.name.lower().endswith(COLUMNAR_SUFFIXES):
            files.append(entry.path)
    return files


def files(
    paths: list[str],
    format: str,
    table: str,
    columns: object,
    subtopics: bool = False,
    ignore_offsets: bool = False,
) -> _kernel.Columnar:
    """Open Parquet or Arrow files as one table, reading only their metadata.

    Parameters
    ----------
    paths : list of str
        The files.
    format : {"parquet", "arrow"}
        The format.
    table : {"qrels", "run"}
        The content.
    columns : mapping of str to str, optional
        The column for each role.
    subtopics : bool
        Whether judgments are per subtopic.
    ignore_offsets : bool
        Whether places in documents are read as documents.

    Raises
    ------
    ColumnError
        If a required column is missing or ambiguous.
    """
    naming = named(table, columns)
    return _kernel.columns_of_files(paths, format, table, naming, subtopics, ignore_offsets)


def stream(
    obj: object,
    table: str,
    columns: Mapping[str, str] | None,
    subtopics: bool = False,
    ignore_offsets: bool = False,
) -> _kernel.Columnar:
    """Open the Arrow stream of an object as a table.

    Parameters
    ----------
    obj : object
        An object with ``__arrow_c_stream__``.
    table, columns, subtopics, ignore_offsets
        As for `files`.
    """
    kind = type(obj)
    library = kind.__module__.partition(".")[0]
    repeatable = kind.__name__ in _IN_MEMORY.get(library, ())
    if repeatable and library in ("pandas", "polars"):
        # Other columns may have types that Arrow does not support.
        frame: Any = obj
        found = find_columns(
            [name for name in frame.columns if isinstance(name, str)],
            "subtopic qrels" if subtopics else table,
            columns,
            frame.__getitem__,
            numbered=False,
            systems=True,
            offsets="ignore" if ignore_offsets else "read",
        )
        obj, columns = frame[list(dict.fromkeys(found.values()))], found
    try:
        naming = named(table, columns)
        return _kernel.columns_of_stream(obj, table, naming, subtopics, repeatable, ignore_offsets)
    except GainfulError:
        raise
    except Exception as error:
        if library == "pandas":
            raise  # The caller reads it column by column.
        raise SourceError(
            f"the Arrow stream of {kind.__module__}.{kind.__qualname__} cannot be read "
            f"({type(error).__name__}: {error})",
            where=_WHAT[table],
        ) from error
