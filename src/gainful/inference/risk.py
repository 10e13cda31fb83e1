"""Risk-sensitive measures: URisk, TRisk, ZRisk and GeoRisk."""

from __future__ import annotations

from math import erf

import numpy as np

from gainful.inference.design import Design, design_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


__all__ = ["geo_risk", "risk_adjusted", "t_risk", "u_risk", "z_risk"]


def risk_adjusted(differences: ArrayLike, aversion: float = 1.0) -> NDArray[np.float64]:
    """Return differences in which each loss counts 1 + `aversion` times.

    Examples
    --------
    >>> [round(float(each), 6) for each in risk_adjusted([0.2, 0.0, -0.1], aversion=1.0)]
    [0.2, 0.0, -0.2]
    """
    values = np.asarray(differences, dtype=np.float64)
    return np.where(values < 0, (1 + aversion) * values, values)


def u_risk(differences: ArrayLike, aversion: float = 1.0, design: Design | None = None) -> float:
    """Return URisk: the mean over queries of the differences, where losses count more.

    Notes
    -----
    (sum of wins + (1 + aversion) * sum of losses) / n. L. Wang, P. N. Bennett, K. Collins-Thompson:
    Robust ranking models via risk-sensitive optimization. SIGIR 2012.

    Examples
    --------
    >>> round(u_risk([0.2, 0.0, -0.1], aversion=1.0), 6), round(u_risk([0.2, -0.1], 5.0), 6)
    (0.0, -0.2)
    """
    adjusted = risk_adjusted(differences, aversion)
    return float(design_for(adjusted, design).mean(adjusted))


def t_risk(
    differences: ArrayLike, aversion: float = 1.0, design: Design | None = None
) -> float | None:
    """Return TRisk: URisk divided by its standard error.

    Below -2 the system's risk relative to the baseline is significant; above 2 the system is
    significantly better in spite of the risk; otherwise neither is significant.

    Notes
    -----
    URisk / (s / sqrt(n)), s the standard deviation of the differences in which losses count 1 +
    aversion times. B. T. Dincer, C. Macdonald, I. Ounis: Hypothesis testing for the risk-sensitive
    evaluation of retrieval systems. SIGIR 2014.

    Examples
    --------
    >>> round(t_risk([0.2, 0.1, -0.1, 0.3]), 4), t_risk([0.1, 0.1]) is None
    (0.9258, True)
    """
    adjusted = risk_adjusted(differences, aversion)
    if len(adjusted) < 2 or float(np.ptp(adjusted)) == 0:
        return None
    design = design_for(adjusted, design)
    error = float(design.standard_error(adjusted))
    return float(design.mean(adjusted)) / error if error > 0 else None


def z_risk(values: ArrayLike, aversion: float = 1.0) -> NDArray[np.float64]:
    """Return ZRisk of each system: deviations from expected scores, losses weighted.

    Notes
    -----
    z = (x - e) / sqrt(e), with e the product of a query's total and a system's total over the grand
    total; the sum of all z above 0, and 1 + aversion times those below. See `geo_risk`.

    Examples
    --------
    >>> [round(float(each), 4) for each in z_risk([[0.5, 0.5], [0.2, 0.2]])]
    [0.0, 0.0]
    """
    scores = np.asarray(values, dtype=np.float64)
    total = scores.sum()
    if not total > 0:
        return np.zeros(scores.shape[1])
    expected = np.outer(scores.sum(axis=1), scores.sum(axis=0)) / total
    there = expected > 0
    z = np.zeros_like(scores)
    z[there] = (scores[there] - expected[there]) / np.sqrt(expected[there])
    summed: NDArray[np.float64] = risk_adjusted(z, aversion).sum(axis=0)
    return summed


def geo_risk(values: ArrayLike, aversion: float = 1.0) -> NDArray[np.float64]:
    """Return GeoRisk of each system: effectiveness and risk in one number.

    Notes
    -----
    sqrt(mean * Phi(ZRisk / n)), Phi the normal distribution function. B. T. Dincer, C. Macdonald,
    I. Ounis: Risk-sensitive evaluation and learning to rank using multiple baselines. SIGIR 2016.

    Examples
    --------
    >>> [round(float(each), 4) for each in geo_risk([[0.6, 0.4], [0.2, 0.4]])]
    [0.4268, 0.4382]
    """
    scores = np.asarray(values, dtype=np.float64)
    shares = np.array([0.5 * (1 + erf(z / len(scores) / 2**0.5)) for z in z_risk(scores, aversion)])
    geometric: NDArray[np.float64] = np.sqrt(scores.mean(axis=0) * shares)
    return geometric
