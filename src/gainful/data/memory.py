"""Convert judgments and runs in memory to the kernel's rows."""

from __future__ import annotations

from gainful import _kernel
from gainful.data.columns import (
    ENDS,
    LISTS,
    STARTS,
    as_text,
    column_names,
    find_columns,
    first_of,
    has_lists,
    is_listing,
    stream,
)
from gainful.errors import ArgumentError, ColumnError, FormatError, GainfulError
from gainful.quoting import shown
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from gainful.data.read_options import ReadOptions

    Columns = Mapping[str, str] | None

__all__ = [
    "OF_MEMORY",
    "check_loaded",
    "is_table",
    "open_stream",
    "rows_in_memory",
]

_WHAT = {"qrels": "judgments", "run": "a run"}
_VALUE = {"qrels": "grade", "run": "score"}
_OFFSETS = (*STARTS, *ENDS, "tokens")
#: A mapping with more names than this has queries as keys.
_MOST_COLUMNS = 64
#: The options of reading that apply.
OF_MEMORY = ("columns", "subtopics", "duplicates", "ignore_offsets")
#: The iterators of ir_datasets.
_ITERATORS = {"qrels": "qrels_iter", "run": "scoreddocs_iter"}


def rows_in_memory(
    obj: object,
    table: str,
    options: ReadOptions,
    threads: int | None = None,
    query: str | None = None,
) -> _kernel.Rows:
    """Return the rows of any object except paths."""
    options.check_only(OF_MEMORY, f"{type(obj).__name__}, which is in memory", "a path")
    if type(obj) is not dict:
        obj = _only_split(obj, table)
        check_loaded(obj, table)
    rows = getattr(obj, "_rows", None)
    if isinstance(rows, _kernel.Rows):
        if getattr(obj, "_kind", None) == table:
            return rows
        raise ArgumentError(
            where=_WHAT[table],
            found=repr(obj),
            expected="Qrels" if table == "qrels" else "a Run",
            hint="judgments come first, then runs",
        )
    if isinstance(obj, dict):
        obj = _by_query(obj)
    columns, rules, subtopics = options.names, options.rules, options.subtopics
    if isinstance(columns, list):
        raise ArgumentError(
            where="columns",
            found=repr(columns),
            expected="a mapping of roles to column names, as in {'grade': 'stars'}",
        )
    if _may_have_records(obj, columns):
        from gainful.data.objects import records_in

        records, obj = records_in(obj, columns)
        if records is not None:
            named = list((columns or {}).items())
            listed = _kernel.rows_from_objects(
                records, table, named, duplicates=rules, labelled=subtopics
            )
            if listed is not None:
                return listed
    if lists := [role for role in LISTS if role in (columns or ())]:
        raise ArgumentError(
            where="columns",
            found=f"{lists[0]!r} for {type(obj).__name__}",
            expected="records or a table with named columns",
        )
    if isinstance(obj, dict) and not columns and not is_table(obj):
        return _kernel.rows_from_mapping(obj, table, duplicates=rules, labelled=subtopics)
    if _is_pandas(obj) and hasattr(obj, "reset_index") and not hasattr(obj, "columns"):
        series: Any = obj
        if series.index.nlevels == 1 and len(series) and hasattr(series.iloc[0], "__len__"):
            # What `groupby(...).apply(list)` returns.
            return _kernel.rows_from_mapping(series.to_dict(), table, duplicates=rules)
        obj = _series_frame(series, table)
    arrow = open_stream(obj, table, options)
    if arrow is not None:
        query = None if arrow.systems else query
        return arrow.rows(threads=thread_count(threads), duplicates=rules, query=query)
    named_columns = _columns_in(obj)
    if named_columns is not None:
        return _of_columns(*named_columns, table, options)
    content = _content(obj)
    if content is not None:
        return rows_in_memory(content, table, options, threads, query)
    iterator = getattr(obj, _ITERATORS[table], None)
    if callable(iterator):
        return _of_records(iterator(), table, options)
    if hasattr(obj, "items") and hasattr(obj, "__getitem__"):
        return _kernel.rows_from_mapping(obj, table, duplicates=rules, labelled=subtopics)
    # Bytes and open files are iterable, too, but do not yield rows; chunks of pandas are frames.
    is_file = hasattr(obj, "read") and not hasattr(obj, "get_chunk")
    if hasattr(obj, "__iter__") and not isinstance(obj, bytes) and not is_file:
        return _of_records(obj, table, options)
    raise _unknown(obj, table)


