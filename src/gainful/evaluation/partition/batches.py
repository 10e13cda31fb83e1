"""Rows of judgments and runs in tables and batches: tagged for a shuffle, split and evaluated."""

from __future__ import annotations

from gainful.data.columns import find_columns
from gainful.errors import ArgumentError, ColumnError, GainfulError, ParameterError
from gainful.evaluation.partition.call import evaluate_systems
from gainful.evaluation.query_rows import QueryRows, RowForm
from gainful.keywords import suggest_keywords
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from gainful.conventions import Convention
    from gainful.measures import Measure

__all__ = ["score_batches", "score_table", "tagged", "without_row"]

#: The column names of judgments and runs in a common table.
_QRELS = ("query_id", "subtopic", "doc_id", "grade")

_RUN = ("query_id", "doc_id", "score", "rank")

#: All columns that `score_table` uses.
COLUMNS = frozenset({*_QRELS, *_RUN, "is_judgment", "system"})


def split_sides(
    table: Any, system: str, systems: tuple[str, ...] | None
) -> tuple[Any, dict[str, Any]]:
    """Split a table into the judgments and the run of each system."""
    from pyarrow import compute

    require_columns(table, ("query_id", "doc_id", "is_judgment", "grade"))
    require_columns(table, tuple(COLUMNS.intersection(table.column_names)))
    judged = table.column("is_judgment")
    if judged.null_count:
        raise ColumnError(
            where="column 'is_judgment'", found="a null", expected="true or false in every row"
        )
    judged = _cast(judged, "is_judgment", "bool", "true or false")
    names = table.column_names
    qrels = table.select([name for name in _QRELS if name in names]).filter(judged)
    rest = table.filter(compute.invert(judged))
    if "score" not in names and "rank" not in names:
        raise _missing(names, "score")
    run = rest.select([name for name in _RUN if name in names])
    if systems is None:
        return qrels, {system: run}
    require_columns(table, ("system",))
    system_column = _cast(rest.column("system"), "system", "string", "names of systems")
    unknown = set(compute.unique(system_column).to_pylist()) - set(systems)
    if unknown:
        raise ColumnError(
            where="column 'system'",
            found=repr(min(map(str, unknown))),
            expected=f"one of {', '.join(systems)}",
        )
    return qrels, {name: run.filter(compute.equal(system_column, name)) for name in systems}


def _cast(column: Any, name: str, kind: str, expected: str) -> Any:
    import pyarrow

    try:
        return column.cast(kind)
    except pyarrow.ArrowException:
        raise ColumnError(
            where=f"column {name!r}", found=str(column.type), expected=expected
        ) from None


def require_columns(table: Any, columns: tuple[str, ...]) -> None:
    """Reject a table or batch with missing or duplicate columns."""
    names = table.schema.names
    for column in columns:
        if column not in names:
            raise _missing(names, column)
        if names.count(column) > 1:
            raise ColumnError(
                where="the columns of the batches",
                found=f"several columns {column!r}",
                expected="one",
                hint="leave out or rename the others",
            )


def _missing(names: list[str], column: str) -> ColumnError:
    return ColumnError(
        where="the columns of the batches",
        found=", ".join(map(repr, names)),
        expected=f"a column {column!r}",
        hint="the documentation of score_table lists the required columns",
    )


def _comparable(column: Any) -> Any:
    """Return a column in a type that pyarrow can compare and filter.

    PyArrow cannot compare views (as made by polars), UUIDs and run-end encoded values.

    Examples
    --------
    >>> import pyarrow
    >>> _comparable(pyarrow.array(["q1"], pyarrow.string_view())).type
    DataType(large_string)
    """
    import pyarrow
    from pyarrow import compute, types

    kind = column.type
    if _is_view(kind):
        return column.cast(_plain_type(kind))
    if types.is_run_end_encoded(kind):
        return _comparable(compute.run_end_decode(column))
    if types.is_dictionary(kind) and _is_view(kind.value_type):
        if isinstance(column, pyarrow.ChunkedArray):
            # Each chunk may have its own dictionary.
            kind = pyarrow.dictionary(kind.index_type, _plain_type(kind.value_type))
            return pyarrow.chunked_array([_comparable(chunk) for chunk in column.chunks], kind)
        return pyarrow.DictionaryArray.from_arrays(column.indices, _comparable(column.dictionary))
    if getattr(kind, "extension_name", None) == "arrow.uuid":
        texts = [None if value is None else str(value) for value in column.to_pylist()]
        return pyarrow.array(texts, "large_string")
    return column


def _is_view(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_string_view(kind) or types.is_binary_view(kind))


def _plain_type(kind: Any) -> Any:
    """Return the type of the same values without views."""
    import pyarrow

    return pyarrow.large_string() if kind == pyarrow.string_view() else pyarrow.large_binary()


