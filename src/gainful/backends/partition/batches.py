"""Partitions that come as batches: cut between queries, and measured many queries a time."""

from __future__ import annotations

from gainful.backends.partition.call import scored
from gainful.backends.partition.column_types import comparable
from gainful.backends.partition.sides import COLUMNS, need, taken_apart
from gainful.errors import ArgumentError, ColumnError, GainfulError, ParameterError
from gainful.evaluation.query_rows import QueryRows, RowForm
from gainful.evaluation.result import DEFAULT_MEASURES
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from gainful.conventions import Convention
    from gainful.measures import Measure

__all__ = ["score_batches", "score_table"]

#: Rows that are measured at once, at least.
_ROWS = 1 << 20


def score_table(
    table: Any,
    measures: Measure | str | Iterable[Measure | str] = DEFAULT_MEASURES,
    *,
    convention: Convention | str = "gainful-1",
    system: str = "run",
    systems: Sequence[str] | None = None,
    bounds: bool | str = False,
    scale: Iterable[float] | None = None,
    ids: str = "text",
    threads: int = 1,
) -> Any:
    """Measure judgments and a run that stand in one table, as a shuffle of both leaves them.

    Parameters
    ----------
    table : pyarrow.Table, pyarrow.RecordBatch, or another object with an Arrow stream
        All rows of some queries, in any order, with the columns ``query_id``, ``doc_id``,
        ``is_judgment`` (boolean: whether the row is one of the judgments or of the run),
        ``grade`` (used of judgments) and ``score``, ``rank`` or both (used of the run); where
        measures need it ``subtopic``, and with `systems` a column ``system`` (used of the run).
        `tagged` makes them. There may be no rows.
    measures, convention, system, bounds, scale, ids, threads
        As `score_partition` has them.
    systems : sequence of str, optional
        The names of all systems of which there are runs: each is measured over all judged
        queries, those of parts in which it has no row included. A row of another system is an
        error.

    Returns
    -------
    pyarrow.Table
        The rows that `score_partition` returns, of the same types for any number of rows.

    Raises
    ------
    GainfulError
        As `score_partition` has it, without numbers of rows: a table has them of its own.
    ColumnError
        If the table lacks a column, or has one of a type that is not the column's.

    Examples
    --------
    >>> import gainful, pyarrow
    >>> from gainful.backends.partition import score_table, tagged
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
    named = _named(systems)
    if isinstance(table, pyarrow.RecordBatch):
        table = pyarrow.Table.from_batches([table])
    elif not hasattr(table, "__arrow_c_stream__"):
        raise _no_table("table", table)
    return _measured(_plain(pyarrow.table(table)), form, system, named, ids, thread_count(threads))


def score_batches(
    batches: Iterable[Any],
    measures: Measure | str | Iterable[Measure | str] = DEFAULT_MEASURES,
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
    """Measure judgments and a run that come in one stream, grouped by query.

    This is what a shuffle of both by query ends in. Memory holds some `rows` of it and the largest
    query.

    Parameters
    ----------
    batches : iterable of pyarrow.RecordBatch, pyarrow.Table, or other objects with an Arrow stream
        With the columns of `score_table`. Rows of a query follow each other, over any number of
        batches; in which order queries come, and judgments and rankings within one, does not
        matter.
    measures, convention, system, systems, bounds, scale, ids, threads
        As `score_table` has them.
    rows : int
        How many rows are measured at once, at least, as long as there are more.

    Yields
    ------
    pyarrow.RecordBatch
        Rows as `score_partition` returns them, all of the same schema.

    Raises
    ------
    GainfulError
        As `score_table` has it; and if batches have columns of types that do not go together.

    Examples
    --------
    >>> import gainful, pyarrow
    >>> from gainful.backends.partition import score_batches
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
    named, count = _named(systems), thread_count(threads)
    # What has no rows tells whether the ids mean something.
    QueryRows({}, form, ids)
    return (
        batch
        for table in _groups(batches, rows)
        for batch in _measured(table, form, system, named, ids, count).to_batches()
    )


