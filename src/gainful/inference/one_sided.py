"""One-sided tests of a mean difference that hold for skewed differences, and their bounds.

If a few queries lose much, most samples have fewer of them than expected. Then the mean is too
high and the standard error too low at once, and Student's t test accepts a worse system too often.
`OneSided` is the less significant one of two tests:

1. Student's t test, with conservative degrees of freedom if weights are unequal.
2. The same with Hall's transformation, which removes the skewness of t, and the usual degrees of
   freedom.

If few queries differ from 0, no test knows how far others would. `one_sided_tests` then adds one
that differs as much as the most different one, to the side where it counts against the conclusion.
Tests and bounds of non-inferiority and equivalence use it.

P. Hall: On the removal of skewness by transformation. Journal of the Royal Statistical Society B
54(1), 1992.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gainful.inference.design import Design, Floats
from gainful.inference.student_t import cdf, quantile

__all__ = ["FEW", "OneSided", "count_differing", "has_few_differences", "one_sided_tests"]

#: Fewer differing queries or clusters are few, if most do not differ.
FEW = 10

#: A smaller skewness changes t by less than rounding does.
_NO_SKEWNESS = 1e-9


class OneSided(NamedTuple):
    """One-sided tests of a mean difference, and the confidence bounds that invert them.

    A bound at 1 - alpha is the mean that the test rejects at exactly alpha.

    Attributes
    ----------
    mean, error : float
        The mean difference and its standard error, of `Design.standard_error`; NaN if a stratum has
        fewer than two units.
    df, conservative : float
        The degrees of freedom of `Design.degrees_of_freedom`, and the conservative ones. They
        differ if weights are unequal.
    skewness : float
        The skewness of the mean, of `Design.skewness_of_mean`.

    Examples
    --------
    >>> test = OneSided.of([0.1, -0.2, 0.3, 0.1, 0.2, 0.1, -0.1, 0.2], Design(8))
    >>> low = test.lower(0.05)
    >>> round(low, 4), round(test.p_above(low), 4)
    (-0.0456, 0.05)
    """

    mean: float
    error: float
    df: float
    conservative: float
    skewness: float

    @classmethod
    def of(cls, differences: Floats, design: Design) -> OneSided:
        """Return the tests of differences, (n,)."""
        return cls(
            mean=float(design.mean(differences)),
            error=float(design.standard_error(differences)),
            df=float(design.degrees_of_freedom(differences)),
            conservative=float(design.degrees_of_freedom(differences, conservative=True)),
            skewness=design.skewness_of_mean(differences),
        )

    def p_above(self, centre: float) -> float:
        """Return the p-value of the test of whether the mean is above `centre`."""
        return self._p(self.mean - centre, self.skewness)

    def p_below(self, centre: float) -> float:
        """Return the p-value of the test of whether the mean is below `centre`."""
        return self._p(centre - self.mean, -self.skewness)

    def lower(self, alpha: float) -> float:
        """Return the lower confidence bound at 1 - `alpha`: `p_above` is alpha there."""
        return self.mean - self._critical(alpha, self.skewness) * self.error

    def upper(self, alpha: float) -> float:
        """Return the upper confidence bound at 1 - `alpha`: `p_below` is alpha there."""
        return self.mean + self._critical(alpha, -self.skewness) * self.error

    def _p(self, offset: float, skewness: float) -> float:
        if self.error == 0.0:
            return 0.0 if offset > 0.0 else 1.0
        t = offset / self.error
        return max(cdf(-t, self.conservative), cdf(-_transformed(t, skewness), self.df))

    def _critical(self, alpha: float, skewness: float) -> float:
        """Return the t of which the p-value is alpha."""
        plain = quantile(1.0 - alpha, self.conservative)
        return max(plain, _restored(quantile(1.0 - alpha, self.df), skewness))


def one_sided_tests(differences: Floats, design: Design) -> tuple[OneSided, OneSided]:
    """Return the tests of whether the mean is above, and whether it is below, a value.

    They are one test unless few units differ from 0. Then each has another unit in each stratum,
    with a difference of minus, or plus, the largest absolute one.

    Examples
    --------
    >>> above, below = one_sided_tests(np.array([0.1, 0.0, 0.0, -0.2, 0.0, 0.0]), Design(6))
    >>> round(above.lower(0.05), 3), round(below.upper(0.05), 3)
    (-0.143, 0.104)
    """
    differing = count_differing(differences, design)
    if not (differing and has_few_differences(differing, design.units)) or min(design.sizes) < 2:
        test = OneSided.of(differences, design)
        return test, test
    shares, strata = design.unit_shares(), design.stratum_of_unit
    means = design.contributions(differences)[:, 0] / shares
    numbers = np.arange(design.strata)
    larger = Design(
        design.units + design.strata,
        weights=np.append(shares, [shares[strata == number].mean() for number in numbers]),
        strata=np.append(strata, numbers),
    )
    most = np.full(design.strata, abs(means).max())
    above, below = (OneSided.of(np.append(means, side * most), larger) for side in (-1.0, 1.0))
    return above, below


def has_few_differences(differing: int, units: int) -> bool:
    """Return whether fewer than `FEW`, and fewer than half, of the queries or clusters differ."""
    return differing < FEW and 2 * differing < units


def count_differing(differences: Floats, design: Design) -> Any:
    """Return the number of units, queries or clusters, whose mean difference is not 0.

    Differences are (n,), or (n, k) for k numbers.
    """
    counts = np.count_nonzero(design.contributions(differences), axis=0)
    return counts if differences.ndim > 1 else int(counts[0])


def _transformed(t: float, b: float) -> float:
    """Return Hall's transformation t + b (t^2 / 3 + 1 / 6) + b^2 t^3 / 27, which is monotone."""
    x = b * t
    return t * (1 + x / 3 + x * x / 27) + b / 6


def _restored(t: float, b: float) -> float:
    """Return the number that `_transformed` makes t."""
    if abs(b) < _NO_SKEWNESS:
        return t
    return float(3 * (np.cbrt(1 + b * (t - b / 6)) - 1) / b)
