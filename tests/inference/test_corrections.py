"""Holm and Benjamini-Hochberg."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gainful.errors import ParameterError
from gainful.inference import benjamini_hochberg, holm
from requirements import need

P_VALUES = st.lists(st.floats(0, 1) | st.sampled_from([0.01, 0.05, 1.0]), min_size=1, max_size=30)


@pytest.mark.parametrize(("ours", "theirs"), [(holm, "holm"), (benjamini_hochberg, "fdr_bh")])
def test_they_equal_statsmodels(ours, theirs, monkeypatch) -> None:
    need("statsmodels")
    from statsmodels.stats.multitest import multipletests

    # Statsmodels collects garbage in each call, which takes a minute at the end of a test run.
    monkeypatch.setattr("gc.collect", lambda: 0)

    @given(p_values=P_VALUES)
    def check(p_values) -> None:
        expected = multipletests(p_values, method=theirs)[1]
        assert ours(p_values) == pytest.approx(expected, rel=1e-12, abs=1e-300)

    check()


def test_by_hand() -> None:
    assert holm([0.02, 0.01, 0.5]) == [0.04, 0.03, 0.5]
    assert benjamini_hochberg([0.02, 0.01, 0.5]) == pytest.approx([0.03, 0.03, 0.5])
    assert holm([]) == benjamini_hochberg([]) == []


@pytest.mark.parametrize("correction", [holm, benjamini_hochberg])
@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_invalid_p_values_are_rejected(correction, wrong) -> None:
    with pytest.raises(ParameterError, match="p-values from 0 to 1"):
        correction([0.5, wrong])
