"""Tests and intervals of skewed and sparse differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from gainful.inference import Design, max_t, randomization_test
from gainful.inference.skewness import (
    ALONE,
    FAMILY,
    MOST,
    Columns,
    Strength,
    _normal_of_t,
    _t_of_normal,
    column_sums,
)

#: Small losses on most queries and wins on a few, with mean 0.
SKEWED = np.array(16 * [-0.05] + [0.1, 0.2, 0.2, 0.3])


def test_skewed_differences_have_no_more_errors_than_alpha() -> None:
    random = np.random.default_rng(8)
    corrected = plain = 0
    for seed in range(400):
        # More queries than all sign flips are tried for, which takes longer.
        sample = random.choice(SKEWED, 22)
        corrected += max_t(sample[:, None], resamples=399, seed=seed).p[0] <= 0.05
        plain += randomization_test(sample, resamples=399, seed=seed).p <= 0.05
    assert plain / 400 > 0.065
    assert corrected / 400 < 0.055


def test_ten_clusters_that_all_favor_one_system_are_as_significant_as_sign_flips() -> None:
    means = np.array([0.334, 0.125, 0.15, 0.32, 0.308, 0.203, 0.374, 0.342, 0.312, 0.279])
    design = Design(10, weights=[199, 105, 193, 260, 242, 158, 190, 239, 196, 204])
    assert max_t(means[:, None], design).p[0] == randomization_test(means, design).p == 2 / 1024


def test_skewness_within_chance_does_not_change_the_test_of_one_column() -> None:
    values = np.array([0.5, 0.3, -0.1, 0.2, 0.1, 0.05, 0.0, 0.15, -0.05, 0.1])
    assert 0.7 < stats.skew(values) < 2 * np.sqrt(6 * 8 / (11 * 13))
    assert columns_of(values, ALONE).ratio[0] == pytest.approx(1.0)
    assert columns_of(values, FAMILY).ratio[0] < 1.0


def test_intervals_are_longer_on_the_side_of_the_longer_tail() -> None:
    values = np.concatenate([SKEWED, SKEWED])[:, None]
    found, mirrored = max_t(values), max_t(-values)
    assert found.high[0] > -found.low[0] > 0
    assert (mirrored.low[0], mirrored.high[0]) == pytest.approx((-found.high[0], -found.low[0]))


@given(
    st.lists(st.sampled_from([-0.5, 0.0, 0.0, 0.0, 0.25]), min_size=8, max_size=60),
    st.sampled_from([0.8, 0.95]),
)
@settings(max_examples=50)
def test_intervals_contain_the_t_interval(values: list[float], level: float) -> None:
    array = np.array(values)
    found = max_t(array[:, None], level=level, resamples=199)
    half = stats.t.ppf((1 + level) / 2, len(array) - 1) * Design(len(array)).standard_error(array)
    assert found.low[0] <= array.mean() - half + 1e-9
    assert found.high[0] >= array.mean() + half - 1e-9


def test_one_changed_query_of_forty() -> None:
    values = np.zeros(40)
    values[7] = -0.5
    found = max_t(values[:, None])
    assert found.low[0] < -0.038
    assert found.high[0] > 0.0127
    assert found.p[0] == 1.0


def test_corrected_statistics_do_not_exceed_the_observed_ones() -> None:
    values = np.random.default_rng(2).exponential(size=(30, 50)) - 0.6
    one = np.zeros(30, np.intp)
    columns = Columns([(values[:, :20] / 30, np.full((30, 20), 1 / 30))], one, FAMILY)
    blocks = [(values[:, at : at + 10] / 30, np.full((30, 10), 1 / 30)) for at in (0, 10)]
    assert Columns(blocks, one, FAMILY).observed == pytest.approx(columns.observed)
    assert (columns.ratio < 1).all()
    assert (columns.ratio >= 0).all()


SKEWED_SAMPLES = {
    "skewed to the right": np.array([0.9, 0.02, 0.05, -0.01, 0.3, 0.04, 0.0, 0.11, 0.07, 0.6]),
    "skewed to the left": np.array([-0.9, -0.02, 0.05, -0.01, -0.3, -0.04, 0.0, -0.11, -0.6]),
    "against the skewness": np.array([-0.2, -0.25, -0.3, -0.21, -0.19, -0.4, 0.3, -0.26]),
    "symmetric": np.array([0.1, 0.2, 0.3, 0.4, 0.5]),
    "on the other side of 0": np.array([0.05, -0.05, 0.04, -0.06, 0.02, 0.9]),
}


NO_LIMITS = np.array([[-np.inf], [np.inf]])


def hall(values: np.ndarray, strength: Strength) -> float:
    """Return Student's t of values, with the corrections that the module describes."""
    n, deviations = len(values), values - values.mean()
    squares = (deviations**2).sum() + (deviations**2).max() * strength.deviation
    t = values.mean() / np.sqrt(squares / (n * (n - 1)))
    skewness = stats.skew(values)
    chance = strength.chance * np.sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))
    beyond = np.sign(skewness) * max(abs(skewness) - chance, 0.0)
    g = strength.skewness * beyond * np.sqrt(n * (n - 1)) / (n - 2) / np.sqrt(n)
    if abs(g) > 1e-9:
        moved = ((1 + g * t / 3) ** 3 - 1) / g + g / 6
        t = np.sign(t) * min(abs(t), max(np.sign(t) * moved, abs(t) / MOST))
    return float(t)


