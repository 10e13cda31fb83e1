"""Parts of Parquet files: their row groups, statistics and ranges of queries."""

from __future__ import annotations

import io
from bisect import bisect_left, bisect_right
from itertools import groupby
from typing import NamedTuple

from gainful.data.paths import as_paths
from gainful.data.remote import RemoteFile, shown
from gainful.errors import SourceError, SourceNotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

__all__ = [
    "Part",
    "Piece",
    "Range",
    "Ranged",
    "RowGroup",
    "Side",
    "comparable",
    "cut",
    "decoded",
    "distribute",
    "opened",
    "parallelism",
    "plain_type",
    "row_groups",
]


#: The minimum rows of a range (a task costs as much as a million rows) and the maximum; a lower
#: maximum if all rows of a range are in memory.
_FEWEST, _MOST, _HELD = 2_000_000, 8_000_000, 2_000_000
#: The maximum ratio of rows read to rows in total. Reading and dropping a row costs a twentieth of
#: shuffling it.
_READ = 3.0
#: A range of at most this many rows is always acceptable for one task.
_LARGE = 2 * _MOST
#: The maximum share of all rows in one range, times the number of parallel tasks: reading a larger
#: range takes longer than shuffling all rows. Lower if the queries of row groups overlap, because
#: unordered rows take longer.
_SHARE, _SHARE_MIXED = 6.0, 1.5
#: The assumed number of parallel tasks of a session that does not report it.
_TASKS = 16


class RowGroup(NamedTuple):
    """A row group of a file, from its footer.

    Attributes
    ----------
    file, number
        The index of the file in its table, and of the row group in the file.
    rows
        The number of rows.
    low, high
        Bounds of the query ids: whole numbers or bytes, None if unknown.
    nulls
        Whether query ids may be null.
    """

    file: int
    number: int
    rows: int
    low: Any
    high: Any
    nulls: bool


class Piece(NamedTuple):
    """A row group as part of a range.

    Attributes
    ----------
    file, number, rows
        As in `RowGroup`.
    whole
        Whether all of its rows are in the range.
    first
        Whether this is the first range that reads it; that range also reads rows without a query.
    bounds
        The smallest and largest query in the footer, None if not stated.
    """

    file: int
    number: int
    rows: int
    whole: bool
    first: bool
    bounds: tuple[Any, Any] | None


class Range(NamedTuple):
    """The queries from `low` to below `high`, None for no bound, and the pieces by table."""

    low: Any
    high: Any
    pieces: list[list[Piece]]

    @property
    def rows(self) -> int:
        """The number of rows to read."""
        return sum(piece.rows for table in self.pieces for piece in table)


def parallelism(session: Any) -> int:
    """Return how many tasks of a session run in parallel, if it reports that."""
    try:
        return max(int(session.sparkContext.defaultParallelism), 1)
    except Exception:
        # Spark Connect clients have no context.
        try:
            return max(int(session.conf.get("spark.default.parallelism", str(_TASKS))), 1)
        except Exception:
            return _TASKS


