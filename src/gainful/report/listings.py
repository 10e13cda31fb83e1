"""A listing as a table: the conventions that there are."""

from __future__ import annotations

from gainful.table import TextTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gainful.conventions import Preset


def conventions_table(presets: Iterable[Preset]) -> TextTable:
    """Return the conventions, a line each."""
    rows = [[preset.name, preset.summary, preset.evidence] for preset in presets]
    return TextTable(
        ["convention", "what is particular about it", "evidence"],
        rows,
        notes=["`gainful conventions NAME` tells every policy of one."],
    )
