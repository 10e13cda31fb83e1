"""The variance of a mean of units with unequal weights: its correction and degrees of freedom.

With the shares u of the units in the mean m (they sum to 1), the estimate of the variance is
sum(u^2 (x - m)^2 / (1 - 2u + q)), with q = sum(u^2). It is unbiased if the values x of the units
have equal variances: the expected square of x - m is (1 - 2u + q) times that variance. This is the
estimator CR2 for a mean; for equal shares it is s^2 / n. R. M. Bell, D. F. McCaffrey: Bias
reduction in standard errors for linear regression with multi-stage samples. Survey Methodology
28(2), 2002.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["degrees_of_freedom", "effective_number", "satterthwaite_df", "variance_factors"]

Floats = npt.NDArray[np.float64]


def variance_factors(shares: Floats) -> Floats:
    """Return the factors 1 / (1 - 2u + q) of squared residuals, (n,), for n shares.

    Examples
    --------
    >>> variance_factors(np.array([0.25, 0.25, 0.25, 0.25])).round(4).tolist()
    [1.3333, 1.3333, 1.3333, 1.3333]
    """
    factors: Floats = 1.0 / (1.0 - 2.0 * shares + shares @ shares)
    return factors


def effective_number(shares: Floats) -> float:
    """Return 1 / sum(u^2), the number of units of equal weight with the same variance of the mean.

    L. Kish: Survey Sampling. Wiley 1965.

    Examples
    --------
    >>> effective_number(np.array([0.25, 0.25, 0.25, 0.25]))
    4.0
    >>> round(effective_number(np.array([0.5, 0.25, 0.25])), 3)
    2.667
    """
    return float(1.0 / (shares @ shares))


def degrees_of_freedom(shares: Floats, *, conservative: bool = False) -> float:
    """Return the degrees of freedom of the variance of a mean with two or more shares.

    Parameters
    ----------
    shares : ndarray of shape (n,)
        The shares; they sum to 1.
    conservative : bool
        Return Satterthwaite's approximation alone.

    Returns
    -------
    float
        n - 1 for equal shares, otherwise less; at least 1.

    Notes
    -----
    The geometric mean of two approximations. Satterthwaite's, 2 E(v)^2 / Var(v) for the estimate v
    of the variance and normal values of equal variance, is used by Bell and McCaffrey. It assumes
    that m and v are independent, but a unit with a large share moves both at once, so the test
    rejects far too rarely: at alpha = .05, in .2% of samples of 50 queries with the weights 1, 1/2,
    1/3 and so on. Kish's effective number minus 1 neglects that the variance depends on few
    units, and rejects slightly too often. The geometric mean stays between them.

    Examples
    --------
    >>> degrees_of_freedom(np.full(10, 0.1))
    9.0
    >>> weights = 1 / np.arange(1, 51)
    >>> round(degrees_of_freedom(weights / weights.sum()), 2)
    5.05
    """
    # Sums of weights of clusters may differ by rounding.
    if np.ptp(shares) <= 1e-12 * shares.max():
        return len(shares) - 1.0
    q = float(shares @ shares)
    factors = variance_factors(shares)
    parts = shares * shares * factors
    # E(v) = sum(parts / factors) = q, and Var(v) = 2 sum_ij parts_i parts_j c_ij^2, with the
    # covariances c of the residuals: 1 / factors on the diagonal, q - u_i - u_j elsewhere.
    total, first, second = parts.sum(), parts @ shares, parts @ (shares * shares)
    pairs = q * q * total**2 + 2 * total * second + 2 * first**2 - 4 * q * total * first
    diagonal = parts * parts
    spread = pairs - diagonal @ (q - 2 * shares) ** 2 + diagonal @ (1.0 / factors**2)
    satterthwaite = q * q / spread
    if conservative:
        return float(max(satterthwaite, 1.0))
    return float(max((satterthwaite * (1.0 / q - 1.0)) ** 0.5, 1.0))


def satterthwaite_df(variances: npt.ArrayLike, dfs: npt.ArrayLike) -> float:
    """Return the degrees of freedom of a sum of variances, sum(v)^2 / sum(v^2 / f).

    The sum of `dfs` without any variance.

    Examples
    --------
    >>> round(satterthwaite_df([1 / 5, 1 / 50], [4, 49]), 2)
    4.84
    """
    v, f = np.asarray(variances, dtype=np.float64), np.asarray(dfs, dtype=np.float64)
    if not v.any():
        return float(f.sum())
    # A part without variance contributes to neither sum.
    scaled = v / v.max()
    return float(scaled.sum() ** 2 / (scaled**2 / f).sum())
