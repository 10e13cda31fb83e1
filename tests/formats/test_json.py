"""JSON: numbers in full, and null for what JSON has no number for."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gainful.formats.delimited import text

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(value=plain)
def test_values_read_back(value: object) -> None:
    """Also lone surrogates, which represent bytes that are not text."""
    written = text(value)
    written.encode("utf-8")
    assert json.loads(written) == value


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_in_json_is_null(value: float) -> None:
    assert text({"a": [value, (value, 1.5)]}) == '{"a": [null, [null, 1.5]]}\n'
