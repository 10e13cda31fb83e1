"""Runs by name: the forms in which several runs are passed."""

from __future__ import annotations

from os import PathLike
from os.path import lexists

from gainful.data.coercion import run_name
from gainful.data.paths import as_paths
from gainful.data.run import Run
from gainful.errors import ArgumentError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    from gainful.data.inputs import RunLike

    Runs: TypeAlias = Mapping[str, RunLike] | Sequence[str | PathLike[str] | Run]

__all__ = ["has_several_runs", "like_a_path", "runs_by_name"]

#: Attributes of data frames, cursors of databases, and datasets of ir_datasets.
_TABLES = ("columns", "column_names", "to_df", "fetchall", "scoreddocs_iter")

_FORMS = "{'name': run, ...}, or a list of paths or Run objects"


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
        return len(obj) > 0 and all(isinstance(each, (str, PathLike, Run)) for each in obj)
    if not _is_mapping(obj):
        return False
    for value in obj.values():  # type: ignore[attr-defined]
        if isinstance(value, (str, PathLike, Run)) or _is_frame(value):
            return True
        if isinstance(value, (list, tuple)):
            if not value:
                continue
            # Parts of a run, or records; records have names or three parts, documents with scores
            # two.
            first = value[0]
            return isinstance(first, PathLike) or _is_record(first)
        if not _is_mapping(value):
            return False
        for inner in value.values():
            return isinstance(inner, (list, tuple)) or _is_mapping(inner)
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


def _is_run(documents: object) -> bool:
    """Return whether the first value of a mapping shows that it is one run: scores by document."""
    if not _is_mapping(documents):
        return False
    first = next(iter(documents.values()), None)  # type: ignore[attr-defined]
    return isinstance(first, (int, float))


def _is_record(obj: object) -> bool:
    """Return whether an object is a row of a run, rather than a document or one with its score."""
    if isinstance(obj, (list, tuple)) and len(obj) == 3:
        return True
    if hasattr(obj, "_fields"):
        return len(obj._fields) > 2
    return _is_mapping(obj) or hasattr(obj, "__dataclass_fields__")


def _is_frame(obj: object) -> bool:
    """Return whether an object is a table: a data frame, a structured array, a run of ranx."""
    if any(hasattr(obj, name) for name in _TABLES):
        return True
    if hasattr(obj, "__arrow_c_stream__") and hasattr(obj, "schema"):
        return True
    if hasattr(obj, "dtype"):
        return getattr(obj.dtype, "names", None) is not None
    return hasattr(obj, "to_dict") and not hasattr(obj, "__iter__")


def _is_mapping(obj: object) -> bool:
    if isinstance(obj, dict):
        return True
    from collections.abc import Mapping

    return isinstance(obj, Mapping)


def runs_by_name(runs: Runs) -> dict[str, RunLike]:
    """Return runs by name; paths are named after their files.

    Examples
    --------
    >>> list(runs_by_name(["runs/bm25.run", "runs/dense.run"]))
    ['bm25', 'dense']

    Raises
    ------
    ArgumentError
        For anything but a mapping, or a list of paths and runs.
    ParameterError
        If two runs have the same name.
    """
    if _is_mapping(runs):
        named = {str(name): run for name, run in runs.items()}  # type: ignore[union-attr]
        if len(named) < len(runs):
            names = ", ".join(map(repr, runs))
            raise ParameterError(f"two names are the same as text: {names}", where="runs")
        if named:
            _check_paths(list(named.values()))
        if _is_run(next(iter(named.values()), None)):
            raise ParameterError(
                where="runs",
                found="a single run",
                expected="several",
                hint="name each run: {'bm25': run, 'dense': other}",
            )
        return named
    if (
        not isinstance(runs, (list, tuple))
        or not runs
        or not all(isinstance(run, Run) or as_paths(run) is not None for run in runs)
    ):
        hint = None
        if isinstance(runs, str):
            hint = f"several runs are a list: [{runs!r}, ...]"
        elif isinstance(runs, (list, tuple)) and runs:
            hint = "runs without a name need one: {'bm25': run, 'dense': other}"
        raise ArgumentError(
            where="runs",
            found=type(runs).__name__
            if not isinstance(runs, (list, tuple)) or not runs
            else f"a {type(runs).__name__} with {type(runs[0]).__name__}",
            expected=_FORMS,
            hint=hint,
        )
    _check_paths(runs)
    found = [run_name(run) or "run" for run in runs]
    if len(set(found)) < len(found):
        raise ParameterError(
            f"two runs are named {max(found, key=found.count)!r}",
            where="runs",
            hint="name them: {'name': run, ...}",
        )
    return dict(zip(found, runs, strict=True))