def columns_of(values: np.ndarray, strength: Strength) -> Columns:
    n = len(values)
    one = np.full((n, 1), 1 / n)
    return Columns([(values[:, None] / n, one)], np.zeros(n, np.intp), strength)


@pytest.mark.parametrize("strength", [ALONE, FAMILY])
@pytest.mark.parametrize("name", list(SKEWED_SAMPLES))
def test_statistics_are_those_of_hall(name: str, strength: Strength) -> None:
    values = SKEWED_SAMPLES[name]
    n, t = len(values), abs(hall(values, strength))
    found = columns_of(values, strength)
    assert found.student_p()[0] == pytest.approx(2 * stats.t.sf(t, n - 1), abs=1e-12)
    # An increasing function of t: the sum divided by the root of the sum of squares.
    assert found.observed[0] == pytest.approx(np.sqrt(n * t**2 / (n - 1 + t**2)))
    raw = abs(values.sum()) / np.sqrt((values**2).sum())
    assert found.ratio[0] == pytest.approx(found.observed[0] / raw)


def test_statistics_of_unequal_shares() -> None:
    values = np.array([0.9, 0.02, 0.05, -0.01, 0.3, 0.04, 0.6, 0.11])
    shares = np.array([0.3, 0.05, 0.05, 0.1, 0.2, 0.1, 0.15, 0.05])
    parts, n = values * shares, len(values)
    found = Columns([(parts[:, None], shares[:, None])], np.zeros(n, np.intp), FAMILY)
    residuals = parts - parts.sum() * shares
    u = parts.sum() / np.sqrt((parts**2).sum() + (residuals**2).max() / 3)
    # The skewness makes this mean more significant, so it does not count.
    assert found.observed[0] == pytest.approx(u)
    t = u * np.sqrt((n - 1) / (n - u**2))
    assert found.student_p()[0] == pytest.approx(2 * stats.t.sf(t, n - 1))


@pytest.mark.parametrize("name", list(SKEWED_SAMPLES))
@pytest.mark.parametrize("critical", [0.5, 1.9, 2.2])
@pytest.mark.parametrize("strength", [ALONE, FAMILY])
def test_at_the_ends_of_intervals_statistics_are_critical(
    name: str, critical: float, strength: Strength
) -> None:
    values, alpha = SKEWED_SAMPLES[name], 0.3
    n = len(values)
    of_student = stats.t.ppf(1 - alpha / 2, n - 1)
    least = max(np.sqrt(critical**2 * (n - 1) / (n - critical**2)), of_student)
    low, high = columns_of(values, strength).bounds(critical, alpha, NO_LIMITS)
    assert hall(values - low[0], strength) == pytest.approx(least)
    assert hall(values - high[0], strength) == pytest.approx(-least)


@pytest.mark.parametrize(("n", "bounded"), [(5, False), (6, True)])
def test_five_queries_cannot_be_significant(n: int, bounded: bool) -> None:
    """Two of 2^n choices of signs are as extreme as all signs alike: 2 / 32 exceeds 5%."""
    low, high = columns_of(np.linspace(0.1, 0.9, n), ALONE).bounds(2.0, 0.05, NO_LIMITS)
    assert np.isfinite([low[0], high[0]]).all() == bounded


def test_stepwise_p_values_find_more_than_the_maximum_of_all_columns() -> None:
    random = np.random.default_rng(4)
    values = random.normal([0.8, 0.8, 0.8, 0.36], 1.0, (60, 4))
    found = max_t(values, resamples=20_000)
    alone = max_t(values[:, [3]], resamples=20_000)
    # The others are more significant, so the last column competes only with itself.
    assert found.p[3] == found.p.max()
    assert alone.p[0] < found.p[3] < 1.3 * alone.p[0]
    assert found.low[3] < alone.low[0]


SIZES = (6, 11, 40)
COLLECTIONS = np.repeat(np.arange(3), SIZES)


def test_differences_between_strata_do_not_change_the_corrected_p() -> None:
    random = np.random.default_rng(5)
    values = random.exponential(size=(57, 4)) - 0.5
    design = Design(57, strata=COLLECTIONS)

    def columns(moved: np.ndarray) -> Columns:
        shares = np.repeat(design.unit_shares()[:, None], 4, axis=1)
        blocks = [(design.contributions(moved), shares)]
        return Columns(blocks, design.stratum_of_unit, FAMILY)

    # The macro-average stays the same.
    moved = values + np.array([2.0, -0.5, -1.5])[COLLECTIONS, None]
    assert columns(moved).student_p() == pytest.approx(columns(values).student_p())
    assert (columns(moved).student_p() < 0.9).any()


