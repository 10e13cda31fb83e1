"""What judgments and runs have in common: a table of rows grouped by query."""

from __future__ import annotations

from gainful import _engine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self


class Table:
    """A table of rows grouped by query; `Qrels` and `Run` are the two there are."""

    __slots__ = ("_rows", "name", "source")

    _rows: _engine.Rows
    name: str | None
    source: str | None

    @classmethod
    def _of(
        cls, rows: _engine.Rows, *, name: str | None = None, source: str | None = None
    ) -> Self:
        table = object.__new__(cls)
        put = object.__setattr__
        put(table, "_rows", rows)
        put(table, "name", name)
        put(table, "source", source)
        return table

    def __len__(self) -> int:
        return self._rows.queries
