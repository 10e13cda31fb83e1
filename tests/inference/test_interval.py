"""The interval for a mean."""

from __future__ import annotations

import math
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gainful.errors import ParameterError
from gainful.inference import (
    binomial_interval,
    gaffke_interval,
    geometric_interval,
    mean_interval,
)


def varied(least: float, most: int) -> st.SearchStrategy[list[float]]:
    values = st.lists(st.floats(least, 1), min_size=2, max_size=most)
    return values.filter(lambda drawn: max(drawn) - min(drawn) > 1e-6)


@given(varied(0.0, 200), st.floats(0.5, 0.999))
def test_it_equals_scipy(values: list[float], level: float) -> None:
    from scipy import stats

    mean, deviation = statistics.fmean(values), statistics.stdev(values)
    found = mean_interval(mean, deviation, len(values), level)
    assert found is not None
    error = deviation / math.sqrt(len(values))
    half = float(stats.t.ppf((1 + level) / 2, len(values) - 1)) * error
    assert found == pytest.approx((mean - half, mean + half), rel=1e-9, abs=1e-12)


def test_a_worked_example() -> None:
    # Two values, 0 and 1: t = 12.7062 with one degree of freedom, deviation 0.7071.
    found = mean_interval(0.5, math.sqrt(0.5), 2)
    assert found == pytest.approx((0.5 - 6.353102368, 0.5 + 6.353102368), rel=1e-9)


def test_it_is_clipped_to_the_range_but_never_past_the_mean() -> None:
    assert mean_interval(0.5, math.sqrt(0.5), 2, low=0.0, high=1.0) == (0.0, 1.0)
    low, high = mean_interval(0.9, 0.1, 10, low=0.0) or (0.0, 0.0)
    assert low > 0.0
    assert high == pytest.approx(0.9715, abs=1e-4)
    # A mean above the range, from duplicates that count: the interval contains it.
    assert mean_interval(1.2, 0.5, 3, low=0.0, high=1.0) == (0.0, 1.2)
    assert mean_interval(-0.2, 0.01, 100, low=0.0) == pytest.approx((-0.2, -0.198), abs=1e-3)


@pytest.mark.parametrize("mean", [0.0, 0.7])
@pytest.mark.parametrize("limits", [{}, {"low": 0.0}, {"high": 1.0}])
def test_equal_values_without_a_limit_have_no_interval(
    mean: float, limits: dict[str, float]
) -> None:
    assert mean_interval(mean, 0.0, 10, **limits) is None
    assert mean_interval(mean, 1e-17 * mean, 10, **limits) is None


@given(st.integers(0, 30), st.sampled_from([0.8, 0.95]))
def test_gaffkes_interval_of_successes_is_the_exact_one(successes: int, level: float) -> None:
    values = [1.0] * successes + [0.0] * (30 - successes)
    expected = binomial_interval(successes, 30, level=level)
    assert gaffke_interval(values, level=level) == pytest.approx(expected, abs=0.01)


def test_gaffkes_interval_scales_with_the_limits() -> None:
    values = [0.1, 0.3, 0.35, 0.9]
    low, high = gaffke_interval(values)
    assert 0.0 < low < 0.4125 < high < 1.0
    scaled = gaffke_interval([4 * value - 1 for value in values], -1.0, 3.0)
    assert scaled == pytest.approx((4 * low - 1, 4 * high - 1))


@pytest.mark.parametrize("values", [[], [1.5], [float("nan")], [[0.5]]])
def test_gaffkes_interval_refuses_other_values(values: list[float]) -> None:
    with pytest.raises(ParameterError, match="from 0 to 1"):
        gaffke_interval(values)


#: Shares of queries and their values, the rare of which samples often lack.
RARE = {
    "97% from .95 to 1, 3% 0": ([0.97, 0.03], [(0.95, 1.0), (0.0, 0.0)]),
    "50% 0, 45% .1, 5% 1": ([0.5, 0.45, 0.05], [(0.0, 0.0), (0.1, 0.1), (1.0, 1.0)]),
    "90% near .3, 10% 1": ([0.9, 0.1], [(0.28, 0.32), (1.0, 1.0)]),
}


@pytest.mark.parametrize("n", [10, 25])
@pytest.mark.parametrize("population", RARE)
def test_gaffkes_interval_covers_means_of_rare_values(population: str, n: int) -> None:
    shares, ranges = RARE[population]
    true = sum(share * sum(ends) / 2 for share, ends in zip(shares, ranges, strict=True))
    draw, covered = random.Random(f"{population} {n}"), 0
    for _ in range(200):
        values = [draw.uniform(*draw.choices(ranges, shares)[0]) for _ in range(n)]
        low, high = gaffke_interval(values, resamples=500)
        covered += low <= true <= high
    assert covered / 200 > 0.93


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=10, max_size=200))
def test_successes_have_the_interval_with_one_success_and_one_failure_more(
    values: list[float],
) -> None:
    found = mean_interval(
        statistics.fmean(values), statistics.stdev(values), len(values), 0.9, 0, 1
    )
    more = [*values, 0.0, 1.0]
    expected = mean_interval(
        statistics.fmean(more), statistics.stdev(more), len(more), 0.9, df=len(values) - 1
    )
    assert found is not None
    assert expected is not None
    mean = statistics.fmean(values)
    assert found == pytest.approx(
        (max(min(expected[0], mean), 0.0), min(max(expected[1], mean), 1.0)), abs=1e-9
    )


