"""The exact interval of a proportion equals SciPy's; that of a ratio inverts the t test."""

from __future__ import annotations

import numpy as np
import pytest

from gainful.errors import ParameterError
from gainful.inference.paired import paired_t
from gainful.inference.proportions import binomial_interval, ratio_interval


@pytest.mark.parametrize("n", [1, 5, 24])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_it_equals_scipy(n: int, level: float) -> None:
    from scipy import stats

    for k in range(n + 1):
        ends = stats.binomtest(k, n).proportion_ci(confidence_level=level, method="exact")
        found = binomial_interval(k, n, level=level)
        assert found == pytest.approx((ends.low, ends.high), rel=1e-9, abs=1e-12)


def test_the_coverage_is_at_least_the_level() -> None:
    from scipy import stats

    intervals = [binomial_interval(k, 15) for k in range(16)]
    for at in range(1, 100):
        p = at / 100
        held = sum(
            stats.binom.pmf(k, 15, p) for k, (low, high) in enumerate(intervals) if low <= p <= high
        )
        assert held >= 0.95 - 1e-9


def test_no_trials_have_the_full_interval() -> None:
    assert binomial_interval(0, 0) == (0.0, 1.0)


def test_invalid_arguments_are_rejected() -> None:
    with pytest.raises(ParameterError, match="3 successes in 2 trials"):
        binomial_interval(3, 2)
    with pytest.raises(ParameterError, match="level=1"):
        binomial_interval(1, 2, level=1)


@pytest.mark.parametrize("n", [2, 3, 10])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_ends_of_a_ratio_are_where_the_t_test_is_significant(n: int, level: float) -> None:
    random = np.random.default_rng(n)
    above, below = random.uniform(0, 1, n), random.uniform(0.9, 1, n)
    interval = ratio_interval(above, below, level=level)
    assert interval is not None
    for end in interval:
        assert paired_t(above - end * below).p == pytest.approx(1 - level, rel=1e-6)


def test_a_ratio_needs_two_numbers_for_each_query() -> None:
    for above, below in (([0.5, 0.5], [0.5]), ([0.5], [0.5, 0.5]), ([[0.5, 0.5]], [[0.5, 0.5]])):
        with pytest.raises(ParameterError, match="ratio_interval"):
            ratio_interval(above, below)
    assert ratio_interval([0.5], [0.5]) is None
