"""Convert judgments and runs to rows of one table, for a shuffle."""

from __future__ import annotations

from gainful.data.columns import find_columns
from gainful.errors import ArgumentError, ColumnError, ParameterError
from gainful.evaluation.partition.column_types import comparable, is_id_type
from gainful.keywords import suggest_keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

__all__ = ["tagged"]

#: The required and the optional columns of the common table.
_BOTH = {
    "query_id": "large_string",
    "doc_id": "large_string",
    "is_judgment": "bool",
    "grade": "double",
    "score": "double",
}
_MORE = {"subtopic": "large_string", "rank": "double", "system": "large_string"}


@suggest_keywords
def tagged(
    table: Any,
    side: str,
    *,
    columns: Mapping[str, str] | None = None,
    system: str | None = None,
    more: Sequence[str] = (),
) -> Any:
    """Convert judgments or a run to rows of a common table for one shuffle.

    Both sides get the same columns with the same types, and ids as text: a shuffle does not match
    integers on one side with text on the other.

    Parameters
    ----------
    table : pyarrow.Table, or another object with an Arrow stream
        Judgments or a run. Columns are recognized as in any data frame.
    side : {"qrels", "run"}
        Whether these are judgments or a run.
    columns : mapping of str to str, optional
        The names of columns, as for `gainful.Qrels` and `gainful.Run`.
    system : str, optional
        The name of the run's system, if there are several.
    more : sequence of str
        The columns among ``subtopic``, ``rank`` and ``system`` that both sides get in addition to
        ``query_id``, ``doc_id``, ``is_judgment``, ``grade`` and ``score``: those that the measures,
        the convention or several systems need. Each is null on the side without it.

    Returns
    -------
    pyarrow.Table
        The columns that `score_table` accepts.

    Raises
    ------
    ColumnError
        If a column is missing or has the wrong type.
    ArgumentError, ParameterError
        If `table` is not a table, or another argument is invalid.

    Examples
    --------
    >>> import pyarrow
    >>> run = pyarrow.table({"qid": [1], "docno": ["d1"], "score": [0.5]})
    >>> tagged(run, "run").to_pylist()
    [{'query_id': '1', 'doc_id': 'd1', 'is_judgment': False, 'grade': None, 'score': 0.5}]
    """
    import pyarrow

    judged = side == "qrels"
    if not judged and side != "run":
        raise ParameterError(where="side", found=repr(side), expected="'qrels' or 'run'")
    unknown = set(more).difference(_MORE)
    if unknown:
        raise ParameterError(
            where="more", found=repr(min(unknown)), expected=f"some of {', '.join(_MORE)}"
        )
    if system is not None and not isinstance(system, str):
        raise ArgumentError(where="system", found=type(system).__name__, expected="text")
    if not hasattr(table, "__arrow_c_stream__"):
        raise ArgumentError(
            where="table",
            found=type(table).__name__,
            expected="a pyarrow.Table, or another object with an Arrow stream",
        )
    arrow_table = table if isinstance(table, pyarrow.Table) else pyarrow.table(table)
    role = "subtopic qrels" if judged and "subtopic" in more else side
    names = find_columns(arrow_table.column_names, role, columns)
    converted = {}
    for name, kind in (_BOTH | {name: _MORE[name] for name in _MORE if name in more}).items():
        if name == "is_judgment":
            converted[name] = pyarrow.repeat(judged, len(arrow_table))
        elif name == "system" and not judged and system is not None:
            converted[name] = pyarrow.repeat(pyarrow.scalar(system, kind), len(arrow_table))
        elif name in names:
            converted[name] = _cast(arrow_table.column(names[name]), names[name], kind)
        else:
            converted[name] = pyarrow.nulls(len(arrow_table), kind)
    return pyarrow.table(converted)


def _cast(column: Any, name: str, kind: str) -> Any:
    """Cast a column to the common type without changing a value."""
    import pyarrow

    column = comparable(column)
    of = column.type.value_type if pyarrow.types.is_dictionary(column.type) else column.type
    if kind == "large_string" and not is_id_type(of):
        raise ColumnError(
            where=f"column {name!r}", found=str(column.type), expected="text, bytes or integers"
        )
    try:
        if pyarrow.types.is_decimal(column.type):
            # Cast through text, which rounds only once.
            column = column.cast("string")
        return column.cast(kind)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError) as error:
        raise ColumnError(
            where=f"column {name!r}",
            found=f"{column.type} that cannot be converted to {kind}: {error}",
            expected="ids of UTF-8" if kind != "double" else "numbers",
        ) from None
