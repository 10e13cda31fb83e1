"""Tables of records: one row per record, one column per field that the table shows."""

from __future__ import annotations

from gainful.formats.numbers import digits, probability, spans
from gainful.formats.table import Column, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gainful.formats.table import Note
    from gainful.records import Field, Record

__all__ = ["columns_of", "table_of", "table_of_columns"]


#: How numbers are shown, by the type of the field.
_SHOWN: dict[str, Callable[[Any], str]] = {"int": str, "float": digits, "Interval": digits}


def columns_of(
    records: Sequence[Record],
    table: str,
    *,
    labels: Mapping[str, str] | None = None,
    show: Mapping[str, Callable[[Any], str]] | None = None,
    without_empty: bool = False,
) -> list[tuple[Column, list[object]]]:
    """Return the columns of a table with their values."""
    columns = []
    kind = type(records[0])
    names = kind.COLUMNS.get(table, "").split()
    for item in map(kind.FIELDS.__getitem__, names or kind.FIELDS):
        if not names and table not in item.tables:
            continue
        values = [_cell(item, record) for record in records]
        if (item.if_any or without_empty) and all(value in (None, "") for value in values):
            continue
        shown = (show or {}).get(item.name, _show(item))
        if shown is not None and item.is_interval:
            shown = spans(shown)
        label = None if item.label is None else item.label.format(**labels or {})
        columns.append((Column(item.name, label, shown, **item.column), values))
    return columns


def table_of(
    records: Sequence[Record],
    table: str,
    *,
    title: str = "",
    notes: Sequence[Note] = (),
    labels: Mapping[str, str] | None = None,
    show: Mapping[str, Callable[[Any], str]] | None = None,
    without_empty: bool = False,
) -> Table:
    """Return a table of records; for its parameters see `columns_of`."""
    columns = columns_of(records, table, labels=labels, show=show, without_empty=without_empty)
    return table_of_columns(columns, title=title, notes=notes)


def table_of_columns(
    columns: Sequence[tuple[Column, Sequence[object]]],
    *,
    title: str = "",
    notes: Sequence[Note] = (),
) -> Table:
    """Return a table of columns with their values."""
    rows = zip(*(values for _, values in columns), strict=True)
    return Table([column for column, _ in columns], rows, title=title, notes=notes)


def _show(item: Field) -> Callable[[Any], str] | None:
    """Return the declared format, or the default one of a number."""
    if item.show is not None or item.cell is not None:
        return item.show
    kind = item.annotation.removesuffix(" | None")
    return probability if kind == "float" and item.is_p_value else _SHOWN.get(kind)


def _cell(item: Field, record: Record) -> object:
    return getattr(record, item.name) if item.cell is None else item.cell(record)
