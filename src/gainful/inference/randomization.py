"""Fisher's randomization test of paired differences, and confidence bounds by its inversion."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from gainful.errors import ParameterError
from gainful.inference.design import Design, Floats, design_for, differences_of
from gainful.inference.paired import Alternative, check_alternative
from gainful.inference.resampling import (
    TOLERANCE,
    all_flip_sums,
    check,
    count_flip_sums,
    flip_sums,
)

# With so many units all 2^units choices of signs are gone through, a million.
EXACT_UP_TO = 20


class RandomizationTest(NamedTuple):
    """The p-value of a randomization test, the number of resamples, and whether it is exact."""

    p: float
    resamples: int
    exact: bool


def randomization_test(
    differences: npt.ArrayLike,
    design: Design | None = None,
    *,
    alternative: Alternative = "two-sided",
    resamples: int = 100_000,
    seed: int = 0,
    threads: int | None = None,
) -> RandomizationTest:
    """Return Fisher's randomization test of whether the two systems may be exchanged.

    If it did not matter which of the two systems gave which result, each difference (of a cluster:
    its sum) could as well have had the other sign. The p-value is the share of choices of signs
    whose mean is as far from 0 as the observed one.

    Parameters
    ----------
    differences : array_like, shape (n,)
        The differences; finite.
    design : Design, optional
        Weights, clusters and strata; plain queries without.
    alternative : {"two-sided", "greater", "less"}
        Which way the mean has to be as far.
    resamples : int, default 100,000
        How many choices of signs are drawn. Not used where all are gone through.
    seed : int, default 0
        The random seed. Results do not depend on the number of threads.
    threads : int, optional
        As everywhere.

    Returns
    -------
    RandomizationTest
        ``exact`` where at most 20 units have a contribution other than 0: then all choices of
        their signs are gone through, and p is their share. Elsewhere p = (b + 1) / (resamples + 1)
        with b of the drawn as far out, so that it is never 0. If all differences are 0, p = 1.

    Raises
    ------
    ParameterError
        If there is no difference, one is not finite, or another argument has an illegal value.

    Notes
    -----
    Sums that differ from the observed one by 1e-12 of the sum of the absolute contributions, which
    is what the order of additions can change, count as far out as it. R. A. Fisher: The Design of
    Experiments, 1935, section 21; M. D. Smucker, J. Allan, B. Carterette: A comparison of
    statistical significance tests for information retrieval evaluation. CIKM 2007.

    Examples
    --------
    Four differences of one sign: of the 16 choices of signs, two are as far out.

    >>> randomization_test([0.1, 0.3, 0.2, 0.2])
    RandomizationTest(p=0.125, resamples=16, exact=True)
    """
    array = differences_of(differences, "randomization_test")
    check_alternative(alternative)
    check(resamples, seed)
    contributions = design_for(array, design).contributions(array)[:, 0]

    def drawn(moved: Floats) -> Floats:
        return flip_sums(moved, resamples=resamples, seed=seed, threads=threads)

    return flipped(contributions, drawn, alternative)


def flipped(
    contributions: Floats, draw: Callable[[Floats], Floats], alternative: Alternative
) -> RandomizationTest:
    """Return the test of contributions of units; `draw` gives sums under random signs of some."""
    contributions = contributions[contributions != 0.0]
    observed = float(contributions.sum())
    tolerance = TOLERANCE * float(abs(contributions).sum())
    if len(contributions) <= EXACT_UP_TO:
        choices = 1 << len(contributions)
        return RandomizationTest(
            _count_all(contributions, observed, tolerance, alternative) / choices, choices, True
        )
    sums = draw(contributions)
    if alternative == "two-sided":
        far = abs(sums) >= abs(observed) - tolerance
    elif alternative == "greater":
        far = sums >= observed - tolerance
    else:
        far = sums <= observed + tolerance
    resamples = len(sums)
    return RandomizationTest((int(np.count_nonzero(far)) + 1) / (resamples + 1), resamples, False)


def _count_all(
    contributions: Floats, observed: float, tolerance: float, alternative: Alternative
) -> int:
    """Return how many of all choices of signs are as extreme as the observed one."""
    if alternative != "two-sided":
        # Turning all signs turns the sum.
        sign = 1.0 if alternative == "greater" else -1.0
        return count_flip_sums(contributions, sign * observed - tolerance)
    least = abs(observed) - tolerance
    # As many are as far out below as above, and all where that is no distance.
    return 2 * count_flip_sums(contributions, least) if least > 0.0 else 1 << len(contributions)


def randomization_bound(
    differences: npt.ArrayLike,
    design: Design | None = None,
    *,
    side: Literal["lower", "upper"] = "lower",
    level: float = 0.95,
    resamples: int = 100_000,
    seed: int = 0,
    threads: int | None = None,
) -> float:
    """Return a one-sided bound for the mean difference, from the randomization test.

    The lower bound is the least number that could be taken away from all differences with the
    test, for a mean greater than 0, still not rejecting at 1 - ``level``.

    Parameters
    ----------
    differences, design, resamples, seed, threads
        As in `randomization_test`; all signs are gone through for up to 20 units.
    side : {"lower", "upper"}
        Which bound.
    level : float, default 0.95
        The share of samples of queries whose bound lies on the right side of the mean of all.

    Returns
    -------
    float
        The bound; infinite where so few units cannot reject anything.

    Raises
    ------
    ParameterError
        As `randomization_test`; if ``side`` is unknown or ``level`` is not between 0 and 1.

    Notes
    -----
    With F the units whose sign is changed, the sum is as far out under a shift by s exactly if s is
    at least the mean over F. So the bound is an order statistic of means of random subsets. J. A.
    Hartigan: Using subsample values as typical values. JASA 64(328), 1969.

    Examples
    --------
    With five queries, of 32 choices of signs, at most one may be as far out: the bound is the
    least mean of a subset, and that is the least difference.

    >>> round(randomization_bound([0.1, 0.3, 0.2, 0.2, 0.4]), 12)
    0.1
    >>> randomization_bound([0.1, 0.3, 0.2])
    -inf
    """
    array = differences_of(differences, "randomization_bound")
    check(resamples, seed)
    if side not in ("lower", "upper"):
        raise ParameterError(where="side", found=repr(side), expected="lower or upper")
    alpha = significance(level)
    if side == "upper":
        array = -array
    design = design_for(array, design)
    contributions, shares = design.contributions(array)[:, 0], design.unit_shares()
    if design.units <= EXACT_UP_TO:
        # The first choice changes no sign, and is always as far out.
        sums, counts = all_flip_sums(contributions)[1:], all_flip_sums(shares)[1:]
        allowed = threshold(alpha, len(sums) + 1)
    else:
        sums = flip_sums(contributions, resamples=resamples, seed=seed, threads=threads)
        counts = flip_sums(shares, resamples=resamples, seed=seed, threads=threads)
        allowed = threshold(alpha, resamples + 1)
    if allowed == 0:
        return -inf if side == "lower" else inf
    changed = float(shares.sum()) - counts
    with np.errstate(divide="ignore", invalid="ignore"):
        means = (float(contributions.sum()) - sums) / changed
    # Where no sign is changed, the sum is as far out under any shift.
    means[changed < TOLERANCE] = -inf
    bound = float(np.partition(means, allowed - 1)[allowed - 1])
    # A mean of a subset lies between the least and the greatest, but for rounding.
    bound = bound if bound == -inf else min(max(bound, float(array.min())), float(array.max()))
    return bound if side == "lower" else -bound


def significance(level: float) -> float:
    """Return 1 - level, without rounding error: .05 for .95."""
    if not 0.0 < level < 1.0:
        raise ParameterError(where="level", found=repr(level), expected="a number between 0 and 1")
    return round(1.0 - level, 12)


def threshold(alpha: float, choices: int) -> int:
    """Return how many of the choices, including the observed one, may be as extreme."""
    # .07 * 100 is a little more than 7, and .29 * 100 a little less than 29.
    return int(alpha * choices + 1e-9)
