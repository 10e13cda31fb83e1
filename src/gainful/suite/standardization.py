"""Scores relative to those of the other systems on the same query."""

from __future__ import annotations

from math import erf, sqrt

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["standardize"]


def standardize(scores: ArrayLike, aggregate: str) -> Floats:
    """Return scores between 0 and 1 relative to all systems on the same query.

    A query on which all systems have high or similar scores then counts as much as any other. The
    result depends on the set of systems.

    Parameters
    ----------
    scores : array_like, shape (n, m)
        The scores of m systems on n queries. NaN if a system has none.
    aggregate : {"mean", "standardized", "empirical"}
        "mean" returns the scores unchanged. "standardized" is the share of a normal distribution
        below the score, with mean and standard deviation of the query. "empirical" is the share of
        systems below the score, counting equal scores, its own included, half.

    Returns
    -------
    ndarray of shape (n, m)
        NaN where the score is NaN. .5 for equal scores on a query.

    Notes
    -----
    "standardized" is Phi((x - mean) / s), with s the standard deviation over the systems (with
    m - 1). W. Webber, A. Moffat, J. Zobel: Score standardization for inter-collection comparison of
    retrieval systems. SIGIR 2008. "empirical" is the empirical distribution function. J. Urbano, H.
    Lima, A. Hanjalic: A new perspective on score standardization. SIGIR 2019.

    Examples
    --------
    >>> standardize([[0.1, 0.2, 0.6], [0.5, 0.5, 0.5]], "empirical").round(3).tolist()
    [[0.167, 0.5, 0.833], [0.5, 0.5, 0.5]]
    >>> standardize([[0.1, 0.2, 0.6], [0.5, 0.5, 0.5]], "standardized").round(3).tolist()
    [[0.225, 0.353, 0.872], [0.5, 0.5, 0.5]]
    """
    array = np.array(scores, dtype=np.float64)
    if aggregate == "mean":
        return array
    there = ~np.isnan(array)
    if aggregate == "empirical":
        below = (array[:, None, :] < array[:, :, None]).sum(axis=2)
        equal = (array[:, None, :] == array[:, :, None]).sum(axis=2)
        shares = (below + equal / 2) / np.maximum(there.sum(axis=1, keepdims=True), 1)
        return np.where(there, shares, np.nan)
    found = np.full(array.shape, np.nan)
    for row, own, target in zip(array, there, found, strict=True):
        # Equal scores can differ from their mean by rounding.
        if own.any():
            target[own] = 0.5 if np.ptp(row[own]) == 0.0 else _normal_shares(row[own])
    return found


def _normal_shares(scores: Floats) -> Floats:
    """Return the share of a normal distribution with their mean and deviation below scores."""
    standard = (scores - scores.mean()) / scores.std(ddof=1)
    return np.array([(1.0 + erf(each / sqrt(2.0))) / 2.0 for each in standard])
