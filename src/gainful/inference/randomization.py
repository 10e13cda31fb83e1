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
from gainful.inference.skewness import ALONE, Columns

# Up to this number of units, all 2^units choices of signs (a million) are enumerated.
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
    """Return Fisher's randomization test of whether two systems are exchangeable.

    Under the null hypothesis, each difference (the sum of each cluster) could have had the other
    sign with the same probability. The p-value is the share of choices of signs whose mean is at
    least as extreme as the observed mean.

    Parameters
    ----------
    differences : array_like, shape (n,)
        The differences; finite.
    design : Design, optional
        Weights, clusters and strata. Default: equal weights, independent queries.
    alternative : {"two-sided", "greater", "less"}
        The alternative hypothesis: the mean differs from 0, is above 0, or is below 0.
    resamples : int, default 100,000
        Number of random choices of signs. Not used if all choices are enumerated.
    seed : int, default 0
        The random seed. Results do not depend on the number of threads.
    threads : int, optional
        Number of threads. Default: ``GAINFUL_THREADS``, or all cores.

    Returns
    -------
    RandomizationTest
        ``exact`` is true if at most 20 units have a contribution other than 0: then all choices of
        their signs are enumerated, and p is the share of extreme ones. Otherwise p =
        (b + 1) / (resamples + 1) with b extreme random choices, so p is never 0. If all differences
        are 0, p = 1.

    Raises
    ------
    ParameterError
        If there is no difference, one is not finite, or another argument has an invalid value.

    Notes
    -----
    Sums within 1e-12 of the observed sum, relative to the sum of the absolute contributions, are
    treated as equal to it, because the order of additions changes them. R. A. Fisher: The Design of
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


def corrected_test(
    differences: Floats,
    design: Design,
    *,
    draw: Callable[[Floats], Floats],
) -> tuple[RandomizationTest, float]:
    """Return the two-sided test of finite differences, and its p corrected for skewness.

    `draw` returns sums of contributions under random signs. The corrected p is the share of choices
    of signs that are at least as extreme as the corrected statistic of `max_t`, so it is that of
    `max_t` for a single column.
    """
    contributions = design.contributions(differences)
    columns = Columns(
        [(contributions, design.unit_shares()[:, None])], design.stratum_of_unit, ALONE
    )
    moved = _that_count(contributions[:, 0])
    sums = abs(draw(moved)) if len(moved) > EXACT_UP_TO else moved
    test, corrected = (
        known if isinstance(known, RandomizationTest) else _by_drawn(sums, known)
        for known in known_or_least(moved, float(columns.ratio[0]))
    )
    return test, max(test.p, corrected.p, float(columns.p[0]))


def flipped(
    contributions: Floats, draw: Callable[[Floats], Floats], alternative: Alternative
) -> RandomizationTest:
    """Test contributions of units; `draw` returns sums of some of them under random signs."""
    moved = _that_count(contributions)
    if alternative == "two-sided":
        known, _ = known_or_least(moved)
        return known if isinstance(known, RandomizationTest) else _by_drawn(abs(draw(moved)), known)
    # Flipping all signs flips the sign of the sum.
    sign = 1.0 if alternative == "greater" else -1.0
    least = sign * float(moved.sum()) - TOLERANCE * float(abs(moved).sum())
    if len(moved) > EXACT_UP_TO:
        return _by_drawn(sign * draw(moved), least)
    choices = 1 << len(moved)
    return RandomizationTest(count_flip_sums(moved, least) / choices, choices, True)


def known_or_least(
    contributions: Floats, ratio: float = 1.0
) -> tuple[RandomizationTest | float, RandomizationTest | float]:
    """Return the exact two-sided tests of the observed sum and `ratio` times it.

    If more than a few units are not 0, return the least absolute sums under random signs that are
    as extreme.
    """
    moved = _that_count(contributions)
    total, tolerance = float(moved.sum()), TOLERANCE * float(abs(moved).sum())
    observed, corrected = abs(total) - tolerance, abs(ratio * total) - tolerance
    if len(moved) > EXACT_UP_TO:
        return observed, corrected
    test = _by_enumeration(moved, observed)
    return test, test if ratio == 1.0 else _by_enumeration(moved, corrected)


def _by_enumeration(moved: Floats, least: float) -> RandomizationTest:
    choices = 1 << len(moved)
    # By symmetry, as many sums are extreme below as above; all are if the observed sum is 0.
    count = 2 * count_flip_sums(moved, least) if least > 0.0 else choices
    return RandomizationTest(count / choices, choices, True)


def _that_count(contributions: Floats) -> Floats:
    moved: Floats = contributions[contributions != 0.0]
    return moved


def _by_drawn(statistics: Floats, least: float) -> RandomizationTest:
    resamples = len(statistics)
    extreme = int(np.count_nonzero(statistics >= least))
    return RandomizationTest((extreme + 1) / (resamples + 1), resamples, False)


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

    The lower bound is the smallest shift that, subtracted from all differences, makes the test
    against a mean above 0 not significant at 1 - ``level``.

    Parameters
    ----------
    differences, design, resamples, seed, threads
        As in `randomization_test`; all choices of signs are enumerated for up to 20 units.
    side : {"lower", "upper"}
        Which bound.
    level : float, default 0.95
        The one-sided confidence level.

    Returns
    -------
    float
        The bound; infinite if there are too few units to reject any hypothesis.

    Raises
    ------
    ParameterError
        As `randomization_test`; if ``side`` is unknown or ``level`` is not between 0 and 1.

    Notes
    -----
    With F the units whose sign is flipped, the sum is at least as extreme under a shift by s if and
    only if s is at least the mean over F. So the bound is an order statistic of means of random
    subsets. J. A.
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
        # The first choice flips no sign, so it is as extreme as the observed one for every shift.
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
    # If no sign is flipped, the sum is as extreme for every shift.
    means[changed < TOLERANCE] = -inf
    bound = float(np.partition(means, allowed - 1)[allowed - 1])
    # Rounding may move the mean of a subset outside the range of the values.
    bound = bound if bound == -inf else min(max(bound, float(array.min())), float(array.max()))
    return bound if side == "lower" else -bound


def significance(level: float) -> float:
    """Return 1 - level, without rounding error: .05 for .95."""
    if not 0.0 < level < 1.0:
        raise ParameterError(where="level", found=repr(level), expected="a number between 0 and 1")
    return round(1.0 - level, 12)


def threshold(alpha: float, choices: int) -> int:
    """Return how many of the choices, including the observed one, may be as extreme."""
    # In floating point .07 * 100 is above 7, and .29 * 100 below 29.
    return int(alpha * choices + 1e-9)