def _is_id_type(kind: Any) -> bool:
    """Return whether a PyArrow type can be the type of ids.

    Examples
    --------
    >>> import pyarrow
    >>> _is_id_type(pyarrow.int16()), _is_id_type(pyarrow.float64())
    (True, False)
    """
    from pyarrow import types

    # An empty column may have the null type.
    tests = (types.is_integer, types.is_string, types.is_large_string, types.is_string_view)
    more = (types.is_binary, types.is_large_binary, types.is_fixed_size_binary, types.is_null)
    return any(test(kind) for test in (*tests, types.is_binary_view, *more))


def _groups(batches: Iterable[Any], rows: int) -> Iterator[Any]:
    """Yield tables of at least `rows` rows, except the last, without splitting a query."""
    pending: list[Any] = []
    count = 0
    for table in batches:
        for batch in _pieces(table):
            if len(batch) == 0:
                continue
            require_columns(batch, ("query_id",))
            if count >= rows:
                cut = _last_start(pending[-1] if pending else None, batch)
                if cut is not None:
                    yield _joined([*pending, batch.slice(0, cut)])
                    pending, count = [], 0
                    batch = batch.slice(cut)
            pending.append(batch)
            count += len(batch)
    if pending:
        yield _joined(pending)


def _joined(batches: list[Any]) -> Any:
    """Concatenate batches, some with narrower types or without a column."""
    import pyarrow

    tables = [pyarrow.Table.from_batches([batch]) for batch in batches]
    if len({table.schema for table in tables}) > 1:
        # Decoded values can be concatenated with a dictionary column.
        tables = [_without_dictionaries(table) for table in tables]
    try:
        return pyarrow.concat_tables(tables, promote_options="permissive")
    except pyarrow.ArrowException as error:
        raise ColumnError(
            where="the columns of the batches",
            found=f"incompatible types ({error})",
            expected="the same columns in all batches",
        ) from None


def _without_dictionaries(table: Any) -> Any:
    from pyarrow import types

    for index, field in enumerate(table.schema):
        if field.name in COLUMNS and types.is_dictionary(field.type):
            values = table.column(index).cast(field.type.value_type)
            table = table.set_column(index, field.name, values)
    return table


def _pieces(given: Any) -> Iterable[Any]:
    import pyarrow

    if isinstance(given, pyarrow.RecordBatch):
        return (_plain(given),)
    if hasattr(given, "__arrow_c_stream__"):
        return _plain(pyarrow.table(given)).to_batches()  # type: ignore[no-any-return]
    raise _no_table("batches", given)


def _no_table(name: str, given: object) -> ArgumentError:
    """Return the error for an object that is not a table."""
    return ArgumentError(
        where=name,
        found=type(given).__name__,
        expected="record batches or tables of pyarrow, or others with an Arrow stream",
    )


def _plain(table: Any) -> Any:
    """Return a table or record batch whose columns can be compared and filtered."""
    columns_given, names = table.columns, table.schema.names
    columns = [
        _comparable(column) if name in COLUMNS else column
        for name, column in zip(names, columns_given, strict=True)
    ]
    if all(new is old for new, old in zip(columns, columns_given, strict=True)):
        return table
    return type(table).from_arrays(columns, names=names)


def _last_start(before: Any, batch: Any) -> int | None:
    """Return the row of a batch at which its last query starts, 0 for its first row.

    None if the whole batch continues the previous query.
    """
    import pyarrow
    from pyarrow import compute

    queries = batch.column("query_id")
    try:
        changes = compute.not_equal(queries.slice(1), queries.slice(0, len(queries) - 1))
    except pyarrow.ArrowException:
        raise ColumnError(
            where="column 'query_id'", found=str(queries.type), expected="text, bytes or integers"
        ) from None
    starts = compute.indices_nonzero(compute.fill_null(changes, True))
    if len(starts):
        return int(starts[-1].as_py()) + 1
    # Compare Python values, since batches may have different types.
    if before is not None and before.column("query_id")[-1].as_py() != queries[0].as_py():
        return 0
    return None


#: The minimum number of rows to evaluate at once.
_ROWS = 1 << 20


