"""Convert judgments and runs in memory to the kernel's rows."""

from __future__ import annotations

from gainful import _kernel
from gainful.data.columnar import stream
from gainful.data.columns import ALIASES, NEEDED, find_columns
from gainful.errors import ArgumentError, GainfulError
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["rows_in_memory", "run_stream"]

_WHAT = {"qrels": "judgments", "run": "a run"}
_VALUE = {"qrels": "grade", "run": "score"}
#: The iterators of ir_datasets.
_ITERATORS = {"qrels": "qrels_iter", "run": "scoreddocs_iter"}


def rows_in_memory(
    obj: object,
    table: str,
    columns: Mapping[str, str] | None = None,
    duplicates: str = "error",
    threads: int | None = None,
    subtopics: bool = False,
) -> _kernel.Rows:
    """Return the rows of any object except paths.

    Parameters
    ----------
    obj : object
        A mapping, an object with an Arrow stream, a pandas frame, an ir_datasets dataset, an
        iterable of records, or `Qrels` or `Run`.
    table : {"qrels", "run"}
        The kind of table.
    columns : mapping of str to str, optional
        The column for each role.
    duplicates : str
        How duplicate documents of a query are handled.
    threads : int, optional
        As in `gainful.threads.thread_count`.
    subtopics : bool
        Whether judgments are per subtopic.

    Raises
    ------
    ArgumentError
        For an object of another type, or judgments instead of a run.
    FormatError, ColumnError, DuplicateError
        As for `Qrels` and `Run`; ``line`` is the number of the row, counted from 0.
    """
    if isinstance(obj, dict):
        return _kernel.rows_from_mapping(obj, table, duplicates=duplicates, labelled=subtopics)
    kind = getattr(obj, "_kind", None)
    rows = getattr(obj, "_rows", None)
    if isinstance(rows, _kernel.Rows):
        if kind == table:
            return rows
        raise ArgumentError(
            where=_WHAT[table],
            found=repr(obj),
            expected="Qrels" if table == "qrels" else "a Run",
            hint="judgments come first, then runs",
        )
    if type(obj).__module__.partition(".")[0] == "pandas" and hasattr(obj, "columns"):
        return _from_pandas(obj, table, columns, duplicates, threads, subtopics)
    if hasattr(obj, "__arrow_c_stream__"):
        return _from_stream(obj, table, columns, duplicates, threads, subtopics)
    records = getattr(obj, _ITERATORS[table], None)
    if callable(records):
        return _from_records(records(), table, columns, duplicates, subtopics)
    if hasattr(obj, "items") and hasattr(obj, "__getitem__"):
        return _kernel.rows_from_mapping(obj, table, duplicates=duplicates, labelled=subtopics)
    # Bytes and open files are iterable, too, but do not yield rows.
    if hasattr(obj, "__iter__") and not isinstance(obj, bytes) and not hasattr(obj, "read"):
        return _from_records(obj, table, columns, duplicates, subtopics)
    raise _unknown(obj, table)


def run_stream(obj: object, columns: Mapping[str, str] | None) -> _kernel.Columnar | None:
    """Return the Arrow stream of a run, to evaluate while reading; None without one.

    A ranking without scores has to be sorted as a whole, so its stream is not used.
    """
    if isinstance(obj, dict) or isinstance(getattr(obj, "_rows", None), _kernel.Rows):
        return None
    if not hasattr(obj, "__arrow_c_stream__"):
        return None
    if type(obj).__module__.partition(".")[0] == "pandas":
        names = [name for name in obj.columns if isinstance(name, str)]  # type: ignore[attr-defined]
        found = find_columns(names, "run", columns)
        if "score" not in found:
            return None
        try:
            return stream(obj[list(found.values())], "run", found)  # type: ignore[index]
        except GainfulError:
            raise
        except Exception:
            # The caller reads columns that cannot be exported one by one.
            return None
    return stream(obj, "run", columns)


def _from_stream(
    obj: object,
    table: str,
    columns: Mapping[str, str] | None,
    duplicates: str,
    threads: int | None,
    subtopics: bool,
) -> _kernel.Rows:
    arrow = stream(obj, table, columns, subtopics)
    return arrow.rows(threads=thread_count(threads), duplicates=duplicates)


def _from_pandas(
    frame: Any,
    table: str,
    columns: Mapping[str, str] | None,
    duplicates: str,
    threads: int | None,
    subtopics: bool,
) -> _kernel.Rows:
    names = [name for name in frame.columns if isinstance(name, str)]
    found = find_columns(names, _required_table(table, subtopics), columns)
    # Other columns may have types that Arrow does not support.
    frame = frame[list(found.values())]
    if hasattr(frame, "__arrow_c_stream__"):
        try:
            return _from_stream(frame, table, found, duplicates, threads, subtopics)
        except GainfulError:
            raise
        except Exception:
            # pandas exports no stream without pyarrow, nor columns of mixed types. Read the columns
            # one by one.
            pass
    value = found.get(_VALUE[table])
    return _kernel.rows_from_columns(
        frame[found["query_id"]].tolist(),
        frame[found["doc_id"]].tolist(),
        None if value is None else frame[value].tolist(),
        frame[found["rank"]].tolist() if "rank" in found else None,
        table,
        labels=frame[found["subtopic"]].tolist() if subtopics else None,
        duplicates=duplicates,
    )


def _required_table(table: str, subtopics: bool) -> str:
    return "subtopic qrels" if subtopics else table


def _from_records(
    records: object,
    table: str,
    columns: Mapping[str, str] | None,
    duplicates: str,
    subtopics: bool,
) -> _kernel.Rows:
    given = columns or {}
    names = [
        [given[role]] if role in given else list(ALIASES[role])
        for role in NEEDED[_required_table(table, subtopics)]
    ]
    return _kernel.rows_from_records(records, table, names, duplicates=duplicates)


def _unknown(obj: object, table: str) -> ArgumentError:
    hint = None
    if hasattr(obj, "collect"):
        hint = "collect a lazy frame first"
    elif hasattr(obj, "read"):
        hint = "give the path of a file, or '-' for the standard input"
    kind = type(obj)
    return ArgumentError(
        where=_WHAT[table],
        found=f"{kind.__module__}.{kind.__qualname__}",
        expected=(
            f"a path, {{query: {{document: {_VALUE[table]}}}}}, a data frame, "
            f"or an iterable of (query, document, {_VALUE[table]})"
        ),
        hint=hint,
    )
