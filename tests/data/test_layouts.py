"""What is written in any layout and source is read as it was meant, or refused with a hint."""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


@pytest.mark.parametrize(("layout", "source"), COMBINATIONS)
@settings(max_examples=200 if ALL else 3)
@given(chance=st.randoms(use_true_random=False))
def test_the_truth_is_read(layout: str, source: str, chance: Random) -> None:
    if source in NEEDS:
        need(NEEDS[source])
    with TemporaryDirectory() as folder:
        outcome(LAYOUTS[layout], source, chance, Path(folder))


def test_the_names_are_those_of_the_kernel() -> None:
    assert {"QUERY", "DOCUMENT", "GRADE", "SCORE", "GOLD", "RETURNED"} <= NAMES.keys()
    assert "customerid" in NAMES["QUERY"].split()
