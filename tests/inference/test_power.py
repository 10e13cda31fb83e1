"""Power, detectable differences and numbers of queries."""

from __future__ import annotations

import itertools
import math

import pytest

from gainful.errors import ParameterError
from gainful.inference import achieved_power, detectable_difference, queries_needed
from requirements import need


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3])
@pytest.mark.parametrize("effect", [0.01, 0.1, 0.5, 2.0])
@pytest.mark.parametrize("n", [2, 3, 10, 50, 1000])
def test_power_equals_statsmodels(n, effect, alpha) -> None:
    need("statsmodels")
    from statsmodels.stats.power import TTestPower

    expected = TTestPower().power(effect, n, alpha)
    if math.isnan(expected):
        # SciPy's noncentral t, which statsmodels asks, has no value here: power is all but 1.
        assert math.sqrt(n) * effect > 13
        expected = 1.0
    assert achieved_power(n, effect * 0.2, 0.2, alpha) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("n", [2, 5, 54, 6980])
def test_the_detectable_difference_is_detected(n, power) -> None:
    found = detectable_difference(n, 0.2, power=power)
    assert achieved_power(n, found, 0.2) == pytest.approx(power, abs=1e-9)


def test_the_detectable_difference_is_near_its_formula() -> None:
    from scipy import stats

    t = stats.t(53)
    expected = (t.ppf(0.975) + t.ppf(0.8)) * 0.2 / math.sqrt(54)
    assert detectable_difference(54, 0.2) == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize("alpha", [0.01, 0.05])
@pytest.mark.parametrize("effect", [0.02, 0.1, 0.3, 0.8, 3.0, 50.0])
def test_as_many_queries_as_needed_and_not_one_more(effect, alpha) -> None:
    n = queries_needed(effect, 1.0, alpha=alpha)
    assert achieved_power(n, effect, 1.0, alpha) >= 0.8
    assert n == 2 or achieved_power(n - 1, effect, 1.0, alpha) < 0.8


@pytest.mark.parametrize("cost", [1.0, 4.0])
def test_a_cost_multiplies_the_variance(cost) -> None:
    larger = 0.2 * math.sqrt(1 + cost / 25)
    assert achieved_power(25, 0.1, 0.2, cost=cost) == pytest.approx(achieved_power(25, 0.1, larger))
    assert detectable_difference(25, 0.2, cost=cost) == pytest.approx(
        detectable_difference(25, larger)
    )
    assert queries_needed(0.05, 0.2, cost=cost) == queries_needed(0.05, 0.2) + cost


def test_sakais_start_is_near() -> None:
    # ((z(alpha/2) + z(beta)) / effect)^2 + z(alpha/2)^2 / 2
    from scipy import stats

    z = stats.norm.ppf(0.975)
    start = ((z + stats.norm.ppf(0.8)) / 0.25) ** 2 + z * z / 2
    assert abs(queries_needed(0.05, 0.2) - start) < 2


def test_the_ends() -> None:
    assert achieved_power(50, 0.0, 0.2, alpha=0.07) == 0.07
    assert achieved_power(1, 0.1, 0.2) == 0.0
    assert achieved_power(5, 0.1, 0.0) == 1.0
    assert achieved_power(10**6, 0.5, 0.1) == 1.0
    assert achieved_power(50, -0.1, 0.2) == achieved_power(50, 0.1, 0.2)
    assert detectable_difference(1, 0.2) == math.inf
    assert detectable_difference(50, 0.0) == 0.0
    assert queries_needed(0.1, 0.0) == 2
    # The normal approximation is exact for so many.
    assert queries_needed(1e-4, 0.2) == pytest.approx(31_395_518, rel=1e-4)


@pytest.mark.parametrize("n", [2, 3, 4, 10, 60])
def test_both_ways_to_integrate_agree(n) -> None:
    from gainful.inference.interval import quantile
    from gainful.inference.power import _over_deviations, _over_means

    bound = quantile(0.975, n - 1)
    for shift in (8.5, 12.0, 20.0, 30.0):
        first = _over_deviations(n - 1, shift, bound)
        assert first == pytest.approx(_over_means(n - 1, shift, bound), abs=1e-12)


def test_power_grows_without_a_step_to_1() -> None:
    powers = [achieved_power(n, 0.1, 0.01 * step) for n in (2, 5, 50) for step in range(1, 300)]
    for first in range(0, len(powers), 299):
        falling = powers[first : first + 299]
        assert all(a >= b - 1e-9 for a, b in itertools.pairwise(falling))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: queries_needed(0.0, 0.1), "other than 0"),
        (lambda: queries_needed(1e-9, 1.0), "10\\^12"),
        (lambda: detectable_difference(10, -0.1), "0 or more"),
        (lambda: detectable_difference(10, 0.1, power=1.0), "between alpha and 1"),
        (lambda: detectable_difference(10, 0.1, power=0.04), "between alpha and 1"),
        (lambda: achieved_power(10, 0.1, 0.1, alpha=0.0), "between 0 and 1"),
        (lambda: achieved_power(10, math.nan, 0.1), "finite"),
    ],
)
def test_illegal_arguments_are_rejected(call, words) -> None:
    with pytest.raises(ParameterError, match=words):
        call()
