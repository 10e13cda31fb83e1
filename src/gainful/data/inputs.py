"""Whatever people hold judgments and runs in: told apart here, and handed to the engine.

Paths, `Qrels` and `Run`, mappings, objects that export an Arrow stream (polars, pyarrow, DuckDB,
pandas), pandas frames without pyarrow, and iterables of records. None of these libraries is
imported: each is known by what its objects can do.
"""

from __future__ import annotations

from os import PathLike, fspath

from gainful import _engine
from gainful.data.columns import ALIASES, find_columns
from gainful.errors import ArgumentError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Protocol, TypeAlias

    from gainful.data.qrels import Qrels
    from gainful.data.run import Run

    class ArrowStream(Protocol):
        """An object that exports the Arrow C stream, as data frames do."""

        def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

    Path: TypeAlias = str | PathLike[str]
    Paths: TypeAlias = Path | Sequence[Path]
    Id: TypeAlias = str | bytes | int
    QrelsLike: TypeAlias = (
        Paths | Qrels | Mapping[Any, Mapping[Any, Any]] | ArrowStream | Iterable[Any]
    )
    RunLike: TypeAlias = (
        Paths | Run | Mapping[Any, Mapping[Any, Any] | Iterable[Any]] | ArrowStream | Iterable[Any]
    )

__all__ = ["as_qrels", "as_run", "run_input", "run_name"]

#: What a value can be, for messages.
_KINDS = (
    "a path, a mapping {query: {document: number}}, a data frame, "
    "an iterable of (query, document, number)"
)


def as_qrels(
    obj: QrelsLike,
    *,
    name: str | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    header: bool | None = None,
    comments: bool = False,
    duplicates: str = "error",
) -> Qrels:
    """Return judgments as `Qrels`, whatever they are held in.

    The parameters are those of `Qrels` and of `read_qrels`.
    """
    from gainful.data.qrels import Qrels

    if isinstance(obj, Qrels):
        return obj
    rows, source = _rows(
        obj, "qrels", format=format, columns=columns, comments=comments, duplicates=duplicates
    )
    return Qrels._of(rows, name=name, source=source)


def as_run(
    obj: RunLike,
    *,
    name: str | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    header: bool | None = None,
    comments: bool = False,
    duplicates: str = "error",
) -> Run:
    """Return a run as `Run`, whatever it is held in.

    The parameters are those of `Run` and of `read_run`.
    """
    from gainful.data.run import Run

    if isinstance(obj, Run):
        return obj
    rows, source = _rows(
        obj, "run", format=format, columns=columns, comments=comments, duplicates=duplicates
    )
    return Run._of(rows, name=name or run_name(obj, None), source=source)


def run_input(
    obj: RunLike,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    header: bool | None = None,
    comments: bool = False,
) -> _engine.Rows | list[str]:
    """Return what the engine's `evaluate` takes: rows, or the paths of TREC text.

    The engine measures TREC text while it reads it, so its rows are never held in memory. Documents
    that stand twice are kept: the convention of the evaluation says what to do with them.
    """
    from gainful.data.run import Run

    if isinstance(obj, Run):
        return obj._rows
    paths = as_paths(obj)
    if paths is not None and format in (None, "trec"):
        return paths
    rows, _ = _rows(
        obj, "run", format=format, columns=columns, comments=comments, duplicates="count"
    )
    return rows


def run_name(obj: object, default: str | None = "run") -> str | None:
    """Return the name of a run: its own, the stem of its file, or the default.

    Examples
    --------
    >>> run_name("runs/bm25.run.gz"), run_name({"q1": ["d1"]})
    ('bm25', 'run')
    """
    own = getattr(obj, "name", None)
    if isinstance(own, str) and hasattr(obj, "_rows"):
        return own
    paths = as_paths(obj)
    if paths and paths[0] != "-":
        return stem(paths[0])
    return default


