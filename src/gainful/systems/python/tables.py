"""Tables as results: data frames, PyArrow tables, DuckDB relations, Arrow streams."""

from __future__ import annotations

from gainful.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    Columns: TypeAlias = tuple[list[str], Callable[[int], list[Any]]]

__all__ = ["columns_of", "is_table"]


def is_table(found: Any) -> bool:
    """Return whether an object has named columns.

    Examples
    --------
    >>> import polars, pyarrow
    >>> table = pyarrow.table({"doc_id": ["d1"]})
    >>> is_table(table), is_table(polars.DataFrame(table).lazy()), is_table(table["doc_id"])
    (True, True, False)
    """
    if _is_lazy(found):
        return True
    if hasattr(found, "columns") and hasattr(found, "__getitem__"):
        return True
    return hasattr(found, "schema") and _is_arrow(found)


def columns_of(found: Any, k: int) -> Columns:
    """Return the names of a table's columns, and a function from a position to the values.

    Parameters
    ----------
    found
        A table, as `is_table` recognizes it.
    k : int
        The number of rows needed; more may be returned.

    Raises
    ------
    FormatError
        If it only exports Arrow data and PyArrow is not installed.

    Examples
    --------
    >>> import pyarrow
    >>> names, column = columns_of(pyarrow.table({"doc_id": ["d1", "d2"], "score": [2.0, 1.0]}), 1)
    >>> names, column(0), column(1)
    (['doc_id', 'score'], ['d1'], [2.0])
    """
    if _is_lazy(found):
        found = found.head(k).collect()
    if _is_relation(found):
        rows = found.limit(k).fetchall()
        return list(found.columns), lambda at: [row[at] for row in rows]
    # The columns of PyArrow are arrays; a query of Ibis has no length until it is executed.
    if _is_arrow(found) and (hasattr(found, "to_pydict") or not hasattr(found, "__len__")):
        arrow = _table(found).slice(0, k)
        return list(arrow.schema.names), lambda at: list(arrow.column(at).to_pylist())
    names = list(found.columns)
    return [str(name) for name in names], lambda at: list(found[names[at]])


def _is_arrow(found: Any) -> bool:
    return hasattr(found, "__arrow_c_stream__") or hasattr(found, "__arrow_c_array__")


def _is_lazy(found: Any) -> bool:
    """Return whether an object is a lazy frame of Polars, whose columns are not known yet."""
    return hasattr(type(found), "collect_schema") and hasattr(type(found), "collect")


def _is_relation(found: Any) -> bool:
    return all(hasattr(found, each) for each in ("fetchall", "limit", "columns"))


def _table(found: Any) -> Any:
    """Convert an object that exports Arrow data to a PyArrow table or record batch."""
    if hasattr(found, "slice") and hasattr(found, "column"):
        return found
    try:
        import pyarrow
    except ModuleNotFoundError:
        raise FormatError(
            f"a {type(found).__qualname__} cannot be read without pyarrow",
            where="an answer",
            hint="pip install pyarrow",
        ) from None
    return pyarrow.table(found)
