"""What two conventions do differently, for terminals, pages and programs."""

from __future__ import annotations

from gainful.formats.json import text
from gainful.formats.markdown import markdown as written
from gainful.formats.table import TextTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.conventions.difference import Differences

__all__ = ["json", "markdown", "plain", "rows", "table"]


def plain(found: Differences) -> str:
    """Return the differences as text of 100 columns."""
    return f"{found}\n"


def table(found: Differences) -> TextTable:
    """Return the differences as a table: a row a policy or parameter.

    Examples
    --------
    >>> from gainful import Convention
    >>> from gainful.conventions import diff
    >>> print(table(diff("gainful-1", Convention(name="ours", missing="skip"))).rows[0][:3])
    ('missing', 'empty', 'skip')
    """
    names = found.ours.label, found.theirs.label
    rows = []
    for each in found:
        meanings = [meaning for meaning in (each.our_meaning, each.their_meaning) if meaning]
        told = f"{each.decides}: {' → '.join(meanings)}" if meanings else each.decides
        rows.append([each.label, *each.values, told])
    return TextTable(
        ["policy", *names, "what it decides"],
        rows,
        notes=[] if rows else ["They have the same policies."],
    )


def markdown(found: Differences) -> str:
    """Return the differences as a table in Markdown."""
    return written(table(found))


def json(found: Differences) -> str:
    """Return both conventions and their differences as JSON."""
    return text(found.to_dict(), indent=2)


def rows(found: Differences) -> tuple[list[str], list[list[str | None]]]:
    """Return the differences for CSV: family, name, both values and what they mean."""
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
