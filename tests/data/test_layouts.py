"""What is written in any layout and source is read as it was meant, or refused with a hint."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from combinations import ALL
from layouts import LAYOUTS, NAMES, SOURCES, applies, outcome
from requirements import need

COMBINATIONS = [
    (layout, source) for layout in LAYOUTS for source in SOURCES if applies(LAYOUTS[layout], source)
]
#: Of the sources that need a library.
NEEDS = {
    **dict.fromkeys(("Parquet", "Arrow", "PyArrow"), "pyarrow"),
    "pandas": "pandas",
    "polars": "polars",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder whose files each test overwrites."""
    return tmp_path_factory.mktemp("layouts")


@pytest.mark.parametrize(("layout", "source"), COMBINATIONS)
def test_the_truth_is_read(layout: str, source: str, folder: Path) -> None:
    if source in NEEDS:
        need(NEEDS[source])
    for number in range(200 if ALL else 2):
        chance = Random(f"{layout} {source} {number}")
        try:
            outcome(LAYOUTS[layout], source, chance, folder)
        except Exception as error:
            error.add_note(f"draw {number}")
            raise


def test_the_names_are_those_of_the_kernel() -> None:
    assert {"QUERY", "DOCUMENT", "GRADE", "SCORE", "GOLD", "RETURNED"} <= NAMES.keys()
    assert "customerid" in NAMES["QUERY"].split()