@given(st.lists(st.floats(0, 1), min_size=2, max_size=50), st.floats(0.5, 0.999))
def test_the_interval_of_a_bounded_measure_has_a_width_and_contains_the_mean(
    values: list[float], level: float
) -> None:
    mean, deviation = statistics.fmean(values), statistics.stdev(values)
    found = mean_interval(mean, deviation, len(values), level, 0.0, 1.0)
    assert found is not None
    assert 0.0 <= found[0] <= mean <= found[1] <= 1.0
    assert found[1] - found[0] > 1e-4


def test_the_interval_does_not_depend_on_the_unit_or_the_direction() -> None:
    values = [0.0, 0.0, 0.25, 1.0, 0.0, 0.5, 0.125, 0.0, 0.0, 1.0]
    mean, deviation = statistics.fmean(values), statistics.stdev(values)
    low, high = mean_interval(mean, deviation, 10, low=0.0, high=1.0) or (0.0, 0.0)
    mirrored = mean_interval(1.0 - mean, deviation, 10, low=0.0, high=1.0)
    assert mirrored == pytest.approx((1.0 - high, 1.0 - low))
    scaled = mean_interval(4 * mean - 1, 4 * deviation, 10, low=-1.0, high=3.0)
    assert scaled == pytest.approx((4 * low - 1, 4 * high - 1))


def test_rounding_at_the_end_of_the_range_changes_nothing() -> None:
    exact = mean_interval(1.0, 0.0, 25, low=0.0, high=1.0)
    for mean in (1.0 - 1e-15, 1.0 + 1e-15):
        assert mean_interval(mean, 1e-16, 25, low=0.0, high=1.0) == pytest.approx(exact)


def test_many_values_that_vary_little_have_students_interval() -> None:
    # P@100 of the demo's title-words: one value at each end would make the interval 4 times wider.
    usual = mean_interval(0.027, 0.017, 200)
    found = mean_interval(0.027, 0.017, 200, low=0.0, high=1.0)
    assert usual is not None
    assert found is not None
    assert found[1] - found[0] < 1.03 * (usual[1] - usual[0])


@pytest.mark.parametrize(
    ("mean", "deviation", "n"),
    [(0.5, 0.1, 1), (0.5, 0.1, 0), (math.nan, 0.1, 5), (0.5, math.nan, 5), (math.inf, 0.1, 5)],
)
def test_undefined_intervals_are_none(mean: float, deviation: float, n: int) -> None:
    assert mean_interval(mean, deviation, n) is None


def test_the_coverage_equals_the_level() -> None:
    draw = random.Random(7)
    hits = 0
    for _ in range(2000):
        values = [draw.gauss(0.3, 0.2) for _ in range(8)]
        low, high = mean_interval(statistics.fmean(values), statistics.stdev(values), 8, 0.9) or (
            1.0,
            1.0,
        )
        hits += low <= 0.3 <= high
    assert hits / 2000 == pytest.approx(0.9, abs=0.02)


def test_the_cached_quantile_depends_on_level_and_number() -> None:
    narrow = mean_interval(0.0, 1.0, 10, 0.5)
    wide = mean_interval(0.0, 1.0, 10, 0.99)
    fewer = mean_interval(0.0, 1.0, 5, 0.99)
    assert narrow is not None
    assert wide is not None
    assert fewer is not None
    assert narrow[1] < wide[1] < fewer[1]
    assert mean_interval(0.0, 1.0, 10, 0.5) == narrow


@pytest.mark.parametrize("level", [0.0, 1.0, -0.5, 95.0, math.nan])
def test_the_level_is_checked(level: float) -> None:
    with pytest.raises(ParameterError, match="expected a number between 0 and 1"):
        mean_interval(0.5, 0.1, 10, level)


def test_the_deviation_is_checked() -> None:
    with pytest.raises(ParameterError, match="expected a number of 0 or more"):
        mean_interval(0.5, -0.1, 10)


@given(varied(0.001, 50))
def test_a_geometric_mean_has_the_interval_of_the_logarithms(values: list[float]) -> None:
    logarithms = [math.log(value) for value in values]
    mean, deviation = statistics.fmean(logarithms), statistics.stdev(logarithms)
    expected = mean_interval(mean, deviation, len(values))
    assert expected is not None
    found = geometric_interval(math.exp(mean), deviation, len(values))
    assert found is not None
    assert found[0] == pytest.approx(math.exp(expected[0]), rel=1e-9)
    # What is beyond all numbers is very large instead.
    assert found[1] == pytest.approx(math.exp(min(expected[1], 700)), rel=1e-9)
    low, high = geometric_interval(math.exp(mean), deviation, len(values), 0.95, 0.0, 1.0) or (1, 0)
    assert low * (1 + 1e-9) >= 0.00001
    assert low <= math.exp(mean) <= high
    assert high <= max(1.0, math.exp(mean))
    assert low < high


def test_undefined_geometric_intervals_are_none() -> None:
    assert geometric_interval(0.5, 0.1, 1) is None
    assert geometric_interval(math.nan, 0.1, 5) is None
    assert geometric_interval(0.0, 0.1, 5) is None