@suggest_keywords
def score_table(
    table: Any,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    convention: Convention | str = "gainful-1",
    system: str = "run",
    systems: Sequence[str] | None = None,
    bounds: bool | str = False,
    scale: Iterable[float] | None = None,
    ids: str = "text",
    threads: int = 1,
) -> Any:
    """Evaluate judgments and a run in one table, as a shuffle of both returns them.

    Parameters
    ----------
    table : pyarrow.Table, pyarrow.RecordBatch, or another object with an Arrow stream
        All rows of some queries, in any order, with the columns ``query_id``, ``doc_id``,
        ``is_judgment`` (boolean: whether the row is a judgment or part of the run), ``grade`` (used
        for judgments) and ``score``, ``rank`` or both (used for the run); if measures need it
        ``subtopic``, and with `systems` a column ``system`` (used for the run). `tagged` makes such
        rows. The table may be empty.
    measures, convention, system, bounds, scale, ids, threads
        As for `score_partition`.
    systems : sequence of str, optional
        The names of all systems. Each is evaluated on all judged queries, even in a partition
        without rows of the system. A row of another system is an error.

    Returns
    -------
    pyarrow.Table
        The rows that `score_partition` returns, with the same types for any number of rows.

    Raises
    ------
    GainfulError
        As for `score_partition`, but without row numbers.
    ColumnError
        If the table lacks a column, or a column has the wrong type.

    Examples
    --------
    >>> import gainful, pyarrow
    >>> from gainful.evaluation.partition import score_table, tagged
    >>> qrels = pyarrow.table({"query_id": ["q1"], "doc_id": ["d1"], "grade": [2]})
    >>> run = pyarrow.table({"query_id": ["q1"] * 2, "doc_id": ["d2", "d1"], "score": [0.9, 0.5]})
    >>> both = pyarrow.concat_tables(
    ...     [tagged(qrels, "qrels"), tagged(run, "run")], promote_options="default"
    ... )
    >>> gainful.Evaluation.from_rows(score_table(both, "RR"), "RR").mean()
    0.5
    """
    import pyarrow

    form = RowForm(measures, convention, bounds, scale)
    named = _check_systems(systems)
    if isinstance(table, pyarrow.RecordBatch):
        table = pyarrow.Table.from_batches([table])
    elif not hasattr(table, "__arrow_c_stream__"):
        raise _no_table("table", table)
    return _evaluate_table(
        _plain(pyarrow.table(table)), form, system, named, ids, thread_count(threads)
    )


@suggest_keywords
def score_batches(
    batches: Iterable[Any],
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    convention: Convention | str = "gainful-1",
    system: str = "run",
    systems: Sequence[str] | None = None,
    bounds: bool | str = False,
    scale: Iterable[float] | None = None,
    ids: str = "text",
    rows: int = _ROWS,
    threads: int = 1,
) -> Iterator[Any]:
    """Evaluate judgments and a run in one stream, grouped by query.

    Such a stream results from a shuffle of both by query. Memory use is about `rows` rows plus the
    largest query.

    Parameters
    ----------
    batches : iterable of pyarrow.RecordBatch, pyarrow.Table, or other objects with an Arrow stream
        With the columns of `score_table`. The rows of a query must be contiguous, over any number
        of batches; the order of queries, and of rows within a query, does not matter.
    measures, convention, system, systems, bounds, scale, ids, threads
        As for `score_table`.
    rows : int
        The minimum number of rows to evaluate at once.

    Yields
    ------
    pyarrow.RecordBatch
        Rows as `score_partition` returns them, all with the same schema.

    Raises
    ------
    GainfulError
        As for `score_table`; also if the column types of batches are incompatible.

    Examples
    --------
    >>> import gainful, pyarrow
    >>> from gainful.evaluation.partition import score_batches
    >>> both = pyarrow.table(
    ...     {
    ...         "query_id": ["q1", "q1", "q1", "q2"],
    ...         "doc_id": ["d1", "d2", "d1", "d3"],
    ...         "is_judgment": [True, False, False, True],
    ...         "grade": [1, None, None, 2],
    ...         "score": [None, 0.9, 0.5, None],
    ...     }
    ... )
    >>> found = score_batches(both.to_batches(), "RR")
    >>> gainful.Evaluation.from_rows(found, "RR").per_query()
    {'q1': 0.5, 'q2': 0.0}
    """
    form = RowForm(measures, convention, bounds, scale)
    if type(rows) is not int or rows < 1:
        raise ParameterError(where="rows", found=repr(rows), expected="1 or more")
    if hasattr(batches, "__arrow_c_stream__"):
        batches = [batches]
    elif not hasattr(batches, "__iter__"):
        raise _no_table("batches", batches)
    named, count = _check_systems(systems), thread_count(threads)
    # Check `ids` before the first batch.
    QueryRows({}, form, ids)
    return (
        batch
        for table in _groups(batches, rows)
        for batch in _evaluate_table(table, form, system, named, ids, count).to_batches()
    )


def _check_systems(systems: Any) -> tuple[str, ...] | None:
    if systems is None:
        return None
    named = tuple(systems)
    if isinstance(systems, str) or not named or len(set(named)) < len(named):
        raise ParameterError(
            where="systems", found=repr(systems), expected="a list of one or more different names"
        )
    return named


