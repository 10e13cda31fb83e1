"""What is resampled: signs, permutations of rows, and units with replacement.

Each function returns one number for each resample, the same for a seed on every machine and any
number of threads.
"""

from __future__ import annotations

import numpy as np

from gainful.errors import ParameterError
from gainful.inference.design import Floats

# Sums of the same numbers in another order differ by some rounding errors; a resample that far from
# the observed value is as far out as it. Relative to the sum of the absolute values.
TOLERANCE = 1e-12
_BATCH = 1 << 22


def flip_sums(
    contributions: Floats, *, resamples: int, seed: int = 0, threads: int | None = None
) -> Floats:
    """Return sums of the contributions of units, (units,), each with a random sign."""
    check(resamples, seed)
    return flip_maxima(contributions[:, None], resamples=resamples, seed=seed, signed=True)


def flip_maxima(
    columns: Floats,
    *,
    resamples: int,
    seed: int = 0,
    threads: int | None = None,
    signed: bool = False,
) -> Floats:
    """Return the largest absolute sum among the columns, (units, k), of units of random sign.

    A unit has one sign in all columns.
    """
    check(resamples, seed)
    random = np.random.default_rng([seed, 1])
    units = len(columns)
    found = np.empty(resamples)
    size = max(_BATCH // units, 1)
    for start in range(0, resamples, size):
        count = min(size, resamples - start)
        signs = 2.0 * random.integers(0, 2, (count, units), dtype=np.int8) - 1.0
        sums = signs @ columns
        found[start : start + count] = sums[:, 0] if signed else abs(sums).max(axis=1)
    return found


def permutation_ranges(
    rows: Floats, *, resamples: int, seed: int = 0, threads: int | None = None
) -> Floats:
    """Return the range of the sums of columns, the numbers of each row in random order."""
    check(resamples, seed)
    random = np.random.default_rng([seed, 2])
    found = np.empty(resamples)
    for index in range(resamples):
        sums = random.permuted(rows, axis=1).sum(axis=0)
        found[index] = sums.max() - sums.min()
    return found


def bootstrap_means(
    contributions: Floats,
    shares: Floats,
    sizes: list[int],
    *,
    resamples: int,
    seed: int = 0,
    threads: int | None = None,
) -> Floats:
    """Return means of units drawn with replacement, as many as there are, within each stratum.

    `sizes` are those of the strata, whose units stand together. A mean is the sum over the strata
    of sum(contributions) / sum(shares), divided by their number.
    """
    check(resamples, seed)
    random = np.random.default_rng([seed, 3])
    found = np.zeros(resamples)
    start = 0
    for size in sizes:
        batch = max(_BATCH // size, 1)
        for first in range(0, resamples, batch):
            count = min(batch, resamples - first)
            drawn = start + random.integers(0, size, (count, size))
            found[first : first + count] += contributions[drawn].sum(axis=1) / shares[drawn].sum(
                axis=1
            )
        start += size
    return found / len(sizes)


def all_flip_sums(contributions: Floats) -> Floats:
    """Return the sums for all 2^units choices of signs; the observed one is the first."""
    sums = np.zeros(1)
    for contribution in contributions:
        sums = np.concatenate([sums + contribution, sums - contribution])
    return sums


def check(resamples: int, seed: int) -> None:
    """Raise a `ParameterError` unless there is a resample, and the seed is a number of 64 bits."""
    if resamples < 1:
        raise ParameterError(found=f"resamples={resamples!r}", expected="a number of 1 or more")
    if not 0 <= seed < 1 << 64:
        raise ParameterError(found=f"seed={seed!r}", expected="a number from 0 to 2^64 - 1")
