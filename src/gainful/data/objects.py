"""Objects that the kernel reads by the names of their fields: records, and tables with lists."""

from __future__ import annotations

from gainful.data.columns import column_names, first_of, is_listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

__all__ = ["as_mapping", "records_in", "rows_of_table"]

#: Methods of records that return their fields: pydantic, and data classes of RAG tools.
_DUMPS = ("model_dump", "to_dict", "_asdict", "dict")
#: Attributes of files, arrays, database cursors, and readers of batches.
_NOT_RECORDS = ("read", "dtype", "fetchall", "__arrow_c_stream__")
#: Methods of tables that return records, and those that return such a table.
_ROWS = ("to_pylist", "to_dicts", "to_list")
_TABLES = ("to_pyarrow", "to_arrow_table", "to_arrow", "fetch_arrow_table", "read_all")


def records_in(obj: Any, columns: Mapping[str, str] | None) -> tuple[Any, object]:
    """Return the records of an object, or None, and the object to read in another way."""
    if isinstance(obj, dict):
        return obj, obj
    names = column_names(obj)
    if names is not None:
        return rows_of_table(obj, names), obj
    if isinstance(getattr(obj, "queries", None), dict) and hasattr(obj, "relevant_docs"):
        return {"queries": obj.queries, "relevant_docs": obj.relevant_docs}, obj
    for name in ("samples", "goldens"):
        listed = getattr(obj, name, None)
        if isinstance(listed, list) and listed:
            return listed, obj
    if any(hasattr(obj, name) for name in _NOT_RECORDS):
        return None, obj
    if not isinstance(obj, (list, tuple)) and not hasattr(obj, "__next__"):
        return None, obj
    first, obj = first_of(obj)
    return (obj if _is_record(first) or is_listing(first, columns) else None), obj


def _is_record(value: object) -> bool:
    """Return whether a value has fields by name, other than tuples and plain attributes."""
    return isinstance(value, dict) or (
        not isinstance(value, (str, bytes, tuple, list))
        and not hasattr(value, "__arrow_c_stream__")
        and any(callable(getattr(value, name, None)) for name in _DUMPS)
    )


def as_mapping(record: Any) -> Mapping[str, Any] | None:
    """Return the fields of a record by name; None for another value.

    >>> as_mapping({"query": "soup"}), as_mapping("soup")
    ({'query': 'soup'}, None)
    """
    if isinstance(record, dict):
        return record
    dump = next((getattr(record, name) for name in _DUMPS if hasattr(record, name)), None)
    fields = dump() if callable(dump) and _is_record(record) else None
    return fields if isinstance(fields, dict) else None


def rows_of_table(table: Any, names: Iterable[Any]) -> Iterable[Any]:
    """Return the rows of a table as mappings."""
    for name in _ROWS:
        if hasattr(table, name):
            rows: Iterable[Any] = getattr(table, name)()
            return rows
    for name in _TABLES:
        if hasattr(table, name):
            return rows_of_table(getattr(table, name)(), names)
    if hasattr(table, "to_dict"):
        return table.to_dict("records")  # type: ignore[no-any-return]
    # A DB-API cursor, or a structured array.
    rows = table.fetchall() if hasattr(table, "fetchall") else table.tolist()
    return (dict(zip(names, row, strict=True)) for row in rows)
