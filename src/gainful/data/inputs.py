"""Convert any form of judgments and runs to rows for the kernel.

Accepted are paths, `Qrels` and `Run`, mappings, objects that export an Arrow stream (polars,
pyarrow, DuckDB, pandas), pandas frames without pyarrow, datasets of ir_datasets, and iterables of
records. None of these libraries is imported: objects are recognized by their methods.
"""

from __future__ import annotations

import sys

from gainful import _kernel
from gainful.data.columns import COLUMNAR, expand_paths, has_lists, named, of_rows
from gainful.data.memory import OF_MEMORY, open_stream, rows_in_memory
from gainful.data.paths import as_paths, stem
from gainful.data.read_options import ReadOptions
from gainful.data.table import kernel_rows
from gainful.errors import (
    ArgumentError,
    ColumnError,
    DuplicateError,
    FormatError,
    GainfulError,
    ParameterError,
)
from gainful.quoting import shown
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol, TypeAlias

    from gainful.data.judgment_lists.entries import JudgmentList

    class ArrowStream(Protocol):
        """An object that exports the Arrow C stream, as data frames do."""

        def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

    Progress: TypeAlias = Callable[[int, int], object] | None

__all__ = [
    "RANX",
    "Opened",
    "add_location",
    "all_rows",
    "is_read_once",
    "one_run",
    "path_name",
    "qrels_rows",
    "rows_of",
    "runs_by_system",
]


_STREAMED = "judgment lists of tools are detected in files alone; ⟪format⟫ names that of a stream"


class Opened(list):  # type: ignore[type-arg]
    """The paths of a run of a server, with the options and the result of `open_source`."""

    def __init__(self, paths: list[str], options: ReadOptions) -> None:
        super().__init__(paths)
        self.options, self.source = options, open_source(paths, "run", options)


def rows_of(
    obj: object, table: str, options: ReadOptions, **arguments: Any
) -> tuple[_kernel.Rows, str | None]:
    """Return the rows of judgments or of one run, and the file they come from."""
    rows, source = all_rows(obj, table, options, **arguments)
    rows, _ = one_run(rows, source, options)
    return rows, source


def one_run(
    rows: _kernel.Rows, source: str | None, options: ReadOptions
) -> tuple[_kernel.Rows, str | None]:
    """Return the rows of the only system, and its name, if they have one."""
    if rows.systems is None:
        return rows, None
    runs = runs_by_system(rows, options)
    if len(runs) > 1:
        names = ", ".join(map(repr, [*runs][:8])) + (", ..." if len(runs) > 8 else "")
        raise ColumnError(
            where=source,
            found=f"{len(runs)} systems in {shown(rows.systems)}: {names}",
            expected="one run",
            hint="gainful.evaluate(qrels, table) reads all of them, without another name; for one"
            f" run, keep the rows with {rows.systems} == {next(iter(runs))!r}",
            role="run",
        )
    ((name, only),) = runs.items()
    return only, name


def runs_by_system(rows: _kernel.Rows, options: ReadOptions) -> dict[str, _kernel.Rows]:
    """Return the runs of a table with a column of systems."""
    runs, overlap = rows.by_system()
    column = rows.systems
    named = isinstance(options.columns, dict) and "system" in options.columns
    if len(runs) > 1 and not overlap and not named and _kernel.plain_name(column or "") == "model":
        raise ColumnError(
            found=f"{len(runs)} values in {shown(column)}, and no document in two of them",
            expected="the systems of several runs, or a column without a meaning",
            hint=f"⟪columns='-={column}'⟫ ignores it; named 'system', it gives several runs",
            role="run",
        )
    return dict(runs)


