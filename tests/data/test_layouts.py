"""What is written in any layout and source is read as it was meant, or refused with a hint."""

from __future__ import annotations

import itertools
from pathlib import Path
from random import Random

import pytest

from combinations import ALL
from layouts import LAYOUTS, NAMES, SOURCES, applies, outcome
from requirements import need

#: Of the sources that need a library.
NEEDS = {
    **dict.fromkeys(("Parquet", "Arrow", "PyArrow"), "pyarrow"),
    "pandas": "pandas",
    "polars": "polars",
}


@pytest.mark.parametrize("source", SOURCES)
def test_the_truth_is_read(source: str, tmp_path: Path) -> None:
    if source in NEEDS:
        need(NEEDS[source])
    layouts = [layout for layout in LAYOUTS if applies(LAYOUTS[layout], source)]
    for layout, number in itertools.product(layouts, range(200 if ALL else 2)):
        chance = Random(f"{layout} {source} {number}")
        try:
            outcome(LAYOUTS[layout], source, chance, tmp_path)
        except Exception as error:
            error.add_note(f"{layout}, draw {number}")
            raise


def test_the_names_are_those_of_the_kernel() -> None:
    assert {"QUERY", "DOCUMENT", "GRADE", "SCORE", "GOLD", "RETURNED"} <= NAMES.keys()
    assert "customerid" in NAMES["QUERY"].split()
