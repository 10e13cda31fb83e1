"""Max-T tests of all pairs of systems, studentized by pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from gainful.inference.design import Design, Floats, design_for
from gainful.inference.many import Counts, MaxT, limits_of, step_down
from gainful.inference.randomization import significance
from gainful.inference.resampled_pairs import step_down_maxima
from gainful.inference.resampling import check
from gainful.inference.skewness import ALONE, FAMILY, Columns
from gainful.inference.tukey_families import contributions_of, tables_of

# Differences up to this share of the scores are flipped directly: for nearly equal systems, the
# difference of their sums loses too many digits.
_NEAR = 1e-4
# The number of pairs whose differences are in memory at a time.
_BLOCK = 1_000


def max_t_pairs(
    tables: Sequence[npt.ArrayLike],
    design: Design | None = None,
    *,
    level: float = 0.95,
    resamples: int = 100_000,
    seed: int = 0,
    threads: int | None = None,
    limits: Sequence[npt.ArrayLike | None] | None = None,
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
    limits : sequence of (array_like of shape (2,), or None), optional
        The lowest and the highest possible difference in each table, as in `max_t`.

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
    # Enumerate all choices of signs if there are not more of them than resamples.
    exact = 1 << design.units <= resamples
    choices = 1 << design.units if exact else resamples

    ends = [None] * len(arrays) if limits is None else limits
    known = [_Table(array, design, possible) for array, possible in zip(arrays, ends, strict=True)]
    present = [table for table in known if table.pairs]
    if present:
        blocks = (block for table in present for block in table.blocks())
        starts = np.cumsum([0, *(len(table.pairs) for table in present)])
        contributions = np.hstack([table.rows for table in present])
        systems = np.cumsum([0, *(table.rows.shape[1] for table in present)])
        pairs = np.vstack(
            [np.array(table.pairs) + at for at, table in zip(systems, present, strict=False)]
        )
        scales = np.concatenate([table.scales() for table in present])
        strength = FAMILY if np.count_nonzero(scales) > 1 else ALONE
        columns = Columns(blocks, design.stratum_of_unit, strength)
        sizes = abs(contributions).sum(axis=0)[pairs].max(axis=1)

        def reached(observed: Floats, ascending: Sequence[int]) -> tuple[Floats, Counts]:
            # All signs reach the 0 of equal systems.
            order = np.array([pair for pair in ascending if scales[pair] > 0.0], np.intp)
            counts = np.full(len(observed), choices)
            maxima, counts[order] = step_down_maxima(
                contributions,
                pairs[order],
                scales[order],
                observed[order],
                scales[order] <= _NEAR * sizes[order],
                choices=choices,
                seed=None if exact else seed,
                threads=threads,
            )
            return maxima, counts

        possible = np.hstack([table.limits for table in present])
        found = step_down(columns, reached, alpha, possible, exact=exact)
        for start, table in zip(starts, present, strict=False):
            rows = slice(start, start + len(table.pairs))
            table.found = MaxT(*(each[rows] for each in found))
    return [table.squares() for table in known]


class _Table:
    """The pairs of a table, and the contributions of its units."""

    def __init__(self, array: Floats, design: Design, limits: npt.ArrayLike | None) -> None:
        means, self.rows, self._shares = contributions_of(array, design)
        self._systems = len(means)
        self.pairs = [] if np.isnan(means).any() else list(combinations(range(len(means)), 2))
        self.limits = limits_of(limits, len(self.pairs), "max_t_pairs")
        self.found = MaxT(*(np.empty(0) for _ in range(3)))

    def blocks(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield the contributions of pairs and the shares of units, some pairs at a time."""
        for start in range(0, len(self.pairs), _BLOCK):
            one, two = np.array(self.pairs[start : start + _BLOCK]).T
            pairs = self.rows[:, one] - self.rows[:, two]
            yield pairs, np.broadcast_to(self._shares[:, None], pairs.shape)

    def scales(self) -> Floats:
        """Return the root of the sum of squared differences of each pair."""
        systems = np.ascontiguousarray(self.rows.T)
        squares = [own @ own for one, two in self.pairs for own in (systems[one] - systems[two],)]
        return np.sqrt(squares)

    def squares(self) -> MaxT:
        """Return p-values and intervals as (m, m)."""
        m = self._systems
        if not self.pairs:
            nothing = np.full((m, m), np.nan)
            return MaxT(nothing, nothing, nothing)
        one, two = np.array(self.pairs).T
        p, low, high = np.ones((m, m)), np.zeros((m, m)), np.zeros((m, m))
        p[one, two] = p[two, one] = self.found.p
        low[one, two], high[one, two] = self.found.low, self.found.high
        low[two, one], high[two, one] = -self.found.high, -self.found.low
        return MaxT(p, low, high)
