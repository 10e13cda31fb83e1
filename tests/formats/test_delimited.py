"""TSV and CSV: whatever is written reads back."""

from __future__ import annotations

import csv as reader
import io
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gainful.formats.delimited import csv, tsv
from repeated_tests import for_each

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


@pytest.mark.parametrize("write", [tsv, csv])
@pytest.mark.parametrize("cell", ["", None])
def test_an_empty_cell_alone_is_no_blank_line(write, cell: str | None) -> None:
    assert "".join(write(["a"], [[cell], ["b"]])) == 'a\n""\nb\n'


@pytest.mark.parametrize("write", [tsv, csv])
def test_every_line_end_is_quoted(write) -> None:
    assert list(write(["a"], [["b\rc"], ["d\ne"]])) == ["a\n", '"b\rc"\n', '"d\ne"\n']


@for_each(
    ("cell", "written"),
    [
        *((text, f"'{text}") for text in ("=1", " @a", "+x", "+1", " +1", "-1-2", "-1_0", "-inf")),
        *((text, f"'{text}") for text in ("＝1", "＋1", "--1", "-", "-²")),
        *((number, str(number)) for number in ("-1", "-0.5", "1", -1.5, 1.5)),
        (None, '""'),
    ],
)
def test_formulas_are_guarded_and_numbers_are_not(cell: object, written: str) -> None:
    assert "".join(csv(["-x"], [[cell]], spreadsheet=True)) == f"'-x\n{written}\n"


def test_what_is_not_there_is_nothing_and_not_a_number_is_nan() -> None:
    _, line = csv(["a", "b", "c", "d"], [[None, math.nan, True, 3]])
    assert line == ",nan,True,3\n"