def _is_pandas(obj: object) -> bool:
    return type(obj).__module__.partition(".")[0] == "pandas"


def _columns_in(obj: Any) -> tuple[Iterable[Any], Callable[[str], Any]] | None:
    """Return the columns of a mapping, a pandas frame or a structured array: names, and getter."""
    names = obj if isinstance(obj, dict) else getattr(getattr(obj, "dtype", None), "names", None)
    if _is_pandas(obj) and hasattr(obj, "columns"):
        obj = _with_index(obj)
        names = obj.columns
    return None if names is None else (names, obj.__getitem__)


def _may_have_records(obj: Any, columns: Columns = None) -> bool:
    """Return whether an object may have records, or is a table with a list of documents per row.

    Examples
    --------
    >>> _may_have_records({"q1": {"d1": 1}}), _may_have_records({"q1": ["d1"]})
    (False, False)
    >>> _may_have_records({"question": "Why?", "relevant": ["d1"]})
    True
    """
    if isinstance(obj, (list, tuple)):
        return len(obj) > 0 and (
            not isinstance(obj[0], (list, tuple)) or is_listing(obj[0], columns)
        )
    if not isinstance(obj, dict):
        names = column_names(obj)
        return names is None or has_lists(names, columns)
    value = next(iter(obj.values()), None)
    if isinstance(value, dict):
        # Grades by document are numbers.
        return len(value) <= _MOST_COLUMNS and any(
            isinstance(field, (list, tuple, dict, str)) for field in value.values()
        )
    if isinstance(value, (list, tuple)):
        if value and (isinstance(value[0], dict) or _has_fields(value[0])):
            return True
        return len(obj) <= _MOST_COLUMNS and has_lists(obj, columns)
    return value is not None


def _has_fields(value: object) -> bool:
    return not isinstance(value, (str, int, float, list, tuple)) and any(
        hasattr(value, name) for name in ("__dataclass_fields__", "model_dump", "to_dict")
    )


def _by_query(obj: dict[Any, Any]) -> dict[Any, Any]:
    """Return a mapping by query from one by pairs, or of tables or series by query."""
    for key, value in obj.items():
        if type(key) is tuple and len(key) == 2:
            mapping: dict[Any, Any] = {}
            for pair, number in obj.items():
                if type(pair) is not tuple or len(pair) != 2:
                    return obj
                mapping.setdefault(pair[0], {})[pair[1]] = number
            return mapping
        if isinstance(value, (dict, list, tuple, str)) or not hasattr(value, "to_dict"):
            return obj
        if not hasattr(value, "columns"):
            is_series = hasattr(value, "index")
            return {key: series.to_dict() for key, series in obj.items()} if is_series else obj
        from gainful.data.objects import rows_of_table

        return {key: list(rows_of_table(table, ())) for key, table in obj.items()}
    return obj


def _only_split(obj: object, table: str) -> object:
    """Return the only split of a Hugging Face `DatasetDict`, and other objects unchanged."""
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


def _content(obj: object) -> object | None:
    """Return the content of a collection of LensKit, or of an object of ranx."""
    kind = type(obj)
    for name in ("to_df", "to_dict"):
        if hasattr(kind, name) and not (name == "to_dict" and hasattr(kind, "__iter__")):
            return getattr(obj, name)()  # type: ignore[no-any-return]
    return None


def open_stream(obj: object, table: str, options: ReadOptions) -> _kernel.Columnar | None:
    """Open the Arrow stream of a table; None if there is none, or rows have lists of documents."""
    if not hasattr(obj, "__arrow_c_stream__") or hasattr(obj, "_rows") or isinstance(obj, dict):
        return None
    check_loaded(obj, table)
    columns: Any = options.names
    names = column_names(obj)
    if names is not None and has_lists(names, columns):
        return None
    naming = (table, columns, options.subtopics, options.ignore_offsets)
    if not _is_pandas(obj):
        return stream(obj, *naming)
    if not hasattr(obj, "columns"):
        # The index of a series is not in its stream.
        return None
    if obj.columns.nlevels > 1 or not any(isinstance(name, str) for name in _with_index(obj)):
        raise ColumnError(
            where=_WHAT[table],
            found=f"columns without names, {shown(list(obj.columns))}",
            expected="names of columns",
            hint="name them, as in frame.columns = ['query', 'doc', 'grade']",
        )
    try:
        return stream(_with_index(obj), *naming)
    except GainfulError:
        raise
    except Exception:
        # pandas exports no stream without pyarrow, nor columns of mixed types.
        return None


