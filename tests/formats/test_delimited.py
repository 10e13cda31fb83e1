"""TSV and CSV: whatever is written reads back."""

from __future__ import annotations

import csv as reader
import io
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gainful.formats.delimited import csv, tsv

texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8)


@pytest.mark.parametrize(("write", "separator"), [(tsv, "\t"), (csv, ",")])
@given(rows=st.lists(st.tuples(texts, texts), max_size=5))
def test_text_reads_back(write, separator: str, rows: list[tuple[str, str]]) -> None:
    text = "".join(write(["a", "b"], rows))
    found = list(reader.reader(io.StringIO(text, newline=""), delimiter=separator))
    assert found == [["a", "b"], *map(list, rows)]


@given(value=st.floats(allow_nan=False))
def test_numbers_are_written_in_full(value: float) -> None:
    _, line = tsv(["x"], [[value]])
    assert float(line) == value


def test_what_is_not_there_is_nothing_and_not_a_number_is_nan() -> None:
    _, line = csv(["a", "b", "c", "d"], [[None, math.nan, True, 3]])
    assert line == ",nan,True,3\n"
