"""Tests of many pairs of the same systems, from one set of resamples per system."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gainful.inference.bootstrap import bca_ends, units_of
from gainful.inference.design import Design, Floats
from gainful.inference.many import centred
from gainful.inference.randomization import RandomizationTest, corrected_test
from gainful.inference.resampling import bootstrap_means, flip_sums


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
    >>> draws = SharedDraws(scores, Design(4), resamples=1_000, bootstrap=1_000)
    >>> draws.randomization_test(1, 0)
    (RandomizationTest(p=0.125, resamples=16, exact=True), 0.125)
    """

    def __init__(
        self,
        values: npt.ArrayLike,
        design: Design,
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
        self._resamples = resamples
        self._bootstrap = bootstrap
        self._seed = seed
        self._threads = threads
        self._contributions = design.contributions(self._values)
        self._flips: dict[int, Floats] = {}
        self._means: dict[int, Floats] = {}

    def randomization_test(self, one: int, two: int) -> tuple[RandomizationTest, float]:
        """Return the test of the difference of two systems, and p corrected for skewness."""
        differences = self._raw[:, one] - self._raw[:, two]

        def drawn(_: Floats) -> Floats:
            return self._flipped(one) - self._flipped(two)

        return corrected_test(differences, self._design, draw=drawn)

    def bca_interval(self, one: int, two: int, level: float) -> tuple[float, float] | None:
        """Return the interval for the difference of two systems."""
        differences = self._raw[:, one] - self._raw[:, two]
        units = units_of(differences, self._design)
        if min(units.sizes) < 2 or np.ptp(differences) == 0.0:
            return None
        return bca_ends(self._drawn(one) - self._drawn(two), units, level)

    def _flipped(self, system: int) -> Floats:
        if system not in self._flips:
            self._flips[system] = flip_sums(
                self._contributions[:, system],
                resamples=self._resamples,
                seed=self._seed,
                threads=self._threads,
            )
        return self._flips[system]

    def _drawn(self, system: int) -> Floats:
        if system not in self._means:
            units = units_of(self._values[:, system], self._design)
            self._means[system] = bootstrap_means(
                *units, resamples=self._bootstrap, seed=self._seed, threads=self._threads
            )
        return self._means[system]
