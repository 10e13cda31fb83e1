"""Bootstrap confidence intervals of the mean difference, by resampling queries."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gainful.inference.design import (
    Design,
    Floats,
    bootstrap_means,
    check,
    design_for,
    differences_of,
)
from gainful.inference.pairwise import count_far_sums, count_outside, quantiles
from gainful.inference.proportions import normal_cdf, normal_quantile
from gainful.inference.randomization import RandomizationTest, centred, known_or_least, significance
from gainful.inference.skewness import ALONE, Columns
from gainful.keywords import suggest_keywords
from gainful.progress import report_steps


class Units(NamedTuple):
    """The units to resample for the means of k columns of values, grouped by stratum.

    Attributes
    ----------
    contributions : ndarray of shape (k, units)
        The contributions of units to each mean.
    shares : ndarray of shape (units,)
        The shares of units in the means.
    sizes : list of int
        The number of units of each stratum.
    """

    contributions: Floats
    shares: Floats
    sizes: list[int]

    def means(self) -> Floats:
        """Return the plain means over strata of sum(contributions) / sum(shares), (k,)."""
        starts = np.cumsum([0, *self.sizes[:-1]])
        totals = np.add.reduceat(self.contributions, starts, axis=1)
        means: Floats = (totals / np.add.reduceat(self.shares, starts)).mean(axis=1)
        return means


@suggest_keywords
def bca_interval(
    differences: npt.ArrayLike,
    design: Design | None = None,
    *,
    level: float = 0.95,
    resamples: int = 9_999,
    seed: int = 0,
    threads: int | None = None,
) -> tuple[float, float] | None:
    """Return the bias-corrected and accelerated bootstrap interval for the mean difference.

    Parameters
    ----------
    differences : array_like, shape (n,)
        The differences; finite.
    design : Design, optional
        Weights, clusters (resampled as units) and strata (resampled separately). Default: equal
        weights, independent queries.
    level : float, default 0.95
        The confidence level.
    resamples : int, default 9,999
        Number of bootstrap samples.
    seed : int, default 0
        The random seed. Results do not depend on the number of threads.
    threads : int, optional
        Number of threads. Default: ``GAINFUL_THREADS``, or all cores.

    Returns
    -------
    tuple of float or None
        Lower and upper end; ``None`` if not defined: a stratum has a single unit, all differences
        are equal, or all bootstrap means are on one side of the observed mean.

    Raises
    ------
    ParameterError
        If there are no differences, one is not finite, or another argument has an invalid value.

    Notes
    -----
    The ends are the quantiles at Phi(z0 + (z0 + z) / (1 - a (z0 + z))) of the bootstrap means. z is
    the normal quantile at (1 -/+ level) / 2. z0 is the normal quantile of the share of bootstrap
    means below the observed mean (equal means count half). a is the acceleration, from means with
    one unit left out. B.
    Efron: Better bootstrap confidence intervals. JASA 82(397), 1987; with strata, B. Efron, R. J.
    Tibshirani: An Introduction to the Bootstrap, 1993, formula 14.36.

    Examples
    --------
    >>> low, high = bca_interval([0.1, 0.3, 0.0, 0.2, 0.1, 0.0, 0.4, 0.1])
    >>> round(low, 2), round(high, 2)
    (0.07, 0.26)
    """
    drawn = _draw("bca_interval", differences, design, level, resamples, seed, threads)
    if drawn is None:
        return None
    return bca_ends(*drawn, level)


def bca_ends(means: Floats, units: Units, level: float) -> tuple[float, float] | None:
    """Return the BCa interval from bootstrap means and the units that were resampled."""
    (low, high), acceleration = around_means(units)[0], accelerations(units)[0]
    below, above = int(np.count_nonzero(means < low)), int(np.count_nonzero(means > high))
    levels = bca_levels(acceleration, below, above, len(means), level)
    if levels is None:
        return None
    return quantile(means, levels[0]), quantile(means, levels[1])


def quantile(values: Floats, level: float) -> float:
    """Return a quantile with linear interpolation, equal to that of `numpy.quantile`.

    That function imports ``numpy.ma``, which takes longer than a comparison of two systems.

    Examples
    --------
    >>> quantile(np.array([4.0, 1.0, 2.0]), 0.75)
    3.0
    """
    place = level * (len(values) - 1)
    below = int(place)
    above = min(below + 1, len(values) - 1)
    ordered = np.partition(values, (below, above))
    low, high = float(ordered[below]), float(ordered[above])
    share = place - below
    # From the nearer end, which keeps the rounding error small.
    return low + (high - low) * share if share < 0.5 else high - (high - low) * (1 - share)


def around_means(units: Units) -> Floats:
    """Return the observed means minus and plus the rounding error of bootstrap means, (k, 2)."""
    observed = units.means()
    tolerance = 1e-12 * abs(units.contributions).sum(axis=1)
    return np.column_stack([observed - tolerance, observed + tolerance])


def bca_levels(
    acceleration: float, below: int, above: int, resamples: int, level: float
) -> tuple[float, float] | None:
    """Return the quantiles at which the BCa interval ends.

    ``acceleration`` is one of `accelerations`; ``below`` and ``above`` are the numbers of bootstrap
    means outside `around_means`.
    """
    # Count half of the equal means as below.
    share = 0.5 * (1.0 + (below - above) / resamples)
    if not 0.0 < share < 1.0:
        return None
    shift = normal_quantile(share)
    levels = []
    for tail in (significance(level) / 2, 1.0 - significance(level) / 2):
        z = shift + normal_quantile(tail)
        place = 1.0 - acceleration * z
        # Past its pole the formula would turn back from the tail.
        levels.append(normal_cdf(shift + z / place) if place > 0.0 else float(z > 0.0))
    return levels[0], levels[1]


@suggest_keywords
def percentile_interval(
    differences: npt.ArrayLike,
    design: Design | None = None,
    *,
    level: float = 0.95,
    resamples: int = 9_999,
    seed: int = 0,
    threads: int | None = None,
) -> tuple[float, float] | None:
    """Return the percentile bootstrap interval for the mean difference.

    Parameters
    ----------
    differences, design, level, resamples, seed, threads
        As in `bca_interval`.

    Returns
    -------
    tuple of float or None
        Lower and upper end; ``None`` if a stratum has a single unit or all differences are equal.

    Raises
    ------
    ParameterError
        As `bca_interval`.

    Notes
    -----
    The ends are the quantiles at (1 -/+ level) / 2 of the bootstrap means, with linear
    interpolation. B. Efron: Nonparametric standard errors and confidence intervals.
    Canadian Journal of Statistics 9(2), 1981.

    Examples
    --------
    >>> low, high = percentile_interval([0.1, 0.3, 0.0, 0.2, 0.1, 0.0, 0.4, 0.1])
    >>> round(low, 2), round(high, 2)
    (0.06, 0.25)
    """
    drawn = _draw("percentile_interval", differences, design, level, resamples, seed, threads)
    if drawn is None:
        return None
    tail = significance(level) / 2
    return quantile(drawn[0], tail), quantile(drawn[0], 1.0 - tail)


def _draw(
    where: str,
    differences: npt.ArrayLike,
    design: Design | None,
    level: float,
    resamples: int,
    seed: int,
    threads: int | None,
) -> tuple[Floats, Units] | None:
    """Return the bootstrap means, and the units that were resampled."""
    array = differences_of(differences, where)
    significance(level)
    check(resamples, seed)
    design = design_for(array, design)
    if min(design.sizes) < 2 or np.ptp(array) == 0.0:
        return None
    units = units_of(array, design)
    return draw_means(units, resamples=resamples, seed=seed, threads=threads), units


def units_of(values: Floats, design: Design) -> Units:
    """Return the units to resample for means of values, (n,) or (n, k)."""
    # A stable sort, which leaves units of one stratum in their order.
    order = np.argsort(design.stratum_of_unit, kind="stable")
    contributions = np.take(design.contributions(values).T, order, axis=1)
    return Units(np.ascontiguousarray(contributions), design.unit_shares()[order], design.sizes)


def draw_means(units: Units, *, resamples: int, seed: int, threads: int | None) -> Floats:
    """Return the bootstrap means of units of a single column."""
    (contributions,) = units.contributions
    return bootstrap_means(
        contributions, units.shares, units.sizes, resamples=resamples, seed=seed, threads=threads
    )


def accelerations(units: Units) -> list[float]:
    """Return sixths of the skewness of the influence of units on each mean."""
    k = len(units.contributions)
    thirds, seconds = np.zeros(k), np.zeros(k)
    start = 0
    for size in units.sizes:
        rows = slice(start, start + size)
        contributions, shares = units.contributions[:, rows], units.shares[rows]
        left = (contributions.sum(axis=1, keepdims=True) - contributions) / (shares.sum() - shares)
        influence = (size - 1) * (left.mean(axis=1, keepdims=True) - left)
        thirds += (influence**3).sum(axis=1) / size**3
        seconds += (influence**2).sum(axis=1) / size**2
        start += size
    return [
        third / (6.0 * second**1.5) if second > 0.0 else 0.0
        for third, second in zip(thirds.tolist(), seconds.tolist(), strict=True)
    ]


Pair = tuple[int, int]

# The number of pairs whose differences are in memory at a time.
_BLOCK = 250


class SharedDraws:
    """The random signs and the bootstrap samples of m systems on the same queries.

    Resampling a difference of two systems equals the difference of their resampled sums. So it is
    enough to resample m systems instead of m (m - 1) / 2 pairs.

    Parameters
    ----------
    values : array_like, shape (n, m)
        Scores of the systems; finite.
    design : Design
        Weights, clusters and strata.
    pairs : sequence of (int, int)
        The systems of each pair, by number: the difference is the first minus the second.
    resamples : int
        Number of random choices of signs.
    bootstrap : int
        Number of bootstrap samples.
    seed : int
        The random seed.
    threads : int, optional
        Number of threads. Default: ``GAINFUL_THREADS``, or all cores.

    Examples
    --------
    >>> scores = [[0.2, 0.4, 0.3], [0.5, 0.6, 0.2], [0.1, 0.4, 0.3], [0.3, 0.5, 0.1]]
    >>> draws = SharedDraws(scores, Design(4), [(1, 0)], resamples=1_000, bootstrap=1_000)
    >>> draws.randomization_tests()[1, 0]
    (RandomizationTest(p=0.125, resamples=16, exact=True), 0.125)
    """

    def __init__(
        self,
        values: npt.ArrayLike,
        design: Design,
        pairs: Sequence[Pair],
        *,
        resamples: int,
        bootstrap: int,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        array = np.asarray(values, dtype=np.float64)
        self._values = centred(array)
        self._raw = array
        self._design = design
        self._pairs = list(pairs)
        self._resamples = resamples
        self._bootstrap = bootstrap
        self._seed = seed
        self._threads = threads

    def randomization_tests(self) -> dict[Pair, tuple[RandomizationTest, float]]:
        """Return the test of each pair, and p corrected for skewness, as `corrected_test`."""
        tests: dict[Pair, tuple[RandomizationTest, float]] = {}
        drawn: list[Pair] = []
        least: list[tuple[object, object]] = []
        student: dict[Pair, float] = {}
        # Sums over the units of a stratum are those of a single column only column by column.
        size = _BLOCK if self._design.strata == 1 else 1
        shares = self._design.unit_shares()[:, None]
        for start in range(0, len(self._pairs), size):
            block = self._pairs[start : start + size]
            contributions = np.asfortranarray(self._design.contributions(self._differences(block)))
            repeated = np.asfortranarray(np.broadcast_to(shares, contributions.shape))
            columns = Columns([(contributions, repeated)], self._design.stratum_of_unit, ALONE)
            student |= zip(block, columns.student_p().tolist(), strict=True)
            for pair, values, ratio in zip(
                block, contributions.T, columns.ratio.tolist(), strict=True
            ):
                test, corrected = known_or_least(values, ratio)
                if isinstance(test, RandomizationTest) and isinstance(corrected, RandomizationTest):
                    tests[pair] = test, max(test.p, corrected.p, student[pair])
                else:
                    drawn.append(pair)
                    least.append((test, corrected))
        if drawn:
            counts = count_far_sums(
                self._design.contributions(self._values),
                np.array(drawn),
                np.array(least, np.float64),
                resamples=self._resamples,
                seed=self._seed,
                threads=self._threads,
            )
            p_values = (counts + 1) / (self._resamples + 1)
            for pair, (p, corrected_p) in zip(drawn, p_values.tolist(), strict=True):
                test = RandomizationTest(p, self._resamples, exact=False)
                tests[pair] = test, max(p, corrected_p, student[pair])
        return tests

    def bca_intervals(self, level: float) -> dict[Pair, tuple[float, float]]:
        """Return the interval for the difference of each pair, if it is defined."""
        if min(self._design.sizes) < 2:
            return {}
        pairs: list[Pair] = []
        bounds: list[Floats] = []
        skewed: list[float] = []
        for start in range(0, len(self._pairs), _BLOCK):
            block = self._pairs[start : start + _BLOCK]
            differences = self._differences(block)
            units = units_of(differences, self._design)
            varied = (np.ptp(differences, axis=0) > 0.0).tolist()
            pairs += compress(block, varied)
            bounds += compress(around_means(units), varied)
            skewed += compress(accelerations(units), varied)
        if not pairs:
            return {}
        systems = range(self._values.shape[1])
        drawn = np.column_stack([self._drawn(step) for step in report_steps(systems)])
        counts = count_outside(
            drawn, np.array(pairs), np.array(bounds), threads=self._threads
        ).tolist()
        levels = {
            pair: levels
            for pair, acceleration, (below, above) in zip(pairs, skewed, counts, strict=True)
            if (levels := bca_levels(acceleration, below, above, self._bootstrap, level))
            is not None
        }
        if not levels:
            return {}
        known = np.array(list(levels)), np.array(list(levels.values()))
        ends = quantiles(drawn, *known, threads=self._threads).tolist()
        return {pair: (low, high) for pair, (low, high) in zip(levels, ends, strict=True)}

    def _differences(self, pairs: Sequence[Pair]) -> Floats:
        """Return the differences of some pairs, one contiguous column each."""
        one, two = np.array(pairs).T
        differences: Floats = np.asfortranarray(self._raw[:, one] - self._raw[:, two])
        return differences

    def _drawn(self, system: int) -> Floats:
        units = units_of(self._values[:, system], self._design)
        return draw_means(units, resamples=self._bootstrap, seed=self._seed, threads=self._threads)
