"""Judgments and runs from every supported source."""

from __future__ import annotations

import os

from gainful import _kernel
from gainful.data.inputs import open_source, path_name, qrels_rows, rows_of, with_documents
from gainful.data.paths import as_paths
from gainful.data.qrels import DiskQrels, Qrels
from gainful.data.read_options import ReadOptions
from gainful.data.run import Run
from gainful.data.table import kernel_rows, table_of_rows
from gainful.errors import ArgumentError, ParameterError
from gainful.numerals import parse_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Unpack

    from gainful.data.inputs import Progress
    from gainful.data.paths import Paths
    from gainful.data.qrels import QrelsLike
    from gainful.data.read_options import ReadKeywords
    from gainful.data.run import RunLike

__all__ = [
    "as_qrels",
    "as_run",
    "judgments_memory",
    "keeping_duplicates",
    "load_judgments",
    "one_ranking",
    "read_qrels",
    "read_run",
    "run_input",
    "run_name",
]


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


def as_qrels(obj: QrelsLike, **options: Any) -> Qrels:
    """Return judgments as `Qrels`."""
    return obj if isinstance(obj, Qrels) else Qrels(obj, **options)


def as_run(obj: RunLike, **options: Any) -> Run:
    """Return a ranking as a `Run`."""
    return obj if isinstance(obj, Run) else Run(obj, **options)


def one_ranking(
    obj: RunLike,
    query: str,
    options: ReadOptions | None = None,
    *,
    judgments: Qrels | DiskQrels | None = None,
) -> Run:
    """Return the ranking of one query as a `Run`, which is empty if the query has none.

    Files and Arrow streams are read as a whole and each row is validated, but only the rows of the
    query are kept. A `Run` is returned unchanged. Duplicate documents are kept.
    """
    if isinstance(obj, Run):
        return obj
    options = keeping_duplicates(options or ReadOptions())
    rows, source = rows_of(obj, "run", options, judgments=judgments, query=query)
    return table_of_rows(Run, rows, name=path_name(obj), source=source)


def run_input(
    obj: RunLike,
    options: ReadOptions | None = None,
    *,
    judgments: Qrels | DiskQrels | None = None,
    extra: str = "ignore",
    order: str = "score",
    threads: int | None = None,
    progress: Progress = None,
) -> _kernel.Rows | _kernel.Columnar | list[str]:
    """Return the input of the kernel's `evaluate`: rows, a table in columns, or TREC paths.

    The kernel evaluates tables in columns and TREC files while reading them, so their rows are
    never all in memory. Duplicate documents are kept: the convention of the evaluation decides.
    """
    if isinstance(obj, Run):
        return with_documents(kernel_rows(obj), judgments)
    options = options or ReadOptions()
    source = None
    # The rows of a stream are as they are read, and the convention handles duplicates.
    if extra != "no-relevant" and options.rules in ("error", "count"):
        source = open_source(obj, "run", options)
        paths, format, columnar = source
        if format == "trec" and options.keys() <= {"format"}:
            return paths or []
        if columnar is not None and not (columnar.given or columnar.systems):
            return columnar
    rows, _ = rows_of(
        obj,
        "run",
        keeping_duplicates(options),
        source=source,
        judgments=judgments,
        threads=threads,
        progress=progress,
        by_rank=order == "rank",
    )
    return rows


def keeping_duplicates(options: ReadOptions) -> ReadOptions:
    """Return options that keep duplicates for the convention, unless they handle them."""
    return options.replace(duplicates="count") if options.duplicates == "error" else options


def run_name(obj: object, default: str | None = "run") -> str | None:
    """Return the name of a run: its own, the stem of its file, or the default.

    Examples
    --------
    >>> run_name("runs/bm25.run.gz"), run_name({"q1": ["d1"]})
    ('bm25', 'run')
    """
    if isinstance(obj, Run):
        return obj.name or default
    return path_name(obj) or default


#: The default memory limit of judgments in bytes.
_MEMORY = 1 << 30

_UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


def load_judgments(
    judgments: QrelsLike,
    *,
    memory: int | None = None,
    name: str | None = None,
    threads: int | None = None,
    **options: Unpack[ReadKeywords],
) -> Qrels | DiskQrels:
    """Read judgments, into memory if they fit."""
    if isinstance(judgments, Qrels):
        return judgments
    limit = judgments_memory() if memory is None else memory

    rows, source, note = qrels_rows(
        judgments, ReadOptions(**options), name=name, threads=threads, memory=limit
    )
    if isinstance(rows, _kernel.DiskRows):
        return DiskQrels(rows, source, note)
    qrels = table_of_rows(Qrels, rows, name=name, source=source)
    return qrels if note is None else qrels.with_note(note)


def judgments_memory(text: str | None = None) -> int:
    """Return the maximum bytes of judgments in memory, above which they go to disk.

    Examples
    --------
    >>> judgments_memory("2.5 GB"), judgments_memory("100000")
    (2500000000, 100000)
    """
    setting = os.environ.get("GAINFUL_JUDGMENTS_MEMORY") if text is None else text
    if not setting:
        return _MEMORY
    words = setting.strip().upper()
    number = words.rstrip("KMGTB").strip()
    unit = _UNITS.get(words[len(number) :].strip())
    try:
        value = parse_number(number)
    except ValueError:
        value = -1.0
    if unit is None or not 0 < value * unit < 2.0**62:
        raise ParameterError(
            where="GAINFUL_JUDGMENTS_MEMORY",
            found=repr(setting),
            expected="a number of bytes, such as 500MB or 4GB",
        )
    return max(int(value * unit), 1)
