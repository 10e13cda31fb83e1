"""Row groups of Parquet files with their smallest and largest query, from footers."""

from __future__ import annotations

from gainful.backends.spark.ranges import RowGroup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["plain_type", "row_groups", "stated_bounds"]


def stated_bounds(file: Any, query: str, number: int) -> tuple[Any, Any] | None:
    """Return the smallest and largest query of a row group, from the file's footer."""
    from pyarrow import types

    kind = plain_type(file.schema_arrow.field(query).type)
    order = "integer" if types.is_integer(kind) else "bytes"
    groups = row_groups(0, file.schema_arrow, file.metadata, query, order)
    own = next((group for group in groups if group.number == number), None)
    return None if own is None or own.low is None else (own.low, own.high)


def row_groups(
    file: int, schema: Any, metadata: Any, query: str, order: str | None
) -> Iterator[RowGroup]:
    """Yield the row groups that have rows, with their smallest and largest query."""
    # Parquet stores unsigned integers as signed ones.
    kind = str(plain_type(schema.field(query).type)) if metadata.num_rows else ""
    modulus = {"uint32": 1 << 32, "uint64": 1 << 64}.get(kind)
    paths = [metadata.schema.column(at).path for at in range(metadata.num_columns)]
    at = paths.index(query) if paths.count(query) == 1 else None
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        if not group.num_rows:
            continue
        low = high = None
        nulls = True
        statistics = None if at is None else group.column(at).statistics
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