def _evaluate_table(
    table: Any,
    form: RowForm,
    system: str,
    systems: tuple[str, ...] | None,
    ids: str,
    threads: int,
) -> Any:
    import pyarrow

    qrels, runs = split_sides(table, system, systems)
    try:
        tables = evaluate_systems(form, qrels, runs, threads=threads)
    except GainfulError as error:
        raise without_row(error) from None
    return pyarrow.table(QueryRows(tables, form, ids))


def without_row(error: GainfulError) -> GainfulError:
    """Remove the row number from an error: it counts the rows of one partition."""
    if error.line is None and error.row is None:
        return error
    return error.replace(where=error.where or "the run", file=None, line=None, row=None)


#: The required and the optional columns of the common table.
_BOTH = {
    "query_id": "large_string",
    "doc_id": "large_string",
    "is_judgment": "bool",
    "grade": "double",
    "score": "double",
}

_MORE = {"subtopic": "large_string", "rank": "double", "system": "large_string"}


@suggest_keywords
def tagged(
    table: Any,
    side: str,
    *,
    columns: Mapping[str, str] | None = None,
    system: str | None = None,
    more: Sequence[str] = (),
) -> Any:
    """Convert judgments or a run to rows of a common table for one shuffle.

    Both sides get the same columns with the same types, and ids as text: a shuffle does not match
    integers on one side with text on the other.

    Parameters
    ----------
    table : pyarrow.Table, or another object with an Arrow stream
        Judgments or a run. Columns are recognized as in any data frame.
    side : {"qrels", "run"}
        Whether these are judgments or a run.
    columns : mapping of str to str, optional
        The names of columns, as for `gainful.Qrels` and `gainful.Run`.
    system : str, optional
        The name of the run's system, if there are several.
    more : sequence of str
        The columns among ``subtopic``, ``rank`` and ``system`` that both sides get in addition to
        ``query_id``, ``doc_id``, ``is_judgment``, ``grade`` and ``score``: those that the measures,
        the convention or several systems need. Each is null on the side without it.

    Returns
    -------
    pyarrow.Table
        The columns that `score_table` accepts.

    Raises
    ------
    ColumnError
        If a column is missing or has the wrong type.
    ArgumentError, ParameterError
        If `table` is not a table, or another argument is invalid.

    Examples
    --------
    >>> import pyarrow
    >>> run = pyarrow.table({"qid": [1], "docno": ["d1"], "score": [0.5]})
    >>> tagged(run, "run").to_pylist()
    [{'query_id': '1', 'doc_id': 'd1', 'is_judgment': False, 'grade': None, 'score': 0.5}]
    """
    import pyarrow

    judged = side == "qrels"
    if not judged and side != "run":
        raise ParameterError(where="side", found=repr(side), expected="'qrels' or 'run'")
    unknown = set(more).difference(_MORE)
    if unknown:
        raise ParameterError(
            where="more", found=repr(min(unknown)), expected=f"some of {', '.join(_MORE)}"
        )
    if system is not None and not isinstance(system, str):
        raise ArgumentError(where="system", found=type(system).__name__, expected="text")
    if not hasattr(table, "__arrow_c_stream__"):
        raise ArgumentError(
            where="table",
            found=type(table).__name__,
            expected="a pyarrow.Table, or another object with an Arrow stream",
        )
    arrow_table = table if isinstance(table, pyarrow.Table) else pyarrow.table(table)
    role = "subtopic qrels" if judged and "subtopic" in more else side
    names = find_columns(arrow_table.column_names, role, columns)
    converted = {}
    for name, kind in (_BOTH | {name: _MORE[name] for name in _MORE if name in more}).items():
        if name == "is_judgment":
            converted[name] = pyarrow.repeat(judged, len(arrow_table))
        elif name == "system" and not judged and system is not None:
            converted[name] = pyarrow.repeat(pyarrow.scalar(system, kind), len(arrow_table))
        elif name in names:
            converted[name] = _cast_exactly(arrow_table.column(names[name]), names[name], kind)
        else:
            converted[name] = pyarrow.nulls(len(arrow_table), kind)
    return pyarrow.table(converted)


def _cast_exactly(column: Any, name: str, kind: str) -> Any:
    """Cast a column to the common type without changing a value."""
    import pyarrow

    column = _comparable(column)
    of = column.type.value_type if pyarrow.types.is_dictionary(column.type) else column.type
    if kind == "large_string" and not _is_id_type(of):
        raise ColumnError(
            where=f"column {name!r}", found=str(column.type), expected="text, bytes or integers"
        )
    try:
        if pyarrow.types.is_decimal(column.type):
            # Cast through text, which rounds only once.
            column = column.cast("string")
        return column.cast(kind)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError) as error:
        raise ColumnError(
            where=f"column {name!r}",
            found=f"{column.type} that cannot be converted to {kind}: {error}",
            expected="ids of UTF-8" if kind != "double" else "numbers",
        ) from None
