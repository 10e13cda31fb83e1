"""One number from the values of several queries."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["compute_aggregated_measure"]


def compute_aggregated_measure(measure: str, values: Iterable[float]) -> float:
    """Return what the values of a measure come to: their sum, geometric mean or mean.

    The additions are NumPy's, as in pytrec_eval, so that the last bit is the same; `evaluate` of
    Gainful adds in the order of trec_eval.

    Parameters
    ----------
    measure : str
        Its name decides: ``num_...`` is summed, the values of ``gm_...`` are logarithms of which
        the mean is taken, and of all others the mean.
    values : iterable of float
        One value a query.

    Returns
    -------
    float
        NaN for the mean of no values, and NumPy warns.

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
