"""Parquet files as seen by the driver: columns and query ranges from their footers.

The driver reads only footers. The smallest and largest query of each row group show which files
have rows of which queries.
"""

from __future__ import annotations

from os.path import abspath
from typing import NamedTuple

from gainful.backends.spark.executor import (
    Frame,
    Settings,
    first_line,
    original_errors,
    quoted,
    refuse_two_grades,
    task,
    unknown_system,
    with_integers,
)
from gainful.backends.spark.parts import (
    Part,
    RowGroup,
    Side,
    comparable,
    decoded,
    distribute,
    opened,
    parallelism,
    plain_type,
    row_groups,
)
from gainful.data.columns import expand_paths
from gainful.data.remote import is_address, shown
from gainful.errors import ArgumentError, GainfulError, SourceError
from gainful.evaluation.partition import RowForm
from gainful.evaluation.partition.batches import without_row
from gainful.evaluation.partition.call import evaluate_systems
from gainful.evaluation.query_rows import QueryRows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from pyspark.sql import DataFrame, SparkSession

    from gainful.backends.spark.parts import Piece, Range

__all__ = ["ParquetFiles", "Ranges"]


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

    settings = asked.settings
    form = RowForm(settings.measures, settings.convention, settings.bounds, settings.scale)
    parts = [
        Part(side, pieces, range.low, range.high) if pieces else None
        for side, pieces in zip(asked.sides, range.pieces, strict=True)
    ]
    try:
        judged = _judgments(parts[0], settings)
        runs = _runs(parts[1:], asked)
        rows = pyarrow.table(
            QueryRows(
                evaluate_systems(form, judged, runs),
                form,
                "binary" if settings.ids == "binary" else "text",
            )
        )
    except Exception as error:
        failed = next((part.failed for part in parts if part and part.failed), None)
        if failed is not None:
            raise failed from None
        if isinstance(error, GainfulError):
            raise without_row(error) from None
        raise
    return with_integers(rows) if settings.ids == "integer" else rows


def _judgments(part: Part | None, settings: Settings) -> Any:
    if part is None or not (settings.judged_once or "position" in part.side.columns):
        return part
    table = part.table()
    if settings.judged_once:
        refuse_two_grades(table, "grade")
    return _in_order(table)


def _runs(parts: Sequence[Part | None], asked: Ranges) -> dict[str, Any]:
    """Return the run of each system."""
    runs: dict[str, Any] = {}
    for name, side, part in zip(asked.names, asked.sides[1:], parts, strict=True):
        if "system" in side.columns:
            return _by_system(part, asked.settings.systems)
        ordered = part is not None and "position" in side.columns
        runs[name] = _in_order(part.table()) if ordered and part is not None else part
    return runs


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
        ordered: dict[Any, None] = {}
        for batch in Part(asked.side, asked.parts[number]).reader():
            column = batch.column(0)
            column = _bytes(column) if asked.kind == "binary" else column.cast("double")
            ordered |= dict.fromkeys(column.unique().to_pylist())
            if len(ordered) >= asked.most:
                break
        yield pyarrow.record_batch({"value": pyarrow.array(list(ordered), asked.kind)})


def _bytes(column: Any) -> Any:
    """Return texts, or the decimal texts of numbers, as bytes."""
    from pyarrow import types

    column = decoded(column)
    if types.is_integer(column.type):
        column = column.cast("large_string")
    return column.cast("large_binary")


#: Footers that are read in parallel.
_THREADS = 16

#: Spark's types of Arrow integers, and the common types that executors cast to if files differ.
_INTEGERS = {
    "int8": "tinyint",
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "uint8": "smallint",
    "uint16": "int",
    "uint32": "bigint",
    "uint64": "decimal(20,0)",
}
_FRACTIONS = {"float": "float", "double": "double"}
_TEXTS = ("string", "large_string", "string_view")
_BYTES = ("binary", "large_binary", "binary_view")


