"""Roles of table columns: Gainful's names and their aliases."""

from __future__ import annotations

from os import fsencode, scandir
from os.path import basename, exists, isdir, join, realpath

from gainful import _kernel
from gainful.errors import ArgumentError, ColumnError, GainfulError, SourceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

__all__ = [
    "COLUMNAR",
    "COLUMNAR_SUFFIXES",
    "EITHER",
    "ENDS",
    "LISTS",
    "READ_QRELS",
    "ROLES",
    "ROWS",
    "STARTS",
    "SUFFIXES",
    "WRITTEN_RUNS",
    "as_text",
    "column_names",
    "expand_paths",
    "find_columns",
    "first_of",
    "has_lists",
    "is_listing",
    "is_metadata_file",
    "named",
    "of_rows",
    "repeated",
    "stream",
]


#: The roles of offsets: positions in characters, tokens, lines from 0, and lines from 1.
STARTS = ("start", "start_token", "start_line", "first_line")
ENDS = ("end", "end_token", "end_line", "last_line")

#: The roles of columns, whose names the kernel knows.
ROLES = (
    *("query_id", "doc_id", "grade", "score", "rank", "subtopic", "weight"),
    *(role for pair in zip(STARTS, ENDS, strict=True) for role in pair),
    "tokens",
)

#: The roles of columns with lists of documents, of judgments and of runs.
LISTS = ("relevant", "results")

#: The required columns of judgments and runs.
NEEDED = {
    "qrels": ("query_id", "doc_id", "grade"),
    "run": ("query_id", "doc_id", "score"),
    "runs": ("query_id", "doc_id", "score"),
    "subtopic qrels": ("query_id", "subtopic", "doc_id", "grade"),
}


def repeated(names: Iterable[str]) -> list[str]:
    """Return the names that occur several times, in the order of their first occurrence.

    Examples
    --------
    >>> repeated(["b", "a", "c", "a", "b"])
    ['b', 'a']
    """
    # Without `collections`, whose import takes longer than reading a small file.
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return [name for name, count in counts.items() if count > 1]


def find_columns(
    names: Iterable[str],
    table: str,
    columns: Mapping[str, str] | None = None,
    values: Callable[[str], object] | None = None,
    *,
    numbered: bool = True,
    systems: bool = False,
    offsets: str = "refuse",
) -> dict[str, str]:
    """Find the columns of judgments or of a run among the columns of a table.

    Examples
    --------
    >>> find_columns(["qid", "docno", "label"], "qrels")
    {'query_id': 'qid', 'doc_id': 'docno', 'grade': 'label'}
    >>> find_columns(["q", "id", "rank"], "run", {"query_id": "q", "doc_id": "id"})
    {'query_id': 'q', 'doc_id': 'id', 'rank': 'rank'}
    """
    present = list(names)
    twice = repeated(present)
    cells = [
        (as_text(name), None if values is None or name in twice else values(name))
        for name in present
    ]
    subtopics = table == "subtopic qrels"
    naming = named(table, columns)
    try:
        columns_of_cells = _kernel.find_columns(
            cells,
            "run" if table == "run" else "qrels",
            naming,
            subtopics,
            numbered,
            offsets == "ignore",
        )
    except ColumnError as error:
        raise error.replace(role="run" if table == "run" else "judgments") from None
    placed = [present[place] for role, place in columns_of_cells if role in (*STARTS, *ENDS)]
    if placed and offsets == "refuse":
        ignored = ",".join(f"-={name}" for name in placed)
        raise ColumnError(
            found=f"offsets in the columns {placed[0]!r} and {placed[1]!r}",
            expected="documents without offsets, which are not read here",
            hint=f"⟪columns={ignored!r}⟫ ignores them",
            role="run" if table == "run" else "judgments",
        )
    return {role: present[place] for role, place in columns_of_cells if systems or role != "system"}


def named(table: str, columns: object) -> list[tuple[str, str]]:
    """Return the caller's names of columns as the kernel takes them."""
    if columns is None:
        return []
    items = getattr(columns, "items", None)
    if items is None:
        raise ArgumentError(
            where="columns",
            found=repr(columns),
            expected="a mapping of roles to column names, as in {'grade': 'stars'}",
        )
    roles = (*NEEDED[table], "rank")
    others = {"grade", "score"}.difference(roles)
    for role, _ in items():
        is_known = role in (*ROLES, "system", *LISTS) and role not in others
        if not is_known and not role.startswith("-"):
            raise ArgumentError(where="columns", found=repr(role), expected=", ".join(roles))
    return [(role, as_text(name)) for role, name in items()]


def has_lists(names: Iterable[object], columns: Mapping[str, str] | None = None) -> bool:
    """Return whether the columns of a table have a list of documents per row.

    Examples
    --------
    >>> has_lists(["question", "relevant"]), has_lists(["query", "doc_id", "relevant"])
    (True, False)
    """
    return _kernel.has_lists([*map(as_text, names)], list((columns or {}).items()))


