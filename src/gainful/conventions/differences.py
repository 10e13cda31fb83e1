"""Show the differences between conventions."""

from __future__ import annotations

from gainful.formats.table import Column, Note, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.conventions.difference import Differences

__all__ = ["rows", "table"]


def table(found: Differences) -> Table:
    """Return the differences as a table, one row per policy or parameter.

    Examples
    --------
    >>> from gainful import Convention
    >>> from gainful.conventions import diff
    >>> print(table(diff("gainful-1", Convention(name="ours", missing="skip"))).rows[0][:3])
    ('missing', 'empty', 'skip')
    """
    table_rows = []
    for each in found:
        meanings = [meaning for meaning in (each.our_meaning, each.their_meaning) if meaning]
        explained = f"{each.decides}: {' → '.join(meanings)}" if meanings else each.decides
        table_rows.append([each.label, *each.values, explained])
    return Table(
        [
            Column("policy"),
            Column("ours", found.ours.label),
            Column("theirs", found.theirs.label),
            Column("decides", "meaning", fit="wrap"),
        ],
        table_rows,
        notes=[] if table_rows else [Note("same", "They have the same policies.")],
    )


def rows(found: Differences) -> tuple[list[str], list[list[str | None]]]:
    """Return the differences for CSV: family, name, both values and their meanings."""
    headers = ["family", "name", "ours", "theirs", "decides", "our_meaning", "their_meaning"]
    cells: list[list[str | None]] = [
        [
            each.family,
            each.name,
            *each.values,
            each.decides,
            each.our_meaning,
            each.their_meaning,
        ]
        for each in found
    ]
    return headers, cells
