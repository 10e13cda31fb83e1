"""Means over two samples: of queries, and of collections or raters."""

from __future__ import annotations

from math import sqrt
from statistics import fmean, variance
from typing import NamedTuple

from gainful.errors import ParameterError
from gainful.inference.interval import check_level, quantile
from gainful.keywords import suggest_keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

__all__ = ["CrossedMean", "RandomEffects", "crossed_mean", "random_effects"]

#: With fewer effects, their spread is practically unknown.
FEWEST_EFFECTS = 3


class RandomEffects(NamedTuple):
    """The mean of effects, the spread of the true ones, and the range of a new one."""

    mean: float
    low: float
    high: float
    tau: float
    prediction_low: float
    prediction_high: float


@suggest_keywords
def random_effects(
    effects: Sequence[float], standard_errors: Sequence[float], *, level: float = 0.95
) -> RandomEffects | None:
    """Return the mean effect over collections like these, and the effect in a new one.

    Parameters
    ----------
    effects : sequence of float
        The estimated effect in each of k collections, such as the mean difference of two systems.
    standard_errors : sequence of float
        Their standard errors, which only `tau` depends on.
    level : float, default 0.95
        The confidence level of both intervals, between 0 and 1.

    Returns
    -------
    RandomEffects or None
        The mean with its confidence interval, the standard deviation `tau` of the true effects
        between collections, and the prediction interval. None for fewer than three effects, or if
        all are equal.

    Raises
    ------
    ParameterError
        If the lengths differ, or ``level`` is not between 0 and 1.

    Notes
    -----
    Collections are a random sample. Their effects have equal weights, as in a macro-average. With
    s^2 the variance of the effects, the confidence interval is mean -/+ t s / sqrt(k), and the
    prediction interval mean -/+ t s sqrt(1 + 1 / k), with t the quantile of Student's t
    distribution with k - 1 degrees of freedom. Effects may have different standard errors: at level
    .95 the confidence interval then covers at least as often as with equal ones. The prediction
    interval includes the sampling error of an effect, so it covers the true effect in a new
    collection more often than stated. R. Ibragimov, U. K. Mueller: t-statistic based correlation
    and heterogeneity robust inference. Journal of Business and Economic Statistics 28(4), 2010.

    tau^2 is s^2 minus the mean squared standard error, or 0. L. V. Hedges, I. Olkin: Statistical
    Methods for Meta-Analysis. Academic Press 1985, chapter 9.

    Weights of inverse variances, as in the interval of Hartung and Knapp, would cover less: a
    collection in which few queries change has both a small effect and a small standard error.
    `docs/evidence.md` compares them.

    Examples
    --------
    >>> effects = random_effects([0.05, 0.02, 0.06, 0.03], [0.01, 0.02, 0.01, 0.01])
    >>> [round(value, 3) for value in effects]
    [0.04, 0.011, 0.069, 0.013, -0.025, 0.105]
    """
    k = len(effects)
    if k != len(standard_errors):
        raise ParameterError(
            where="random_effects",
            found=f"{k} effects and {len(standard_errors)} standard errors",
            expected="equal numbers of both",
        )
    check_level(level)
    if k < FEWEST_EFFECTS or min(effects) == max(effects):
        return None
    mean, between = fmean(effects), variance(effects)
    within = fmean(error * error for error in standard_errors)
    t = -quantile((1.0 - level) / 2, k - 1)
    half, reach = t * sqrt(between / k), t * sqrt(between * (1.0 + 1.0 / k))
    tau = sqrt(max(between - within, 0.0))
    return RandomEffects(mean, mean - half, mean + half, tau, mean - reach, mean + reach)


class CrossedMean(NamedTuple):
    """A mean over queries and raters, and the standard errors that both samples contribute."""

    mean: float
    low: float
    high: float
    query_error: float
    rater_error: float


def crossed_mean(values: ArrayLike, *, level: float = 0.95) -> CrossedMean | None:
    """Return the mean over queries and raters like these, with its confidence interval.

    Parameters
    ----------
    values : array_like, shape (n, m)
        The value of each of n queries by the judgments of each of m raters, such as the difference
        of two systems.
    level : float, default 0.95
        The confidence level, between 0 and 1.

    Returns
    -------
    CrossedMean or None
        The mean with its interval, and its standard error over queries and over raters. None for
        fewer than two queries or three raters, or if all have the same mean.

    Raises
    ------
    ParameterError
        If a value is not finite, or ``level`` is not between 0 and 1.

    Notes
    -----
    Queries and raters are random samples, crossed: each rater judged each query. With Q and R the
    mean squares of queries and of raters in a two-way analysis of variance, the squared standard
    errors are Q / (n m) and R / (n m), and the interval is mean -/+ t sqrt((Q + R) / (n m)). Both
    mean squares include the residual variance, so the interval is at least as long as that over
    queries alone. The degrees of freedom of t are those of Satterthwaite, (Q + R)^2 /
    (Q^2 / (n - 1) + R^2 / (m - 1)). R. L. Brennan: Generalizability Theory. Springer 2001; A. C.
    Cameron, J. B. Gelbach, D. L. Miller: Robust inference with multiway clustering. Journal of
    Business and Economic Statistics 29(2), 2011. `docs/evidence.md` has the coverage.

    Examples
    --------
    >>> differences = [[0.3, 0.2, 0.3], [0.1, 0.0, 0.2], [0.2, 0.2, 0.3], [0.0, 0.1, 0.1]]
    >>> [round(value, 3) for value in crossed_mean(differences)]
    [0.167, 0.016, 0.318, 0.049, 0.03]
    """
    import numpy as np

    table = np.asarray(values, np.float64)
    if table.ndim != 2 or not np.isfinite(table).all():
        raise ParameterError(
            where="crossed_mean",
            found=f"values of shape {table.shape}, or not finite",
            expected="a finite number for each query and rater",
        )
    check_level(level)
    n, m = table.shape
    if n < 2 or m < FEWEST_EFFECTS:
        return None
    mean = float(table.mean())
    queries, raters = (float(table.mean(axis=axis).var(ddof=1)) / k for axis, k in ((1, n), (0, m)))
    if queries + raters == 0.0:
        return None
    df = (queries + raters) ** 2 / (queries**2 / (n - 1) + raters**2 / (m - 1))
    half = -quantile((1.0 - level) / 2, df) * sqrt(queries + raters)
    return CrossedMean(mean, mean - half, mean + half, sqrt(queries), sqrt(raters))
