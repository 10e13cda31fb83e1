"""Jackknife confidence intervals of inter-annotator agreement."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np

from gainful.errors import ParameterError
from gainful.inference.raters import (
    GradePairs,
    alphas,
    check_choice,
    coincidences,
    graded_pairs,
    kappas,
)
from gainful.inference.student_t import quantile
from gainful.vocabulary import KAPPA_WEIGHTS, SCALES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import ArrayLike

    from gainful.inference.raters import Floats

__all__ = [
    "FEWEST_CLUSTERS",
    "alpha_interval",
    "kappa_difference_interval",
    "kappa_interval",
]

#: With fewer clusters, no interval is computed. Chosen by simulation (docs/evidence).
FEWEST_CLUSTERS = 5
#: The most numbers in memory, in a table of clusters and cells.
_ROOM = 1_000_000


def kappa_interval(
    first: ArrayLike,
    second: ArrayLike,
    *,
    weights: str = "quadratic",
    item_weights: ArrayLike | None = None,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
) -> tuple[float, float] | None:
    """Return a jackknife interval for Cohen's weighted kappa.

    Parameters
    ----------
    first, second, weights, item_weights
        As for `weighted_kappa`.
    clusters, level
        As for `alpha_interval`.

    Returns
    -------
    tuple of float or None
        Lower and upper end; ``None`` as for `alpha_interval`.

    Raises
    ------
    ParameterError
        As for `weighted_kappa` and `alpha_interval`.

    Examples
    --------
    >>> low, high = kappa_interval([0, 1, 2, 3, 3, 0, 0, 2] * 5, [0, 1, 3, 3, 2, 0, 1, 2] * 5)
    >>> round(low, 3), round(high, 3)
    (0.781, 0.915)
    """
    check_choice("weights", weights, KAPPA_WEIGHTS)
    pairs = graded_pairs(first, second, clusters, item_weights)
    return _interval(_kappas(pairs, weights), level)


def alpha_interval(
    ratings: ArrayLike,
    *,
    scale: str = "ordinal",
    item_weights: ArrayLike | None = None,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
) -> tuple[float, float] | None:
    """Return a jackknife interval for Krippendorff's alpha.

    It covers the sampling of items, not of raters: other items graded by the same raters.

    Parameters
    ----------
    ratings, scale, item_weights
        As for `krippendorff_alpha`.
    clusters : sequence, optional
        The cluster of each item, such as the query of a document. Default: items are independent.
    level : float, default 0.95
        The confidence level.

    Returns
    -------
    tuple of float or None
        Lower and upper end, -1 or more; ``None`` if the grades do not support an interval: fewer
        than `FEWEST_CLUSTERS` clusters have an item graded twice, or without one of the clusters
        the coefficient is not defined or agreement is perfect.

    Raises
    ------
    ParameterError
        As for `krippendorff_alpha`; if the level is not between 0 and 1, or the number of cluster
        labels is not the number of items.

    Notes
    -----
    With z = log(1 - alpha), and z_c the same without cluster c, the standard error of z over n
    clusters is sqrt((n - 1) / n * sum((z_c - mean z_c)^2)). The interval of z uses Student's t with
    n - 1 degrees of freedom; its ends are transformed back. 1 - alpha is a ratio of disagreements,
    whose logarithm is closer to normal. J. W. Tukey: Bias and confidence in not quite large
    samples. Annals of Mathematical Statistics 29, 1958. With few clusters a bootstrap interval is
    too short. `docs/evidence.md` has the coverage.

    Examples
    --------
    >>> ratings = [[0, 0], [1, 1], [2, 3], [3, 3], [0, 1], [3, 2]] * 5
    >>> low, high = alpha_interval(ratings)
    >>> low < 0.8 < high
    True
    >>> alpha_interval(ratings, clusters=["q1", "q2"] * 15) is None
    True
    """
    check_choice("scale", scale, SCALES)
    pairs = coincidences(ratings, clusters, item_weights)
    values = _whole_and_without(pairs, lambda counts: alphas(pairs, counts, scale))
    return _interval(values, level)


def kappa_difference_interval(
    truth: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    weights: str,
    clusters: Sequence[Hashable],
    level: float,
) -> tuple[float, float] | None:
    """Return the jackknife interval of kappa of truth and first minus that of truth and second."""
    left, right = (
        _kappas(graded_pairs(truth, grades, clusters), weights) for grades in (first, second)
    )
    if left is None or right is None:
        return None
    difference = float(left[0] - right[0])
    half = _half_width(left[1:] - right[1:], level)
    return difference - half, difference + half


def _interval(values: Floats | None, level: float) -> tuple[float, float] | None:
    if not 0.0 < level < 1.0:
        raise ParameterError(where="level", found=repr(level), expected="between 0 and 1")
    if values is None:
        return None
    logarithms = np.log(1.0 - values)
    half = _half_width(logarithms[1:], level)
    # No coefficient is below -1, and a larger number may exceed 64-bit floats.
    upper = min(float(logarithms[0]) + half, log(2.0))
    return 1.0 - exp(upper), 1.0 - exp(float(logarithms[0]) - half)


def _kappas(pairs: GradePairs, weights: str) -> Floats | None:
    return _whole_and_without(pairs, lambda counts: kappas(pairs, counts, weights))


def _whole_and_without(
    pairs: GradePairs, coefficients: Callable[[Floats], Floats]
) -> Floats | None:
    """Return the coefficient, then those without one of the clusters; None if one says nothing."""
    n = pairs.clusters
    if n < FEWEST_CLUSTERS:
        return None
    whole = pairs.whole()
    step = max(1, _ROOM // len(pairs.one))
    tables = (whole - pairs.of_clusters(start, min(start + step, n)) for start in range(0, n, step))
    values = np.concatenate([coefficients(table) for table in (whole, *tables)])
    # Rounding may leave a disagreement above 0 where none is.
    return values if (values < 1.0 - 1e-12).all() else None


def _half_width(values: Floats, level: float) -> float:
    """Return half the width of an interval from the n values without one of n clusters."""
    n = len(values)
    error = sqrt((n - 1) / n * float(((values - values.mean()) ** 2).sum()))
    return -quantile((1.0 - level) / 2, n - 1) * error
