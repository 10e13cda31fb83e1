"""Kendall's tau-b equals its definition and scipy.stats.kendalltau 1.17."""

from __future__ import annotations

from itertools import combinations, permutations
from math import nan, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gainful.errors import ParameterError
from gainful.inference import kendall_tau

SMALL = st.integers(0, 4).map(float)
PAIRS = st.lists(st.tuples(SMALL, SMALL), max_size=12)


def by_pairs(first: list[float], second: list[float]) -> float | None:
    """Count pairs as Kendall (1945) does: concordant, discordant, tied."""
    agree = against = 0
    pairs = list(combinations(range(len(first)), 2))
    tied = [sum(side[i] == side[j] for i, j in pairs) for side in (first, second)]
    for i, j in pairs:
        product = (first[i] - first[j]) * (second[i] - second[j])
        agree += product > 0
        against += product < 0
    below = (len(pairs) - tied[0]) * (len(pairs) - tied[1])
    return (agree - against) / sqrt(below) if below else None


@given(PAIRS)
def test_brute_force(values: list[tuple[float, float]]) -> None:
    first, second = [a for a, _ in values], [b for _, b in values]
    found, expected = kendall_tau(first, second), by_pairs(first, second)
    assert found == (expected if expected is None else pytest.approx(expected, rel=1e-15))
    assert kendall_tau(second, first) == found
    reverse = kendall_tau(first, [-value for value in second])
    assert reverse == (None if found is None else -found)
    if kendall_tau(first, first) is not None:
        assert kendall_tau(first, first) == 1.0


@pytest.mark.parametrize(
    ("first", "second", "tau"),
    [
        # scipy.stats.kendalltau(first, second).statistic
        ([12, 2, 1, 12, 2], [1, 4, 7, 1, 0], -0.4714045207910316),
        ([1, 2, 3, 4, 5, 6], [3, 1, 2, 6, 4, 5], 0.4666666666666666),
        ([0.41, 0.41, 0.38, 0.5], [0.2, 0.3, 0.3, 0.9], 0.39999999999999997),
        ([1, 1, 2, 2, 3, 3], [1, 2, 2, 3, 3, 3], 0.7833494518006403),
        ([5, 4, 3, 2, 1], [1, 2, 3, 4, 5], -0.9999999999999999),
    ],
)
def test_it_equals_scipy(first: list[float], second: list[float], tau: float) -> None:
    assert kendall_tau(first, second) == pytest.approx(tau, rel=1e-14)


def test_over_all_orders_the_mean_is_zero() -> None:
    taus = [kendall_tau([1, 2, 3, 4], order) or 0.0 for order in permutations([1, 2, 3, 4])]
    assert sum(taus) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("first", "second"), [([], []), ([1], [2]), ([1, 1], [1, 2]), ([1, nan], [1, 2])]
)
def test_where_it_is_not_defined(first: list[float], second: list[float]) -> None:
    assert kendall_tau(first, second) is None


def test_different_lengths_are_rejected() -> None:
    with pytest.raises(ParameterError, match="found 1 and 2 values"):
        kendall_tau([1], [1, 2])
    with pytest.raises(ParameterError, match="found 3 and 2 values"):
        kendall_tau([1, 2, 3], [1, 2])
