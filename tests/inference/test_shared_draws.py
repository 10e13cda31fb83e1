"""Resampling systems once gives each pair the same results as alone."""

from __future__ import annotations

import numpy as np
import pytest

from gainful.inference import Design, bca_interval, randomization_test
from gainful.inference.shared_draws import SharedDraws


def designs(n: int) -> list[Design]:
    draw = np.random.default_rng(5)
    return [
        Design(n),
        Design(n, weights=draw.uniform(0.1, 2, n)),
        Design(n, clusters=[at // 2 for at in range(n)]),
        Design(n, strata=[at % 3 for at in range(n)], weights=draw.uniform(0.5, 1, n)),
    ]


@pytest.mark.parametrize("at", range(4))
def test_each_pair_equals_its_own_test(at: int) -> None:
    """The same seed draws the same, so they agree to the last resample."""
    values = np.random.default_rng(at).normal(0.5, 0.2, (60, 5)) + np.array(
        [0, 0.02, 0.05, 0.1, 0.3]
    )
    design = designs(60)[at]
    draws = SharedDraws(values, design, resamples=3_000, bootstrap=999, seed=3)
    for one in range(5):
        for two in range(one):
            differences = values[:, one] - values[:, two]
            alone = randomization_test(differences, design, resamples=3_000, seed=3)
            test, corrected = draws.randomization_test(one, two)
            assert test == alone
            assert 0 <= corrected - alone.p < 0.1
            ends = bca_interval(differences, design, level=0.9, resamples=999, seed=3)
            assert draws.bca_interval(one, two, 0.9) == pytest.approx(ends)


def test_few_queries_that_differ_are_counted_exactly() -> None:
    values = np.tile(np.random.default_rng(0).uniform(size=(40, 1)), (1, 3))
    values[:12, 1] += 0.1
    draws = SharedDraws(values, Design(40), resamples=500, bootstrap=500)
    assert draws.randomization_test(1, 0)[0] == (2 / 2**12, 2**12, True)
    assert draws.randomization_test(2, 0) == ((1.0, 1, True), 1.0)
    assert draws.bca_interval(2, 0, 0.95) is None