def _with_index(frame: Any) -> Any:
    """Return a pandas frame in which the named levels of the index are columns."""
    levels = [name for name in frame.index.names if isinstance(name, str)]
    levels = [name for name in levels if name not in frame.columns]
    return frame.reset_index(level=levels) if levels else frame


def is_table(obj: Mapping[Any, Any]) -> bool:
    """Return whether a mapping has columns by name, rather than documents by query.

    Examples
    --------
    >>> is_table({"query_id": ["q1"], "doc_id": ["d1"], "grade": [3]})
    True
    >>> is_table({"query": ["q1"], "sources": [["d1", "d2"]]})
    True
    >>> is_table({"q1": ["d1"]}), is_table({"query": ["d1"], "documentation": ["d2"]})
    (False, False)
    """
    if not 1 < len(obj) <= _MOST_COLUMNS or any(isinstance(cells, dict) for cells in obj.values()):
        return False
    names = [as_text(name) for name in obj]
    names += [name[:-1].replace("querie", "query") for name in names if name[-1:] == "s"]
    if _kernel.are_ids(names) or (len(obj) > 2 and _kernel.are_columns(names, True)):
        return True
    queries, documents = (_kernel.names_with(names, role) for role in ("query_id", "doc_id"))
    lists = [cells for cells in obj.values() if isinstance(cells, (list, tuple))]
    if not queries or len(lists) < len(obj) or len({len(cells) for cells in lists}) > 1:
        return False
    named = len({*queries, *documents}) > 1 and documents
    return bool(named) or any(cells and isinstance(cells[0], list) for cells in lists)


def _plan(
    names: Iterable[Any], column: Callable[[str], Any], table: str, options: ReadOptions
) -> dict[str, str]:
    """Return the column of each role."""
    columns: Any = options.names
    return find_columns(
        [name for name in names if isinstance(name, str)],
        "subtopic qrels" if options.subtopics else table,
        columns,
        column,
        numbered=False,
        systems=True,
        offsets="ignore" if options.ignore_offsets else "read",
    )


def _of_columns(
    names: Iterable[Any], column: Callable[[str], Any], table: str, options: ReadOptions
) -> _kernel.Rows:
    """Return the rows of columns, given their names and a function that returns one."""
    plan = _plan(names, column, table, options)
    lists: dict[str, list[Any]] = {}
    for role, name in plan.items():
        cells = column(name)
        cells = cells.tolist() if hasattr(cells, "tolist") else cells
        if not isinstance(cells, (list, tuple)):
            raise ColumnError(
                where=f"the column {name!r}", found=shown(cells), expected="a list of its values"
            )
        lists[role] = list(cells)
    if len({len(cells) for cells in lists.values()}) > 1:
        raise ColumnError(
            where=f"the columns of {_WHAT[table]}",
            found=", ".join(f"{plan[role]!r} with {len(lists[role])}" for role in lists),
            expected="columns of equal length",
        )
    return _kernel.rows_from_columns(
        lists["query_id"],
        lists["doc_id"],
        lists.get(_VALUE[table]),
        lists.get("rank"),
        table,
        labels=lists["subtopic"] if options.subtopics else None,
        weights=lists.get("weight"),
        offsets=[(role, plan[role], lists[role]) for role in plan if role in _OFFSETS],
        systems=(plan["system"], lists["system"]) if "system" in plan else None,
        duplicates=options.rules,
    )


def _series_frame(series: Any, table: str) -> Any:
    """Return a pandas Series, whose index has queries and documents, as a frame."""
    if series.index.nlevels != 2:
        s = "" if series.index.nlevels == 1 else "s"
        raise ArgumentError(
            where=_WHAT[table],
            found=f"a Series with {series.index.nlevels} level{s} of index",
            expected="an index of queries and documents",
        )
    frame = series.reset_index()
    frame.columns = ["query_id", "doc_id", _VALUE[table]]
    return frame


