"""Rows of Parquet files within a range of queries, read in the executors."""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

from gainful.backends.spark.range_file import Ranged
from gainful.backends.spark.statistics import stated_bounds
from gainful.data.addresses import shown
from gainful.data.paths import as_paths
from gainful.data.remote import RemoteFile
from gainful.errors import SourceError, SourceNotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gainful.backends.spark.ranges import Piece
__all__ = ["Part", "Side", "comparable", "decoded", "opened"]

#: Rows that are decoded at once.
_BATCH = 1 << 16
#: Bytes of a column that are read at once.
_BUFFER = 1 << 20
_OTHER_FORMATS = (
    "pyarrow.parquet.write_table(pyarrow.table(gainful.read_qrels(PATH)).sort_by('query_id'), NEW) "
    "makes Parquet of judgments, and gainful.read_run likewise of a run"
)


class Side(NamedTuple):
    """A table in the form for executors.

    Attributes
    ----------
    what
        The table's name in messages.
    files
        The paths or addresses.
    columns
        The name of each column to read, by role.
    casts
        The types to cast columns to, if files differ or the kernel needs another.
    """

    what: str
    files: list[str]
    columns: dict[str, str]
    casts: dict[str, str]


def opened(address: str, *, there: str = "") -> Any:
    """Return an open Parquet file.

    Parameters
    ----------
    address : str
        A path, or an address of fsspec.
    there : str
        Where it is opened, for messages, such as "on an executor".

    Raises
    ------
    SourceNotFoundError, SourceError
        If it does not exist or is not Parquet.
    """
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    (path,) = as_paths(address) or [address]
    place = f" {there}" if there else ""
    try:
        if isinstance(path, RemoteFile):
            return ParquetFile(Ranged(path), pre_buffer=True)
        return ParquetFile(path, buffer_size=_BUFFER)
    except FileNotFoundError:
        raise SourceNotFoundError(
            where=path,
            found=f"no such file{place}",
            hint="executors read the files: all machines have to see them" if there else None,
        ) from None
    except (OSError, ArrowException) as error:
        raise SourceError(
            f"cannot read the file as Parquet{place} ({error})",
            where=path,
            hint=_OTHER_FORMATS if "magic bytes" in str(error) else None,
        ) from None


