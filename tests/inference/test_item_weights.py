"""Weights of the items in kappa and alpha: integer weights are copies."""

from __future__ import annotations

import numpy as np
import pytest

from gainful.errors import ParameterError
from gainful.inference import alpha_interval, kappa_interval, krippendorff_alpha, weighted_kappa

RANDOM = np.random.default_rng(4)
GRADES = RANDOM.integers(0, 4, (30, 3)).astype(float)
GRADES[:, 1] = np.where(RANDOM.random(30) < 0.7, GRADES[:, 0], GRADES[:, 1])
GRADES[RANDOM.random((30, 3)) < 0.1] = np.nan
WEIGHTS = RANDOM.integers(0, 4, 30)
COPIES = np.repeat(GRADES, WEIGHTS, axis=0)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_kappa_of_weights_is_that_of_copies(weights: str) -> None:
    found = weighted_kappa(GRADES[:, 0], GRADES[:, 1], weights=weights, item_weights=WEIGHTS)
    assert found == pytest.approx(weighted_kappa(COPIES[:, 0], COPIES[:, 1], weights=weights))


def test_only_the_ratios_of_weights_matter() -> None:
    alpha = krippendorff_alpha(GRADES, item_weights=WEIGHTS)
    assert krippendorff_alpha(GRADES, item_weights=10 * WEIGHTS) == pytest.approx(alpha)
    assert krippendorff_alpha(GRADES, item_weights=np.ones(30)) == pytest.approx(
        krippendorff_alpha(GRADES)
    )
    # Copies increase n in alpha's correction for small samples, but weights do not.
    assert alpha == pytest.approx(krippendorff_alpha(COPIES), abs=0.02)
    assert alpha != pytest.approx(krippendorff_alpha(GRADES), abs=0.02)


def test_intervals_are_of_the_weighted_coefficients() -> None:
    clusters = list(range(30))
    for interval, value in (
        (
            alpha_interval(GRADES, item_weights=WEIGHTS, clusters=clusters),
            krippendorff_alpha(GRADES, item_weights=WEIGHTS),
        ),
        (
            kappa_interval(*GRADES[:, :2].T, item_weights=WEIGHTS),
            weighted_kappa(*GRADES[:, :2].T, item_weights=WEIGHTS),
        ),
    ):
        assert interval is not None
        assert interval[0] < value < interval[1]


@pytest.mark.parametrize("bad", [[1.0] * 29, [-1.0, *[1.0] * 29]])
def test_bad_weights_are_refused(bad: list[float]) -> None:
    with pytest.raises(ParameterError, match="item_weights"):
        krippendorff_alpha(GRADES, item_weights=bad)
