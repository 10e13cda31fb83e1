"""Runs by name: the forms in which several runs are passed."""

from __future__ import annotations

from os import PathLike
from os.path import exists, lexists

from gainful import _kernel
from gainful.data.coercion import keeping_duplicates, run_name
from gainful.data.columns import COLUMNAR, as_text, column_names, expand_paths
from gainful.data.inputs import (
    Opened,
    all_rows,
    detect_format,
    is_read_once,
    open_columnar,
    runs_by_system,
)
from gainful.data.memory import check_loaded, is_table
from gainful.data.paths import as_paths, uncompressed
from gainful.data.read_options import ReadOptions
from gainful.data.run import Run
from gainful.data.table import table_of_rows
from gainful.errors import ArgumentError, GainfulError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    from gainful.data.inputs import ArrowStream, Progress
    from gainful.data.run import RunLike

    Runs: TypeAlias = (
        Mapping[str, RunLike]
        | Sequence[str | PathLike[str] | Run | ArrowStream]
        | str
        | PathLike[str]
        | ArrowStream
    )

__all__ = ["DefaultName", "has_several_runs", "like_a_path", "runs_by_name", "split_systems"]

#: Attributes of data frames, cursors of databases, and datasets of ir_datasets.
_TABLES = ("columns", "column_names", "to_df", "fetchall", "scoreddocs_iter")

_FORMS = "{'name': run, ...}, or a list of paths, Run objects or data frames"


#: The suffixes of text that may have systems.
_TEXTS = (".csv", ".tsv", ".json", ".jsonl")


class DefaultName(str):
    """The name of a run that nobody named: a column of systems has better ones."""

    __slots__ = ()


def has_several_runs(obj: object) -> bool:
    """Return whether an object has several runs: by name, or in a list.

    A ranking maps queries to documents with scores, or to lists of documents; runs by name are one
    level deeper, or paths, data frames or `Run`.

    Examples
    --------
    >>> has_several_runs({"bm25": "bm25.run"}), has_several_runs({"bm25": {"q1": ["d1"]}})
    (True, True)
    >>> has_several_runs({"q1": {"d1": 0.5}}), has_several_runs({"q1": ["d1"]})
    (False, False)
    >>> has_several_runs(["bm25.run", "dense.run"]), has_several_runs([("q1", "d1", 0.5)])
    (True, False)
    >>> has_several_runs({"bm25": [{"query": "q1", "doc": "d1", "score": 0.5}]})
    True
    """
    if isinstance(obj, (list, tuple)):
        if len(obj) > 0 and _is_mapping(obj[0]):
            # Rankings without names, which `runs_by_name` refuses; records have texts or numbers.
            inner = [*obj[0].values()]
            return bool(inner) and all(isinstance(v, list) or _is_mapping(v) for v in inner)
        return len(obj) > 0 and all(
            isinstance(run, (str, PathLike, Run)) or _is_table(run) for run in obj
        )
    if not _is_mapping(obj):
        return False
    for value in obj.values():  # type: ignore[attr-defined]
        is_plain = type(value) in (dict, list, tuple)
        if not is_plain and (isinstance(value, (str, PathLike, Run)) or _is_table(value)):
            return True
        if hasattr(value, "to_dict") and not hasattr(value, "__iter__"):
            return True  # A run of ranx.
        is_list = isinstance(value, (list, tuple))
        if not is_list and not _is_mapping(value):
            return False
        if value:
            # Parts of a run, or records; records have names or three parts, documents with scores
            # two. A mapping has rankings or scores.
            first = next(iter(value if is_list else value.values()))
            if is_list:
                return isinstance(first, PathLike) or _is_record(first)
            return isinstance(first, (list, tuple)) or _is_mapping(first)
    return False


