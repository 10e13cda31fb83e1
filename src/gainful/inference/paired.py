"""The paired t test, and two one-sided tests (TOST) for equivalence.

A difference is the score of a system minus the score of its baseline on one query. Every test takes
the differences for all queries that both scored.
"""

from __future__ import annotations

from math import inf, nan
from typing import Literal, NamedTuple

import numpy.typing as npt

from gainful.errors import ParameterError
from gainful.inference.design import Design, design_for, differences_of
from gainful.inference.one_sided import count_differing, one_sided_tests
from gainful.inference.student_t import cdf

Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES = ("two-sided", "greater", "less")


class TTest(NamedTuple):
    """A t test: its statistic, its degrees of freedom and its p-value."""

    statistic: float
    df: float
    p: float


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


def tost(differences: npt.ArrayLike, margin: float, design: Design | None = None) -> float:
    """Return the p-value of a test of whether the mean is within a margin of 0.

    Two one-sided tests (TOST), corrected for skewed differences (`gainful.inference.one_sided`).
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
