"""Paths of judgments and runs."""

from __future__ import annotations

from os import PathLike, fsdecode, fspath
from os.path import basename, exists, split, splitext

from gainful.data.columns import COLUMNAR_SUFFIXES, SUFFIXES
from gainful.errors import ArgumentError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    Path: TypeAlias = str | PathLike[str]
    Paths: TypeAlias = Path | Sequence[Path]

__all__ = [
    "COMPRESSED",
    "RUNS",
    "as_paths",
    "check_path",
    "check_suffix",
    "is_parquet",
    "stem",
    "uncompressed",
    "unknown_suffix",
]

#: Suffixes of compressed files.
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
RUNS = (".run", ".runs", ".res", ".results")

#: Suffixes of formats, which are not part of a system's name.
_SUFFIXES = {*COMPRESSED, *RUNS, *SUFFIXES, ".dat", ".lz4"}


def as_paths(obj: object) -> list[str] | None:
    """Return a path or several as a list of str; None for other objects.

    An address such as ``s3://bucket/run.parquet`` becomes a `gainful.data.remote.RemoteFile`, a
    subclass of `str`.

    Examples
    --------
    >>> as_paths("run.txt"), as_paths(["a.txt", "b.txt"]), as_paths([("q1", "d1", 1)])
    (['run.txt'], ['a.txt', 'b.txt'], None)
    """
    if isinstance(obj, (str, PathLike)):
        return [_path(obj)]
    if isinstance(obj, (list, tuple)) and obj and isinstance(obj[0], (str, PathLike)):
        if len(obj) == 3 and not isinstance(obj[2], (str, PathLike)):
            raise ArgumentError(
                f"a single row, {obj!r}", where="judgments or run", hint=f"write [{obj!r}]"
            )
        return [_path(one) for one in obj]
    return None


def _path(path: object) -> str:
    if not isinstance(path, (str, PathLike)):
        raise ArgumentError(
            f"found {path!r} of type {type(path).__name__}, expected only paths",
            where="a list of paths",
        )
    text: str | bytes = fspath(path)
    if not text:
        raise ParameterError("a path cannot be empty", hint="the standard input is '-'")
    path = fsdecode(text)
    return _resolve_address(path) if "://" in path else path


def _resolve_address(path: str) -> str:
    """Return the `RemoteFile` of an address, or the local path of ``file://``."""
    from gainful.data.remote import is_address

    if not is_address(path):
        return path
    from gainful.data.remote import RemoteFile

    if isinstance(path, RemoteFile):
        return path
    if not path.lower().startswith("file://"):
        return RemoteFile(path)
    from urllib.request import url2pathname

    plain = path[len("file://") :].removeprefix("localhost")
    return plain if exists(plain) else url2pathname(plain)


def check_path(path: str) -> None:
    r"""Refuse paths that are invalid in every file system.

    Examples
    --------
    >>> check_path("queries.tsv")
    >>> check_path("queries\0.tsv")
    Traceback (most recent call last):
    gainful.errors.SourceNotFoundError: NUL character in the path: 'queries\x00.tsv'
    """
    if "\0" in path:
        from gainful.errors import SourceNotFoundError

        raise SourceNotFoundError(file=repr(path), found="NUL character in the path")


def stem(path: str) -> str:
    """Return a file name without folder and format suffixes.

    A pattern that matches all files of a folder has the folder's name.

    Examples
    --------
    >>> stem("runs/bm25.k1=0.9.run.gz"), stem("dense.jsonl"), stem(".run")
    ('bm25.k1=0.9', 'dense', '.run')
    >>> stem("night/*.parquet"), stem("night/**/*"), stem("night/bm25-*.run")
    ('night', 'night', 'bm25-*')
    """
    if "://" in path:
        # The first address names the file, as in zip://run.tsv::s3://bucket/night.zip
        path = next((part for part in path.split("::") if "://" in part), path)
    folder, name = split(path.rstrip("/"))
    name = name or path
    while (parts := splitext(name))[1].lower() in _SUFFIXES:
        name = parts[0]
    while name.strip("*") == "" and basename(folder):
        folder, name = split(folder)
    return name


def uncompressed(path: str) -> str:
    """Return a path without its compression suffix.

    Examples
    --------
    >>> uncompressed("queries.csv.gz"), uncompressed("queries.csv")
    ('queries.csv', 'queries.csv')
    """
    return next((path.removesuffix(suffix) for suffix in COMPRESSED if path.endswith(suffix)), path)


#: Suffixes of binary formats that Gainful does not write.
_UNWRITTEN = {
    *COLUMNAR_SUFFIXES,
    *(".avro", ".orc"),
    *(".xlsx", ".xls", ".ods", ".pkl", ".pickle", ".npy", ".npz", ".h5", ".hdf5", ".pdf"),
    *(".zip", ".lz4", ".7z", ".tar", ".tgz", ".duckdb"),
}


def is_parquet(path: str, format: str | None = None) -> bool:
    """Return whether a table is written as Parquet: by its format, or by the suffix of its file."""
    if format is not None:
        return format.lower() == "parquet"
    return splitext(path.lower())[1] in (".parquet", ".pq")


def unknown_suffix(path: str) -> str | None:
    """Return the suffix of a path if it is that of no format.

    Examples
    --------
    >>> unknown_suffix("bm25.nope.gz"), unknown_suffix("bm25.run"), unknown_suffix("-")
    ('.nope', None, None)
    """
    suffix = splitext(uncompressed(path))[1]
    return suffix if suffix and suffix.lower() not in _SUFFIXES else None


def check_suffix(path: str) -> None:
    """Refuse to write text to a file with the suffix of another format.

    Examples
    --------
    >>> check_suffix("bm25.run.gz")
    >>> check_suffix("bm25.parquet")
    Traceback (most recent call last):
    ...
    gainful.errors.ParameterError: bm25.parquet: Gainful does not write .parquet files. Hint: ...
    """
    suffix = splitext(uncompressed(path.lower()))[1]
    if suffix in _UNWRITTEN:
        raise ParameterError(
            f"Gainful does not write {suffix} files",
            where=path,
            hint="Parquet is compressed already, so its files end in .parquet"
            if is_parquet(uncompressed(path)) and not is_parquet(path)
            else "judgments and runs are written as .parquet, .tsv, .csv, .json and others",
        )
