"""Rank correlations of thousands of items equal the definitions, without comparing every pair."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from scipy.stats import kendalltau

from gainful.inference import kendall_tau, tau_ap, tau_ap_b

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Correlation = Callable[[Sequence[float], Sequence[float]], float | None]


class Compared(float):
    """A number that counts how often it is compared."""

    comparisons = 0

    def __lt__(self, other: float) -> bool:
        Compared.comparisons += 1
        return float.__lt__(self, other)

    def __gt__(self, other: float) -> bool:
        Compared.comparisons += 1
        return float.__gt__(self, other)

    __hash__ = float.__hash__


def draw(items: int, levels: int) -> list[float]:
    """Return values, of which some are equal if there are fewer levels than items."""
    draws = random.Random(levels)
    return [draws.randrange(levels) / levels for _ in range(items)]


def exact_tau_ap(truth: list[float], estimate: list[float]) -> Fraction:
    """Return the mean over all orders of tied items, from its definition."""
    total = Fraction(0)
    for item, value in enumerate(estimate):
        above = [other for other, level in enumerate(estimate) if level > value]
        right = sum(truth[other] > truth[item] for other in above)
        tied = estimate.count(value)
        for k in range(not above, tied):
            total += (right + Fraction(k, 2)) / (len(above) + k) / tied
    return 2 * total / (len(truth) - 1) - 1


@pytest.mark.parametrize("levels", [1, 2, 7, 150, 10**9])
def test_tau_ap_is_exact_with_and_without_ties(levels: int) -> None:
    truth, estimate = random.Random(0).sample(range(900), 150), draw(150, levels)
    exact = exact_tau_ap(truth, estimate)
    assert tau_ap(truth, estimate) == pytest.approx(float(exact), abs=1e-15)
    together = list(zip(truth, estimate, strict=True))
    random.Random(2).shuffle(together)
    assert tau_ap(*zip(*together, strict=True)) == tau_ap(truth, estimate)


@pytest.mark.parametrize("levels", [(2, 3), (5, 2000), (10**9, 10**8)])
def test_kendall_tau_of_many_items_equals_scipy(levels: tuple[int, int]) -> None:
    first, second = (draw(3000, count) for count in levels)
    expected = kendalltau(first, second).statistic
    assert kendall_tau(first, second) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("correlation", [kendall_tau, tau_ap, tau_ap_b])
def test_not_every_pair_is_compared(correlation: Correlation) -> None:
    first, second = ([Compared(value) for value in draw(1000, 10**9 + k)] for k in range(2))
    Compared.comparisons = 0
    correlation(first, second)
    assert 0 < Compared.comparisons < 100_000