def cut(
    tables: Sequence[Sequence[RowGroup]],
    tasks: int,
    wanted: int | None = None,
    *,
    held: bool = False,
) -> list[Range] | str:
    """Split queries into ranges.

    Examples
    --------
    >>> groups = [RowGroup(0, at, 3_000_000, 10 * at, 10 * at + 9, False) for at in range(4)]
    >>> [(each.low, each.high, each.rows) for each in cut([groups], 1)]
    [(None, 20, 6000000), (20, None, 6000000)]
    """
    groups = [group for table in tables for group in table]
    total = sum(group.rows for group in groups)
    most = _HELD if held else _MOST
    number = wanted or max(-(-total // most), min(tasks, total // _FEWEST), 1)
    starts = _starts(groups)
    share = _SHARE
    while True:
        ranges, largest = _ranges(tables, _cuts(starts, total, number))
        read = sum(group.rows for group in ranges)
        if read <= _READ * total:
            break
        number = min(number, len(ranges)) // 2
        share = _SHARE_MIXED
    if wanted is None and largest > max(_LARGE, share * total / tasks):
        return _why(groups, share == _SHARE_MIXED)
    return ranges


def _why(groups: list[RowGroup], mixed: bool) -> str:
    if 2 * sum(group.rows for group in groups if group.low is None) > sum(
        group.rows for group in groups
    ):
        return "the files have no query statistics of row groups"
    if mixed:
        return "the rows of a query are in distant row groups"
    return "there are too few row groups to split"


class _Start(NamedTuple):
    """A query with which a row group begins: a possible split.

    `before` are the rows of groups that begin earlier, `through` those of groups that both sides
    would read.
    """

    query: Any
    before: int
    through: int


def _starts(groups: list[RowGroup]) -> list[_Start]:
    known = sorted(
        (group for group in groups if group.low is not None), key=lambda group: group.low
    )
    # Groups with unknown bounds are read by all ranges.
    ends = sorted(((group.high, group.rows) for group in known), key=lambda end: end[0])
    starts: list[_Start] = []
    before = ended = row = 0
    for place, group in enumerate(known):
        if place == 0 or group.low != known[place - 1].low:
            while row < len(ends) and ends[row][0] < group.low:
                ended += ends[row][1]
                row += 1
            starts.append(_Start(group.low, before, before - ended))
        before += group.rows
    return starts[1:]


def _cuts(starts: list[_Start], total: int, number: int) -> list[Any]:
    """Return splits for about `number` ranges of about equal size."""
    cuts: list[Any] = []
    last = start = 0
    while len(cuts) < number - 1:
        target = (total - last) / (number - len(cuts))
        first = _at(starts, last + 0.7 * target, start)
        end = max(_at(starts, last + 1.3 * target, first), first + 1)
        if first >= len(starts):
            break
        best = min(
            range(first, min(end, len(starts))),
            key=lambda one: (starts[one].through, abs(starts[one].before - last - target)),
        )
        cuts.append(starts[best].query)
        last, start = starts[best].before, best + 1
    return cuts


def _at(starts: list[_Start], rows: float, first: int) -> int:
    """Return the first place, from `first` on, with this many rows before it."""
    return bisect_left(starts, rows, first, key=lambda start: start.before)


def _ranges(tables: Sequence[Sequence[RowGroup]], cuts: list[Any]) -> tuple[list[Range], float]:
    """Return the ranges between splits, and the approximate rows of the largest."""
    ranges = [
        Range(low, high, [[] for _ in tables])
        for low, high in zip([None, *cuts], [*cuts, None], strict=True)
    ]
    weights = [0.0] * len(ranges)
    for table, groups in enumerate(tables):
        for group in groups:
            first = 0 if group.low is None else bisect_right(cuts, group.low)
            last = len(cuts) if group.low is None else bisect_right(cuts, group.high)
            for index in range(first, last + 1):
                bounds = None if group.low is None else (group.low, group.high)
                piece = Piece(
                    group.file, group.number, group.rows, first == last, index == first, bounds
                )
                ranges[index].pieces[table].append(piece)
                weights[index] += group.rows / (last - first + 1)
    return ranges, max(weights)


def distribute(groups: Sequence[RowGroup], number: int) -> list[list[Piece]]:
    """Distribute whole row groups over tasks, in any order.

    Examples
    --------
    >>> groups = [RowGroup(0, at, 10, None, None, True) for at in range(5)]
    >>> [[piece.number for piece in part] for part in distribute(groups, 2)]
    [[0, 2, 4], [1, 3]]
    """
    parts = max(min(number, len(groups)), 1)
    pieces = [Piece(group.file, group.number, group.rows, True, True, None) for group in groups]
    return [pieces[index::parts] for index in range(parts)]


def stated_bounds(file: Any, query: str, number: int) -> tuple[Any, Any] | None:
    """Return the smallest and largest query of a row group, from the file's footer."""
    from pyarrow import types

    kind = plain_type(file.schema_arrow.field(query).type)
    order = "integer" if types.is_integer(kind) else "bytes"
    groups = row_groups(0, file.schema_arrow, file.metadata, query, order)
    stated = next((group for group in groups if group.number == number), None)
    return None if stated is None or stated.low is None else (stated.low, stated.high)


def row_groups(
    file: int, schema: Any, metadata: Any, query: str, order: str | None
) -> Iterator[RowGroup]:
    """Yield the row groups that have rows, with their smallest and largest query."""
    # Parquet stores unsigned integers as signed ones.
    kind = str(plain_type(schema.field(query).type)) if metadata.num_rows else ""
    modulus = {"uint32": 1 << 32, "uint64": 1 << 64}.get(kind)
    paths = [metadata.schema.column(index).path for index in range(metadata.num_columns)]
    column = paths.index(query) if paths.count(query) == 1 else None
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        if not group.num_rows:
            continue
        low = high = None
        nulls = True
        statistics = None if column is None else group.column(column).statistics
        if statistics is not None:
            nulls = not statistics.has_null_count or statistics.null_count > 0
            if order is not None and statistics.has_min_max:
                low = _bound(statistics.min_raw, order, modulus)
                high = _bound(statistics.max_raw, order, modulus)
        if low is None or high is None or high < low:
            low = high = None
        yield RowGroup(file, number, group.num_rows, low, high, nulls)


def _bound(raw: Any, order: str, modulus: int | None) -> Any:
    """Convert a statistic to the form in which ids are compared, None if that fails."""
    if order == "bytes":
        return bytes(raw) if isinstance(raw, (bytes, bytearray)) else None
    if not isinstance(raw, int):
        return None
    return raw if modulus is None else raw % modulus


def plain_type(kind: Any) -> Any:
    """Return the value type of a dictionary type; bytes for fixed-size bytes."""
    from pyarrow import binary, types

    if kind is not None and types.is_dictionary(kind):
        kind = kind.value_type
    return binary() if kind is not None and types.is_fixed_size_binary(kind) else kind


class Ranged(io.RawIOBase):
    """A remote file that fetches only the bytes that are read.

    Parameters
    ----------
    file : RemoteFile
        The file.
    """

    def __init__(self, file: RemoteFile) -> None:
        super().__init__()
        self._file = file
        self._length = file.length()
        self._at = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the position of the next byte."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to a byte, relative to the beginning, the position or the end."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._length}[whence]
        self._at = start + offset
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        """Return up to `size` bytes."""
        end = self._length if size is None or size < 0 else min(self._at + size, self._length)
        if end <= self._at:
            return b""
        (content,) = self._file.fetch([(self._at, end)])
        self._at += len(content)
        return content


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
    """Return an open Parquet file."""
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

        ends = compute.min_max(comparable(batch.column("query_id")))
        low, high = ends["min"].as_py(), ends["max"].as_py()
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
    for index in range(group.num_columns):
        column, schema_column = group.column(index), file.schema.column(index)
        if (
            column.path_in_schema in names
            and schema_column.max_repetition_level == 0
            and column.num_values != piece.rows
        ):
            counted = f"{column.num_values} values of column {column.path_in_schema!r}"
            raise _contradiction(address, piece, counted, f"{piece.rows}")


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
