"""Resampling systems once gives each pair the same results as alone."""

from __future__ import annotations

import numpy as np
import pytest

from gainful.inference import Design, bca_interval, randomization_test
from gainful.inference.bootstrap import SharedDraws
from gainful.inference.design import Floats, flip_sums
from gainful.inference.pairwise import quantiles
from gainful.inference.randomization import corrected_test


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
    pairs = [(one, two) for one in range(5) for two in range(one)]
    draws = SharedDraws(values, design, pairs, resamples=3_000, bootstrap=999, seed=3)
    tests, intervals = draws.randomization_tests(), draws.bca_intervals(0.9)
    for one, two in pairs:
        differences = values[:, one] - values[:, two]
        alone = randomization_test(differences, design, resamples=3_000, seed=3)
        test, corrected = tests[one, two]
        assert test == alone

        def draw(moved: Floats) -> Floats:
            return flip_sums(moved, resamples=3_000, seed=3)

        assert corrected == corrected_test(differences, design, draw=draw)[1]
        ends = bca_interval(differences, design, level=0.9, resamples=999, seed=3)
        assert intervals[one, two] == pytest.approx(ends)


def test_few_queries_that_differ_are_counted_exactly() -> None:
    values = np.tile(np.random.default_rng(0).uniform(size=(40, 1)), (1, 3))
    values[:12, 1] += 0.1
    draws = SharedDraws(values, Design(40), [(1, 0), (2, 0)], resamples=500, bootstrap=500)
    tests = draws.randomization_tests()
    assert tests[1, 0][0] == (2 / 2**12, 2**12, True)
    assert tests[2, 0] == ((1.0, 1, True), 1.0)
    assert (2, 0) not in draws.bca_intervals(0.95)


@pytest.mark.parametrize("resamples", [1, 2, 999])
def test_quantiles_are_those_of_numpy(resamples: int) -> None:
    drawn = np.random.default_rng(0).normal(size=(resamples, 4))
    pairs = np.array([(1, 0), (2, 0), (3, 1)])
    levels = np.array([(0.0, 1.0), (0.025, 0.97), (0.5, 0.5)])
    found = quantiles(drawn, pairs, levels, threads=2)
    for (one, two), own, ends in zip(pairs, levels, found, strict=True):
        assert np.quantile(drawn[:, one] - drawn[:, two], own).tolist() == ends.tolist()
