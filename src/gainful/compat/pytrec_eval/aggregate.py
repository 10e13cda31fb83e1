"""Aggregate the values of queries."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["compute_aggregated_measure"]


def compute_aggregated_measure(measure: str, values: Iterable[float]) -> float:
    """Return the sum, geometric mean or mean of the values of a measure.

    Adds with NumPy, like pytrec_eval, so that the last bit is equal; `gainful.evaluate` adds in the
    order of trec_eval.

    Parameters
    ----------
    measure : str
        The name, which determines the aggregate: the sum for ``num_...``, the mean of logarithms
        for ``gm_...``, else the mean.
    values : iterable of float
        One value per query.

    Returns
    -------
    float
        NaN without values, with a warning of NumPy.

    Examples
    --------
    >>> compute_aggregated_measure("map", [0.5, 1.0])
    0.75
    >>> compute_aggregated_measure("num_rel_ret", [2.0, 1.0])
    3.0
    """
    import numpy as np

    numbers = list(values)
    if measure.startswith("num_"):
        return float(np.sum(numbers))
    if measure.startswith("gm_"):
        return float(np.exp(np.sum(numbers) / np.float64(len(numbers))))
    return float(np.mean(numbers))