def _check_paths(runs: Sequence[object]) -> None:
    """Refuse texts that are ids of documents rather than paths."""
    if all(isinstance(run, str) and not like_a_path(run) for run in runs):
        raise ArgumentError(
            where="runs",
            found=f"no files with the names {', '.join(map(repr, runs[:3]))}",
            expected=_FORMS,
            hint=f"documents need their query: {{query: [{', '.join(map(repr, runs[:2]))}, ...]}}",
        )


def like_a_path(text: str) -> bool:
    """Return whether a text could be meant as a path."""
    return any(mark in text for mark in "./\\*?[:-") or lexists(text)


def _is_record(obj: object) -> bool:
    """Return whether an object is a row of a run, rather than a document or one with its score."""
    if isinstance(obj, (list, tuple)) and len(obj) == 3:
        return True
    if hasattr(obj, "_fields"):
        return len(obj._fields) > 2
    return _is_mapping(obj) or hasattr(obj, "__dataclass_fields__")


def _is_table(obj: object) -> bool:
    """Return whether an object is a data frame or a structured array."""
    if any(hasattr(obj, name) for name in _TABLES):
        return True
    # The rows of a structured array have names, too.
    return column_names(obj) is not None and getattr(obj, "ndim", 1) > 0


def _is_mapping(obj: object) -> bool:
    if isinstance(obj, dict):
        return True
    from collections.abc import Mapping

    return isinstance(obj, Mapping)


def runs_by_name(
    runs: Runs, *, threads: int | None = None, progress: Progress = None
) -> dict[str, RunLike]:
    """Return runs by name; paths are named after their files.

    Examples
    --------
    >>> list(runs_by_name(["runs/bm25.run", "runs/dense.run"]))
    ['bm25', 'dense']
    """
    if not isinstance(runs, Run) and not has_several_runs(runs):
        systems = _systems("run", runs, ReadOptions(), threads, progress)
        if systems is not None:
            return dict(systems)
    if _is_mapping(runs):
        named: dict[str, RunLike] = {
            name if isinstance(name, DefaultName) else str(name): run
            for name, run in runs.items()  # type: ignore[union-attr]
        }
        if len(named) < len(runs):  # type: ignore[arg-type]
            names = ", ".join(map(repr, runs))  # type: ignore[arg-type]
            raise ParameterError(f"two names are the same as text: {names}", where="runs")
        if named:
            _check_paths(list(named.values()))
        documents: Any = next(iter(named.values()), None)
        if _is_mapping(documents) and isinstance(
            next(iter(documents.values()), None), (int, float)
        ):
            raise ParameterError(
                where="runs",
                found="a single run",
                expected="several",
                hint="name each run: {'bm25': run, 'dense': other}",
            )
        return split_systems(named, threads=threads, progress=progress)
    listed = runs if isinstance(runs, (list, tuple)) else ()
    if not listed or not all(
        isinstance(run, Run) or as_paths(run) is not None or _is_table(run) for run in listed
    ):
        hint = f"several runs are a list: [{runs!r}, ...]" if isinstance(runs, str) else None
        unnamed = "runs without a name need one: {'bm25': run, 'dense': other}"
        raise ArgumentError(
            where="runs",
            found=type(runs).__name__
            if not listed
            else f"a {type(runs).__name__} with {type(listed[0]).__name__}",
            expected=_FORMS,
            hint=unnamed if listed else hint,
        )
    _check_paths(listed)
    run_names = [run_name(run, None) or f"run{n}" for n, run in enumerate(listed, start=1)]
    if len(set(run_names)) < len(run_names):
        raise ParameterError(
            f"two runs are named {max(run_names, key=run_names.count)!r}",
            where="runs",
            hint="name them: {'name': run, ...}",
        )
    named = dict(zip(map(DefaultName, run_names), listed, strict=True))
    return split_systems(named, threads=threads, progress=progress)


