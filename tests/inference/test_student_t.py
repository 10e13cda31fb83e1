"""Student's t against values worked out with 50 digits, identities, and SciPy."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gainful.errors import ParameterError
from gainful.inference.interval import cdf, quantile

# p, degrees of freedom, quantile; by the regularised incomplete beta function in 50 digits.
REFERENCE = [
    (0.975, 1, 12.706204736174693314),
    (1e-10, 1, -3183098861.8379065993),
    (0.975, 2, 4.3026527297494617894),
    (0.6, 2, 0.28867513459481281549),
    (0.995, 3, 5.8409093097333554113),
    (0.55, 5, 0.1321751752316873818),
    (0.975, 9, 2.2621571627982049992),
    (1e-6, 9, -10.720160409909500364),
    (0.95, 29, 1.6991270265334972845),
    (0.975, 53, 2.0057459953178685913),
    (0.999, 53, 3.2512679532939788808),
    (0.0001, 53, -3.9962703005376404774),
    (0.75, 100, 0.67695104301147147794),
    (0.975, 224, 1.9706109611023636678),
    (1e-10, 1000, -6.4278762831342136275),
    (0.975, 6979, 1.9603039581337131025),
    (0.995, 6979, 2.576533962347378504),
    (0.9, 100000, 1.2815600314493611406),
    (0.975, 10000000, 1.9599642217672051104),
    (1e-10, 10000000, -6.361347496998615474),
]
DF = st.floats(0, 7).map(lambda exponent: 10**exponent)
PROBABILITIES = st.floats(1e-10, 1 - 1e-10)


@pytest.mark.parametrize(("p", "df", "expected"), REFERENCE)
def test_reference_values(p: float, df: float, expected: float) -> None:
    assert quantile(p, df) == pytest.approx(expected, rel=2e-14)
    # A tail keeps its digits only on the side where it is small.
    assert cdf(-abs(expected), df) == pytest.approx(min(p, 1 - p), rel=1e-13)


@given(PROBABILITIES, DF)
def test_it_equals_scipy(p: float, df: float) -> None:
    from scipy import stats

    found = quantile(p, df)
    # Near the middle SciPy has an absolute, not a relative accuracy.
    assert found == pytest.approx(float(stats.t.ppf(p, df)), rel=1e-11, abs=1e-15)
    assert cdf(found, df) == pytest.approx(float(stats.t.cdf(found, df)), rel=1e-11)


@given(PROBABILITIES, DF)
def test_the_quantile_inverts_the_distribution(p: float, df: float) -> None:
    t = quantile(p, df)
    assert quantile(0.5 + (0.5 - p), df) == pytest.approx(-t, rel=1e-6)
    assert cdf(t, df) == pytest.approx(p, rel=1e-12)
    assert cdf(t, df) + cdf(-t, df) == pytest.approx(1.0, rel=1e-14)


@given(st.floats(-1e6, 1e6))
def test_one_and_two_degrees_have_closed_forms(t: float) -> None:
    # Written for the lower tail, without a difference of nearly equal numbers.
    lower = -abs(t)
    cauchy = math.atan2(1.0, -lower) / math.pi
    assert cdf(lower, 1) == pytest.approx(cauchy, rel=1e-13)
    root = math.sqrt(2 + t * t)
    assert cdf(lower, 2) == pytest.approx(1 / (root * (root + abs(t))), rel=1e-13)


def test_many_degrees_approach_the_normal_distribution() -> None:
    from statistics import NormalDist

    assert quantile(0.975, 1e12) == pytest.approx(NormalDist().inv_cdf(0.975), rel=1e-11)


@given(DF)
def test_it_grows(df: float) -> None:
    points = [-1e200, -1e160, -1e9, -30.0, -2.0, -1.4143, -1.4142, -1.0, -1e-8, 0.0]
    values = [cdf(t, df) for t in points]
    assert values == sorted(values)
    assert values[-1] == 0.5
    quantiles = [quantile(p, df) for p in (1e-10, 1e-3, 0.05, 0.1, 0.2, 0.4, 0.5, 0.7, 0.99)]
    assert quantiles == sorted(quantiles)


def test_ends() -> None:
    assert quantile(0.0, 5) == -math.inf
    assert quantile(1.0, 5) == math.inf
    assert quantile(0.5, 5) == 0.0
    assert quantile(1e-300, 1) == pytest.approx(-1 / (math.pi * 1e-300), rel=1e-12)
    assert math.isfinite(quantile(5e-324, 2))
    assert cdf(-math.inf, 5) == 0.0
    assert cdf(math.inf, 5) == 1.0
    assert math.isnan(cdf(math.nan, 5))


@pytest.mark.parametrize("df", [0, 0.5, -1, math.inf, math.nan])
def test_degrees_of_freedom_are_checked(df: float) -> None:
    with pytest.raises(ParameterError, match="expected finite degrees of freedom"):
        cdf(1.0, df)
    with pytest.raises(ParameterError, match="expected finite degrees of freedom"):
        quantile(0.9, df)


@pytest.mark.parametrize("p", [-0.1, 1.1, math.nan])
def test_probabilities_are_checked(p: float) -> None:
    with pytest.raises(ParameterError, match="expected a probability"):
        quantile(p, 5)
