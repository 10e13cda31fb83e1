"""Parquet files as seen by the driver: columns and query ranges from their footers.

The driver reads only footers. The smallest and largest query of each row group show which files
have rows of which queries.
"""

from __future__ import annotations

from os.path import abspath

from gainful.backends.spark.executor import task
from gainful.backends.spark.frames import Frame, first_line, quoted
from gainful.backends.spark.parts import Side, opened
from gainful.backends.spark.ranges import RowGroup, distribute, parallelism
from gainful.backends.spark.reading import Values
from gainful.backends.spark.result import original_errors
from gainful.backends.spark.statistics import plain_type, row_groups
from gainful.data.addresses import is_address, shown
from gainful.data.columnar import expand_paths
from gainful.errors import ArgumentError, SourceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pyspark.sql import DataFrame, SparkSession

__all__ = ["ParquetFiles", "spark_type"]

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
        self._addresses = [getattr(file, "_address", None) or abspath(file) for file in files]
        with ThreadPoolExecutor(min(_THREADS, len(files))) as threads:
            footers = list(threads.map(_footer, self._addresses))
        self._footers = footers
        holding = [at for at, (_, metadata) in enumerate(footers) if metadata.num_rows]
        self._holding = holding or list(range(len(footers)))
        self.types: dict[str, str] = {
            name: self._joint(name) for name in footers[self._holding[0]][0].names
        }

    # --- columns ------------------------------------------------------------------------------

    def _own_types(self, name: str) -> list[Any]:
        """Return the Arrow type of a column in each file with rows, None if it is missing."""
        schemas = (self._footers[at][0] for at in self._holding)
        return [
            schema.field(name).type if schema.names.count(name) == 1 else None for schema in schemas
        ]

    def _joint(self, name: str) -> str:
        """Return Spark's common type of a column over all files."""
        own = ["nothing" if kind is None else spark_type(kind) for kind in self._own_types(name)]
        kinds = set(own)
        if len(kinds) == 1:
            return own[0]
        if kinds <= set(_INTEGERS.values()):
            return "decimal(20,0)" if "decimal(20,0)" in kinds else "bigint"
        if kinds <= {*_INTEGERS.values(), *_FRACTIONS.values()}:
            return "double"
        if kinds == {"string", "binary"}:
            return "binary"
        other = next(at for at, kind in enumerate(own) if kind != own[0])
        file = self._shown(self._holding[other])
        return f"{own[0]!r}, and {own[other]!r} in {file},"

    def cast(self, name: str) -> str | None:
        """Return the type to which executors cast a column, empty for no cast.

        None if the result would differ from Spark's.
        """
        own = {str(plain_type(kind)) for kind in self._own_types(name)}
        # PyArrow cannot filter views.
        views = {"string_view", "binary_view"}
        if len(own) == 1 and own <= {*_INTEGERS, *_FRACTIONS, *_TEXTS, *_BYTES} - views:
            return ""
        if own == {"bool"}:
            return "double"
        if own <= set(_INTEGERS) - {"uint64"}:
            return "int64"
        if own <= {*_INTEGERS, *_FRACTIONS}:
            return "double" if own & set(_FRACTIONS) else None
        if own <= set(_TEXTS):
            return "large_string"
        return "large_binary" if own <= {*_TEXTS, *_BYTES} else None

    def order(self, name: str) -> str | None:
        """Return the order of a column's ids: ``integer``, ``unsigned`` or ``bytes``.

        None if some footers do not state it, or ids are of another type.
        """
        own = {str(plain_type(kind)) for kind in self._own_types(name)}
        if own <= {*_TEXTS, *_BYTES}:
            return "bytes"
        if own == {"uint64"}:
            return "unsigned"
        return "integer" if own <= set(_INTEGERS) - {"uint64"} else None

    def side(self, columns: dict[str, str]) -> Side | None:
        """Return the table in the form for executors, None if they cannot read it."""
        casts = {role: self.cast(name) for role, name in columns.items()}
        if None in casts.values():
            return None
        kinds = {role: cast for role, cast in casts.items() if cast}
        return Side(self._what, list(self._addresses), dict(columns), kinds)

    # --- rows -----------------------------------------------------------------------------------

    def row_groups(self, query: str) -> list[RowGroup]:
        """Return the row groups that have rows, with their smallest and largest query.

        Parameters
        ----------
        query : str
            The column of query ids.
        """
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
        found = numbers.mapInArrow(task(asked, "reading", "values"), f"value {kind}")
        with original_errors():
            return [row[0] for row in found.distinct().limit(most).collect()]

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
