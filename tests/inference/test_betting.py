"""Confidence sequences: their definition, their order, and coverage at all looks."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest
from scipy import integrate, stats

from gainful.errors import ParameterError
from gainful.inference import always_valid_alpha, always_valid_bound, confidence_sequence

#: The distance of two tested means, of values from 0 to 1.
STEP = 1 / 4_000


def wealth(values: list[float], mean: float, level: float) -> float:
    """Return the largest wealth of the bets against a mean, after any number of values."""
    total, squares = 0.5, 0.25
    bets = [1.0, 1.0]
    largest = 0.0
    for n, value in enumerate(values, 1):
        bet = sqrt(2 * log(2 / (1 - level)) / (squares * log(n + 1)))
        bets[0] *= 1 + min(bet, 0.75 / mean) * (value - mean)
        bets[1] *= 1 - min(bet, 0.75 / (1 - mean)) * (value - mean)
        largest = max(largest, *bets)
        total += value
        squares += (value - total / (n + 1)) ** 2
    return largest / 2


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("n", [5, 40])
def test_the_ends_are_where_the_wealth_reaches_its_limit(n: int, level: float) -> None:
    values = np.random.default_rng(n).beta(2, 5, n).tolist()
    low, high = (float(ends[-1]) for ends in confidence_sequence(values, 0, 1, level=level))
    limit = 1 / (1 - level)
    assert wealth(values, low + 1.01 * STEP, level) < limit
    assert wealth(values, high - 1.01 * STEP, level) < limit
    assert low == 0 or wealth(values, low, level) >= limit
    assert high == 1 or wealth(values, high, level) >= limit


def test_intervals_never_become_wider_and_do_not_depend_on_later_values() -> None:
    values = np.random.default_rng(1).uniform(-1, 1, 60)
    low, high = confidence_sequence(values)
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) <= 0).all()
    for part, whole in zip(confidence_sequence(values[:20]), (low, high), strict=True):
        assert part.tolist() == whole[:20].tolist()


def test_other_limits_only_change_the_scale() -> None:
    values = np.random.default_rng(2).uniform(0, 1, 50)
    scaled = np.array(confidence_sequence(10 * values - 4, -4, 6))
    expected = 10 * np.array(confidence_sequence(values, 0, 1)) - 4
    assert np.abs(scaled - expected).max() <= 10.01 * STEP


@pytest.mark.parametrize("value", [-1.0, 0.0, 1.0])
def test_equal_values_have_an_interval_of_some_width(value: float) -> None:
    low, high = confidence_sequence([value] * 30)
    assert low[-1] <= value <= high[-1]
    assert high[-1] - low[-1] > 0.1


def test_values_that_change_do_not_empty_the_interval() -> None:
    low, high = confidence_sequence([1.0] * 30 + [-1.0] * 300)
    assert low[-1] < high[-1]


def test_no_look_misses_the_mean_too_often() -> None:
    random = np.random.default_rng(3)
    missed = 0
    for _ in range(60):
        low, high = confidence_sequence((random.random(150) < 0.1).astype(float), 0, 1)
        missed += not ((low <= 0.1) & (high >= 0.1)).all()
    assert missed <= 9


@pytest.mark.parametrize(
    ("values", "level"), [([], 0.95), ([1.5], 0.95), ([float("nan")], 0.95), ([0.5], 1.0)]
)
def test_bad_arguments_are_refused(values: list[float], level: float) -> None:
    with pytest.raises(ParameterError):
        confidence_sequence(values, level=level)


@pytest.mark.parametrize(("alpha", "comparisons"), [(0.05, 1), (0.2, 1), (0.05, 6)])
@pytest.mark.parametrize("n", [10, 100, 2_000])
def test_a_mixture_of_likelihood_ratios_reaches_its_limit_at_the_rate(
    n: int, alpha: float, comparisons: int
) -> None:
    rate = always_valid_alpha(n, alpha, comparisons=comparisons) / comparisons
    z = stats.norm.isf(rate / 2)
    # Of normal values with means from the positive half of a normal distribution of variance .09.
    ratio = integrate.quad(
        lambda mean: (
            2 * stats.norm.pdf(mean, 0, 0.3) * np.exp(mean * z * sqrt(n) - n * mean**2 / 2)
        ),
        0,
        3,
        points=[z / sqrt(n)],
    )[0]
    # The expected ratio is 1 without a difference, so it ever reaches the limit with 1 / limit.
    limit = 2 * comparisons / alpha
    assert limit <= ratio < 1.5 * limit


def test_tests_that_are_repeated_after_each_value_err_at_most_at_alpha() -> None:
    random = np.random.default_rng(4)
    sizes = np.arange(2, 401)
    limits = stats.norm.isf([always_valid_alpha(n, 0.2) / 2 for n in sizes.tolist()])
    z = random.normal(size=(2_000, 400)).cumsum(axis=1)[:, 1:] / np.sqrt(sizes)
    assert 0.05 < (abs(z) >= limits).any(axis=1).mean() < 0.2


@pytest.mark.parametrize("values", [(1, 0.05, 1), (10, 0.0, 1), (10, 0.05, 0)])
def test_rates_of_no_test_are_refused(values: tuple[float, float, int]) -> None:
    n, alpha, comparisons = values
    with pytest.raises(ParameterError):
        always_valid_alpha(n, alpha, comparisons=comparisons)


def test_a_bound_has_the_wealth_that_alpha_needs_whatever_the_order() -> None:
    values = np.random.default_rng(8).uniform(-0.4, 0.7, 60)
    low = always_valid_bound(values, alpha=0.05)
    shares = np.geomspace(0.005, 0.98, 20)
    wealth = np.prod(1 + shares * (values[:, None] - low) / (low + 1), axis=0).mean()
    assert wealth == pytest.approx(20, rel=1e-9)
    assert always_valid_bound(values[::-1], alpha=0.05) == pytest.approx(low, abs=1e-12)
    assert always_valid_bound(10 * values - 4, -14, 6, alpha=0.05) == pytest.approx(10 * low - 4)


def test_bounds_keep_their_rate_where_rare_losses_decide() -> None:
    random, wrong = np.random.default_rng(9), 0
    for _ in range(150):
        values = np.where(random.random(200) < 0.03, -0.97, 0.03)
        wrong += any(always_valid_bound(values[:n]) > 0.0 for n in range(25, 201, 25))
    assert wrong <= 150 * 0.05 + 4 * (150 * 0.05 * 0.95) ** 0.5


@pytest.mark.parametrize(("values", "alpha"), [([], 0.05), ([2.0], 0.05), ([0.1], 0.0)])
def test_bounds_refuse_what_they_cannot_bound(values: list[float], alpha: float) -> None:
    with pytest.raises(ParameterError):
        always_valid_bound(values, alpha=alpha)