#: Methods of frames that compute their rows, and what tells such frames.
_COMPUTING = (("dask", "compute", ".compute()"), ("collect_schema", "collect", ".collect()"))


def check_loaded(obj: object, table: str) -> None:
    """Refuse frames whose rows are not computed yet, such as those of Dask and lazy polars."""
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


def _of_records(records: Any, table: str, options: ReadOptions) -> _kernel.Rows:
    if hasattr(records, "description") and hasattr(records, "fetchall"):
        # A DB-API cursor.
        names = [str(name) for name in column_names(records) or ()]
        rows = records.fetchall()

        def cells(name: str) -> list[Any]:
            return [row[names.index(name)] for row in rows]

        return _of_columns(names, cells, table, options)
    first, records = first_of(records)
    columns: Any = options.names
    if type(first).__module__ == "sqlite3":
        # These rows iterate over their values.
        return rows_in_memory(map(dict, records), table, options)
    if not isinstance(first, (list, tuple)) and column_names(first) is not None:
        # Parts of a table.
        from gainful.data.objects import rows_of_table

        parts_of_table = (row for part in records for row in rows_of_table(part, ()))
        return rows_in_memory(parts_of_table, table, options)
    places = None if options.subtopics or columns else _places(first, table)
    if places is not None:
        records = (tuple(row[place] for place in places) for row in records)
        return _kernel.rows_from_records(records, table, [""] * 3, duplicates=options.rules)
    names = _field_names(first, columns)
    if not names:
        _check_record(first, table)
        if columns and first is not None:
            raise ArgumentError(
                where="columns",
                found=f"{columns!r} for {type(first).__name__}",
                expected="records whose fields have names",
            )
        in_order = [""] * (4 if options.subtopics else 3)
        return _kernel.rows_from_records(records, table, in_order, duplicates=options.rules)
    plan = _plan(names, lambda name: [_field(first, name)], table, options)
    parts = ("query_id", *(("subtopic",) if options.subtopics else ()), "doc_id", _VALUE[table])
    if not set(parts) <= plan.keys() or not plan.keys() <= {*parts, "rank"}:
        rows = list(records)
        return _of_columns(
            names, lambda name: [_field(record, name) for record in rows], table, options
        )
    fields = [plan[part] for part in parts]
    return _kernel.rows_from_records(records, table, fields, duplicates=options.rules)


def _places(row: Any, table: str) -> tuple[int, ...] | None:
    """Return where a row has query, document and number: as a list, an array or TREC's columns."""
    is_array = getattr(getattr(row, "dtype", None), "kind", "") in tuple("OUS")
    if type(row) not in (list, tuple) and not (is_array and row.ndim == 1):
        return None
    trec = {("qrels", 4): (0, 2, 3), ("run", 6): (0, 2, 4)}
    places = trec.get((table, len(row))) or ((0, 1, 2) if len(row) == 3 else None)
    if places is None or (places == (0, 1, 2) and type(row) is tuple):
        return None
    try:
        float(row[places[-1]])
    except (TypeError, ValueError):
        return None
    return places


def _field(record: Any, name: str) -> Any:
    """Return the field of a record: a key or an attribute."""
    return record[name] if hasattr(record, "keys") else getattr(record, name)


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
    # Rows of Spark.
    fields = getattr(record, "_fields", None) or getattr(record, "__fields__", None)
    if fields is None:
        fields = [name for name in dir(record) if name[0] != "_" and not _is_method(record, name)]
    # The parts of a named tuple with other names are in order.
    return list(fields) if columns or _kernel.are_columns(list(fields), False) else []


def _is_method(record: object, name: str) -> bool:
    try:
        return callable(getattr(record, name))
    except Exception:
        return True


def _check_record(record: Any, table: str) -> None:
    """Refuse the first of records that is a number, or a list of documents."""
    if isinstance(record, (int, float)):
        hint = "gainful.ndcg takes the grades of a ranking as a list"
    elif type(record) is tuple and len(record) == 3:
        return  # The grade may be a label.
    elif isinstance(record, (list, tuple)) and all(isinstance(field, str) for field in record):
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
