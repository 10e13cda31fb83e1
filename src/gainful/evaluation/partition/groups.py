"""Split a stream of batches between queries."""

from __future__ import annotations

from gainful.errors import ArgumentError, ColumnError
from gainful.evaluation.partition.column_types import comparable
from gainful.evaluation.partition.sides import COLUMNS, require_columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

__all__ = ["groups", "no_table", "plain"]


def groups(batches: Iterable[Any], rows: int) -> Iterator[Any]:
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
        return (plain(given),)
    if hasattr(given, "__arrow_c_stream__"):
        return plain(pyarrow.table(given)).to_batches()  # type: ignore[no-any-return]
    raise no_table("batches", given)


def no_table(name: str, given: object) -> ArgumentError:
    """Return the error for an object that is not a table."""
    return ArgumentError(
        where=name,
        found=type(given).__name__,
        expected="record batches or tables of pyarrow, or others with an Arrow stream",
    )


def plain(table: Any) -> Any:
    """Return a table or record batch whose columns can be compared and filtered."""
    columns_given, names = table.columns, table.schema.names
    columns = [
        comparable(column) if name in COLUMNS else column
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
