"""The slope corrected for errors: closed forms and simulations."""

from __future__ import annotations

import numpy as np
import pytest

from gainful.errors import ParameterError
from gainful.inference.regression import errors_in_variables


def drawn(rng: np.random.Generator, n: int, reliability: float, slope: float) -> tuple[list, ...]:
    """Draw points about a line, x with errors of known and different sizes."""
    true = rng.normal(size=n)
    errors = np.sqrt((1 - reliability) / reliability) * rng.uniform(0.5, 1.5, size=n)
    x = true + errors * rng.normal(size=n)
    y = slope * true + 0.5 * rng.normal(size=n)
    return x.tolist(), y.tolist(), errors.tolist()


def test_without_errors_it_equals_least_squares() -> None:
    from scipy import stats

    x, y, _ = drawn(np.random.default_rng(1), 20, 0.9, 2.0)
    found = errors_in_variables(x, y, [0.0] * 20)
    line = stats.linregress(x, y)
    assert found is not None
    assert found.slope == found.uncorrected == pytest.approx(line.slope, rel=1e-12)
    assert found.reliability == 1.0
    # The variance does not assume equal scatter (HC3).
    centred = np.array(x) - np.mean(x)
    squares = (centred**2).sum()
    rest = np.array(y) - line.intercept - line.slope * np.array(x)
    rest /= 1 - 1 / 20 - centred**2 / squares
    error = np.sqrt((centred**2 * rest**2).sum()) / squares
    half = stats.t.ppf(0.975, 18) * error
    assert found.high == pytest.approx(line.slope + half, rel=1e-9)


def test_errors_flatten_the_slope_of_least_squares_and_not_this_one() -> None:
    rng = np.random.default_rng(2)
    x, y, errors = drawn(rng, 20_000, 0.6, 2.0)
    found = errors_in_variables(x, y, errors)
    assert found is not None
    # Errors of 0.5 to 1.5 times a size have a mean square 13/12 of the square of the size.
    expected = 1 / (1 + 13 / 12 * 0.4 / 0.6)
    assert found.reliability == pytest.approx(expected, abs=0.02)
    assert found.uncorrected == pytest.approx(2 * expected, abs=0.05)
    assert found.slope == pytest.approx(2, abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("n", [15, 30, 100])
@pytest.mark.parametrize("reliability", [0.7, 0.9])
def test_the_coverage_of_the_interval(n: int, reliability: float) -> None:
    rng = np.random.default_rng(3)
    held = known = 0
    for _ in range(3000):
        found = errors_in_variables(*drawn(rng, n, reliability, 1.0))
        assert found is not None
        if found.slope is not None:
            assert found.low is not None
            assert found.high is not None
            known += 1
            held += found.low <= 1.0 <= found.high
    assert known > 2700
    assert 0.93 <= held / known <= 0.98


def test_measurements_that_are_all_error_have_no_slope() -> None:
    found = errors_in_variables([0.01, 0.02, 0.03], [1, 2, 3], [0.02] * 3)
    assert found is not None
    assert (found.slope, found.low, found.high) == (None, None, None)
    assert found.reliability < 0
    assert found.uncorrected == pytest.approx(100)


def test_undefined_slopes_are_none() -> None:
    assert errors_in_variables([1, 2], [1, 2], [0, 0]) is None
    assert errors_in_variables([1, 1, 1], [1, 2, 3], [0, 0, 0]) is None


def test_invalid_arguments_are_rejected() -> None:
    with pytest.raises(ParameterError, match="found 2, 1 and 2 values"):
        errors_in_variables([1, 2], [1], [0, 0])
    with pytest.raises(ParameterError, match="0 or more"):
        errors_in_variables([1, 2, 3], [1, 2, 3], [0, -1, 0])
    with pytest.raises(ParameterError, match="level=0"):
        errors_in_variables([1, 2, 3], [1, 2, 3], [0, 0, 0], level=0)


@pytest.mark.parametrize(("n", "least"), [(18, 0.88), (200, 0.93)])
def test_the_coverage_is_near_the_level(n: int, least: float) -> None:
    draw = np.random.default_rng(4)
    held = 0
    for _ in range(1_000):
        true = draw.normal(0, 1, n)
        x, y = true + draw.normal(0, 0.4, n), 2 * true + draw.normal(0, 0.7, n)
        found = errors_in_variables(x.tolist(), y.tolist(), [0.4] * n)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 2 <= found.high
    assert least <= held / 1_000 <= 0.97