def _named(systems: Any) -> tuple[str, ...] | None:
    if systems is None:
        return None
    named = tuple(systems)
    if isinstance(systems, str) or not named or len(set(named)) < len(named):
        raise ParameterError(
            where="systems", found=repr(systems), expected="a list of at least one, each once"
        )
    return named


def _measured(
    table: Any,
    form: RowForm,
    system: str,
    systems: tuple[str, ...] | None,
    ids: str,
    threads: int,
) -> Any:
    import pyarrow

    qrels, runs = taken_apart(table, system, systems)
    try:
        found = scored(form, qrels, runs, threads=threads)
    except GainfulError as error:
        raise _without_row(error) from None
    return pyarrow.table(QueryRows(found, form, ids))


def _without_row(error: GainfulError) -> GainfulError:
    """Return an error that does not say in which row of one side of a group it was found."""
    where, comma, _ = (error.where or "").partition(", row ")
    if error.line is None and not comma:
        return error
    return type(error)(
        where=where or "the run",
        query=error.query,
        document=error.document,
        found=error.found,
        expected=error.expected,
        hint=error.hint,
    )


def _groups(batches: Iterable[Any], rows: int) -> Iterator[Any]:
    """Yield tables of so many rows, each with all rows of its queries."""
    held: list[Any] = []
    count = 0
    for given in batches:
        for batch in _pieces(given):
            if len(batch) == 0:
                continue
            need(batch, ("query_id",))
            if count >= rows:
                cut = _last_start(held[-1] if held else None, batch)
                if cut is not None:
                    yield _joined([*held, batch.slice(0, cut)])
                    held, count = [], 0
                    batch = batch.slice(cut)
            held.append(batch)
            count += len(batch)
    if held:
        yield _joined(held)


def _joined(batches: list[Any]) -> Any:
    """Return one table of batches, of which some may have narrower types, or lack a column."""
    import pyarrow

    tables = [pyarrow.Table.from_batches([batch]) for batch in batches]
    if len({table.schema for table in tables}) > 1:
        # A dictionary goes together with its values if it is none.
        tables = [_without_dictionaries(table) for table in tables]
    try:
        return pyarrow.concat_tables(tables, promote_options="permissive")
    except pyarrow.ArrowException as error:
        raise ColumnError(
            where="the columns of the batches",
            found=f"types that do not go together ({error})",
            expected="the same columns in all",
        ) from None


def _without_dictionaries(table: Any) -> Any:
    from pyarrow import types

    for at, field in enumerate(table.schema):
        if field.name in COLUMNS and types.is_dictionary(field.type):
            values = table.column(at).cast(field.type.value_type)
            table = table.set_column(at, field.name, values)
    return table


def _pieces(given: Any) -> Iterable[Any]:
    import pyarrow

    if isinstance(given, pyarrow.RecordBatch):
        return (_plain(given),)
    if hasattr(given, "__arrow_c_stream__"):
        return _plain(pyarrow.table(given)).to_batches()  # type: ignore[no-any-return]
    raise _no_table("batches", given)


def _no_table(name: str, given: object) -> ArgumentError:
    return ArgumentError(
        where=name,
        found=type(given).__name__,
        expected="record batches or tables of pyarrow, or others with an Arrow stream",
    )


def _plain(table: Any) -> Any:
    """Return a table or record batch whose columns can be compared and filtered."""
    given, names = table.columns, table.schema.names
    columns = [
        comparable(column) if name in COLUMNS else column
        for name, column in zip(names, given, strict=True)
    ]
    if all(column is own for column, own in zip(columns, given, strict=True)):
        return table
    return type(table).from_arrays(columns, names=names)


def _last_start(before: Any, batch: Any) -> int | None:
    """Return the row of a batch at which its last query starts, 0 for its first row.

    None where it belongs to the query before.
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
    # As values, for batches may hold them in different types.
    if before is not None and before.column("query_id")[-1].as_py() != queries[0].as_py():
        return 0
    return None
