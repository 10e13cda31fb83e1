"""Spearman's rho equals SciPy's, and its interval has its coverage."""

from __future__ import annotations

from math import nan, pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gainful.errors import ParameterError
from gainful.inference.rank_correlation import least_correlation, spearman

SMALL = st.integers(0, 5).map(float)


@given(st.lists(st.tuples(SMALL, SMALL), min_size=2, max_size=15))
def test_it_equals_scipy(pairs: list[tuple[float, float]]) -> None:
    from scipy import stats

    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    found = spearman(first, second)
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert found is None
        return
    assert found is not None
    assert found.rho == pytest.approx(stats.spearmanr(first, second).statistic, abs=1e-12)
    if len(pairs) < 5:
        assert (found.low, found.high) == (None, None)
    else:
        assert found.low is not None
        assert found.high is not None
        assert -1 <= found.low <= found.rho <= found.high <= 1


def test_series_in_the_same_order_have_an_interval() -> None:
    up, down = spearman(range(15), range(15)), spearman(range(15), range(0, -15, -1))
    assert up is not None
    assert down is not None
    assert (up.rho, up.high) == (1.0, 1.0)
    assert up.low is not None
    assert 0.9 < up.low < 1
    assert (down.rho, down.low, down.high) == (-1.0, -1.0, -up.low)
    few = spearman(range(5), range(5))
    assert few is not None
    assert few.low is not None
    assert few.low < 0


@pytest.mark.slow
@pytest.mark.parametrize("n", [8, 15, 30])
@pytest.mark.parametrize("r", [0.0, 0.5, 0.8, 0.95])
def test_the_coverage_is_near_the_level(n: int, r: float) -> None:
    """Of normal pairs; at eight of them it is less exact."""
    rng = np.random.default_rng(7)
    truth = 6 / pi * np.arcsin(r / 2)
    held = 0
    for _ in range(4000):
        x = rng.normal(size=n)
        y = r * x + (1 - r * r) ** 0.5 * rng.normal(size=n)
        found = spearman(x.tolist(), y.tolist())
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
    assert (0.92 if n == 8 else 0.935) <= held / 4000 <= 0.98


@pytest.mark.parametrize(
    ("first", "second"), [([], []), ([1], [2]), ([1, 1], [1, 2]), ([1, nan], [1, 2])]
)
def test_where_it_is_not_defined(first: list[float], second: list[float]) -> None:
    assert spearman(first, second) is None


def test_invalid_arguments_are_rejected() -> None:
    with pytest.raises(ParameterError, match="found 1 and 2 values"):
        spearman([1], [1, 2])
    with pytest.raises(ParameterError, match="level=1"):
        spearman([1, 2], [1, 2], level=1)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
@pytest.mark.parametrize("n", [5, 6, 7, 10, 40])
def test_the_least_correlation_has_an_interval_from_0(n: int, level: float) -> None:
    # The largest correlation below 1: two neighbors are exchanged.
    nearest = spearman(range(n), [1, 0, *range(2, n)], level=level)
    assert nearest is not None
    assert nearest.low is not None
    found = least_correlation(n, level=level)
    assert (found is None) == (nearest.low <= 0.0)
    if found is not None:
        z = stats.norm.ppf((1 + level) / 2)
        assert np.arctanh(found) == pytest.approx(z * np.sqrt((1 + found**2 / 2) / (n - 3)))


@pytest.mark.parametrize(("first", "second"), [([1, 2], [1, 2, 3]), ([1, 2, 3], [1, 2])])
def test_series_of_different_lengths_are_rejected(first: list[float], second: list[float]) -> None:
    with pytest.raises(ParameterError, match="values"):
        spearman(first, second)
