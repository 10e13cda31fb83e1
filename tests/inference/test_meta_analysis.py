"""Random effects: a published example, the t test, coverage; means over queries and raters."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest

from gainful.errors import ParameterError
from gainful.inference import crossed_mean, mean_interval, paired_t, random_effects
from gainful.inference.interval import quantile

#: Trials of the BCG vaccine: treated with and without tuberculosis, and controls (metafor's
#: dat.bcg).
TRIALS = (
    (4, 119, 11, 128),
    (6, 300, 29, 274),
    (3, 228, 11, 209),
    (62, 13536, 248, 12619),
    (33, 5036, 47, 5761),
    (180, 1361, 372, 1079),
    (8, 2537, 10, 619),
    (505, 87886, 499, 87892),
    (29, 7470, 45, 7232),
    (17, 1699, 65, 1600),
    (186, 50448, 141, 27197),
    (5, 2493, 3, 2338),
    (27, 16886, 29, 17825),
)


def test_tau_is_that_of_metafor() -> None:
    effects = [log(a / (a + b) / (c / (c + d))) for a, b, c, d in TRIALS]
    errors = [sqrt(1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)) for a, b, c, d in TRIALS]
    estimate = random_effects(effects, errors)
    assert estimate is not None
    # rma(yi, vi, method="HE")
    assert estimate.tau**2 == pytest.approx(0.3286, abs=5e-5)


@pytest.mark.parametrize("k", [3, 6, 20])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
def test_the_interval_agrees_with_the_t_test(k: int, level: float) -> None:
    effects = np.random.default_rng(k).normal(0.1, 0.2, k)
    estimate = random_effects(effects.tolist(), [0.01] * k, level=level)
    assert estimate is not None
    for end in (estimate.low, estimate.high):
        assert paired_t(effects - end).p == pytest.approx(1 - level, rel=1e-9)
    reach = -quantile((1 - level) / 2, k - 1) * sqrt(np.var(effects, ddof=1) * (1 + 1 / k))
    assert estimate.prediction_low == pytest.approx(estimate.mean - reach)
    assert estimate.prediction_high == pytest.approx(estimate.mean + reach)


def test_effects_that_vary_less_than_their_errors_have_tau_0() -> None:
    estimate = random_effects([0.1, 0.12, 0.11], [0.05, 0.05, 0.05])
    assert estimate is not None
    assert estimate.tau == 0.0


@pytest.mark.parametrize("effects", [[], [0.1], [0.1, 0.3], [0.1, 0.1, 0.1]])
def test_few_or_equal_effects_have_no_interval(effects: list[float]) -> None:
    assert random_effects(effects, [0.1] * len(effects)) is None


@pytest.mark.parametrize(("errors", "level"), [([0.1], 0.95), ([0.1] * 3, 1.0), ([0.1] * 3, 0.0)])
def test_bad_arguments_are_refused(errors: list[float], level: float) -> None:
    with pytest.raises(ParameterError):
        random_effects([0.1, 0.2, 0.3], errors, level=level)


def test_means_over_queries_and_raters_are_those_of_an_analysis_of_variance() -> None:
    random = np.random.default_rng(2)
    n, m = 12, 4
    values = random.normal(size=(n, 1)) + random.normal(size=m) + random.normal(size=(n, m))
    whole = values.mean()
    queries = m * sum((values[row].mean() - whole) ** 2 for row in range(n)) / (n - 1)
    raters = n * sum((values[:, column].mean() - whole) ** 2 for column in range(m)) / (m - 1)
    df = (queries + raters) ** 2 / (queries**2 / (n - 1) + raters**2 / (m - 1))
    half = quantile(0.95, df) * sqrt((queries + raters) / (n * m))
    found = crossed_mean(values, level=0.9)
    assert found is not None
    expected = (whole, whole - half, whole + half)
    assert found[:3] == pytest.approx(expected)
    assert found.query_error == pytest.approx(sqrt(queries / (n * m)))
    assert found.rater_error == pytest.approx(sqrt(raters / (n * m)))


def test_raters_who_agree_leave_the_t_test() -> None:
    values = np.random.default_rng(3).normal(0.3, 1.0, 20)
    found = crossed_mean(np.repeat(values[:, None], 3, axis=1))
    assert found is not None
    expected = mean_interval(values.mean(), values.std(ddof=1), len(values))
    assert (found.low, found.high) == pytest.approx(expected)


def test_two_raters_give_the_t_interval_of_either_sample_alone() -> None:
    ends = np.array([[0.1, 0.5], [0.3, 0.3], [0.2, 0.9]])
    for values in (ends[:, :1] + np.zeros(2), (ends[0] + np.zeros((3, 1)))):
        found = crossed_mean(values)
        sample = values[:, 0] if np.ptp(values[:, 0]) else values[0]
        assert found is not None
        expected = mean_interval(sample.mean(), sample.std(ddof=1), len(sample))
        assert (found.low, found.high) == pytest.approx(expected)


def test_few_raters_and_equal_means_have_no_mean_over_them() -> None:
    table = np.arange(8.0).reshape(4, 2)
    for values in (table[:, :1], table.T[:1], np.ones((4, 3)), np.eye(3)):
        assert crossed_mean(values) is None
    for values in (table * np.nan, table[0]):
        with pytest.raises(ParameterError):
            crossed_mean(values)
    with pytest.raises(ParameterError):
        crossed_mean(table, level=1.0)
