"""Separate the judgments and the runs of one table."""

from __future__ import annotations

from gainful.errors import ColumnError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The column names of judgments and runs in a common table.
_QRELS = ("query_id", "subtopic", "doc_id", "grade")
_RUN = ("query_id", "doc_id", "score", "rank")
#: All columns that `score_table` uses.
COLUMNS = frozenset({*_QRELS, *_RUN, "is_judgment", "system"})


def split_sides(
    table: Any, system: str, systems: tuple[str, ...] | None
) -> tuple[Any, dict[str, Any]]:
    """Split a table into the judgments and the run of each system."""
    from pyarrow import compute

    require_columns(table, ("query_id", "doc_id", "is_judgment", "grade"))
    require_columns(table, tuple(COLUMNS.intersection(table.column_names)))
    judged = table.column("is_judgment")
    if judged.null_count:
        raise ColumnError(
            where="column 'is_judgment'", found="a null", expected="true or false in every row"
        )
    judged = _cast(judged, "is_judgment", "bool", "true or false")
    names = table.column_names
    qrels = table.select([name for name in _QRELS if name in names]).filter(judged)
    rest = table.filter(compute.invert(judged))
    if "score" not in names and "rank" not in names:
        raise _missing(names, "score")
    run = rest.select([name for name in _RUN if name in names])
    if systems is None:
        return qrels, {system: run}
    require_columns(table, ("system",))
    system_column = _cast(rest.column("system"), "system", "string", "names of systems")
    unknown = set(compute.unique(system_column).to_pylist()) - set(systems)
    if unknown:
        raise ColumnError(
            where="column 'system'",
            found=repr(min(map(str, unknown))),
            expected=f"one of {', '.join(systems)}",
        )
    return qrels, {name: run.filter(compute.equal(system_column, name)) for name in systems}


def _cast(column: Any, name: str, kind: str, expected: str) -> Any:
    import pyarrow

    try:
        return column.cast(kind)
    except pyarrow.ArrowException:
        raise ColumnError(
            where=f"column {name!r}", found=str(column.type), expected=expected
        ) from None


def require_columns(table: Any, columns: tuple[str, ...]) -> None:
    """Reject a table or batch with missing or duplicate columns."""
    names = table.schema.names
    for column in columns:
        if column not in names:
            raise _missing(names, column)
        if names.count(column) > 1:
            raise ColumnError(
                where="the columns of the batches",
                found=f"several columns {column!r}",
                expected="one",
                hint="leave out or rename the others",
            )


def _missing(names: list[str], column: str) -> ColumnError:
    return ColumnError(
        where="the columns of the batches",
        found=", ".join(map(repr, names)),
        expected=f"a column {column!r}",
        hint="the documentation of score_table lists the required columns",
    )