def open_source(
    obj: object, table: str, options: ReadOptions
) -> tuple[list[str] | None, str | None, _kernel.Columnar | None]:
    """Return the files of an object and their format, and its table in columns if it is one."""
    if isinstance(obj, Opened) and obj.options == options:
        return obj.source
    paths = as_paths(obj)
    if paths is None:
        is_named = options.keys() <= {*OF_MEMORY} and not isinstance(options.names, list)
        return None, None, open_stream(obj, table, options) if is_named else None
    paths = expand_paths(paths, table)
    format = options.format or detect_format(paths, table)
    if format not in COLUMNAR:
        return paths, format, None
    try:
        return paths, format, open_columnar(paths, table, options.replace(format=format))
    except ColumnError:
        names = options.names
        if isinstance(names, list) or not has_lists(_kernel.column_names(paths[0], format), names):
            raise
        return paths, format, None


def all_rows(
    obj: object,
    table: str,
    options: ReadOptions,
    *,
    name: str | None = None,
    source: tuple[list[str] | None, str | None, _kernel.Columnar | None] | None = None,
    judgments: object = None,
    threads: int | None = None,
    progress: Progress = None,
    query: str | None = None,
    by_rank: bool = False,
    memory: int | None = None,
) -> tuple[Any, str | None]:
    """Return the rows of an object, also those of several runs, and the file they come from."""
    if table == "run" and options.subtopics:
        raise ArgumentError("not available for runs", where="subtopics")
    if table == "run" and options.duplicates == "mean":
        raise ParameterError(
            where="duplicates", found="'mean' for a run", expected="first, last, max or count"
        )
    rows: _kernel.Rows | _kernel.DiskRows
    rules, count = options.rules, thread_count(threads)
    try:
        paths, format, columnar = source or open_source(obj, table, options)
        if columnar is None and paths is not None and format is not None:
            rows = _rows_of_files(
                *(paths, format, table, options, judgments, count, progress, query, by_rank, memory)
            )
        elif columnar is None:
            rows = rows_in_memory(obj, table, options, threads, query)
        elif table == "qrels" and query is None and (memory or format == "parquet"):
            # `rows` decodes on one thread.
            rows = columnar.judged(
                memory=memory or sys.maxsize, threads=count, duplicates=rules, report=progress
            )
        else:
            query = None if columnar.systems else query
            rows = columnar.rows(threads=count, duplicates=rules, report=progress, query=query)
        if table == "qrels" and options.columns and isinstance(rows, _kernel.Rows):
            rows.refuse_times()
    except GainfulError as error:
        if as_paths(obj) is not None:
            raise
        role = "run" if table == "run" else "judgments"
        raise add_location(error, name, role) from None
    return rows, None if paths is None else describe_paths(paths)


def _rows_of_files(
    paths: list[str],
    format: str,
    table: str,
    options: ReadOptions,
    judgments: object,
    threads: int,
    progress: Progress,
    query: str | None,
    by_rank: bool,
    memory: int | None,
) -> _kernel.Rows | _kernel.DiskRows:
    if not of_rows(options.format):
        return _listed_run(paths, options)
    if format == RANX or format in COLUMNAR:
        return _rows_of_content(paths, format, table, options)
    if memory is not None:
        return _kernel.read_judged(paths, options.spec(), memory=memory, threads=threads)
    in_memory = None if judgments is None else kernel_rows(judgments)
    if isinstance(in_memory, _kernel.DiskRows):
        if format == "scores":
            raise ArgumentError(
                "a file of scores only needs its judgments in memory, but they are on disk",
                where=describe_paths(paths),
                hint="raise GAINFUL_JUDGMENTS_MEMORY",
            )
        in_memory = None
    if in_memory is not None and format == "scores":
        options = options.replace(format="scores")
    try:
        rows = _kernel.read(
            paths,
            table,
            {**options.spec(), "by_rank": by_rank},
            judgments=in_memory,
            report=progress,
            query=query,
            threads=threads,
        )
    except (FormatError, ColumnError):
        is_plain = options.keys() <= {"format", "duplicates"}
        if table != "run" or not is_plain or format not in ("json", "jsonl") or is_read_once(paths):
            raise
        from gainful.data.judgment_lists.reading import listed_formats

        if not listed_formats(paths, run=True):
            raise
        return _listed_run(paths, options.replace(format=None))
    return with_documents(rows, judgments)


