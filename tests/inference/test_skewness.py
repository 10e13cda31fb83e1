"""Tests and intervals of skewed and sparse differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from gainful.inference import Design, max_t, randomization_test
from gainful.inference.skewness import Columns

#: Small losses on most queries and wins on a few, with mean 0.
SKEWED = np.array(16 * [-0.05] + [0.1, 0.2, 0.2, 0.3])


def test_skewed_differences_have_no_more_errors_than_alpha() -> None:
    random = np.random.default_rng(8)
    corrected = plain = 0
    for seed in range(400):
        sample = random.choice(SKEWED, 20)
        corrected += max_t(sample[:, None], resamples=399, seed=seed).p[0] <= 0.05
        plain += randomization_test(sample, resamples=399, seed=seed).p <= 0.05
    assert plain / 400 > 0.08
    assert corrected / 400 < 0.055


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
    columns = Columns([(values[:, :20] / 30, np.full((30, 20), 1 / 30))])
    blocks = [(values[:, at : at + 10] / 30, np.full((30, 10), 1 / 30)) for at in (0, 10)]
    assert Columns(blocks).observed == pytest.approx(columns.observed)
    assert (columns.ratio < 1).all()
    assert (columns.ratio >= 0).all()


def test_stepwise_p_values_find_more_than_the_maximum_of_all_columns() -> None:
    random = np.random.default_rng(4)
    values = random.normal([0.8, 0.8, 0.8, 0.36], 1.0, (60, 4))
    found = max_t(values, resamples=20_000)
    alone = max_t(values[:, [3]], resamples=20_000)
    # The others are more significant, so the last column competes only with itself.
    assert found.p[3] == found.p.max()
    assert found.p[3] == pytest.approx(alone.p[0])
    assert found.low[3] < alone.low[0]
