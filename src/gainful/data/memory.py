"""Convert judgments and runs in memory to the kernel's rows."""

from __future__ import annotations

from gainful import _kernel
from gainful.data.columnar import stream
from gainful.data.columns import LISTS, as_text, find_columns, has_lists, is_listing
from gainful.errors import ArgumentError, ColumnError, FormatError, GainfulError
from gainful.quoting import shown
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

__all__ = [
    "check_loaded",
    "is_table",
    "is_table_of_lists",
    "only_split",
    "rows_in_memory",
    "run_stream",
]

_WHAT = {"qrels": "judgments", "run": "a run"}
_VALUE = {"qrels": "grade", "run": "score"}
#: A mapping with more names than this has queries as keys.
_MOST_COLUMNS = 64
#: The iterators of ir_datasets.
_ITERATORS = {"qrels": "qrels_iter", "run": "scoreddocs_iter"}


def rows_in_memory(
    obj: object,
    table: str,
    columns: Mapping[str, str] | None = None,
    duplicates: str | _kernel.RowRules = "error",
    threads: int | None = None,
    subtopics: bool = False,
    query: str | None = None,
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
    duplicates : str or RowRules
        How duplicate documents of a query are handled, and what ids and labels mean.
    threads : int, optional
        As in `gainful.threads.thread_count`.
    subtopics : bool
        Whether judgments are per subtopic.
    query : str, optional
        The query to keep of an Arrow stream.

    Raises
    ------
    ArgumentError
        For an object of another type, or judgments instead of a run.
    FormatError, ColumnError, DuplicateError
        As for `Qrels` and `Run`; ``line`` is the number of the row, counted from 0.
    """
    obj = only_split(obj, table)
    if not isinstance(obj, dict):
        check_loaded(obj, table)
    if _may_have_records(obj, columns):
        from gainful.data.objects import object_rows

        objects, obj = object_rows(obj, table, columns, duplicates, subtopics)
        if objects is not None:
            return objects
    lists = next((role for role in LISTS if role in (columns or ())), None)
    if lists is not None:
        raise ArgumentError(
            where="columns",
            found=f"{lists!r} for {type(obj).__name__}",
            expected="records or a table with named columns",
        )
    if isinstance(obj, dict):
        if columns or is_table(obj):
            return _from_lists(obj, table, columns, duplicates, subtopics)
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
    library = type(obj).__module__.partition(".")[0]
    if library == "pandas" and hasattr(obj, "columns"):
        return _from_pandas(obj, table, columns, duplicates, threads, subtopics, query)
    if library == "pandas" and hasattr(obj, "reset_index"):
        if obj.index.nlevels == 1 and len(obj) and hasattr(obj.iloc[0], "__len__"):  # type: ignore[attr-defined,arg-type]
            # What `groupby(...).apply(list)` returns.
            return _kernel.rows_from_mapping(obj.to_dict(), table, duplicates=duplicates)  # type: ignore[attr-defined]
        frame = _series_frame(obj, table)
        return _from_pandas(frame, table, columns, duplicates, threads, subtopics, query)
    names = getattr(getattr(obj, "dtype", None), "names", None)
    if names:
        array: Any = obj
        found = _columns(names, table, columns, subtopics, array.__getitem__)
        return _from_columns(lambda name: obj[name].tolist(), found, table, duplicates, subtopics)  # type: ignore[index]
    method = _content_method(obj)
    if method is not None:
        content = getattr(obj, method)()
        return rows_in_memory(content, table, columns, duplicates, threads, subtopics, query)
    if hasattr(obj, "__arrow_c_stream__"):
        return _from_stream(obj, table, columns, duplicates, threads, subtopics, query)
    records = getattr(obj, _ITERATORS[table], None)
    if callable(records):
        return _from_records(records(), table, columns, duplicates, subtopics)
    if hasattr(obj, "items") and hasattr(obj, "__getitem__"):
        return _kernel.rows_from_mapping(obj, table, duplicates=duplicates, labelled=subtopics)
    # Bytes and open files are iterable, too, but do not yield rows.
    if hasattr(obj, "__iter__") and not isinstance(obj, bytes) and not hasattr(obj, "read"):
        return _from_records(obj, table, columns, duplicates, subtopics)
    raise _unknown(obj, table)


def _may_have_records(obj: Any, columns: Mapping[str, str] | None) -> bool:
    """Return whether an object may have records, or is a table with a list of documents per row."""
    if isinstance(obj, dict):
        return _may_be_record(obj, columns)
    if isinstance(getattr(obj, "_rows", None), _kernel.Rows):
        return False
    if isinstance(obj, (list, tuple)):
        return len(obj) > 0 and (
            not isinstance(obj[0], (list, tuple)) or is_listing(obj[0], columns)
        )
    return is_table_of_lists(obj, columns) or _names(obj) is None


def is_table_of_lists(obj: object, columns: Mapping[str, str] | None = None) -> bool:
    """Return whether an object is a table with a list of documents per row."""
    names = _names(obj)
    return names is not None and has_lists(names, columns)


def _names(obj: object) -> Iterable[object] | None:
    """Return the names of a table's columns; None for other objects."""
    names = getattr(obj, "column_names", None) or getattr(obj, "columns", None)
    return None if callable(names) else names


def _may_be_record(mapping: Mapping[Any, Any], columns: Mapping[str, str] | None = None) -> bool:
    """Return whether a mapping may be a record or have records, from its first value.

    Examples
    --------
    >>> _may_be_record({"q1": {"d1": 1}}), _may_be_record({"q1": ["d1"]})
    (False, False)
    >>> _may_be_record({"question": "Why?", "relevant": ["d1"]})
    True
    """
    value = next(iter(mapping.values()), None)
    if isinstance(value, dict):
        # Grades by document are numbers.
        return len(value) <= _MOST_COLUMNS and any(
            isinstance(field, (list, tuple, dict, str)) for field in value.values()
        )
    if isinstance(value, (list, tuple)):
        if value and isinstance(value[0], dict):
            return True
        return len(mapping) <= _MOST_COLUMNS and has_lists(mapping, columns)
    return value is not None


def only_split(obj: object, table: str) -> object:
    """Return the only split of a Hugging Face `DatasetDict`, and other objects unchanged.

    Raises
    ------
    ArgumentError
        For several splits.
    """
    if not isinstance(obj, dict) or type(obj) is dict or not obj:
        return obj
    if not all(hasattr(split, "column_names") for split in obj.values()):
        return obj
    if len(obj) > 1:
        raise ArgumentError(
            where=_WHAT[table],
            found=f"splits {', '.join(map(str, obj))}",
            expected="one data set",
            hint=f"choose one, as in data[{next(iter(obj))!r}]",
        )
    return next(iter(obj.values()))


def _content_method(obj: object) -> str | None:
    """Return the method with the content of a collection of LensKit, or of an object of ranx."""
    kind = type(obj)
    if hasattr(kind, "__arrow_c_stream__"):
        return None
    if hasattr(kind, "to_df"):
        return "to_df"
    return "to_dict" if hasattr(kind, "to_dict") and not hasattr(kind, "__iter__") else None


def run_stream(obj: object, columns: Mapping[str, str] | None) -> _kernel.Columnar | None:
    """Return the Arrow stream of a run, to evaluate while reading; None without one.

    A ranking without scores has to be sorted as a whole, so its stream is not used.
    """
    if isinstance(obj, dict) or isinstance(getattr(obj, "_rows", None), _kernel.Rows):
        return None
    if not hasattr(obj, "__arrow_c_stream__"):
        return None
    if is_table_of_lists(obj, columns):
        return None
    if type(obj).__module__.partition(".")[0] == "pandas":
        if not hasattr(obj, "columns"):
            # The index of a series is not in its stream.
            return None
        frame, found = _pandas_columns(obj, "run", columns, False)
        if "score" not in found or "system" in found:
            return None
        try:
            return stream(frame[list(found.values())], "run", found)
        except GainfulError:
            raise
        except Exception:
            # The caller reads columns that cannot be exported one by one.
            return None
    opened = stream(obj, "run", columns)
    if not opened.given:
        return opened
    return None


def _from_stream(
    obj: object,
    table: str,
    columns: Mapping[str, str] | None,
    duplicates: str | _kernel.RowRules,
    threads: int | None,
    subtopics: bool,
    query: str | None,
) -> _kernel.Rows:
    arrow = stream(obj, table, columns, subtopics)
    query = None if arrow.systems else query
    return arrow.rows(threads=thread_count(threads), duplicates=duplicates, query=query)


def _from_pandas(
    frame: Any,
    table: str,
    columns: Mapping[str, str] | None,
    duplicates: str | _kernel.RowRules,
    threads: int | None,
    subtopics: bool,
    query: str | None,
) -> _kernel.Rows:
    frame, found = _pandas_columns(frame, table, columns, subtopics)
    # Other columns may have types that Arrow does not support.
    frame = frame[list(found.values())]
    if hasattr(frame, "__arrow_c_stream__"):
        try:
            return _from_stream(frame, table, found, duplicates, threads, subtopics, query)
        except GainfulError:
            raise
        except Exception:
            # pandas exports no stream without pyarrow, nor columns of mixed types. Read the columns
            # one by one.
            pass
    return _from_columns(lambda name: frame[name].tolist(), found, table, duplicates, subtopics)


def _pandas_columns(
    frame: Any, table: str, columns: Mapping[str, str] | None, subtopics: bool
) -> tuple[Any, dict[str, str]]:
    """Return a pandas frame and the names of its columns.

    The named levels of the index are columns, too, as in a Parquet file of the frame.
    """
    names = [name for name in frame.columns if isinstance(name, str)]
    levels = [name for name in frame.index.names if isinstance(name, str) and name not in names]

    def values(name: str) -> Any:
        return frame.index.get_level_values(name) if name in levels else frame[name]

    roles = _columns([*levels, *names], table, columns, subtopics, values)
    used = [name for name in levels if name in roles.values()]
    return frame.reset_index(level=used) if used else frame, roles


def is_table(obj: Mapping[Any, Any]) -> bool:
    """Return whether a mapping has columns by name, rather than documents by query.

    Examples
    --------
    >>> is_table({"query_id": ["q1"], "doc_id": ["d1"], "grade": [3]})
    True
    >>> is_table({"q1": ["d1"]}), is_table({"query": ["d1"], "documentation": ["d2"]})
    (False, False)
    """
    nested = any(isinstance(value, dict) for value in obj.values())
    if nested or not 1 < len(obj) <= _MOST_COLUMNS:
        return False
    names = [as_text(name) for name in obj]
    return _kernel.are_ids(names) or (len(obj) > 2 and _kernel.are_columns(names, True))


def _from_lists(
    obj: Mapping[Any, Any],
    table: str,
    columns: Mapping[str, str] | None,
    duplicates: str | _kernel.RowRules,
    subtopics: bool,
) -> _kernel.Rows:
    """Return the rows of a mapping of column names to lists."""
    names = [name for name in obj if isinstance(name, str)]
    found = _columns(names, table, columns, subtopics, obj.__getitem__)
    lists = {name: _as_list(name, obj[name]) for name in found.values()}
    if len({len(each) for each in lists.values()}) > 1:
        lengths = ", ".join(f"{name!r} with {len(each)}" for name, each in lists.items())
        raise ColumnError(
            where=f"the columns of {_WHAT[table]}",
            found=lengths,
            expected="columns of equal length",
        )
    return _from_columns(lists.__getitem__, found, table, duplicates, subtopics)


def _as_list(name: str, column: Any) -> list[Any]:
    if hasattr(column, "tolist"):
        column = column.tolist()
    if not isinstance(column, (list, tuple)):
        raise ColumnError(
            where=f"the column {name!r}", found=shown(column), expected="a list of its values"
        )
    return list(column)


def _from_columns(
    column: Callable[[str], list[Any]],
    found: Mapping[str, str],
    table: str,
    duplicates: str | _kernel.RowRules,
    subtopics: bool,
) -> _kernel.Rows:
    """Return the rows of columns, given a function that returns one by name."""
    value = found.get(_VALUE[table])
    return _kernel.rows_from_columns(
        column(found["query_id"]),
        column(found["doc_id"]),
        None if value is None else column(value),
        column(found["rank"]) if "rank" in found else None,
        table,
        labels=column(found["subtopic"]) if subtopics else None,
        systems=(found["system"], column(found["system"])) if "system" in found else None,
        duplicates=duplicates,
    )


def _series_frame(series: Any, table: str) -> Any:
    """Return a pandas Series, whose index has queries and documents, as a frame."""
    if series.index.nlevels != 2:
        raise ArgumentError(
            where=_WHAT[table],
            found=f"a Series with {series.index.nlevels} level of index"
            if series.index.nlevels == 1
            else f"a Series with {series.index.nlevels} levels of index",
            expected="an index of queries and documents",
        )
    frame = series.reset_index()
    frame.columns = ["query_id", "doc_id", _VALUE[table]]
    return frame


#: Methods of frames that compute their rows, and what tells such frames.
_COMPUTING = (("dask", "compute", ".compute()"), ("collect_schema", "collect", ".collect()"))


def check_loaded(obj: object, table: str) -> None:
    """Refuse frames whose rows are not computed yet, such as those of Dask and lazy polars.

    Raises
    ------
    ArgumentError
        With the method that computes the rows.
    """
    kind = type(obj)
    for mark, method, call in _COMPUTING:
        if not kind.__module__.startswith("gainful") and hasattr(kind, mark):
            if not hasattr(kind, method) or hasattr(kind, "to_dicts") or hasattr(kind, "rows"):
                continue
            raise ArgumentError(
                where=_WHAT[table],
                found=f"a lazy {kind.__module__.partition('.')[0]} {kind.__name__}",
                expected="computed rows",
                hint=f"call {call} first",
            )
    if kind.__module__.startswith("modin."):
        raise ArgumentError(
            where=_WHAT[table],
            found="a Modin DataFrame",
            expected="a pandas one",
            hint="convert it with .modin.to_pandas()",
        )


def _columns(
    names: Iterable[str],
    table: str,
    columns: Mapping[str, str] | None,
    subtopics: bool,
    values: Callable[[str], object],
) -> dict[str, str]:
    """Find the columns of a table in memory, which needs no grades, scores or ranks."""
    sought = "subtopic qrels" if subtopics else table
    return find_columns(names, sought, columns, values, numbered=False, systems=True)


def _from_records(
    records: Any,
    table: str,
    columns: Mapping[str, str] | None,
    duplicates: str | _kernel.RowRules,
    subtopics: bool,
) -> _kernel.Rows:
    first = None
    if isinstance(records, (list, tuple)):
        first = records[0] if records else None
    elif hasattr(records, "description") and hasattr(records, "fetchall"):
        return _from_cursor(records, table, columns, duplicates, subtopics)
    elif hasattr(records, "__next__"):
        from itertools import chain

        start = list(zip((None,), records, strict=False))
        first = start[0][1] if start else None
        records = chain((each for _, each in start), records)
    elif hasattr(records, "__getitem__"):
        first = next(iter(records), None)
    names = _field_names(first, columns)
    if not names:
        _check_record(first, table)
        if columns and first is not None:
            raise ArgumentError(
                where="columns",
                found=f"{dict(columns)!r} for {type(first).__name__}",
                expected="records whose fields have names",
            )
        return _kernel.rows_from_records(
            records, table, [""] * (4 if subtopics else 3), duplicates=duplicates
        )
    fields = _Fields(first)
    found = _columns(names, table, columns, subtopics, lambda name: [fields[name]])
    parts = ("query_id", *(("subtopic",) if subtopics else ()), "doc_id", _VALUE[table])
    if not set(parts) <= found.keys() or "system" in found:
        rows = [_Fields(record) for record in records]
        return _from_columns(
            lambda name: [row[name] for row in rows], found, table, duplicates, subtopics
        )
    return _kernel.rows_from_records(
        records, table, [found[part] for part in parts], duplicates=duplicates
    )


class _Fields:
    """The fields of a record by name: keys or attributes."""

    __slots__ = ("_record",)

    def __init__(self, record: Any) -> None:
        self._record = record

    def __getitem__(self, name: str) -> Any:
        if hasattr(self._record, "keys"):
            return self._record[name]
        return getattr(self._record, name)


def _field_names(record: Any, columns: Mapping[str, str] | None) -> list[str]:
    """Return the names of a record's fields; none if its parts are in order."""
    if record is None or isinstance(record, (str, bytes, list, int, float)):
        return []
    if type(record) is tuple:
        return []
    if hasattr(record, "keys"):
        return [name for name in record if isinstance(name, str)]
    fields = getattr(record, "__dataclass_fields__", None)
    if fields is not None:
        return list(fields)
    fields = getattr(record, "_fields", None)
    if fields is None:
        fields = [name for name in dir(record) if name[0] != "_" and not _is_method(record, name)]
    # The parts of a named tuple with other names are in order.
    return list(fields) if columns or _kernel.are_columns(list(fields), False) else []


def _is_method(record: object, name: str) -> bool:
    try:
        return callable(getattr(record, name))
    except Exception:
        return True


def _from_cursor(
    cursor: Any,
    table: str,
    columns: Mapping[str, str] | None,
    duplicates: str | _kernel.RowRules,
    subtopics: bool,
) -> _kernel.Rows:
    """Return the rows of a DB-API cursor, whose columns have names."""
    names = [each[0] for each in cursor.description or ()]
    rows = cursor.fetchall()

    def values(name: str) -> list[Any]:
        place = names.index(name)
        return [row[place] for row in rows]

    found = _columns(names, table, columns, subtopics, values)
    return _from_columns(values, found, table, duplicates, subtopics)


def _check_record(record: Any, table: str) -> None:
    """Refuse the first of records that is a number, or a list of documents."""
    if isinstance(record, (int, float)):
        hint = "gainful.ndcg takes the grades of a ranking as a list"
    elif type(record) is tuple and len(record) == 3:
        return  # The grade may be a label.
    elif isinstance(record, (list, tuple)) and all(isinstance(each, str) for each in record):
        hint = f"a list of documents needs its query: {{query: {list(record[:2])!r}}}"
    else:
        return
    value = _VALUE[table]
    raise FormatError(
        row=0,
        found=f"{shown(record)} of type {type(record).__name__}",
        expected=f"(query, document, {value}), or {{query: {{document: {value}}}}}",
        hint=hint,
    )


def _unknown(obj: object, table: str) -> ArgumentError:
    hint = None
    if hasattr(obj, "collect"):
        hint = "call .collect() first"
    elif hasattr(obj, "compute"):
        hint = "call .compute() first"
    elif hasattr(obj, "read"):
        hint = "give the path of a file, or '-' for the standard input"
    kind = type(obj)
    name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
    return ArgumentError(
        where=_WHAT[table],
        found="None" if obj is None else name,
        expected=(
            f"a path, {{query: {{document: {_VALUE[table]}}}}}, a data frame, "
            f"or an iterable of (query, document, {_VALUE[table]})"
        ),
        hint=hint,
    )