def test_strata_have_the_standard_error_and_degrees_of_freedom_of_the_design() -> None:
    random = np.random.default_rng(6)
    values = random.normal(size=57)
    design = Design(57, strata=COLLECTIONS)
    sums = column_sums(
        design.contributions(values), design.unit_shares()[:, None], design.stratum_of_unit
    )
    n = sums.units[0]
    error = np.sqrt(sums.squares[0] * n / (n - 1))
    assert sums.stratified.all()
    assert error == pytest.approx(design.standard_error(values))
    q = 1 / np.array(SIZES)
    most = q.sum() ** 2 / (q**2 / (np.array(SIZES) - 1)).sum()
    df = min(design.degrees_of_freedom(values), most)
    assert 0.99 * df <= n - 1 <= df


@pytest.mark.parametrize("n", [3, 4, 20])
def test_skewness_is_that_of_unbiased_cumulants(n: int) -> None:
    values = np.random.default_rng(n).exponential(size=(n, 2))
    sums = column_sums(values / n, np.full((n, 2), 1 / n), np.zeros(n, np.int64))
    found = sums.unbiased * sums.cubes / sums.squares**1.5 * np.sqrt(n)
    assert found == pytest.approx(stats.skew(values, bias=False))


def test_normal_values_are_as_rare_as_t() -> None:
    t = np.linspace(0.25, 6.0, 24)
    for units, error in ((11.0, 3e-3), (31.0, 6e-4), (1001.0, 1e-6)):
        found = _normal_of_t(t, np.float64(units))
        assert found == pytest.approx(stats.norm.isf(stats.t.sf(t, units - 1)), rel=error)
        assert _t_of_normal(found, np.float64(units)) == pytest.approx(t)


def test_one_stratum_with_queries_is_treated_as_without_strata() -> None:
    values = np.random.default_rng(7).exponential(size=(57, 2)) - 0.8
    absent = np.where(COLLECTIONS[:, None] == 2, values, np.nan)
    strata = max_t(absent, Design(57, strata=COLLECTIONS), resamples=999)
    alone = max_t(values[COLLECTIONS == 2], resamples=999)
    for one, other in zip(strata, alone, strict=True):
        assert one == pytest.approx(other, abs=0.02)


@given(
    st.lists(st.sampled_from([-0.5, 0.0, 0.0, 0.25, 0.5]), min_size=57, max_size=57),
    st.sampled_from([0.0, 0.2, 0.6]),
    st.booleans(),
)
@settings(max_examples=50)
def test_intervals_of_strata_agree_with_p(values: list[float], lift: float, gaps: bool) -> None:
    array = np.array(values)[:, None] + lift * (COLLECTIONS[:, None] - 0.5)
    if gaps:
        array[[0, 7, 30]] = np.nan
    found = max_t(array, Design(57, strata=COLLECTIONS), limits=(-2, 2), resamples=199)
    assert found.low[0] <= found.high[0]
    assert (found.p[0] <= 0.05) == (found.low[0] > 0.0 or found.high[0] < 0.0)


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_intervals_end_at_gaps_of_what_is_rejected(side: float) -> None:
    """With few units of unequal shares, shifts are rejected in a gap, and not beyond it."""
    shares, critical, gaps = np.array([0.6, 0.25, 0.15]), 1.6, 0
    for seed in range(400):
        parts = np.random.default_rng(seed).normal(size=3) * shares
        columns = Columns([(parts[:, None], shares[:, None])], np.zeros(3, np.intp), FAMILY)
        end = float(columns._end(np.array([critical]), side, columns._about_means)[0])
        end -= float(parts.sum())
        if not np.isfinite(end):
            assert end == side * np.inf
            continue
        gaps += 1
        # What exceeds 0 is rejected: the square of the statistic minus the critical one.
        a, b, c = (float(each[0]) for each in columns._about_means)
        excess = np.polynomial.Polynomial(
            [-(critical**2) * a, 2 * critical**2 * b, 1 - critical**2 * c]
        )
        assert end * side > 0.0
        assert excess(end) == pytest.approx(0.0, abs=1e-9)
        assert max(excess(end * np.linspace(0.0, 0.99, 50))) < 0.0
        assert excess(end * (1 + 1e-4)) > 0.0
    assert gaps > 20


def test_p_values_below_the_least_are_not_needed() -> None:
    random = np.random.default_rng(5)
    n, means = 12, np.append(np.linspace(0.0, 3.0, 60), 1e9)
    values = random.exponential(1.0, (n, 61)) - 1.0 + means
    values[:, 7] = 0.0
    columns = Columns([(values / n, np.full((n, 61), 1 / n))], np.zeros(n, np.intp), FAMILY)
    p = columns.student_p()
    assert p[7] == 0.0
    assert p[-1] < 1e-9 < p[:20].max()
    for least in (1e-5, 0.01, np.linspace(0.0, 1.0, 61)):
        assert columns.student_p(least).tolist() == np.maximum(p, least).tolist()
