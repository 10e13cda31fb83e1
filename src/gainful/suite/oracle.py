"""The oracle of a collection: the best system for each query."""

from __future__ import annotations

from gainful.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gainful.measures import Measure
    from gainful.suite.result import Suite

__all__ = ["Oracle", "compute_mean", "measure_oracle", "take_best_values"]


class OracleGaps(Record):
    """The means of a system minus those of the oracle."""

    collections: dict[str, float | None]
    """By collection, over the common queries; None without a run."""
    macro: float | None
    """The mean of the gaps on the averaged collections."""


class Oracle(Record):
    """The oracle, and the gaps to it."""

    run: str | None
    """The run used as the oracle; None for the best system for each query."""
    means: dict[str, dict[str, float | None]]
    """By measure and collection."""
    gaps: dict[str, dict[str, OracleGaps]]
    """By measure and system: its mean minus the oracle's."""


def take_best_values(values: Iterable[Mapping[str, float]], direction: int = 1) -> dict[str, float]:
    """Return the best value over systems for each query.

    Parameters
    ----------
    values : iterable of mapping of str to float
        Each system's values by query.
    direction : {1, -1}
        Whether the highest or the lowest value is best.

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
            if query not in best or direction * value > direction * best[query]:
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


def measure_oracle(suite: Suite) -> Oracle:
    """Return the means of the oracle and the gaps of all systems to it."""
    names, measures = suite.collections, suite.measures
    means = {
        repr(measure): {name: suite.oracle_mean(name, measure) for name in names}
        for measure in measures
    }
    gaps = {
        repr(measure): {system: _gaps(suite, system, measure) for system in suite.systems}
        for measure in measures
    }
    return Oracle(run=suite.oracle, means=means, gaps=gaps)


def _gaps(suite: Suite, system: str, measure: Measure) -> OracleGaps:
    return OracleGaps(
        collections={name: suite.oracle_gap(system, name, measure) for name in suite.collections},
        macro=suite.oracle_gap(system, None, measure),
    )
