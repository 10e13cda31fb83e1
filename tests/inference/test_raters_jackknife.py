"""Jackknife intervals of kappa and alpha."""

from __future__ import annotations

from math import exp, log, nan

import numpy as np
import pytest

from gainful.errors import ParameterError
from gainful.inference import (
    alpha_interval,
    kappa_interval,
    krippendorff_alpha,
    weighted_kappa,
)
from gainful.inference.raters import kappa_difference_interval


def graded(n: int, seed: int) -> np.ndarray:
    """Two raters: the second gives what the first does in two of three cases."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 4, n)
    other = rng.integers(0, 4, n)
    return np.stack([first, np.where(rng.random(n) < 0.67, first, other)], axis=1).astype(float)


@pytest.mark.parametrize("size", [1, 4])
def test_it_equals_leaving_out_one_cluster_at_a_time(size: int) -> None:
    from scipy import stats

    ratings, n = graded(20 * size, 1), 20
    clusters = np.repeat(np.arange(n), size)
    for interval, coefficient in (
        (alpha_interval(ratings, clusters=clusters.tolist()), krippendorff_alpha),
        (
            kappa_interval(*ratings.T, clusters=clusters.tolist()),
            lambda table: weighted_kappa(*table.T),
        ),
    ):
        without = [log(1 - coefficient(ratings[clusters != left_out])) for left_out in range(n)]
        half = stats.t.ppf(0.975, n - 1) * (n - 1) / np.sqrt(n) * np.std(without, ddof=1)
        middle = log(1 - coefficient(ratings))
        assert interval == pytest.approx((1 - exp(middle + half), 1 - exp(middle - half)))


def test_the_difference_of_two_kappas_equals_leaving_out_one_cluster_at_a_time() -> None:
    from scipy import stats

    ratings, other, n = graded(40, 1), graded(40, 2)[:, 1], 10
    clusters = np.repeat(np.arange(n), 4)

    def difference(rows: np.ndarray) -> float:
        truth, first = ratings[rows].T
        return weighted_kappa(truth, first) - weighted_kappa(truth, other[rows])

    without = [difference(clusters != left_out) for left_out in range(n)]
    half = stats.t.ppf(0.975, n - 1) * (n - 1) / np.sqrt(n) * np.std(without, ddof=1)
    middle = difference(clusters >= 0)
    interval = kappa_difference_interval(
        *ratings.T, other, weights="quadratic", clusters=clusters.tolist(), level=0.95
    )
    assert interval == pytest.approx((middle - half, middle + half))


def test_copies_in_a_cluster_change_nothing() -> None:
    ratings = graded(40, 4)
    alone = kappa_interval(ratings[:, 0], ratings[:, 1])
    copied = np.repeat(ratings, 10, axis=0)
    clusters = np.repeat(np.arange(40), 10).tolist()
    assert kappa_interval(*copied.T, clusters=clusters) == pytest.approx(alone)
    apart = kappa_interval(*copied.T)
    assert alone is not None
    assert apart is not None
    assert apart[1] - apart[0] < 0.5 * (alone[1] - alone[0])


def test_it_contains_the_coefficient_and_widens_with_the_level() -> None:
    ratings = graded(80, 6)
    alpha = krippendorff_alpha(ratings)
    assert alpha is not None
    low, high = alpha_interval(ratings) or (nan, nan)
    wide = alpha_interval(ratings, level=0.99) or (nan, nan)
    assert wide[0] < low < alpha < high < wide[1]


def test_many_clusters_are_left_out_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    from gainful.inference import raters

    ratings = graded(60, 9)
    whole = alpha_interval(ratings)
    monkeypatch.setattr(raters, "_ROOM", 60)
    assert alpha_interval(ratings) == pytest.approx(whole)


AGREED = [[0, 0], [1, 1], [2, 2], [0, 0], [1, 1], [2, 2]]


@pytest.mark.parametrize(
    "ratings",
    [
        [],
        [[1, 2]],
        [[1, 1]] * 9,
        [[1, nan], [2, nan]],
        graded(4, 1),
        AGREED,
        [*AGREED, [2, 0]],
        [[nan, 1], *graded(4, 1)],
    ],
)
def test_intervals_that_the_grades_do_not_support_are_none(ratings: list[list[float]]) -> None:
    assert alpha_interval(ratings) is None
    if len(ratings):
        assert kappa_interval(*np.array(ratings, dtype=float).T) is None


def test_an_end_is_a_possible_value() -> None:
    low, high = kappa_interval([0, 0, 1, 1, 2], [0, 2, 1, 0, 2]) or (nan, nan)
    assert pytest.approx(low) == -1.0
    assert high < 1.0


def test_invalid_input_is_rejected() -> None:
    ratings = [[0, 1], [1, 1]]
    with pytest.raises(ParameterError, match="level"):
        alpha_interval(ratings, level=1.0)
    with pytest.raises(ParameterError, match="one for each of 2"):
        alpha_interval(ratings, clusters=["q1"])
