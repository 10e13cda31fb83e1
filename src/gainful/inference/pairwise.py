"""Max-T tests of all pairs of systems, studentized by pair."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from gainful.inference.design import Design, Floats, design_for
from gainful.inference.many import MaxT, max_t_results
from gainful.inference.randomization import significance
from gainful.inference.resampling import all_flip_sums, check, flip_sums
from gainful.inference.tukey_families import contributions_of, tables_of

# Differences up to this share of the scores are flipped directly, for precision.
_NEAR = 1e-4
# The rounding error of a sum of flipped differences, relative to their scale.
_ROUNDING = 1e-10


def max_t_pairs(
    tables: Sequence[npt.ArrayLike],
    design: Design | None = None,
    *,
    level: float = 0.95,
    resamples: int = 100_000,
    seed: int = 0,
    threads: int | None = None,
) -> list[MaxT]:
    """Return max-T tests of all pairs of systems, on one measure or several.

    A query gets the same random sign in all pairs, and each pair's statistic is scaled by the
    variance of its own differences. So a small difference between two variants of one system can
    be significant while the same difference between unrelated systems is not. Randomized Tukey HSD
    assumes exchangeable systems instead: for ten systems with equal means, nine of them variants of
    one system, its family-wise error rate is about 15% instead of 5%.

    Parameters
    ----------
    tables, design, level, resamples, seed, threads
        As in `joint_tukey`.

    Returns
    -------
    list of MaxT
        One for each table, with p, low and high of shape (m, m): ``low[i, j]`` and ``high[i, j]``
        are the ends of the interval for the mean of system i minus the mean of system j. ``p`` is 1
        on the diagonal. All are NaN for a table without queries.

    Raises
    ------
    ParameterError
        As `joint_tukey`.

    Notes
    -----
    The result is that of `max_t` for all m (m - 1) / 2 columns of differences of all tables, but
    signs are drawn once per system instead of once per pair. All choices of signs are enumerated if
    there are at most ``resamples``. On why permuting all systems does not control the error rate if
    their variances differ, see J. P. Romano: On the behavior of randomization tests without a group
    invariance assumption. JASA 85(411), 1990; Y. Huang, H. Xu, V. Calian, J. C. Hsu: To permute or
    not to permute. Bioinformatics 22(18), 2006.

    Examples
    --------
    >>> scores = [[0.2, 0.4, 0.21], [0.5, 0.6, 0.5], [0.1, 0.4, 0.1], [0.3, 0.5, 0.32],
    ...           [0.4, 0.7, 0.4], [0.6, 0.8, 0.59], [0.2, 0.3, 0.2], [0.7, 0.9, 0.7]]
    >>> (found,) = max_t_pairs([scores], resamples=9_999)
    >>> (found.p <= 0.05).tolist()
    [[False, True, False], [True, False, True], [False, True, False]]
    >>> bool(found.low[1, 0] > 0)
    True
    """
    arrays = tables_of(tables, "max_t_pairs")
    alpha = significance(level)
    check(resamples, seed)
    design = design_for(arrays[0], design)
    flips = _Flips(design.units, resamples, seed, threads)
    known = [_known(array, design, flips) for array in arrays]
    flips.maxima.sort()
    return [_max_t(*each, flips, alpha) for each in known]


class _Flips:
    """Sums under random signs, shared by all tables, and their maxima."""

    def __init__(self, units: int, resamples: int, seed: int, threads: int | None) -> None:
        # Enumerate all choices of signs if there are not more of them than resamples.
        self.exact = 1 << units <= resamples
        self.maxima: Floats = np.zeros(1 << units if self.exact else resamples)
        self._options = {"resamples": resamples, "seed": seed, "threads": threads}

    def sums(self, contributions: Floats) -> Floats:
        if self.exact:
            return all_flip_sums(contributions)
        return flip_sums(contributions, **self._options)  # type: ignore[arg-type]


def _known(array: Floats, design: Design, flips: _Flips) -> tuple[Floats, Floats, Floats]:
    """Return means (m,), contributions (units, m) and shares of units; and update the maxima."""
    means, rows, shares = contributions_of(array, design)
    drawn = [flips.sums(column) for column in rows.T]
    sizes = abs(rows).sum(axis=0)
    sums = np.empty_like(flips.maxima)
    for one, two in combinations(range(len(drawn)), 2):
        pair = rows[:, one] - rows[:, two]
        scale = _scale(pair)
        if scale > _NEAR * max(sizes[one], sizes[two]):
            # The sum of a pair is the difference of the sums of its systems.
            np.subtract(drawn[one], drawn[two], out=sums)
        elif scale > 0.0:
            # For nearly equal systems, this difference loses too many digits.
            sums[:] = flips.sums(pair)
        else:
            continue
        np.abs(sums, out=sums)
        sums /= scale
        np.maximum(flips.maxima, sums, out=flips.maxima)
    return means, rows, shares


def _scale(pair: Floats) -> float:
    return float(np.sqrt(pair @ pair))


def _max_t(means: Floats, rows: Floats, shares: Floats, flips: _Flips, alpha: float) -> MaxT:
    """Return p-values and intervals of the pairs of a table, (m, m)."""
    m = len(means)
    if np.isnan(means).any():
        nothing = np.full((m, m), np.nan)
        return MaxT(nothing, nothing, nothing)
    one, two = np.triu_indices(m, 1)
    pairs = rows[:, one] - rows[:, two]
    scales = np.array([_scale(pair) for pair in pairs.T])
    observed = abs(pairs.sum(axis=0)) / np.where(scales > 0.0, scales, 1.0)
    # Treat values that differ from the largest only by rounding as equal to it.
    observed -= _ROUNDING * np.maximum(observed, 1.0)
    by_unit = np.broadcast_to(shares[:, None], pairs.shape)
    found = max_t_results(flips.maxima, observed, pairs, by_unit, alpha, exact=flips.exact)
    p, low, high = np.ones((m, m)), np.zeros((m, m)), np.zeros((m, m))
    p[one, two] = p[two, one] = found.p
    low[one, two], high[one, two] = found.low, found.high
    low[two, one], high[two, one] = -found.high, -found.low
    return MaxT(p, low, high)