class Part:
    """The rows of one range in one table, as an Arrow stream that can be read repeatedly.

    Rows are read lazily and not kept.
    """

    def __init__(self, side: Side, pieces: list[Piece], low: Any = None, high: Any = None) -> None:
        self.side = side
        self._pieces = pieces
        self._low, self._high = low, high
        #: The error while reading rows; an Arrow stream passes on only its text.
        self.failed: Exception | None = None

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the rows; the requested schema is ignored."""
        return self.reader().__arrow_c_stream__()

    def reader(self) -> Any:
        """Return the rows as a reader of record batches."""
        from pyarrow import RecordBatchReader

        batches = self._kept()
        first = next(batches)
        return RecordBatchReader.from_batches(first.schema, batches)

    def table(self) -> Any:
        """Return the rows as a pyarrow table."""
        return self.reader().read_all()

    def _kept(self) -> Iterator[Any]:
        """Yield batches; the first has no rows."""
        try:
            yield from self._batches()
        except Exception as error:
            self.failed = error
            raise

    def _batches(self) -> Iterator[Any]:
        from pyarrow import ArrowException

        schema = None
        for number, pieces in groupby(self._pieces, key=lambda piece: piece.file):
            address = self.side.files[number]
            with opened(address, there="on an executor") as file:
                if schema is None:
                    empty = file.schema_arrow.empty_table().select(list(self._names()))
                    schema = self._conformed(_first_batch(empty)).schema
                    yield _first_batch(schema.empty_table())
                try:
                    for piece in pieces:
                        _check_same(file, address, piece)
                        _check_counts(file, address, piece, list(self._names()))
                        # One row group at a time, because prefetched data stay in memory.
                        batches = file.iter_batches(
                            _BATCH,
                            row_groups=[piece.number],
                            columns=list(self._names()),
                            use_threads=False,
                        )
                        rows = 0
                        for batch in batches:
                            rows += len(batch)
                            kept = self._conformed(batch)
                            if piece.bounds is not None:
                                self._check_bounds(kept, file, address, piece)
                            if not piece.whole:
                                kept = self._within(kept, nulls=piece.first)
                            if len(kept):
                                yield kept
                        if rows != piece.rows:
                            raise _contradiction(address, piece, f"{rows} rows", f"{piece.rows}")
                except SourceError:
                    raise
                except (OSError, ArrowException) as error:
                    raise SourceError(
                        f"cannot read the file as Parquet on an executor ({error})",
                        where=shown(address),
                    ) from None

    def _names(self) -> dict[str, None]:
        return dict.fromkeys(self.side.columns.values())

    def _within(self, batch: Any, *, nulls: bool) -> Any:
        """Return the rows of a batch whose query is in the range, or null."""
        from pyarrow import compute, scalar

        query = comparable(batch.column("query_id"))
        kept = None
        for bound, holds in ((self._low, compute.greater_equal), (self._high, compute.less)):
            if bound is not None:
                more = holds(query, scalar(bound, query.type))
                kept = more if kept is None else compute.and_(kept, more)
        if kept is None:
            return batch
        return batch.filter(compute.fill_null(kept, nulls))

    def _check_bounds(self, batch: Any, file: Any, address: str, piece: Piece) -> None:
        """Refuse queries outside the bounds in the footer.

        Such a row would be missing from its query's range, or measured as another query.
        """
        from pyarrow import compute

        found = compute.min_max(comparable(batch.column("query_id")))
        low, high = found["min"].as_py(), found["max"].as_py()
        least, greatest = piece.bounds or (low, high)
        if low is None or (least <= low and high <= greatest):
            return
        if stated_bounds(file, self.side.columns["query_id"], piece.number) != piece.bounds:
            raise _changed(address)
        outside = low if low < least else high
        expected = f"queries from {_text(least)} to {_text(greatest)}"
        raise _contradiction(address, piece, f"query {_text(outside)}", expected)

    def _conformed(self, batch: Any) -> Any:
        """Return a batch with the needed columns, renamed by role and cast."""
        from pyarrow import RecordBatch

        columns = {}
        for role, name in self.side.columns.items():
            column = batch.column(name)
            kind = self.side.casts.get(role)
            columns[role] = column if kind is None else decoded(column).cast(kind)
        return RecordBatch.from_arrays(list(columns.values()), names=list(columns))


def _first_batch(table: Any) -> Any:
    from pyarrow import RecordBatch

    return RecordBatch.from_arrays(
        [column.combine_chunks() for column in table.columns], schema=table.schema
    )


def _check_same(file: Any, address: str, piece: Piece) -> None:
    """Refuse a file whose row group changed since its footer was read."""
    metadata = file.metadata
    if (
        piece.number >= metadata.num_row_groups
        or metadata.row_group(piece.number).num_rows != piece.rows
    ):
        raise _changed(address)


def _changed(address: str) -> SourceError:
    """Return the error for a file that changed since its footer was read."""
    return SourceError("the file changed after the evaluation was planned", where=shown(address))


def _check_counts(file: Any, address: str, piece: Piece, names: list[str]) -> None:
    """Refuse a row group whose columns do not have one value per row."""
    group = file.metadata.row_group(piece.number)
    for at in range(group.num_columns):
        column, own = group.column(at), file.schema.column(at)
        if (
            column.path_in_schema in names
            and own.max_repetition_level == 0
            and column.num_values != piece.rows
        ):
            found = f"{column.num_values} values of column {column.path_in_schema!r}"
            raise _contradiction(address, piece, found, f"{piece.rows}")


def _text(id: Any) -> str:
    return repr(id.decode(errors="backslashreplace") if isinstance(id, bytes) else id)


def _contradiction(address: str, piece: Piece, found: str, expected: str) -> SourceError:
    """Return the error for a row group that contradicts its footer."""
    return SourceError(
        f"found {found}, but the footer has {expected}",
        where=f"{shown(address)}, row group {piece.number}",
        hint="the footer is wrong; write the file again",
    )


def decoded(column: Any) -> Any:
    """Decode a dictionary column; return other columns unchanged."""
    from pyarrow import types

    return column.cast(column.type.value_type) if types.is_dictionary(column.type) else column


def comparable(column: Any) -> Any:
    """Convert ids to the type of the bounds of ranges."""
    from pyarrow import types

    column = decoded(column)
    if not types.is_integer(column.type):
        return column.cast("large_binary")
    return column if types.is_uint64(column.type) else column.cast("int64")
