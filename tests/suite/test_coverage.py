"""The error rates of the interval of a macro-average and of the stratified t test."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gainful.inference import paired_t
from gainful.inference.design import Design
from gainful.inference.interval import cdf
from gainful.suite.macro import macro_average

SIMULATIONS = 10_000
FOUR_ERRORS = 4 * math.sqrt(0.05 * 0.95 / SIMULATIONS)

SUITES = [
    # Sizes of the collections, and the standard deviations of their queries.
    ((6, 16, 80), (0.39, 0.16, 0.28)),
    ((10, 1000), (0.3, 0.3)),
    ((50, 300), (0.3, 0.3)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("sizes", "deviations"), SUITES)
def test_small_collections_keep_the_error_rate(
    sizes: tuple[int, ...], deviations: tuple[float, ...]
) -> None:
    """Normal values with a mean of 0 are significant in 5% of simulations."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    scale = np.repeat(deviations, sizes)
    design = Design(len(labels), strata=labels.tolist())
    chance = np.random.default_rng(7)
    wrong = naive = outside = 0
    for _ in range(SIMULATIONS):
        values = chance.normal(0.0, scale)
        found = paired_t(values, design)
        wrong += found.p <= 0.05
        # The p-value under equal variances.
        naive += 2 * cdf(-abs(found.statistic), design.df) <= 0.05
        by_collection = {
            str(name): dict(enumerate(values[labels == name].tolist()))
            for name in range(len(sizes))
        }
        means = [sum(each.values()) / len(each) for each in by_collection.values()]
        macro = macro_average(by_collection, means, {})
        assert macro.interval is not None
        outside += not macro.interval.low <= 0.0 <= macro.interval.high
    assert outside == wrong
    assert abs(wrong / SIMULATIONS - 0.05) <= FOUR_ERRORS
    if min(sizes) <= 10:
        assert naive / SIMULATIONS > 0.05 + FOUR_ERRORS