def _listed_run(paths: list[str], options: ReadOptions) -> _kernel.Rows:
    """Return the rows of files of another tool with what a system returned."""
    from gainful.data.judgment_lists.reading import listed_run

    options.check_only(
        ("format", "duplicates", "ignore_offsets"), "a run of another tool", "a run of rows"
    )
    try:
        rows = _kernel.rows_from_objects(
            listed_run(paths, options.format), "run", [], duplicates=options.rules
        )
    except GainfulError as error:
        raise (error if error.file else add_location(error).inside(paths[0])) from None
    assert rows is not None  # a list of records has rows
    return rows


def with_documents(rows: _kernel.Rows, judgments: object) -> _kernel.Rows:
    """Return the rows of a run, which may count the rows of judgments instead of naming documents.

    RankLib does so, and only for judgments that are a table of features.
    """
    judged = None if judgments is None else kernel_rows(judgments)
    if not isinstance(judged, _kernel.Rows) or not judged.of_features:
        return rows
    return judged.of_positions(rows) or rows


def qrels_rows(
    obj: object,
    options: ReadOptions,
    *,
    name: str | None = None,
    threads: int | None = None,
    memory: int | None = None,
) -> tuple[Any, str | None, str | None]:
    """Return the rows of judgments, their file, and a note on how they were read."""
    if hasattr(obj, "listed_rows"):
        listed: JudgmentList = obj  # type: ignore[assignment]
        return _listed_rows(listed, options, ("duplicates",)), listed.source, listed.note
    paths = as_paths(obj)
    if paths is not None:
        obj = paths = expand_paths(paths, "qrels")
    if paths is not None and not of_rows(options.format):
        from gainful.data.layouts import list_format

        if list_format(options.format or "") != list_format("golden"):
            return _read_list(paths, options)
        options = options.replace(format=_detect_records(paths))
    files = [] if paths is None or options.format or is_read_once(paths) else paths
    try:
        rows, source = all_rows(obj, "qrels", options, name=name, threads=threads, memory=memory)
    except (FormatError, ColumnError, DuplicateError) as error:
        if files and options.keys() <= {"duplicates", "subtopics"} and _is_list(files):
            return _read_list(files, options)
        if paths and not options.format and is_read_once(paths) and isinstance(error, ColumnError):
            raise error.with_hint(_STREAMED) from None
        raise
    # {"requests": [{"id": ...}, ...]} also parses as rankings by query.
    is_on_disk = isinstance(rows, _kernel.DiskRows)
    if files and not is_on_disk and (rows.enveloped or rows.ungraded) and _is_list(files):
        known = options if options.names is None else options.replace(columns=None)
        return _read_list(files, known)
    rows, note = _golden(rows, source, obj)
    return rows, source, note


def _is_list(paths: list[str]) -> bool:
    from gainful.data.judgment_lists.reading import listed_formats

    return bool(listed_formats(paths))


def _detect_records(paths: list[str]) -> str:
    """Return the format of files of records."""
    format = detect_format(paths, "qrels")
    if format not in ("json", "jsonl", "csv", "tsv"):
        raise FormatError(
            file=paths[0], found=f"the format {format}", expected="JSON, JSON lines or a table"
        )
    return format


def _golden(
    rows: _kernel.Rows | _kernel.DiskRows, source: str | None, obj: object
) -> tuple[_kernel.Rows | _kernel.DiskRows, str | None]:
    """Return judgments, and the sentence on documents whose grade is 1 because they are listed.

    A question that lists none has no answer in the collection, so that it measures nothing.
    """
    if isinstance(rows, _kernel.DiskRows):
        return rows, None
    if not rows.ungraded:
        values = getattr(obj, "values", None)
        first = next(iter(values()), None) if callable(values) else None
        if not isinstance(first, (list, tuple, set, frozenset)):
            return rows, None
    ungraded = rows.ungraded
    answered = [query for query in rows.query_ids() if rows.documents(query)]
    questions = rows.queries
    if not ungraded and len(answered) in (0, questions):
        return rows, None
    if len(answered) < questions:
        rows = rows.select(answered)
    which = (
        "relevant documents" if ungraded in (0, len(rows)) else "relevant documents without a grade"
    )
    judgments = f"{len(rows):,} {'judgment' if len(rows) == 1 else 'judgments'}"
    note = f"{source or 'golden set'}, read as golden: {judgments}; {which} have the grade 1"
    if len(answered) < questions:
        note += (
            f"; {questions - len(answered):,} of {questions:,} questions without relevant documents"
            " left out"
        )
    return rows, f"{note}."


