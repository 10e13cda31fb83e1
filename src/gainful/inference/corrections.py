"""Multiple testing corrections of p-values."""

from __future__ import annotations

from collections.abc import Sequence

from gainful.errors import ParameterError


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values to control the family-wise error rate.

    Valid for tests with any dependence.

    Parameters
    ----------
    p_values : sequence of float
        The p-values of one family, from 0 to 1.

    Returns
    -------
    list of float
        Adjusted, in the order given: reject those up to alpha.

    Raises
    ------
    ParameterError
        If one is not from 0 to 1.

    Notes
    -----
    The k-th smallest of M becomes the running maximum of min(1, (M - k + 1) p). S. Holm: A simple
    sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6(2), 1979.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = _ascending(p_values)
    adjusted = [0.0] * len(order)
    largest = 0.0
    for position, index in enumerate(order):
        largest = max(largest, min((len(order) - position) * p_values[index], 1.0))
        adjusted[index] = largest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values to control the false discovery rate.

    Valid for independent or positively dependent tests.

    Parameters
    ----------
    p_values : sequence of float
        The p-values of one family, from 0 to 1.

    Returns
    -------
    list of float
        Adjusted, in the order given: reject those up to alpha.

    Raises
    ------
    ParameterError
        If one is not from 0 to 1.

    Notes
    -----
    The k-th smallest of M becomes the running minimum, from the largest, of min(1, M p / k). Y.
    Benjamini, Y. Hochberg: Controlling the false discovery rate. Journal of the Royal Statistical
    Society B 57(1), 1995.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    order = _ascending(p_values)
    adjusted = [0.0] * len(order)
    smallest = 1.0
    for position in range(len(order), 0, -1):
        index = order[position - 1]
        smallest = min(smallest, len(order) * p_values[index] / position)
        adjusted[index] = smallest
    return adjusted


def _ascending(p_values: Sequence[float]) -> list[int]:
    for p in p_values:
        if not 0.0 <= p <= 1.0:
            raise ParameterError(found=f"p={p!r}", expected="p-values from 0 to 1")
    return sorted(range(len(p_values)), key=lambda index: p_values[index])
