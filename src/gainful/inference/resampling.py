"""Resampling: random signs, permutations within rows, bootstrap samples.

The kernel computes the resamples. Each function returns one number per resample, which depends only
on the seed, not on the machine or the number of threads. With the same seed, `flip_sums` gives
a unit the same sign in the same resample, independent of the contributions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gainful import _kernel
from gainful.errors import ParameterError
from gainful.inference.design import Floats
from gainful.progress import report_function
from gainful.threads import thread_count

# Sums of the same numbers in another order differ by rounding errors, so a resample within this
# tolerance of the observed value is treated as equal to it. Relative to the sum of absolute values.
TOLERANCE = 1e-12


def flip_sums(
    contributions: Floats, *, resamples: int, seed: int = 0, threads: int | None = None
) -> Floats:
    """Return sums of the contributions of units, (units,), each with a random sign."""
    check(resamples, seed)
    found = np.empty(resamples)
    numbers = np.ascontiguousarray(contributions)
    _kernel.flip_sums(
        numbers, found, seed=seed, threads=thread_count(threads), progress=report_function()
    )
    return found


def permutation_ranges(
    rows: Floats, *, resamples: int, seed: int = 0, threads: int | None = None
) -> Floats:
    """Return the range of the sums of columns, the numbers of each row, (k,), in random order."""
    check(resamples, seed)
    found = np.empty(resamples)
    by_row = np.ascontiguousarray(rows).reshape(-1)
    _kernel.permutation_ranges(
        by_row,
        rows.shape[1],
        found,
        seed=seed,
        threads=thread_count(threads),
        progress=report_function(),
    )
    return found


def bootstrap_means(
    contributions: Floats,
    shares: Floats,
    sizes: Sequence[int],
    *,
    resamples: int,
    seed: int = 0,
    threads: int | None = None,
) -> Floats:
    """Return bootstrap means of units, which are resampled within each stratum.

    `sizes` are the numbers of units of the strata, whose units are contiguous. A mean is the mean
    over the strata of sum(contributions) / sum(shares).
    """
    check(resamples, seed)
    found = np.empty(resamples)
    _kernel.bootstrap_means(
        np.ascontiguousarray(contributions),
        np.ascontiguousarray(shares),
        list(sizes),
        found,
        seed=seed,
        threads=thread_count(threads),
        progress=report_function(),
    )
    return found


def all_flip_sums(contributions: Floats) -> Floats:
    """Return the sums for all 2^units choices of signs; the observed one is the first."""
    sums = np.zeros(1)
    for contribution in contributions:
        sums = np.concatenate([sums + contribution, sums - contribution])
    return sums


def count_flip_sums(contributions: Floats, least: float) -> int:
    """Return how many of all 2^units choices of signs have a sum of ``least`` or more.

    Looks up sums of one half of the units in the sorted sums of the other half, which is faster
    than adding up 2^units sums.
    """
    half = len(contributions) // 2
    first, second = all_flip_sums(contributions[:half]), all_flip_sums(contributions[half:])
    second.sort()
    return int((len(second) - np.searchsorted(second, least - first)).sum())


def check(resamples: int, seed: int) -> None:
    """Raise a `ParameterError` unless resamples is at least 1 and the seed fits in 64 bits."""
    if resamples < 1:
        raise ParameterError(
            where="resamples", found=repr(resamples), expected="a number of 1 or more"
        )
    if not 0 <= seed < 1 << 64:
        raise ParameterError(
            where="seed", found=repr(seed), expected="a whole number from 0 to 2^64 - 1"
        )
