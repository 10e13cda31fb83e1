"""The residual variance of past evaluations: its definition and properties."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from gainful.errors import ParameterError
from gainful.inference.residual_variance import (
    ResidualVariance,
    pair_deviations,
    pooled,
    residual_variance,
)

VALUES = np.random.default_rng(5).uniform(size=(30, 5)) + np.linspace(0, 3, 30)[:, None]


def test_the_definition_cell_by_cell() -> None:
    n, m = VALUES.shape
    total = 0.0
    for i in range(n):
        for j in range(m):
            rest = VALUES[i, j] - VALUES[i].mean() - VALUES[:, j].mean() + VALUES.mean()
            total += rest**2
    found = residual_variance(VALUES)
    assert found.df == 29 * 4
    assert found.variance == pytest.approx(total / found.df, rel=1e-12)


def test_twice_it_is_the_mean_variance_of_the_differences_of_all_pairs() -> None:
    pairs = [(VALUES[:, a] - VALUES[:, b]).std(ddof=1) for a, b in combinations(range(5), 2)]
    found = residual_variance(VALUES)
    assert found.deviation**2 == pytest.approx(np.mean(np.square(pairs)), rel=1e-12)
    assert pair_deviations(VALUES) == pytest.approx(sorted(pairs), rel=1e-12)


def test_effects_of_queries_and_systems_are_removed() -> None:
    shifted = VALUES + np.arange(30)[:, None] * 7 + np.arange(5) * 3
    assert residual_variance(shifted).variance == pytest.approx(
        residual_variance(VALUES).variance, rel=1e-9
    )


def test_pooling_weighs_by_degrees_of_freedom() -> None:
    assert pooled([ResidualVariance(1.0, 10), ResidualVariance(4.0, 30)]) == (3.25, 40)
    with pytest.raises(ParameterError, match="no estimate"):
        pooled([])


@pytest.mark.parametrize("values", [[[1.0, 2.0]], [[1.0], [2.0]], [1.0, 2.0]])
def test_too_few(values: object) -> None:
    with pytest.raises(ParameterError, match="at least 2 queries and 2 systems"):
        residual_variance(values)  # type: ignore[arg-type]


def test_gaps_are_rejected() -> None:
    with pytest.raises(ParameterError, match="not finite"):
        residual_variance([[1.0, 2.0], [float("nan"), 1.0]])
