"""The paired t test, and two one-sided tests (TOST) for equivalence.

A difference is the score of a system minus the score of its baseline on one query. Every test takes
the differences for all queries that both scored.
"""

from __future__ import annotations

from math import inf, nan
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from gainful.errors import ParameterError
from gainful.inference.design import Design, Floats, design_for, differences_of
from gainful.inference.interval import cdf, quantile
from gainful.keywords import suggest_keywords

__all__ = [
    "FEW",
    "Alternative",
    "OneSided",
    "check_alternative",
    "count_differing",
    "has_few_differences",
    "one_sided_tests",
    "paired_t",
    "t_test",
    "tost",
]


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


Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES = ("two-sided", "greater", "less")


class TTest(NamedTuple):
    """A t test: its statistic, its degrees of freedom and its p-value."""

    statistic: float
    df: float
    p: float


@suggest_keywords
def paired_t(
    differences: npt.ArrayLike,
    design: Design | None = None,
    *,
    alternative: Alternative = "two-sided",
) -> TTest:
    """Return Student's paired t test of whether the mean difference is 0.

    Parameters
    ----------
    differences : array_like, shape (n,)
        The differences; finite.
    design : Design, optional
        Weights, clusters and strata. Default: equal weights, independent queries.
    alternative : {"two-sided", "greater", "less"}
        The alternative hypothesis: the mean differs from 0, is above 0, or is below 0.

    Returns
    -------
    TTest
        ``statistic`` is the mean divided by its standard error (`Design.standard_error`), with
        ``df`` from `Design.degrees_of_freedom`: units - 1 without strata. If all differences are 0,
        the statistic is 0 with p = 1; if all are the same other number, it is infinite. Both are
        NaN for a single query, which has no standard error.

    Raises
    ------
    ParameterError
        If there is no difference, one is not finite, or ``alternative`` is unknown.

    Notes
    -----
    Without a design, t = mean / (s / sqrt(n)) with n - 1 degrees of freedom. Student (W. S.
    Gosset): The probable error of a mean. Biometrika 6(1), 1908.

    Examples
    --------
    >>> found = paired_t([0.1, 0.3, 0.0, 0.2])
    >>> round(found.statistic, 4), found.df, round(found.p, 4)
    (2.3238, 3, 0.1027)
    """
    array = differences_of(differences, "paired_t")
    design = design_for(array, design)
    check_alternative(alternative)
    mean, error = design.mean(array), design.standard_error(array)
    df = design.degrees_of_freedom(array)
    if design.df < 1 or error != error:
        return TTest(nan, df, nan)
    return t_test(mean, error, df, alternative)


def t_test(mean: float, error: float, df: float, alternative: Alternative = "two-sided") -> TTest:
    """Return `paired_t` of differences with this mean and standard error."""
    if error > 0.0:
        statistic = mean / error
    else:
        statistic = 0.0 if mean == 0.0 else (inf if mean > 0.0 else -inf)
    if alternative == "two-sided":
        p = min(2.0 * cdf(-abs(statistic), df), 1.0)
    else:
        p = cdf(-statistic if alternative == "greater" else statistic, df)
    return TTest(statistic, df, p)


@suggest_keywords
def tost(differences: npt.ArrayLike, margin: float, design: Design | None = None) -> float:
    """Return the p-value of a test of whether the mean is within a margin of 0.

    Two one-sided tests (TOST), corrected for skewed differences (`gainful.inference.paired`).
    Plain t tests conclude equivalence too often if a few queries lose much.

    Parameters
    ----------
    differences : array_like, shape (n,)
        The differences; finite.
    margin : float
        Above 0. The two systems are equivalent if the mean lies between -margin and margin.
    design : Design, optional
        Weights, clusters and strata. Default: equal weights, independent queries.

    Returns
    -------
    float
        The larger of the two p-values; the systems are equivalent if it is at most alpha. NaN if
        nothing differs, or a stratum has fewer than two units. If fewer than 10, and fewer than
        half, of the units differ from 0, one more is assumed that differs as much as any.

    Raises
    ------
    ParameterError
        If there is no difference, one is not finite, or the margin is not above 0.

    Notes
    -----
    D. J. Schuirmann: A comparison of the two one-sided tests procedure and the power approach for
    assessing the equivalence of average bioavailability. Journal of Pharmacokinetics and
    Biopharmaceutics 15, 1987.

    With T = (mean - margin) / standard error, each test is the less significant one of two. The
    first compares T with Student's t distribution, with the conservative degrees of freedom of
    `Design.degrees_of_freedom`. The second compares T + b (T^2 / 3 + 1 / 6) + b^2 T^3 / 27, with
    the usual ones; b is `Design.skewness_of_mean`. P. Hall: On the removal of skewness by
    transformation. Journal of the Royal Statistical Society B 54(1), 1992.

    Examples
    --------
    >>> differences = [0.01, -0.02, 0.01, 0.02, -0.01, 0.02, -0.02, 0.01, -0.01, 0.02, -0.02, 0.01]
    >>> round(tost(differences, 0.02), 4)
    0.0013
    >>> round(tost(differences[:9], 0.02), 4)
    0.004
    """
    array = differences_of(differences, "tost")
    if not 0.0 < margin < inf:
        raise ParameterError(where="margin", found=repr(margin), expected="a number above 0")
    design = design_for(array, design)
    if not count_differing(array, design):
        return nan
    above, below = one_sided_tests(array, design)
    return max(above.p_above(-margin), below.p_below(margin)) if above.error == above.error else nan


def check_alternative(alternative: str) -> None:
    """Raise a `ParameterError` unless the alternative is one of `ALTERNATIVES`."""
    if alternative not in ALTERNATIVES:
        raise ParameterError(
            where="alternative", found=repr(alternative), expected=", ".join(ALTERNATIVES)
        )
