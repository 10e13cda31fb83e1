"""Bootstrap intervals."""

from __future__ import annotations

import numpy as np
import pytest

from gainful.errors import ParameterError
from gainful.inference import Design, bca_interval, percentile_interval

INTERVALS = [bca_interval, percentile_interval]
# Skewed, as differences are where a few queries decide.
DIFFERENCES = np.random.default_rng(4).exponential(0.1, 60) - 0.08
RESAMPLES = 40_000


def spread(design: Design) -> float:
    """About what the ends of intervals from 40,000 resamples vary by, and then some."""
    return 0.06 * design.standard_error(DIFFERENCES)


@pytest.mark.parametrize(
    ("interval", "method"), list(zip(INTERVALS, ["BCa", "percentile"], strict=True))
)
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_it_equals_scipy(interval, method, level) -> None:
    from scipy import stats

    found = interval(DIFFERENCES, level=level, resamples=RESAMPLES)
    expected = stats.bootstrap(
        (DIFFERENCES,),
        np.mean,
        confidence_level=level,
        n_resamples=RESAMPLES,
        method=method,
        batch=1000,
        rng=np.random.default_rng(8),
    ).confidence_interval
    assert found == pytest.approx(tuple(expected), abs=spread(Design(60)))


def test_clusters_are_drawn_whole() -> None:
    design = Design(60, clusters=np.arange(60) // 3)
    sums = DIFFERENCES.reshape(20, 3).sum(axis=1)
    # Clusters of one size: the interval of their means.
    found = bca_interval(DIFFERENCES, design, resamples=RESAMPLES)
    expected = bca_interval(sums / 3, resamples=RESAMPLES)
    assert found == pytest.approx(expected)


def test_weights_stay_with_their_queries() -> None:
    from scipy import stats

    weights = np.arange(60) % 5 + 1.0

    def mean(values, weights, axis):
        return (values * weights).sum(axis=axis) / weights.sum(axis=axis)

    expected = stats.bootstrap(
        (DIFFERENCES, weights),
        mean,
        paired=True,
        vectorized=True,
        n_resamples=RESAMPLES,
        batch=1000,
        rng=np.random.default_rng(8),
    ).confidence_interval
    design = Design(60, weights=weights)
    found = bca_interval(DIFFERENCES, design, resamples=RESAMPLES)
    assert found == pytest.approx(tuple(expected), abs=spread(design))


def test_strata_are_drawn_within() -> None:
    from scipy import stats

    first, second = DIFFERENCES[:20], DIFFERENCES[20:]
    expected = stats.bootstrap(
        (first, second),
        lambda a, b, axis: (a.mean(axis=axis) + b.mean(axis=axis)) / 2,
        vectorized=True,
        n_resamples=RESAMPLES,
        batch=1000,
        rng=np.random.default_rng(8),
    ).confidence_interval
    # Their queries need not stand together.
    order = np.random.default_rng(0).permutation(60)
    design = Design(60, strata=np.repeat(["a", "b"], [20, 40])[order].tolist())
    found = bca_interval(DIFFERENCES[order], design, resamples=RESAMPLES)
    assert found == pytest.approx(tuple(expected), abs=spread(design))


def test_bca_leans_to_the_side_of_the_long_tail() -> None:
    plain = percentile_interval(DIFFERENCES, resamples=RESAMPLES)
    corrected = bca_interval(DIFFERENCES, resamples=RESAMPLES)
    assert corrected[0] > plain[0]
    assert corrected[1] > plain[1]


@pytest.mark.parametrize("interval", INTERVALS)
def test_undefined_intervals_are_none(interval) -> None:
    assert interval([0.1]) is None
    assert interval([0.1, 0.1, 0.1]) is None
    assert interval([0.1, 0.2, 0.3], Design(3, strata="aab")) is None
    assert interval([0.1, 0.2], Design(2, clusters="aa")) is None


@pytest.mark.parametrize("interval", INTERVALS)
def test_results_depend_on_the_seed_and_not_on_threads(interval) -> None:
    first = interval(DIFFERENCES, resamples=999, threads=1)
    assert interval(DIFFERENCES, resamples=999, threads=3) == first
    assert interval(DIFFERENCES, resamples=999, seed=1) != first


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("wrong", [{"level": 1.0}, {"resamples": 0}, {"seed": 1 << 64}])
def test_illegal_arguments_are_rejected(interval, wrong) -> None:
    with pytest.raises(ParameterError):
        interval(DIFFERENCES, **wrong)
