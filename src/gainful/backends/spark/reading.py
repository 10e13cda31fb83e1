"""Code that runs in the executors without a shuffle: measure ranges of queries."""

from __future__ import annotations

from typing import NamedTuple

from gainful.backends.spark.executor import (
    Settings,
    refuse_two_grades,
    unknown_system,
    with_integers,
)
from gainful.backends.spark.parts import Part, Side, comparable, decoded
from gainful.errors import GainfulError
from gainful.evaluation.partition import RowForm
from gainful.evaluation.partition.batches import without_row
from gainful.evaluation.partition.call import evaluate_systems
from gainful.evaluation.query_rows import QueryRows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from gainful.backends.spark.ranges import Piece, Range

__all__ = ["Ranges", "Values", "measured", "packed", "values"]

#: Rows of queries that are passed to Spark at once.
_ROWS = 1 << 14


class Ranges(NamedTuple):
    """Settings for executors that measure ranges.

    Attributes
    ----------
    settings
        What to measure.
    sides
        The judgments, and the runs.
    names
        The names of the runs; not used for a run with a column ``system``.
    ranges
        The ranges, by the number in a Spark row.
    """

    settings: Settings
    sides: list[Side]
    names: list[str]
    ranges: list[Range]


class Values(NamedTuple):
    """Settings for executors that list the values of a column.

    Attributes
    ----------
    side
        The table, with the column as ``value``.
    parts
        The row groups of each task.
    kind
        ``double`` for numbers, ``binary`` for texts as bytes.
    most
        The maximum number of values.
    """

    side: Side
    parts: list[list[Piece]]
    kind: str
    most: int


# --- rows of queries ----------------------------------------------------------------------------


def measured(batches: Iterable[Any], asked: Ranges) -> Iterator[Any]:
    """Yield the rows of the queries of ranges, whose numbers are in the batches."""
    for number in _numbers(batches):
        yield from _rows_of(asked.ranges[number], asked).to_batches(_ROWS)


def packed(batches: Iterable[Any], asked: Ranges) -> Iterator[Any]:
    """Yield one value per range: its rows as an Arrow stream, which the JVM does not parse."""
    import pyarrow

    for number in _numbers(batches):
        rows = _rows_of(asked.ranges[number], asked)
        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(sink, rows.schema) as stream:
            stream.write_table(rows)
        whole = pyarrow.array([sink.getvalue().to_pybytes()], "binary")
        yield pyarrow.record_batch({"rows": whole})


def _numbers(batches: Iterable[Any]) -> Iterator[int]:
    for batch in batches:
        yield from batch.column(0).to_pylist()


def _rows_of(range: Range, asked: Ranges) -> Any:
    """Return the rows of the queries of a range, as a table."""
    import pyarrow

    own = asked.settings
    form = RowForm(own.measures, own.convention, own.bounds, own.scale)
    parts = [
        Part(side, pieces, range.low, range.high) if pieces else None
        for side, pieces in zip(asked.sides, range.pieces, strict=True)
    ]
    try:
        judged = _judgments(parts[0], own)
        runs = _runs(parts[1:], asked)
        rows = pyarrow.table(
            QueryRows(
                evaluate_systems(form, judged, runs),
                form,
                "binary" if own.ids == "binary" else "text",
            )
        )
    except Exception as error:
        failed = next((part.failed for part in parts if part and part.failed), None)
        if failed is not None:
            raise failed from None
        if isinstance(error, GainfulError):
            raise without_row(error) from None
        raise
    return with_integers(rows) if own.ids == "integer" else rows


def _judgments(part: Part | None, settings: Settings) -> Any:
    if part is None or not (settings.judged_once or "position" in part.side.columns):
        return part
    table = part.table()
    if settings.judged_once:
        refuse_two_grades(table, "grade")
    return _in_order(table)


def _runs(parts: Sequence[Part | None], asked: Ranges) -> dict[str, Any]:
    """Return the run of each system."""
    found: dict[str, Any] = {}
    for name, side, part in zip(asked.names, asked.sides[1:], parts, strict=True):
        if "system" in side.columns:
            return _by_system(part, asked.settings.systems)
        ordered = part is not None and "position" in side.columns
        found[name] = _in_order(part.table()) if ordered and part is not None else part
    return found


def _by_system(part: Part | None, systems: list[str]) -> dict[str, Any]:
    import pyarrow
    from pyarrow import compute

    if part is None:
        return dict.fromkeys(systems)
    table = part.table()
    names = pyarrow.array(
        [system.encode(errors="surrogateescape") for system in systems], "large_binary"
    )
    numbers = compute.index_in(_bytes(table.column("system")), names)
    if numbers.null_count:
        raise unknown_system(systems)
    table = table.drop_columns(["system"])
    return {
        system: _in_order(table.filter(compute.equal(numbers, number)))
        for number, system in enumerate(systems)
    }


def _in_order(table: Any) -> Any:
    """Sort the rows of each query by position."""
    import pyarrow
    from pyarrow import compute

    if "position" not in table.column_names:
        return table
    position = table.column("position").cast("double")
    # Rows without a position come first, as in Spark.
    keys = {
        "query": comparable(table.column("query_id")),
        "placed": position.is_valid(),
        "position": position,
    }
    order = compute.sort_indices(
        pyarrow.table(keys), sort_keys=[(name, "ascending") for name in keys]
    )
    return table.drop_columns(["position"]).take(order)


# --- values of a column -------------------------------------------------------------------------


def values(batches: Iterable[Any], asked: Values) -> Iterator[Any]:
    """Yield values of a column, distinct within a task, up to the maximum per task."""
    import pyarrow

    for number in _numbers(batches):
        found: dict[Any, None] = {}
        for batch in Part(asked.side, asked.parts[number]).reader():
            column = batch.column(0)
            column = _bytes(column) if asked.kind == "binary" else column.cast("double")
            found |= dict.fromkeys(column.unique().to_pylist())
            if len(found) >= asked.most:
                break
        yield pyarrow.record_batch({"value": pyarrow.array(list(found), asked.kind)})


def _bytes(column: Any) -> Any:
    """Return texts, or the decimal texts of numbers, as bytes."""
    from pyarrow import types

    column = decoded(column)
    if types.is_integer(column.type):
        column = column.cast("large_string")
    return column.cast("large_binary")
