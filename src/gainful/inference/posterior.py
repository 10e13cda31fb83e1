"""Posterior probabilities of differences and of ranks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import inf
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gainful.errors import ParameterError
from gainful.inference.design import Design, Floats, design_for, differences_of
from gainful.inference.interval import cdf
from gainful.keywords import suggest_keywords

__all__ = [
    "FEWEST_DIFFERENCES",
    "SKEPTICAL_QUERIES",
    "Posterior",
    "RankPosterior",
    "mean_posterior",
    "rank_posterior",
]


#: With fewer queries (or clusters) whose values differ, the probabilities are far from calibrated.
FEWEST_DIFFERENCES = 10

#: The weight of the skeptical prior: 25 queries without a mean difference, so true differences have
#: a standard deviation of .2 standard deviations of the per-query differences.
SKEPTICAL_QUERIES = 25.0


@dataclass(frozen=True, slots=True)
class Posterior:
    """Student's t distribution of a mean, given the data and a prior.

    Attributes
    ----------
    location, scale : float
        The median, and the scale, above 0.
    df : float
        The degrees of freedom.
    """

    location: float
    scale: float
    df: float

    def above(self, value: float) -> float:
        """Return the probability that the mean is above a value."""
        return cdf((self.location - value) / self.scale, self.df)

    def probabilities(self, margin: float = 0.0) -> tuple[float, float, float]:
        """Return the probabilities of better, within the margin, and worse.

        Parameters
        ----------
        margin : float
            Better means above the margin, worse means below -margin.

        Returns
        -------
        (float, float, float)
            They sum to 1. The second is 0 for a margin of 0.
        """
        better, worse = self.above(margin), cdf((-margin - self.location) / self.scale, self.df)
        return better, max(0.0, 1.0 - better - worse) if margin else 0.0, worse


@suggest_keywords
def mean_posterior(
    differences: npt.ArrayLike, design: Design | None = None, *, prior_queries: float = 0.0
) -> Posterior | None:
    """Return the posterior distribution of the mean difference.

    Parameters
    ----------
    differences : array_like, shape (n,)
        The differences; finite.
    design : Design, optional
        Weights, clusters and strata. Default: equal weights, independent queries.
    prior_queries : float
        The weight of the prior, in queries (or clusters) without a mean difference. 0 for the
        reference prior, which is flat.

    Returns
    -------
    Posterior or None
        None if fewer than ten queries (or clusters) have a difference other than 0, or if their
        variance cannot be estimated.

    Raises
    ------
    ParameterError
        If there is no difference, one is not finite, or `prior_queries` is not a finite number of 0
        or more.

    Notes
    -----
    The model: differences are normal with unknown mean m and variance v. Under the reference prior
    p(m, v) ~ 1 / v, the posterior of m is Student's t with the mean d as location, its standard
    error e as scale, and the degrees of freedom of e, so the probability of m > 0 is one minus the
    one-sided p-value of the t test. With k prior queries, m / sqrt(v) is normal with mean 0 and
    variance 1 / k. With n queries and their sum of squares S about d, the posterior is Student's t
    with n degrees of freedom, location n d / (n + k) and squared scale
    (S + n k d^2 / (n + k)) / (n (n + k)). A. Gelman and others: Bayesian Data Analysis, 3rd
    edition, 2013, sections 3.2 and 3.3; B. Carterette: Bayesian inference for information retrieval
    evaluation. ICTIR 2015. With weights, clusters or strata, n is the degrees of freedom + 1, and S
    is n (n - 1) e^2.

    Examples
    --------
    >>> differences = [0.1, 0.3, 0.2, 0.2, -0.1, 0.1, 0.4, -0.2, 0.1, 0.2]
    >>> found = mean_posterior(differences)
    >>> [round(each, 3) for each in found.probabilities(margin=0.01)]
    [0.97, 0.013, 0.017]
    >>> skeptical = mean_posterior(differences, prior_queries=25)
    >>> [round(each, 3) for each in skeptical.probabilities(margin=0.01)]
    [0.779, 0.124, 0.097]
    """
    array = differences_of(differences, "mean_posterior")
    if not 0.0 <= prior_queries < inf:
        raise ParameterError(
            where="prior_queries", found=repr(prior_queries), expected="a finite number, 0 or more"
        )
    design = design_for(array, design)
    if np.count_nonzero(design.contributions(array)) < FEWEST_DIFFERENCES:
        return None
    mean, error = float(design.mean(array)), float(design.standard_error(array))
    df = float(design.degrees_of_freedom(array))
    if not (error > 0.0 and df >= 1.0):
        return None
    if prior_queries == 0.0:
        return Posterior(mean, error, df)
    n, k = df + 1.0, prior_queries
    square = (n * df * error * error + n * k / (n + k) * mean * mean) / (n * (n + k))
    return Posterior(n * mean / (n + k), square**0.5, n)


Ranks = npt.NDArray[np.intp]

#: The number of drawn orders of the systems.
DRAWS = 10_000


class RankPosterior(NamedTuple):
    """The probability of rank 1 of each system, and a set of ranks, from low to high.

    With a probability of the level, the sets of all systems contain their ranks at once.
    """

    first: Floats
    low: Ranks
    high: Ranks


@suggest_keywords
def rank_posterior(
    values: npt.ArrayLike,
    design: Design | None = None,
    *,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> RankPosterior | None:
    """Return the posterior distribution of the ranks of systems under the skeptical prior.

    Parameters
    ----------
    values : array_like, shape (n, m)
        Scores of m systems on n queries; finite.
    design : Design, optional
        Weights and clusters. Default: equal weights, independent queries.
    level : float, default 0.95
        The joint probability of the sets of ranks.
    draws : int
        The number of drawn vectors of means.
    seed : int, default 0
        The random seed.

    Returns
    -------
    RankPosterior or None
        None if fewer than ten queries (or clusters) have different values of any two systems.

    Notes
    -----
    The means have a multivariate t distribution about the observed ones, with their estimated
    covariances. The prior, 25 queries without a difference, shrinks all differences alike, which
    changes no order, so here it widens their distribution by sqrt((n + 25) / n). The sets contain
    the share `level` of the draws, those whose most extreme rank is the least extreme. J. Besag, P.
    Green, D. Higdon, K. Mengersen: Bayesian computation and stochastic systems. Statistical Science
    10(1), 1995.

    Examples
    --------
    >>> draw = np.random.default_rng(1)
    >>> scores = draw.uniform(0, 0.5, (50, 1)) + draw.normal([0.3, 0.29, 0.1], 0.05, (50, 3))
    >>> ranks = rank_posterior(scores)
    >>> ranks.first.round(1).tolist(), ranks.low.tolist(), ranks.high.tolist()
    ([1.0, 0.0, 0.0], [1, 2, 3], [1, 2, 3])
    """
    array = np.asarray(values, dtype=np.float64)
    design = design_for(array, design)
    systems = array.shape[1]
    one, two = np.array(list(combinations(range(systems), 2))).T
    differences = array[:, one] - array[:, two]
    if (np.count_nonzero(design.contributions(differences), axis=0) < FEWEST_DIFFERENCES).any():
        return None
    variances = np.square(design.standard_error(array))
    covariances = np.diag(variances)
    covariances[one, two] = covariances[two, one] = (
        variances[one] + variances[two] - np.square(design.standard_error(differences))
    ) / 2
    roots, vectors = np.linalg.eigh(covariances)
    df = float(design.degrees_of_freedom(array[:, 0]))
    random = np.random.default_rng(seed)
    scale = np.sqrt((df + 1 + SKEPTICAL_QUERIES) / (df + 1) * df / random.chisquare(df, (draws, 1)))
    deviations = random.normal(size=(draws, systems)) * np.sqrt(np.maximum(roots, 0.0))
    means = design.mean(array) + scale * (deviations @ vectors.T)
    ranks = 1 + np.argsort(np.argsort(-means, axis=1), axis=1)
    depth = _depth(ranks)
    kept = ranks[depth >= np.quantile(depth, 1 - level, method="lower")]
    return RankPosterior((ranks == 1).mean(axis=0), kept.min(axis=0), kept.max(axis=0))


def _depth(ranks: Ranks) -> Ranks:
    """Return for each draw how many draws are as extreme as its most extreme rank, or more."""
    ascending = np.sort(ranks, axis=0)
    depths = [
        np.minimum(
            np.searchsorted(ordered, drawn, "right"),
            len(drawn) - np.searchsorted(ordered, drawn, "left"),
        )
        for ordered, drawn in zip(ascending.T, ranks.T, strict=True)
    ]
    depth: Ranks = np.min(depths, axis=0)
    return depth
