"""Resampled differences of many pairs of columns, computed by the kernel.

A resample of the difference of two columns is the difference of their resamples. `pairs` are arrays
of shape (k, 2), the indices of columns.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gainful import _kernel
from gainful.inference.design import Floats
from gainful.progress import report_function
from gainful.threads import thread_count

Indices = npt.NDArray[np.int64]


def step_down_maxima(
    contributions: Floats,
    pairs: Indices,
    scales: Floats,
    observed: Floats,
    direct: npt.NDArray[np.bool_],
    *,
    choices: int,
    seed: int | None,
    threads: int | None,
) -> tuple[Floats, Indices]:
    """Return the maxima of statistics of all pairs, and how many of them reach the observed ones.

    Parameters
    ----------
    contributions : ndarray of shape (units, columns)
        The contributions of units.
    pairs : ndarray of shape (k, 2)
        In the order in which they are added to the maximum.
    scales : ndarray of shape (k,)
        The statistic of a pair is its absolute difference divided by its scale; 0 if that is 0.
    observed : ndarray of shape (k,)
        For each pair, the result counts the maxima of the pairs up to it that are at least this.
    direct : ndarray of bool, shape (k,)
        Whether the difference of the contributions is resampled itself, for precision.
    choices : int
        The number of choices of signs.
    seed : int or None
        The random seed; None for all choices, which must be 2^units.
    threads : int, optional
        Number of threads. Default: ``GAINFUL_THREADS``, or all cores.

    Returns
    -------
    maxima : ndarray of shape (choices,)
    counts : ndarray of int, shape (k,)
    """
    maxima, counts = np.empty(choices), np.empty(len(pairs), np.int64)
    _kernel.step_down_pairs(
        _columns(contributions),
        contributions.shape[1],
        _pairs(pairs),
        np.ascontiguousarray(scales),
        np.ascontiguousarray(observed),
        direct.astype(np.int64),
        maxima,
        counts,
        seed=seed,
        threads=thread_count(threads),
        progress=report_function(),
    )
    return maxima, counts


def count_far_sums(
    contributions: Floats,
    pairs: Indices,
    least: Floats,
    *,
    resamples: int,
    seed: int,
    threads: int | None,
) -> Indices:
    """Return how many sums of differences with random signs have an absolute value of `least`.

    `least` and the result have shape (k, 2): two values for each pair.
    """
    counts = np.empty((len(pairs), 2), np.int64)
    _kernel.count_far_pairs(
        _columns(contributions),
        contributions.shape[1],
        _pairs(pairs),
        np.ascontiguousarray(least).reshape(-1),
        counts.reshape(-1),
        resamples=resamples,
        seed=seed,
        threads=thread_count(threads),
        progress=report_function(),
    )
    return counts


def count_outside(drawn: Floats, pairs: Indices, bounds: Floats, *, threads: int | None) -> Indices:
    """Return how many differences are below the first and above the second of `bounds`, (k, 2).

    `drawn` has shape (resamples, columns).
    """
    counts = np.empty((len(pairs), 2), np.int64)
    _kernel.count_pairs_outside(
        _columns(drawn),
        drawn.shape[1],
        _pairs(pairs),
        np.ascontiguousarray(bounds).reshape(-1),
        counts.reshape(-1),
        threads=thread_count(threads),
        progress=report_function(),
    )
    return counts


def quantiles(drawn: Floats, pairs: Indices, levels: Floats, *, threads: int | None) -> Floats:
    """Return two quantiles of the differences of each pair, at ascending `levels`, (k, 2).

    They are interpolated linearly, as by `numpy.quantile`.
    """
    last = len(drawn) - 1
    places = levels * last
    before = np.minimum(np.floor(places).astype(np.int64), last)
    ranks = np.stack([before, np.minimum(before + 1, last)], axis=-1)
    found = np.empty(ranks.shape)
    _kernel.order_statistics_of_pairs(
        _columns(drawn),
        drawn.shape[1],
        _pairs(pairs),
        ranks.reshape(-1),
        found.reshape(-1),
        threads=thread_count(threads),
        progress=report_function(),
    )
    low, high = found[..., 0], found[..., 1]
    share = places - before
    step = high - low
    # As NumPy does, from the nearer end.
    nearer: Floats = np.where(share < 0.5, low + step * share, high - step * (1.0 - share))
    return nearer


def _columns(table: Floats) -> Floats:
    """Return a table as one column after another."""
    return np.ascontiguousarray(table.T).reshape(-1)


def _pairs(pairs: Indices) -> Indices:
    return np.ascontiguousarray(pairs, np.int64).reshape(-1)