def split_systems(
    runs: Mapping[str, RunLike],
    options: ReadOptions | None = None,
    *,
    threads: int | None = None,
    progress: Progress = None,
) -> dict[str, RunLike]:
    """Return runs by name, with a run for each system of those that nobody named.

    A name that several runs have follows that of their source, as in ``night/bm25``.
    """
    systems = {
        name: _systems(name, run, options or ReadOptions(), threads, progress)
        if isinstance(name, DefaultName) and not isinstance(run, Run)
        else None
        for name, run in runs.items()
    }
    if not any(systems.values()):
        return dict(runs)
    names = [name for source, named in systems.items() for name in named or (source,)]
    split: dict[str, RunLike] = {}
    for source, named in systems.items():
        if not named:
            split[source] = runs[source]
            continue
        for name, run in named.items():
            is_unique = names.count(name) == 1
            split[name if is_unique else source if len(named) == 1 else f"{source}/{name}"] = run
    return split


def _systems(
    name: str, obj: object, options: ReadOptions, threads: int | None, progress: Progress
) -> Mapping[str, RunLike] | None:
    """Return the runs of a table with a column of systems; None for other objects.

    What can be read only once is returned as a run. A file that cannot be read is left to the
    evaluation, whose errors name the run.
    """
    paths = as_paths(obj)
    names = opened = None
    try:
        if paths is not None:
            remote = any(hasattr(path, "open") for path in paths)
            obj = paths = expand_paths(paths, "run")
            # Files of servers are transferred once: text is read here, others are handed on.
            once = remote or is_read_once(paths)
            if remote and not uncompressed(paths[0].lower()).endswith(_TEXTS):
                opened = Opened(paths, options)
                columnar = opened.source[2]
                if columnar is None or not columnar.systems:
                    return {name: opened}
            elif not (remote or _may_have_systems(paths, options, once=once)):
                return None
        else:
            check_loaded(obj, "run")
            names = _names(obj)
            once = names is None and hasattr(obj, "__next__")
            texts = [as_text(name) for name in names or ()]
            systems = (_kernel.names_with(texts, part) for part in ("system", "model"))
            if not (once or options.columns or any(systems)):
                return None
        rows, source = all_rows(
            *(obj, "run", keeping_duplicates(options)),
            source=None if opened is None else opened.source,
            threads=threads,
            progress=progress,
        )
    except GainfulError:
        if paths is not None and not is_read_once(paths):
            return None
        raise
    if rows.systems is not None:
        runs = runs_by_system(rows, options)
    elif once:
        runs = {name: rows}
    else:
        return None
    return {name: table_of_rows(Run, rows, name=name, source=source) for name, rows in runs.items()}


def _may_have_systems(paths: list[str], options: ReadOptions, *, once: bool) -> bool:
    """Return whether files may have a column of systems, from their beginning."""
    format = options.format or detect_format(paths, "run")
    if format in COLUMNAR:
        return open_columnar(paths, "run", options.replace(format=format)).systems
    if f".{format}" not in _TEXTS:
        return False
    if once or options.columns or not exists(paths[0]):
        return True
    with open(paths[0], "rb") as file:
        start = file.read(1 << 16).lower()
    if format in ("csv", "tsv"):
        start = start.partition(b"\n")[0]
    # Compressed files are not looked into.
    return b"\0" in start or any(name in start for name in (b"system", b"run", b"model"))


def _names(obj: Any) -> Iterable[object] | None:
    """Return the names of the columns of a table, or of the fields of its first record."""
    if isinstance(obj, dict):
        if is_table(obj):
            return obj
        lists = (value for value in obj.values() if isinstance(value, list) and value)
        return next((_names(value) for value in lists if isinstance(value[0], dict)), ())
    if isinstance(obj, (list, tuple)):
        first = obj[0] if obj else None
        fields = getattr(first, "_fields", None) or getattr(first, "__dataclass_fields__", None)
        return first if isinstance(first, dict) else fields or ()
    names = column_names(obj)
    # Named levels of the index of a pandas frame are columns.
    levels = getattr(getattr(obj, "index", None), "names", ())
    return None if names is None else [*names, *levels]