def column_names(obj: object) -> Iterable[object] | None:
    """Return the names of a table's columns; None for other objects."""
    names = getattr(obj, "column_names", None) or getattr(obj, "columns", None)
    if names is None or callable(names):
        for part in ("schema", "dtype"):
            names = getattr(getattr(obj, part, None), "names", None)
            if names is not None and not callable(names):
                return names  # type: ignore[no-any-return]
        described = getattr(obj, "description", None) if hasattr(obj, "fetchall") else None
        return [column[0] for column in described] if described else None
    return names  # type: ignore[no-any-return]


def is_listing(record: object, columns: Mapping[str, str] | None) -> bool:
    """Return whether a named tuple has a list of documents."""
    names = getattr(record, "_fields", None)
    if names is None:
        return False
    return has_lists(names, columns) or any(isinstance(part, list) for part in record)  # type: ignore[attr-defined]


def first_of(records: Any) -> tuple[Any, Any]:
    """Return the first record, None without one, and all records; an iterator is continued."""
    if not hasattr(records, "__next__"):
        can_repeat = isinstance(records, (list, tuple)) or hasattr(records, "__getitem__")
        return next(iter(records), None) if can_repeat else None, records
    start = list(zip((None,), records, strict=False))
    from itertools import chain

    return (start[0][1] if start else None), chain((record for _, record in start), records)


def as_text(name: object) -> str:
    """Return a name without lone surrogates, which the kernel does not take."""
    return str(name).encode(errors="replace").decode()


_ROWS = _kernel.row_formats()

#: The formats of rows.
ROWS = tuple(row.names[0] for row in _ROWS)

#: The columnar formats, and their suffixes.
COLUMNAR = tuple(row.names[0] for row in _ROWS if row.columnar)
COLUMNAR_SUFFIXES = tuple(f".{suffix}" for row in _ROWS if row.columnar for suffix in row.suffixes)

#: The suffixes of all formats.
SUFFIXES = tuple(f".{suffix}" for row in _ROWS for suffix in row.suffixes)

#: The formats in which runs are written.
WRITTEN_RUNS = tuple(row.names[0] for row in _ROWS if row.writes_runs)

#: The formats of both judgments and runs.
EITHER = tuple(row.names[0] for row in _ROWS if row.writes_runs and row.writes_qrels)

#: The row formats in which judgments are read.
READ_QRELS = tuple(row.names[0] for row in _ROWS if row.reads_qrels)


def of_rows(format: str | None) -> bool:
    """Return whether a format is None or a row format, not a judgment list.

    >>> of_rows("TREC"), of_rows("raters:mean")
    (True, False)
    """
    return format is None or any(format.lower() in row.names for row in _ROWS)


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

    Examples
    --------
    >>> expand_paths(["qrels.txt", "*.run"], "run")
    ['qrels.txt', 'bm25.run', 'dense.run']
    """
    expanded: list[str] = []
    for path in paths:
        remote = getattr(path, "expand", None)
        if remote is not None:
            expanded += remote(COLUMNAR_SUFFIXES)
        elif any(mark in path for mark in "*?[") and not exists(path):
            from glob import glob

            matches = sorted(glob(path, recursive=True), key=fsencode)
            # Skip files such as Spark's _SUCCESS.
            matches = [name for name in matches if not is_metadata_file(basename(name))]
            if not matches:
                raise SourceError("no file matches the pattern", where=path)
            expanded += expand_paths(matches, table)
        elif isdir(path) and not (table == "qrels" and isdir(join(path, "qrels"))):
            files = _data_set(path)
            if not files and table == "run":
                raise SourceError(
                    "a directory without Parquet or Arrow files",
                    where=path,
                    hint=f"files need a suffix ({', '.join(COLUMNAR_SUFFIXES)}); for others give "
                    f"a pattern such as night/*.run",
                )
            expanded += files or [path]
        else:
            expanded.append(path)
    return expanded


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


def stream(
    obj: object,
    table: str,
    columns: Mapping[str, str] | None,
    subtopics: bool = False,
    ignore_offsets: bool = False,
) -> _kernel.Columnar:
    """Open the Arrow stream of an object as a table."""
    kind = type(obj)
    library = kind.__module__.partition(".")[0]
    repeatable = kind.__name__ in _IN_MEMORY.get(library, ())
    if repeatable and library in ("pandas", "polars"):
        # Other columns may have types that Arrow does not support.
        frame: Any = obj
        names = find_columns(
            [name for name in frame.columns if isinstance(name, str)],
            "subtopic qrels" if subtopics else table,
            columns,
            frame.__getitem__,
            numbered=False,
            systems=True,
            offsets="ignore" if ignore_offsets else "read",
        )
        obj, columns = frame[list(dict.fromkeys(names.values()))], names
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
