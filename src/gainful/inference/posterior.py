"""The posterior distribution of a mean difference."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
import numpy.typing as npt

from gainful.errors import ParameterError
from gainful.inference.design import Design, design_for, differences_of
from gainful.inference.student_t import cdf

__all__ = ["FEWEST_DIFFERENCES", "SKEPTICAL_QUERIES", "Posterior", "mean_posterior"]

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
