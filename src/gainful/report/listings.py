"""Listings as tables: the measures and the conventions that there are."""

from __future__ import annotations

from gainful.table import TextTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gainful.conventions import Preset
    from gainful.measures.family import Family


def measures_table(families: Iterable[Family]) -> TextTable:
    """Return the families of measures, a line each."""
    rows = [[family.name, family.summary, family.example] for family in families]
    return TextTable(
        ["measure", "what it is", "written"],
        rows,
        notes=["`gainful measures NAME` tells formula, source and parameters of one."],
    )


def conventions_table(presets: Iterable[Preset]) -> TextTable:
    """Return the conventions, a line each."""
    rows = [[preset.name, preset.summary, preset.evidence] for preset in presets]
    return TextTable(
        ["convention", "what is particular about it", "evidence"],
        rows,
        notes=["`gainful conventions NAME` tells every policy of one."],
    )
