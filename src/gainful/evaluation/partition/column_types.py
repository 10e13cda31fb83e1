"""Arrow types of id columns; convert those that pyarrow cannot compare."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["comparable", "is_id_type"]


def comparable(column: Any) -> Any:
    """Return a column in a type that pyarrow can compare and filter.

    PyArrow cannot compare views (as made by polars), UUIDs and run-end encoded values.

    Examples
    --------
    >>> import pyarrow
    >>> comparable(pyarrow.array(["q1"], pyarrow.string_view())).type
    DataType(large_string)
    """
    import pyarrow
    from pyarrow import compute, types

    kind = column.type
    if _is_view(kind):
        return column.cast(_plain_type(kind))
    if types.is_run_end_encoded(kind):
        return comparable(compute.run_end_decode(column))
    if types.is_dictionary(kind) and _is_view(kind.value_type):
        if isinstance(column, pyarrow.ChunkedArray):
            # Each chunk may have its own dictionary.
            kind = pyarrow.dictionary(kind.index_type, _plain_type(kind.value_type))
            return pyarrow.chunked_array([comparable(chunk) for chunk in column.chunks], kind)
        return pyarrow.DictionaryArray.from_arrays(column.indices, comparable(column.dictionary))
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


def is_id_type(kind: Any) -> bool:
    """Return whether a PyArrow type can be the type of ids.

    Examples
    --------
    >>> import pyarrow
    >>> is_id_type(pyarrow.int16()), is_id_type(pyarrow.float64())
    (True, False)
    """
    from pyarrow import types

    # An empty column may have the null type.
    tests = (types.is_integer, types.is_string, types.is_large_string, types.is_string_view)
    more = (types.is_binary, types.is_large_binary, types.is_fixed_size_binary, types.is_null)
    return any(test(kind) for test in (*tests, types.is_binary_view, *more))
