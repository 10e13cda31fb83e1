"""The oracle of a collection: the best system for each query."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["compute_mean", "take_best_values"]


def take_best_values(values: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return the largest value over systems for each query.

    Parameters
    ----------
    values : iterable of mapping of str to float
        Each system's values by query.

    Returns
    -------
    dict of str to float
        The values by query, in the order of their first occurrence.

    Examples
    --------
    >>> take_best_values([{"q1": 0.2, "q2": 0.9}, {"q1": 0.5}])
    {'q1': 0.5, 'q2': 0.9}
    """
    best: dict[str, float] = {}
    for each in values:
        for query, value in each.items():
            if query not in best or value > best[query]:
                best[query] = value
    return best


def compute_mean(values: Mapping[str, float], weights: Mapping[str, float] | None) -> float:
    """Return the mean of values by query, weighted if there are weights.

    Examples
    --------
    >>> values = {"q1": 0.5, "q2": 1.0}
    >>> compute_mean(values, None), compute_mean(values, {"q1": 3, "q2": 1})
    (0.75, 0.625)
    """
    if weights is None:
        return sum(values.values()) / len(values)
    total = sum(weights[query] for query in values)
    return sum(weights[query] * value for query, value in values.items()) / total
