"""Confidence intervals of rank correlations between two orders of systems."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from gainful.errors import ParameterError
from gainful.inference import Design, correlation_interval, kendall_tau, tau_ap_b
from gainful.inference.rank_correlation import _fit, _populations, _tau_ap_b, _tau_b

RANDOM = np.random.default_rng(7)


def draw(n: int, m: int, noise: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    scores = RANDOM.normal(np.linspace(0.2, 0.6, m), 0.3, size=(n, m))
    return scores, scores + RANDOM.normal(0, noise, size=(n, m))


def test_the_rows_of_arrays_have_the_correlations_of_lists() -> None:
    one, two = RANDOM.integers(0, 5, (40, 6)) / 4, RANDOM.integers(0, 5, (40, 6)) / 4
    for compute, single in ((_tau_b, kendall_tau), (_tau_ap_b, tau_ap_b)):
        expected = [single(a, b) for a, b in zip(one.tolist(), two.tolist(), strict=True)]
        numbers = [np.nan if each is None else each for each in expected]
        assert compute(one, two) == pytest.approx(numbers, nan_ok=True)


def test_isotonic_regression_pools_violators() -> None:
    fitted = _fit(np.array([0.5, 0.1, 0.3, 0.2]), np.array([4.0, 3.0, 2.0, 1.0]))
    assert fitted == pytest.approx([0.5, 0.2, 0.2, 0.2], abs=1e-6)
    assert list(np.argsort(-fitted)) == [0, 1, 2, 3]


def test_populations_go_from_the_same_order_to_the_observed_orders() -> None:
    first, second = np.array([0.1, 0.2, 0.6, 0.7]), np.array([50.0, 60.0, 10.0, 20.0])
    found = _populations(first, second)
    shares = np.arange(len(found), 0, -1) / len(found)
    standardized = [(side - side.mean()) / side.std() for side in (first, second)]
    for share, pair in zip(shares, found, strict=True):
        for own, other, side, fitted in zip(
            standardized, standardized[::-1], (first, second), pair, strict=True
        ):
            # Half of the way leads to the mean of both.
            ranking = np.argsort(own * (1 - share / 2) + other * share / 2)
            regression = isotonic_regression(side[ranking]).x
            assert fitted[ranking] == pytest.approx(regression, abs=1e-6 * np.ptp(side))
    # With the whole share both have the same order.
    assert list(np.argsort(found[0][0])) == list(np.argsort(found[0][1]))
    assert found[-1][0] == pytest.approx(first, abs=1e-6)
    assert found[-1][1] == pytest.approx(second, abs=1e-4)


@pytest.mark.parametrize("statistic", ["tau_b", "tau_ap_b"])
def test_the_interval_contains_the_observed_correlation(statistic: str) -> None:
    correlate = {"tau_b": kendall_tau, "tau_ap_b": tau_ap_b}[statistic]
    for _ in range(20):
        one, two = draw(30, 6)
        observed = correlate(one.mean(axis=0).tolist(), two.mean(axis=0).tolist())
        low, high = correlation_interval(one, two, statistic=statistic, resamples=199)
        assert -1 <= low <= observed <= high <= 1
        assert low < high


def test_more_queries_give_shorter_intervals() -> None:
    widths = []
    for n in (20, 2_000):
        ends = [correlation_interval(*draw(n, 6), resamples=199) for _ in range(10)]
        widths.append(np.mean([high - low for low, high in ends]))
    assert widths[1] < widths[0] / 2


def test_clusters_of_copies_count_once() -> None:
    one, two = draw(15, 5)
    plain = correlation_interval(one, two, resamples=499)
    copies = [np.repeat(side, 4, axis=0) for side in (one, two)]
    clusters = np.repeat(np.arange(15), 4)
    assert correlation_interval(
        *copies, Design(60, clusters=clusters), resamples=499
    ) == pytest.approx(plain)
    tripled = Design(15, weights=[3.0] * 15)
    assert correlation_interval(one, two, tripled, resamples=499) == pytest.approx(plain)


def test_queries_that_count_on_one_side_only_are_resampled_there() -> None:
    one, two = draw(40, 4)
    two[:5] = np.nan
    low, high = correlation_interval(one, two, resamples=199)
    observed = kendall_tau(one.mean(axis=0).tolist(), np.nanmean(two, axis=0).tolist())
    assert observed is not None
    assert low <= observed <= high


def test_there_is_no_interval_without_an_order() -> None:
    one, two = draw(10, 3)
    assert correlation_interval(one[:, :1], two[:, :1]) is None
    assert correlation_interval(one[:1], two[:1]) is None
    assert correlation_interval(np.ones((10, 3)), two) is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"statistic": "rho"}, "statistic"),
        ({"level": 1.0}, "level"),
        ({"resamples": 0}, "resamples"),
        ({"design": Design(10, strata=["a"] * 5 + ["b"] * 5)}, "strata"),
    ],
)
def test_bad_arguments_are_refused(change: dict, message: str) -> None:
    one, two = draw(10, 3)
    with pytest.raises(ParameterError, match=message):
        correlation_interval(one, two, **change)
    with pytest.raises(ParameterError, match="shapes"):
        correlation_interval(one, two[:5])


@pytest.mark.parametrize(("queries", "is_known"), [(7, False), (8, True)])
def test_few_queries_have_no_interval(queries: int, is_known: bool) -> None:
    values = np.random.default_rng(1).random((queries, 3))
    assert (correlation_interval(values, values[::-1], resamples=99) is not None) is is_known
