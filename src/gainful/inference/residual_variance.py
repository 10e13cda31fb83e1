"""The residual variance of scores after the effects of systems and queries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gainful import _kernel
from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

__all__ = ["ResidualVariance", "pair_deviations", "pooled", "residual_variance"]


#: With fewer queries, the variance of the estimate is unknown.
_LEAST = 5


class ResidualVariance(NamedTuple):
    """The residual variance of the values of systems on queries.

    Attributes
    ----------
    variance : float
        The residual variance V_E2 of one system's value on one query.
    df : int
        The degrees of freedom of the estimate, (queries - 1) * (systems - 1).
    effective_df : float or None
        The degrees of freedom that account for heavy tails, at most `df`; None for fewer than 5
        queries or a variance of 0.
    """

    variance: float
    df: int
    effective_df: float | None = None

    @property
    def deviation(self) -> float:
        """The standard deviation of the per-query difference between two systems."""
        return float((2.0 * self.variance) ** 0.5)

    def upper_deviation(self, level: float = 0.95) -> float | None:
        """Return the one-sided upper confidence limit of `deviation`; None if unknown.

        Notes
        -----
        deviation * sqrt(f / q), with f the `effective_df` and q the 1 - level quantile of the
        chi-square distribution with f degrees of freedom.

        Examples
        --------
        >>> found = residual_variance([[0.2, 0.3], [0.5, 0.4], [0.6, 0.9], [0.1, 0.3], [0.4, 0.4]])
        >>> round(found.deviation, 4), round(found.upper_deviation(), 4)
        (0.1581, 0.9557)
        """
        if self.effective_df is None:
            return None
        quantile = 2.0 * _kernel.gamma_quantile(0.5 * self.effective_df, level)
        return float(self.deviation * (self.effective_df / quantile) ** 0.5)


def residual_variance(values: ArrayLike) -> ResidualVariance:
    """Return the residual variance of a two-way analysis of variance without replication.

    Parameters
    ----------
    values : array of shape (n, m)
        The finite values of m systems on n queries; at least 2 of each.

    Returns
    -------
    ResidualVariance
        Twice the variance is the mean, over all pairs of systems, of the variance of their
        per-query differences.

    Raises
    ------
    ParameterError
        For fewer than two queries or systems, or values that are not finite.

    Notes
    -----
    V_E2 = sum over queries and systems of (x - mean of the query - mean of the system + mean of
    all)^2 / ((n - 1) (m - 1)). T. Sakai: Topic set size design. Information Retrieval Journal
    19(3), 2016, doi 10.1007/s10791-015-9273-z. The effective degrees of freedom are
    2 n mean(s)^2 / var(s), at most (n - 1) (m - 1), with s the sums of squares by query: those of a
    chi-square distribution with the estimated variance of V_E2. The factor (n + 3) / (n + 15)
    corrects for the error of that estimate.

    Examples
    --------
    >>> found = residual_variance([[0.2, 0.3], [0.5, 0.4], [0.6, 0.9]])
    >>> round(found.variance, 4), found.df, round(found.deviation, 4)
    (0.02, 2, 0.2)
    """
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.ndim != 2 or min(matrix.shape) < 2:
        raise ParameterError(
            where="residual_variance",
            found=f"values of shape {matrix.shape}",
            expected="at least 2 queries and 2 systems",
        )
    if not np.isfinite(matrix).all():
        raise ParameterError(
            where="residual_variance", found="a value that is not finite", expected="finite ones"
        )
    n, m = matrix.shape
    df = (n - 1) * (m - 1)
    squares = (_residuals(matrix) ** 2).sum(axis=1)
    effective = None
    if squares.any() and n >= _LEAST:
        spread = float(squares.var(ddof=1))
        ratio = 2.0 * n * float(squares.mean()) ** 2 / spread if spread > 0.0 else df
        effective = min(ratio, df) * (n + 3) / (n + 15)
    return ResidualVariance(float(squares.sum()) / df, df, effective)


def pair_deviations(values: ArrayLike) -> list[float]:
    """Return the standard deviation of the differences of each pair of systems, ascending.

    Examples
    --------
    >>> [round(each, 4) for each in pair_deviations([[0.2, 0.3, 0.3], [0.5, 0.4, 0.4]])]
    [0.0, 0.1414, 0.1414]
    """
    matrix = np.asarray(values, dtype=np.float64)
    found: list[float] = []
    for system in range(matrix.shape[1] - 1):
        differences = matrix[:, system + 1 :] - matrix[:, system : system + 1]
        found.extend(differences.std(axis=0, ddof=1).tolist())
    return sorted(found)


def pooled(estimates: Iterable[ResidualVariance]) -> ResidualVariance:
    """Pool several estimates, weighted by their degrees of freedom.

    Raises
    ------
    ParameterError
        If there are no estimates.

    Examples
    --------
    >>> found = pooled([ResidualVariance(0.02, 30), ResidualVariance(0.05, 10)])
    >>> round(found.variance, 4), found.df
    (0.0275, 40)
    """
    known = list(estimates)
    df = sum(each.df for each in known)
    if not df:
        raise ParameterError(where="pooled", found="no estimate", expected="at least one")
    variance = sum(each.df * each.variance for each in known) / df
    # Variances of the estimates, whose weighted sum is that of the pooled estimate.
    variances = [
        2.0 * (each.df / df * each.variance) ** 2 / each.effective_df
        for each in known
        if each.effective_df is not None
    ]
    effective = 2.0 * variance**2 / sum(variances) if any(variances) else None
    return ResidualVariance(variance, df, effective)


def _residuals(matrix: np.ndarray) -> np.ndarray:
    # Subtract the first system's values, since a large query effect would cost precision.
    shifted = matrix - matrix[:, :1]
    by_query = shifted.mean(axis=1, keepdims=True)
    by_system = shifted.mean(axis=0, keepdims=True)
    rest: np.ndarray = shifted - by_query - by_system + shifted.mean()
    return rest
