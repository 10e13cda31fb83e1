"""Tests of many pairs of the same systems, from one set of resamples per system."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

import numpy as np
import numpy.typing as npt

from gainful.inference.bootstrap import (
    accelerations,
    around_means,
    bca_levels,
    draw_means,
    units_of,
)
from gainful.inference.design import Design, Floats
from gainful.inference.many import centred
from gainful.inference.randomization import RandomizationTest, known_or_least
from gainful.inference.resampled_pairs import count_far_sums, count_outside, quantiles
from gainful.inference.skewness import ALONE, Columns
from gainful.progress import report_steps

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
        found: dict[Pair, tuple[RandomizationTest, float]] = {}
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
            student |= zip(block, columns.p.tolist(), strict=True)
            for pair, own, ratio in zip(
                block, contributions.T, columns.ratio.tolist(), strict=True
            ):
                test, corrected = known_or_least(own, ratio)
                if isinstance(test, RandomizationTest) and isinstance(corrected, RandomizationTest):
                    found[pair] = test, max(test.p, corrected.p, student[pair])
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
                found[pair] = test, max(p, corrected_p, student[pair])
        return found

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
        drawn = np.column_stack([self._drawn(at) for at in report_steps(systems)])
        counts = count_outside(
            drawn, np.array(pairs), np.array(bounds), threads=self._threads
        ).tolist()
        levels = {
            pair: found
            for pair, acceleration, (below, above) in zip(pairs, skewed, counts, strict=True)
            if (found := bca_levels(acceleration, below, above, self._bootstrap, level)) is not None
        }
        if not levels:
            return {}
        known = np.array(list(levels)), np.array(list(levels.values()))
        ends = quantiles(drawn, *known, threads=self._threads).tolist()
        return {pair: (low, high) for pair, (low, high) in zip(levels, ends, strict=True)}

    def _differences(self, pairs: Sequence[Pair]) -> Floats:
        """Return the differences of some pairs, one contiguous column each."""
        one, two = np.array(pairs).T
        found: Floats = np.asfortranarray(self._raw[:, one] - self._raw[:, two])
        return found

    def _drawn(self, system: int) -> Floats:
        units = units_of(self._values[:, system], self._design)
        return draw_means(units, resamples=self._bootstrap, seed=self._seed, threads=self._threads)
