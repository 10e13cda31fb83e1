"""The normal, binomial and gamma distributions equal SciPy's, in the tails too."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from gainful import _kernel
from gainful.inference import proportions
from gainful.inference.proportions import binomial_interval

#: Of Stirling's approximation, B(2j) / (2j (2j - 1)).
SERIES = (
    Fraction(1, 12),
    Fraction(-1, 360),
    Fraction(1, 1260),
    Fraction(-1, 1680),
    Fraction(1, 1188),
)


@pytest.mark.parametrize("z", [-37.0, -8.0, -1.0, -1e-9, 0.0, 0.3, 2.0, 9.0])
def test_normal_probabilities(z: float) -> None:
    from scipy.special import ndtr

    assert proportions.normal_cdf(z) == pytest.approx(float(ndtr(z)), rel=1e-13)


@pytest.mark.parametrize("p", [1e-300, 1e-12, 0.025, 0.3, 0.5, 0.975, 1 - 1e-12])
def test_normal_quantiles(p: float) -> None:
    from scipy.special import ndtri

    assert proportions.normal_quantile(p) == pytest.approx(float(ndtri(p)), rel=1e-13, abs=1e-16)


@pytest.mark.parametrize("n", [1, 2, 15, 16, 40, 1000, 1_000_000])
@pytest.mark.parametrize("p", [0.0, 1e-6, 0.3, 0.5, 0.99, 1.0])
def test_binomial_probabilities(n: int, p: float) -> None:
    from scipy import stats

    center = round(n * p)
    spread = round(3 * (n * p * (1 - p)) ** 0.5)
    for k in sorted({0, max(center - spread, 0), center, min(center + spread, n), n}):
        expected = float(stats.binom.pmf(k, n, p))
        assert proportions.density(k, n, p) == pytest.approx(expected, rel=1e-9, abs=1e-290)
        below = float(stats.binom.cdf(k, n, p))
        assert proportions.cdf(k, n, p) == pytest.approx(below, rel=1e-9, abs=1e-290)
        above = float(stats.binom.sf(k - 1, n, p))
        assert proportions.at_least(k, n, p) == pytest.approx(above, rel=1e-9, abs=1e-290)


@pytest.mark.parametrize("n", [16, 17, 20, 1000, 10**6])
def test_the_series_of_binomial_probabilities_has_all_digits(n: int) -> None:
    """Each term of the series changes digits that are compared."""
    for k in {8, n // 2, n - 8}:
        # For p = 1/2 the probability is a quotient of whole numbers.
        if n <= 1000:
            expected = math.comb(n, k) / 2**n
            assert proportions.density(k, n, 0.5) == pytest.approx(expected, rel=4e-13)
    total = sum(Fraction(term) / n ** (2 * at + 1) for at, term in enumerate(SERIES))
    assert proportions._remainder(n) == pytest.approx(float(total), rel=1e-15, abs=0.0)


def test_binomial_probabilities_sum_to_one() -> None:
    assert sum(proportions.density(k, 1000, 0.3) for k in range(1001)) == pytest.approx(
        1.0, rel=1e-12
    )


@pytest.mark.parametrize(("k", "n"), [(0, 1000), (1, 10**6), (999, 1000), (500_000, 10**6)])
@pytest.mark.parametrize("level", [0.5, 0.95, 1 - 1e-9])
def test_the_ends_of_exact_intervals(k: int, n: int, level: float) -> None:
    low, high = binomial_interval(k, n, level=level)
    tail = (1 - level) / 2
    if k > 0:
        assert proportions.at_least(k, n, low) == pytest.approx(tail, rel=1e-9)
    if k < n:
        assert proportions.cdf(k, n, high) == pytest.approx(tail, rel=1e-6)


@pytest.mark.parametrize("shape", [0.5, 3.7, 50.0, 5e5])
def test_gamma(shape: float) -> None:
    from scipy import special

    for share in (0.01, 0.5, 1.0, 1.5, 20.0):
        expected = float(special.gammainc(shape, share * shape))
        assert _kernel.lower_gamma(shape, share * shape) == pytest.approx(expected, rel=1e-13)
    for upper in (1e-12, 0.05, 0.8, 1 - 1e-9):
        expected = float(special.gammainccinv(shape, upper))
        assert _kernel.gamma_quantile(shape, upper) == pytest.approx(expected, rel=1e-13)
