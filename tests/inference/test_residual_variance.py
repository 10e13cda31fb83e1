"""The residual variance of past evaluations: its definition and properties."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from gainful.errors import ParameterError
from gainful.inference.power import (
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
    assert pooled([ResidualVariance(1.0, 10), ResidualVariance(4.0, 30)])[:2] == (3.25, 40)
    with pytest.raises(ParameterError, match="no estimate"):
        pooled([])


@pytest.mark.parametrize("values", [[[1.0, 2.0]], [[1.0], [2.0]], [1.0, 2.0]])
def test_too_few(values: object) -> None:
    with pytest.raises(ParameterError, match="at least 2 queries and 2 systems"):
        residual_variance(values)  # type: ignore[arg-type]


def test_gaps_are_rejected() -> None:
    with pytest.raises(ParameterError, match="not finite"):
        residual_variance([[1.0, 2.0], [float("nan"), 1.0]])


def test_the_upper_limit_of_the_deviation_is_that_of_a_chi_square_distribution() -> None:
    from scipy import stats

    values = np.random.default_rng(3).normal(size=(40, 2))
    found = residual_variance(values)
    assert found.effective_df is not None
    squares = np.square((values - values.mean(axis=0))[:, 0] - (values - values.mean(axis=0))[:, 1])
    expected = min(2 * 40 * squares.mean() ** 2 / squares.var(ddof=1), 39) * 43 / 55
    assert found.effective_df == pytest.approx(expected)
    for level in (0.8, 0.95):
        factor = found.effective_df / stats.chi2.ppf(1 - level, found.effective_df)
        limit = found.deviation * factor**0.5
        assert found.upper_deviation(level) == pytest.approx(limit, rel=1e-9)


def test_heavy_tails_widen_the_limit() -> None:
    draw = np.random.default_rng(3)
    normal, heavy = draw.normal(size=(60, 2)), draw.standard_t(3, size=(60, 2))
    light, wide = (residual_variance(values) for values in (normal, heavy))
    assert wide.upper_deviation() / wide.deviation > light.upper_deviation() / light.deviation


def test_few_queries_have_no_upper_limit() -> None:
    values = np.random.default_rng(3).normal(size=(4, 5))
    assert residual_variance(values).upper_deviation() is None
    assert residual_variance(np.ones((9, 3))).upper_deviation() is None
    assert residual_variance(np.random.default_rng(3).normal(size=(5, 2))).upper_deviation() > 0


def test_pooling_narrows_the_limit() -> None:
    draw = np.random.default_rng(3)
    both = [residual_variance(draw.normal(size=(30, 4))) for _ in range(2)]
    together = pooled(both)
    assert together.effective_df == pytest.approx(sum(each.effective_df for each in both), rel=0.1)
    assert together.upper_deviation() / together.deviation < min(
        each.upper_deviation() / each.deviation for each in both
    )


def test_the_degrees_of_freedom_of_a_pooled_estimate_are_satterthwaites() -> None:
    equal = pooled([ResidualVariance(0.3, 10, 10.0), ResidualVariance(0.3, 10, 10.0)])
    assert equal.effective_df == pytest.approx(20.0)
    found = pooled([ResidualVariance(1.0, 10, 8.0), ResidualVariance(4.0, 30, 20.0)])
    parts = (0.25 * 1.0) ** 2 / 8 + (0.75 * 4.0) ** 2 / 20
    assert found.effective_df == pytest.approx(3.25**2 / parts)
