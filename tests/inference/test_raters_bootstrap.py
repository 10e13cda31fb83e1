"""Bootstrap intervals of kappa and alpha."""

from __future__ import annotations

from itertools import product
from math import nan

import numpy as np
import pytest

from gainful.errors import ParameterError
from gainful.inference import (
    alpha_interval,
    kappa_interval,
    krippendorff_alpha,
    weighted_kappa,
)


def graded(n: int, seed: int) -> np.ndarray:
    """Two raters: the second gives what the first does in two of three cases."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 4, n)
    other = rng.integers(0, 4, n)
    return np.stack([first, np.where(rng.random(n) < 0.67, first, other)], axis=1).astype(float)


def test_it_equals_resampling_one_item_at_a_time() -> None:
    ratings, rng = graded(60, 1), np.random.default_rng(2)
    alphas, kappas = [], []
    for _ in range(4_000):
        drawn = ratings[rng.integers(0, 60, 60)]
        alphas.append(krippendorff_alpha(drawn))
        kappas.append(weighted_kappa(drawn[:, 0], drawn[:, 1]))
    for found, values in (
        (alpha_interval(ratings), alphas),
        (kappa_interval(ratings[:, 0], ratings[:, 1]), kappas),
    ):
        # The quantiles of 4,000 values are sure to some .01 here.
        assert found == pytest.approx(np.quantile(values, [0.025, 0.975]), abs=0.02)


def test_clusters_are_drawn_whole() -> None:
    """Three clusters can be drawn in 27 ways: the ends of the interval are among what they give."""
    ratings = graded(12, 3)
    clusters = [0] * 4 + [1] * 4 + [2] * 4
    by_cluster = [ratings[at : at + 4] for at in (0, 4, 8)]
    possible = [
        krippendorff_alpha(np.concatenate([by_cluster[at] for at in drawn]))
        for drawn in product(range(3), repeat=3)
    ]
    low, high = alpha_interval(ratings, clusters=clusters, level=0.99) or (nan, nan)
    assert low == pytest.approx(min(possible))
    assert high == pytest.approx(max(possible))


def test_copies_in_a_cluster_change_nothing() -> None:
    """Ten copies of each, which stand together: kappa and its interval stay what they were."""
    ratings = graded(40, 4)
    alone = kappa_interval(ratings[:, 0], ratings[:, 1])
    copied = np.repeat(ratings, 10, axis=0)
    owner = np.repeat(np.arange(40), 10).tolist()
    together = kappa_interval(copied[:, 0], copied[:, 1], clusters=owner)
    assert together == pytest.approx(alone, abs=0.03)
    apart = kappa_interval(copied[:, 0], copied[:, 1])
    assert alone is not None
    assert apart is not None
    assert apart[1] - apart[0] < 0.5 * (alone[1] - alone[0])


def test_results_depend_on_the_seed() -> None:
    ratings = graded(50, 5)
    assert alpha_interval(ratings, seed=7) == alpha_interval(ratings, seed=7)
    assert alpha_interval(ratings, seed=7) != alpha_interval(ratings, seed=8)


def test_it_contains_the_coefficient_and_widens_with_the_level() -> None:
    ratings = graded(80, 6)
    alpha = krippendorff_alpha(ratings)
    assert alpha is not None
    low, high = alpha_interval(ratings) or (nan, nan)
    wide = alpha_interval(ratings, level=0.99) or (nan, nan)
    assert wide[0] < low < alpha < high < wide[1]


def test_many_cells_and_clusters_are_counted_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    from gainful.inference import raters_bootstrap

    ratings = graded(60, 9)
    owner = (np.arange(60) // 3).tolist()
    whole = alpha_interval(ratings, clusters=owner, resamples=500)
    # Six clusters of ten cells at a time, and still all resamples in one go.
    monkeypatch.setattr(raters_bootstrap, "_ROOM", 60)
    in_parts = alpha_interval(ratings, clusters=owner, resamples=500)
    assert in_parts == pytest.approx(whole, abs=0.06)


@pytest.mark.parametrize(
    "ratings", [[], [[1, 2]], [[1, 1], [1, 1]], [[1, nan], [2, nan]], [[1, 2], [nan, 1]]]
)
def test_undefined_intervals_are_none(ratings: list[list[float]]) -> None:
    assert alpha_interval(ratings) is None


def test_invalid_input_is_rejected() -> None:
    ratings = [[0, 1], [1, 1]]
    with pytest.raises(ParameterError, match="level"):
        alpha_interval(ratings, level=1.0)
    with pytest.raises(ParameterError, match="resamples"):
        alpha_interval(ratings, resamples=0)
    with pytest.raises(ParameterError, match="one for each of 2"):
        alpha_interval(ratings, clusters=["q1"])