def stem(path: str) -> str:
    """Return the name of a file without its folder and without the suffixes that tell its format.

    Examples
    --------
    >>> stem("runs/bm25.k1=0.9.run.gz"), stem("dense.jsonl"), stem(".run")
    ('bm25.k1=0.9', 'dense', '.run')
    """
    from os.path import basename, splitext

    name = basename(path.rstrip("/")) or path
    while True:
        shorter, suffix = splitext(name)
        if suffix.lower() not in _SUFFIXES:
            return name
        name = shorter


_SUFFIXES = {
    f".{suffix}"
    for suffix in (
        "gz bz2 xz zst run runs res results txt trec tsv csv json jsonl ndjson svm svmlight letor dat"
    ).split()
}


def as_paths(obj: object) -> list[str] | None:
    """Return the paths that an object is: one, or a list or tuple of them; None if it is not."""
    if isinstance(obj, (str, PathLike)):
        return [_path(obj)]
    if isinstance(obj, (list, tuple)) and obj and isinstance(obj[0], (str, PathLike)):
        if type(obj) is tuple and len(obj) == 3 and not isinstance(obj[2], (str, PathLike)):
            raise ArgumentError(
                where="judgments or run",
                found=f"a single row, {obj!r}",
                expected="several",
                hint=f"write [{obj!r}]",
            )
        return [_path(one) for one in obj]
    return None


def _path(path: object) -> str:
    if not isinstance(path, (str, PathLike)):
        raise ArgumentError(
            where="a list of paths",
            found=f"{path!r} of type {type(path).__name__}",
            expected="paths only",
        )
    text: str | bytes = fspath(path)
    if isinstance(text, bytes):
        from os import fsdecode

        text = fsdecode(text)
    if not text:
        raise ParameterError(
            where="a path", found="an empty text", expected="a path, or '-' for the standard input"
        )
    return text


def _rows(
    obj: object,
    table: str,
    *,
    format: str | None,
    columns: Mapping[str, str] | None,
    comments: bool,
    duplicates: str,
) -> tuple[_engine.Rows, str | None]:
    paths = as_paths(obj)
    if paths is not None:
        rows = _engine.read(paths, table, comments=comments, duplicates=duplicates)
        return rows, paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
    if format is not None:
        raise ArgumentError(
            where="format", found=f"{format!r} for an object in memory", expected="a path"
        )
    return _from_memory(obj, table, columns, duplicates), None


def _from_memory(
    obj: object, table: str, columns: Mapping[str, str] | None, duplicates: str
) -> _engine.Rows:
    own = getattr(obj, "_rows", None)
    if isinstance(own, _engine.Rows):
        raise ArgumentError(
            where="judgments" if table == "qrels" else "a run",
            found=f"a {type(obj).__name__}",
            expected="Qrels" if table == "qrels" else "a Run",
            hint="judgments come first, runs after them",
        )
    if isinstance(obj, dict):
        return _engine.rows_from_mapping(obj, table, duplicates=duplicates)
    records = getattr(obj, "qrels_iter" if table == "qrels" else "scoreddocs_iter", None)
    if callable(records):
        return _from_records(records(), table, columns, duplicates)
    if hasattr(obj, "items") and hasattr(obj, "__getitem__"):
        return _engine.rows_from_mapping(obj, table, duplicates=duplicates)
    if hasattr(obj, "__iter__") and not isinstance(obj, (bytes, bytearray)):
        return _from_records(obj, table, columns, duplicates)
    raise ArgumentError(
        where="judgments" if table == "qrels" else "a run",
        found=f"{type(obj).__module__}.{type(obj).__qualname__}",
        expected=_KINDS,
        hint="a lazy frame is collected first" if hasattr(obj, "collect") else None,
    )


def _from_records(
    records: Any, table: str, columns: Mapping[str, str] | None, duplicates: str
) -> _engine.Rows:
    value = "grade" if table == "qrels" else "score"
    given = columns or {}
    names = tuple(
        [given[role]] if role in given else list(ALIASES[role])
        for role in ("query_id", "doc_id", value)
    )
    return _engine.rows_from_records(records, table, names, duplicates=duplicates)
