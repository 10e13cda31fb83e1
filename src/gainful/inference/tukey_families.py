"""Randomized Tukey HSD over several measures, or segments of queries, at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gainful.errors import ParameterError
from gainful.inference.design import Design, Floats, design_for
from gainful.inference.many import (
    RandomizedTukey,
    all_differences,
    centred,
    judged,
    scores_of,
)
from gainful.inference.randomization import significance
from gainful.inference.resampling import TOLERANCE, check, permutation_ranges


def joint_tukey(
    tables: Sequence[npt.ArrayLike],
    design: Design | None = None,
    *,
    level: float = 0.95,
    resamples: int = 100_000,
    seed: int = 0,
    threads: int | None = None,
) -> list[RandomizedTukey]:
    """Return randomized Tukey HSD tests of all pairs of systems, in several tables at once.

    A table contains the scores in one measure, or on one segment of the queries. The scores of a
    query are permuted in the same way in all tables, which preserves the correlation between
    tables: the higher the correlation, the smaller the correction. For exchangeable systems, the
    family-wise error rate over all tables is at most alpha. `max_t_pairs` has weaker assumptions.

    Parameters
    ----------
    tables : sequence of array_like, each of shape (n, m)
        Scores of the same m systems on the same n queries, in the same order. A row of NaN means
        that the query is not in the table.
    design : Design, optional
        Weights, clusters and strata of the n queries. Default: equal weights, independent queries.
    level, resamples, seed, threads
        As in `randomized_tukey`.

    Returns
    -------
    list of RandomizedTukey
        One for each table. For a table without queries, p and half-width are NaN.

    Raises
    ------
    ParameterError
        If there are no tables, their shapes differ, a row is neither finite nor all NaN, or another
        argument has an invalid value.

    Notes
    -----
    The range R of the means of the systems is divided by a scale of its table, which permutations
    do not change: the root of the sum of squares of the centered contributions. p =
    (1 + #{max over tables of R / scale >= abs(difference) / scale}) / (resamples + 1): single-step
    max-T of P. H. Westfall, S. S. Young: Resampling-Based Multiple Testing, Wiley 1993, with the
    statistic of B. Carterette: Multiple testing in statistical analysis of systems-based
    information retrieval experiments. ACM TOIS 30(1), 2012. One table gives `randomized_tukey`.

    Examples
    --------
    Two measures that say the same cost no more than one:

    >>> from gainful.inference import randomized_tukey
    >>> scores = [[0.2, 0.4], [0.5, 0.6], [0.1, 0.4], [0.3, 0.5], [0.4, 0.7], [0.6, 0.5]]
    >>> one = randomized_tukey(scores, resamples=9_999)
    >>> two = joint_tukey([scores, scores], resamples=9_999)
    >>> two[1].p.tolist() == one.p.tolist()
    True
    """
    arrays = tables_of(tables, "joint_tukey")
    alpha = significance(level)
    check(resamples, seed)
    design = design_for(arrays[0], design)
    maxima = np.zeros(resamples)
    tolerance = 0.0
    found: list[tuple[Floats, float]] = []
    for array in arrays:
        means, rows, _ = contributions_of(array, design)
        scale = float((rows * rows).sum()) ** 0.5
        found.append((all_differences(means), scale))
        if scale > 0.0:
            # The same seed permutes the same row of each table in the same way.
            ranges = permutation_ranges(rows, resamples=resamples, seed=seed, threads=threads)
            np.maximum(maxima, ranges / scale, out=maxima)
            tolerance = max(tolerance, float(abs(rows).max(axis=1).sum()) / scale)
    maxima += TOLERANCE * tolerance
    maxima.sort()
    return [_adjusted(maxima, *one, alpha, resamples) for one in found]


def tables_of(tables: Sequence[npt.ArrayLike], where: str) -> list[Floats]:
    """Return tables as arrays of one shape; others are a `ParameterError`."""
    arrays = [scores_of(table, where) for table in tables]
    shapes = {array.shape for array in arrays}
    if len(shapes) != 1:
        raise ParameterError(
            where=where,
            found=f"{len(arrays)} tables of {len(shapes)} shapes",
            expected="tables of the same queries and systems",
        )
    for array in arrays:
        whole = np.isfinite(array).all(axis=1) | np.isnan(array).all(axis=1)
        if not whole.all():
            raise ParameterError(
                where=where,
                found="a query with scores for some systems only",
                expected="finite scores for all systems, or NaN for all",
            )
    return arrays


def contributions_of(array: Floats, design: Design) -> tuple[Floats, Floats, Floats]:
    """Return means, contributions and shares of a table, without queries that are NaN.

    These are the means of the systems, (m,), the centered contributions of units, (units, m), and
    the shares of units in the means, (units,).
    """
    absent = np.isnan(array[:, 0])
    if not absent.any():
        return design.mean(array), centred(design.contributions(array)), design.unit_shares()
    if absent.all():
        nothing = np.zeros((design.units, array.shape[1]))
        return np.full(array.shape[1], np.nan), nothing, nothing[:, 0]
    shares = design.shares_without(absent)[:, None]
    rows = design.gather(shares * np.where(absent[:, None], 0.0, array))
    return rows.sum(axis=0), centred(rows), design.gather(shares)[:, 0]


def _adjusted(
    maxima: Floats, differences: Floats, scale: float, alpha: float, resamples: int
) -> RandomizedTukey:
    if np.isnan(differences).all():
        return RandomizedTukey(differences, float("nan"), resamples)
    p, critical = judged(maxima, differences / (scale or 1.0), alpha, exact=False)
    np.fill_diagonal(p, 1.0)
    return RandomizedTukey(p, critical * scale if scale > 0.0 else 0.0, resamples)