def is_read_once(paths: list[str]) -> bool:
    """Return whether one of the files can be read only once: standard input or a named pipe."""
    from os.path import exists, isdir, isfile

    return "-" in paths or any(
        exists(path) and not isfile(path) and not isdir(path)
        for path in paths
        if not hasattr(path, "open")
    )


#: What `detect_format` returns for the files of ranx with the suffix .lz4.
RANX = "ranx"


def _read_list(
    paths: list[str], options: ReadOptions
) -> tuple[_kernel.Rows, str | None, str | None]:
    from gainful.data.judgment_lists.reading import read_judgment_list

    listed = read_judgment_list(paths, format=options.format, duplicates=options.duplicates)
    return _listed_rows(listed, options, ("format", "duplicates")), listed.source, listed.note


def _listed_rows(
    listed: JudgmentList, options: ReadOptions, allowed: tuple[str, ...]
) -> _kernel.Rows:
    if listed.groups:
        allowed = (*allowed, "subtopics")
    options.check_only(allowed, "a judgment list", "judgments of another format")
    return listed.listed_rows(subtopics=options.subtopics)


def detect_format(paths: list[str], table: str) -> str:
    """Detect the format of files: the first that is not TREC, if any; `RANX` for its LZ4 files.

    Examples
    --------
    >>> detect_format(["bm25.run", "dense.run"], "run"), detect_format(["docs.jsonl"], "run")
    ('trec', 'jsonl')
    """
    detected = "trec"
    for path in paths:
        if path.endswith(".lz4"):
            return RANX
        detected = _kernel.detect(path, table)
        if detected != "trec":
            break
    return detected


def _rows_of_content(
    paths: list[str], format: str, table: str, options: ReadOptions
) -> _kernel.Rows:
    """Return the rows of a file of ranx, or of columns with a list of documents per row."""
    content: object
    if format == RANX:
        from gainful.data.array_files import read_ranx

        if len(paths) > 1:
            raise ParameterError("a file of ranx cannot be one of several parts", where=paths[0])
        options.check_only(("duplicates",), "a file of ranx", "text")
        content = read_ranx(paths[0])
    else:
        from gainful.data.array_files import list_rows

        content = list(list_rows(paths, format))
    try:
        return rows_in_memory(content, table, options.replace(format=None))
    except GainfulError as error:
        raise add_location(error).inside(paths[0]) from None


def open_columnar(paths: list[str], table: str, options: ReadOptions) -> _kernel.Columnar:
    """Open files as a columnar table; the options name their format."""
    allowed = ("format", "columns", "subtopics", "duplicates", "ignore_offsets")
    options.check_only(allowed, "a table in columns", "text")
    assert options.format is not None
    naming = named(table, options.names)
    of_columns = (options.subtopics, options.ignore_offsets)
    return _kernel.columns_of_files(paths, options.format, table, naming, *of_columns)


def path_name(obj: object) -> str | None:
    """Return the stem of the first path as the name of a run; None for other objects."""
    paths = as_paths(obj)
    if paths is None:
        # Runs of ranx have names; a pandas Series of one column, too, which is not a system's.
        name = getattr(obj, "name", None)
        return name if isinstance(name, str) and name and hasattr(obj, "to_dict") else None
    return stem(paths[0]) if paths[0] != "-" else None


def describe_paths(paths: list[str]) -> str:
    """Return how messages name one or more files."""
    return paths[0] + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")


def add_location(
    error: GainfulError, name: str | None = None, role: str | None = None
) -> GainfulError:
    """Add the input to an error, with a row number instead of a line number."""
    row = error.row if error.line is None else error.line
    return (error.inside(name) if name else error).replace(
        line=None, row=row, role=error.role or role
    )
