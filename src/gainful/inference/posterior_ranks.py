"""The posterior distribution of the ranks of systems."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gainful.inference.design import Design, Floats, design_for
from gainful.inference.posterior import FEWEST_DIFFERENCES, SKEPTICAL_QUERIES

__all__ = ["RankPosterior", "rank_posterior"]

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
