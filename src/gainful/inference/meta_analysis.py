"""Effects over a sample of collections: their mean, their spread and a new collection's."""

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

__all__ = ["RandomEffects", "random_effects"]

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
