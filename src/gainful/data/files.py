"""Read judgments and runs from files."""

from __future__ import annotations

from gainful.data.paths import as_paths
from gainful.data.qrels import Qrels
from gainful.data.run import Run
from gainful.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from gainful.data.disk_judgments import DiskQrels
    from gainful.data.paths import Paths
    from gainful.data.read_options import ReadKeywords

__all__ = ["read_qrels", "read_run"]


def read_qrels(path: Paths, *, name: str | None = None, **options: Unpack[ReadKeywords]) -> Qrels:
    r"""Read judgments from one or more files.

    Parameters
    ----------
    path : str, path or list of them
        The file, or the folder of a BEIR collection. Compressed files (gzip, bzip2, xz,
        zstandard) are decompressed, and ``"-"`` is the standard input. A folder of Parquet or
        Arrow files and a path with wildcards stand for several files.
    name : str, optional
        The name of the judgments in messages.
    **options
        How the file is read: the keyword arguments of `ReadOptions`, such as `format`, `columns`
        and `duplicates`.

    Raises
    ------
    SourceError, SourceNotFoundError
        For a file that cannot be read.
    FormatError, DuplicateError
        For the first invalid line, with its number.
    ColumnError
        If a required column is missing.

    Examples
    --------
    >>> import gainful
    >>> gainful.read_qrels("qrels.txt")
    <Qrels 'qrels.txt': 6 queries, 27 judgments>

    Ratings of users without a header, as in MovieLens:

    >>> with open("u.data", "w") as file:
    ...     _ = file.write("196\t242\t3\t881250949\n186\t302\t3\t891717742\n")
    >>> gainful.read_qrels("u.data", columns="query,doc,grade,-").to_dict()
    {'196': {'242': 3}, '186': {'302': 3}}
    """
    return Qrels(_paths(path, "read_qrels"), name=name, **options)


def read_run(
    path: Paths,
    *,
    name: str | None = None,
    judgments: Qrels | DiskQrels | None = None,
    **options: Unpack[ReadKeywords],
) -> Run:
    """Read a run from one or more files.

    Parameters
    ----------
    path
        As for `read_qrels`.
    name : str, optional
        The system's name in results. Default: the stem of the file's name.
    judgments : Qrels, optional
        For a file of scores only, one per line: the judgments whose rows they belong to.
    **options
        How the file is read: the keyword arguments of `ReadOptions`, except `subtopics`.

    Raises
    ------
    SourceError, SourceNotFoundError
        For a file that cannot be read.
    FormatError, DuplicateError
        For the first invalid line, with its number.
    ColumnError
        If a required column is missing.

    Examples
    --------
    >>> import gainful
    >>> gainful.read_run("bm25.run")
    <Run 'bm25': 6 queries, 23 documents>
    """
    return Run(_paths(path, "read_run"), name=name, judgments=judgments, **options)


def _paths(path: object, where: str) -> list[str]:
    paths = as_paths(path)
    if paths is None:
        raise ArgumentError(
            where=where,
            found=f"{type(path).__module__}.{type(path).__qualname__}".removeprefix("builtins."),
            expected="a path or a list of paths",
            hint="for data in memory use Qrels(...) and Run(...)",
        )
    return paths
