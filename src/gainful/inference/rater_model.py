"""The model of A. P. Dawid and A. M. Skene: true classes and error rates of raters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gainful.errors import ParameterError
from gainful.keywords import suggest_keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Places = NDArray[np.intp]

__all__ = ["DawidSkene", "dawid_skene"]

#: The fewest raters that identify the model.
FEWEST_RATERS = 3
_MOST_STEPS = 2_000
#: The steps end when the objective increases by less, per label.
_TOLERANCE = 1e-8
#: The least probability.
_LEAST = 1e-10
#: A start reached the best solution if its objective is this close to it, per label.
_CLOSE = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DawidSkene:
    """The true classes of items and the error rates of raters.

    Attributes
    ----------
    classes : numpy.ndarray, shape (classes,), float64
        The classes, ascending.
    posterior : numpy.ndarray, shape (items, classes), float64
        The probability of each class; NaN for an item without a label.
    prior : numpy.ndarray, shape (classes,), float64
        The share of each class.
    confusion : numpy.ndarray, shape (raters, classes, classes), float64
        The probability that a rater gives a class (last axis), by the true class.
    log_likelihood : float
        The log-likelihood of the labels, in nats.
    agreeing_starts : int
        How many starts reached this solution.
    converged : bool
        Whether the best start converged.
    """

    classes: Floats
    posterior: Floats
    prior: Floats
    confusion: Floats
    log_likelihood: float
    agreeing_starts: int
    converged: bool

    @property
    def accuracy(self) -> Floats:
        """The estimated probability that each rater gives the true class, shape (raters,)."""
        right = np.diagonal(self.confusion, axis1=1, axis2=2)
        return np.asarray(right @ self.prior, dtype=np.float64)

    def most_probable(self) -> Floats:
        """Return the class with the highest probability per item; the lower of equal ones.

        Returns
        -------
        numpy.ndarray, shape (items,), float64
            NaN for an item without a label.
        """
        best = self.posterior.max(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):
            first = np.argmax(self.posterior >= best - 1e-9, axis=1)
        return np.where(np.isnan(best[:, 0]), np.nan, self.classes[first])


@suggest_keywords
def dawid_skene(
    labels: ArrayLike, *, starts: int = 10, seed: int = 0, smoothing: float = 0.25
) -> DawidSkene:
    """Estimate the true classes of items from the labels of several raters.

    Parameters
    ----------
    labels : array_like of float, shape (items, raters)
        The class that each rater gave, NaN without a label. Classes have no order.
    starts : int
        How often the algorithm starts, from 1: first from the shares of the labels of each item,
        then from random changes of them. The solution with the highest likelihood counts.
    seed : int
        The random seed.
    smoothing : float
        The number of labels of each class, from 0, that are added to each row of a confusion
        matrix, so that a few labels do not exclude a class.

    Returns
    -------
    DawidSkene
        The probabilities of the classes and the confusion matrices.

    Raises
    ------
    ParameterError
        For fewer than three raters with labels, which do not identify the model, or an option out
        of range.

    Notes
    -----
    Expectation maximization. With the prior p, the confusion matrix π of each rater j and n = 1 for
    a label l of item i:

        T_ik ∝ p_k Π_j Π_l (π^j_kl)^n^j_il
        π^j_kl = (Σ_i T_ik n^j_il + s) / Σ_l (Σ_i T_ik n^j_il + s),   p_k = mean of T_ik

    with the smoothing s. A. P. Dawid, A. M. Skene: Maximum likelihood estimation of observer
    error-rates using the EM algorithm. Applied Statistics 28(1), 1979.

    Examples
    --------
    >>> found = dawid_skene([[1, 1, 0], [0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 1, 0], [0, 0, 1]])
    >>> found.most_probable().tolist(), found.accuracy.round(2).tolist()
    ([1.0, 0.0, 1.0, 0.0, 1.0, 0.0], [0.92, 0.92, 0.36])
    """
    table = np.asarray(labels, dtype=np.float64)
    if table.ndim != 2:
        raise ParameterError(
            where="labels", found=f"{table.ndim} dimensions", expected="items and raters"
        )
    raters = int((~np.isnan(table)).any(axis=0).sum())
    if raters < FEWEST_RATERS:
        raise ParameterError(
            where="labels",
            found=f"{raters} rater{'s' if raters != 1 else ''}",
            expected=f"{FEWEST_RATERS} or more, which the model of Dawid and Skene needs",
        )
    if type(starts) is not int or starts < 1:
        raise ParameterError(where="starts", found=repr(starts), expected="1 or more")
    if not 0.0 <= smoothing < np.inf:
        raise ParameterError(where="smoothing", found=repr(smoothing), expected="0 or more")
    items, columns = np.nonzero(~np.isnan(table))
    classes, votes = np.unique(table[items, columns], return_inverse=True)
    model = _Model(items, columns, votes, (*table.shape, len(classes)), smoothing)
    random = np.random.default_rng(seed)
    shares = model.shares()
    estimates = []
    for start in range(starts):
        noise = random.dirichlet(np.ones(len(classes)), len(table))
        estimates.append(model.fit(shares if start == 0 else (shares + noise) / 2))
    best = max(estimates, key=lambda estimate: estimate.objective)
    close = _CLOSE * len(items)
    labeled = np.isin(np.arange(len(table)), items)
    return DawidSkene(
        classes=classes,
        posterior=np.where(labeled[:, None], best.posterior, np.nan),
        prior=best.prior,
        confusion=best.confusion,
        log_likelihood=best.log_likelihood,
        agreeing_starts=sum(fit.objective >= best.objective - close for fit in estimates),
        converged=best.converged,
    )


@dataclass(frozen=True, slots=True)
class _Solution:
    posterior: Floats
    prior: Floats
    confusion: Floats
    log_likelihood: float
    #: What the steps increase: the log-likelihood and the logarithm of the smoothing's prior.
    objective: float
    converged: bool


@dataclass(frozen=True, slots=True)
class _Model:
    """Labels as indices of items, raters and classes."""

    items: Places
    raters: Places
    given: Places
    #: The number of items, raters and classes.
    shape: tuple[int, int, int]
    smoothing: float

    def shares(self) -> Floats:
        """Return the share of each class among the labels of each item."""
        items, _, classes = self.shape
        counts = np.bincount(self.items * classes + self.given, minlength=items * classes)
        table = counts.reshape(items, classes)
        return np.asarray(table / np.maximum(table.sum(axis=1, keepdims=True), 1))

    def fit(self, posterior: Floats) -> _Solution:
        """Return the solution that the steps from some probabilities lead to."""
        labeled = np.isin(np.arange(self.shape[0]), self.items)
        before = -np.inf
        converged = False
        for _ in range(_MOST_STEPS):
            prior = np.maximum(posterior[labeled].mean(axis=0), _LEAST)
            confusion = self._confusion(posterior)
            posterior, likelihood = self._expect(np.log(prior), np.log(confusion), labeled)
            objective = likelihood + self.smoothing * float(np.log(confusion).sum())
            converged = objective - before <= _TOLERANCE * len(self.items)
            if converged:
                break
            before = objective
        return _Solution(posterior, prior, confusion, likelihood, objective, converged)

    def _confusion(self, posterior: Floats) -> Floats:
        """Return the confusion matrices of the raters."""
        _, raters, classes = self.shape
        cells = self.raters * classes + self.given
        counts = [
            np.bincount(cells, posterior[self.items, true], raters * classes)
            for true in range(classes)
        ]
        table = np.array(counts).reshape(classes, raters, classes).transpose(1, 0, 2)
        table = np.maximum(table + self.smoothing, _LEAST)
        return np.asarray(table / table.sum(axis=2, keepdims=True))

    def _expect(
        self, prior: Floats, confusion: Floats, labeled: NDArray[np.bool_]
    ) -> tuple[Floats, float]:
        """Return the probabilities of the classes, and the log-likelihood, from logarithms."""
        items, _, classes = self.shape
        sums = [
            np.bincount(self.items, confusion[self.raters, true, self.given], items)
            for true in range(classes)
        ]
        joint = prior + np.array(sums).T
        highest = joint.max(axis=1, keepdims=True)
        weights = np.exp(joint - highest)
        totals = weights.sum(axis=1, keepdims=True)
        return weights / totals, float((np.log(totals) + highest)[labeled].sum())