class ParquetFiles:
    """Parquet files with one table.

    Parameters
    ----------
    paths : list of str
        Files, folders and glob patterns, local or read by fsspec.
    what : str
        The table's name in messages.
    session : SparkSession
        For queries on the rows.

    Raises
    ------
    SourceNotFoundError, SourceError
        For files that do not exist or are not Parquet.
    """

    def __init__(self, paths: list[str], what: str, session: SparkSession) -> None:
        from concurrent.futures import ThreadPoolExecutor

        _need_pyarrow()
        self._what = what
        self._session = session
        files = expand_paths(paths, "run")
        # For the executors: absolute, and with the credentials of an address.
        self._addresses = [getattr(file, "address", None) or abspath(file) for file in files]
        with ThreadPoolExecutor(min(_THREADS, len(files))) as threads:
            footers = list(threads.map(_footer, self._addresses))
        self._footers = footers
        holding = [index for index, (_, metadata) in enumerate(footers) if metadata.num_rows]
        self._holding = holding or list(range(len(footers)))
        self.types: dict[str, str] = {
            name: self._joint(name) for name in footers[self._holding[0]][0].names
        }

    # --- columns ------------------------------------------------------------------------------

    def _own_types(self, name: str) -> list[Any]:
        """Return the Arrow type of a column in each file with rows, None if it is missing."""
        schemas = (self._footers[place][0] for place in self._holding)
        return [
            schema.field(name).type if schema.names.count(name) == 1 else None for schema in schemas
        ]

    def _joint(self, name: str) -> str:
        """Return Spark's common type of a column over all files."""
        types = ["nothing" if kind is None else spark_type(kind) for kind in self._own_types(name)]
        kinds = set(types)
        if len(kinds) == 1:
            return types[0]
        if kinds <= set(_INTEGERS.values()):
            return "decimal(20,0)" if "decimal(20,0)" in kinds else "bigint"
        if kinds <= {*_INTEGERS.values(), *_FRACTIONS.values()}:
            return "double"
        if kinds == {"string", "binary"}:
            return "binary"
        other = next(index for index, kind in enumerate(types) if kind != types[0])
        file = self._shown(self._holding[other])
        return f"{types[0]!r}, and {types[other]!r} in {file},"

    def cast(self, name: str) -> str | None:
        """Return the type to which executors cast a column, empty for no cast.

        None if the result would differ from Spark's.
        """
        types = {str(plain_type(kind)) for kind in self._own_types(name)}
        # PyArrow cannot filter views.
        views = {"string_view", "binary_view"}
        if len(types) == 1 and types <= {*_INTEGERS, *_FRACTIONS, *_TEXTS, *_BYTES} - views:
            return ""
        if types == {"bool"}:
            return "double"
        if types <= set(_INTEGERS) - {"uint64"}:
            return "int64"
        if types <= {*_INTEGERS, *_FRACTIONS}:
            return "double" if types & set(_FRACTIONS) else None
        if types <= set(_TEXTS):
            return "large_string"
        return "large_binary" if types <= {*_TEXTS, *_BYTES} else None

    def order(self, name: str) -> str | None:
        """Return the order of a column's ids: ``integer``, ``unsigned`` or ``bytes``.

        None if some footers do not state it, or ids are of another type.
        """
        types = {str(plain_type(kind)) for kind in self._own_types(name)}
        if types <= {*_TEXTS, *_BYTES}:
            return "bytes"
        if types == {"uint64"}:
            return "unsigned"
        return "integer" if types <= set(_INTEGERS) - {"uint64"} else None

    def side(self, columns: dict[str, str]) -> Side | None:
        """Return the table in the form for executors, None if they cannot read it."""
        casts = {role: self.cast(name) for role, name in columns.items()}
        if None in casts.values():
            return None
        kinds = {role: cast for role, cast in casts.items() if cast}
        return Side(self._what, list(self._addresses), dict(columns), kinds)

    # --- rows -----------------------------------------------------------------------------------

    def row_groups(self, query: str) -> list[RowGroup]:
        """Return the row groups that have rows, with their smallest and largest query."""
        order = self.order(query)
        return [
            group
            for file, (schema, metadata) in enumerate(self._footers)
            for group in row_groups(file, schema, metadata, query, order)
        ]

    def distinct(self, column: str, kind: str, most: int) -> list[Any]:
        """Return at most `most` values of a column; runs a Spark job."""
        side = self.side({"value": column})
        if side is None:
            return Frame(self.frame()).distinct(column, kind, most)
        groups = [
            RowGroup(file, number, metadata.row_group(number).num_rows, None, None, True)
            for file, (_, metadata) in enumerate(self._footers)
            for number in range(metadata.num_row_groups)
        ]
        parts = distribute(groups, 2 * parallelism(self._session))
        asked = Values(side, parts, kind, most)
        numbers = self._session.range(0, len(parts), 1, len(parts))
        table = numbers.mapInArrow(task(asked, "footers", "values"), f"value {kind}")
        with original_errors():
            return [row[0] for row in table.distinct().limit(most).collect()]

    def frame(self) -> DataFrame:
        """Return the rows as a Spark DataFrame."""
        reader = self._session.read
        if any(len(set(self._own_types(name))) > 1 for name in self.types):
            # Spark would use the types of one file.
            known = (name for name in self.types if self.cast(name) is not None)
            reader = reader.schema(
                ", ".join(f"{quoted(name)} {self.types[name]}" for name in known)
            )
        try:
            return reader.parquet(*map(_for_spark, self._addresses))
        except Exception as error:
            raise SourceError(
                f"Spark cannot read the files: {first_line(error)}",
                where=self._what,
                hint="sort them by query: without a shuffle, Spark does not need to read them",
            ) from None

    def _shown(self, file: int) -> str:
        return shown(self._addresses[file])


def spark_type(kind: Any) -> str:
    """Return Spark's name of an Arrow type; for unknown types Arrow's name.

    Examples
    --------
    >>> import pyarrow
    >>> spark_type(pyarrow.uint32()), spark_type(pyarrow.dictionary("int8", "large_string"))
    ('bigint', 'string')
    """
    from pyarrow import types

    name = str(plain_type(kind))
    if name in _TEXTS:
        return "string"
    if name in _BYTES:
        return "binary"
    if types.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    return {**_INTEGERS, **_FRACTIONS, "bool": "boolean"}.get(name, f"{name} of Arrow")


def _need_pyarrow() -> None:
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise ArgumentError(
            "the package pyarrow is not installed",
            where="addresses of Parquet",
            hint="pip install 'gainful[spark]' pyarrow",
        ) from None


def _footer(address: str) -> tuple[Any, Any]:
    """Return the schema and the metadata of a file."""
    with opened(address) as file:
        return file.schema_arrow, file.metadata


def _for_spark(address: str) -> str:
    """Escape an address for Spark: file names are not patterns."""
    plain = "".join(f"\\{mark}" if mark in "{}[]*?\\" else mark for mark in address)
    return plain if is_address(address) else f"file://{plain}"
