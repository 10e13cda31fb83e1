"""The result of `headroom`."""

from __future__ import annotations

from dataclasses import dataclass

from gainful.bounds.rendering import columns, rows, tables, to_dict
from gainful.errors import ParameterError
from gainful.results import Records, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from gainful.bounds.floor import Floor
    from gainful.evaluation import Evaluation
    from gainful.formats.table import Table
    from gainful.measures import Measure
    from gainful.plots import Plot

__all__ = ["Headroom", "Place", "Share"]


@dataclass(frozen=True, slots=True)
class Share:
    """A share of the difference between two means.

    Attributes
    ----------
    value : float
        0 at the lower mean and 1 at the upper one; it can be negative or above 1.
    low, high : float or None
        Its confidence interval. None if the difference is not significantly different from 0.
    n : int
        Number of queries.
    """

    value: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The score of a system between floor and ceiling.

    Attributes
    ----------
    system, measure : str
        The names of the system and the measure.
    n : int
        Number of queries in the mean.
    mean, low, high : float
        The mean and its 95% confidence interval; the ends can be None.
    achieved : Share or None
        The share of the achievable gain, from floor to ceiling. None without a floor, or if floor
        and ceiling are equal.
    vs_baseline : Share or None
        The share of the baseline's headroom, from baseline to ceiling. None without a baseline, and
        for the baseline.
    reranked : float
        The mean of the retrieved documents in ideal order: the upper bound for a re-ranker.
    """

    system: str
    measure: str
    n: int
    mean: float
    low: float | None
    high: float | None
    achieved: Share | None
    vs_baseline: Share | None
    reranked: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Headroom(Result):
    """The scores of systems between floor, baseline and ceiling.

    Attributes
    ----------
    evaluation : Evaluation
        The evaluation of the systems, including the baseline.
    floor : Floor or None
        The expected score of a random order, by query.
    ceiling : dict of str to dict of str to float
        By measure and query, the score of the judged documents in ideal order.
    places : dict of (str, str) to Place
        The scores and shares by measure and system.
    baseline : str or None
        The name of the baseline.
    baseline_description : str or None
        The settings of the baseline, if `headroom` built it.
    level : float
        The confidence level of the intervals of shares. Intervals of means are always 95%.

    Examples
    --------
    >>> import gainful
    >>> found = gainful.headroom("qrels.txt", ["bm25.run", "dense.run"])
    >>> found
    <Headroom of bm25, dense: nDCG@10>
    >>> round(found.place("bm25").achieved.value, 2)
    0.51
    """

    RECORDS = {"systems": None}
    PICTURES = ("means",)

    evaluation: Evaluation
    floor: Floor | None
    ceiling: Mapping[str, Mapping[str, float]]
    places: Mapping[tuple[str, str], Place]
    baseline: str | None
    baseline_description: str | None
    level: float

    @property
    def floors(self) -> dict[str, float]:
        """The mean score of a random order by measure; empty without a floor."""
        if self.floor is None:
            return {}
        return {measure: _mean(values) for measure, values in self.floor.values.items()}

    @property
    def ceilings(self) -> dict[str, float]:
        """The mean score of the ideal order by measure."""
        return {measure: _mean(values) for measure, values in self.ceiling.items()}

    def place(self, system: str, measure: Measure | str | None = None) -> Place:
        """Return the score and shares of a system. With one measure, its name is optional.

        Raises
        ------
        ParameterError
            For an unknown system or measure.
        """
        key = repr(self.evaluation.measures[self.evaluation._measure(measure)])
        if (key, system) not in self.places:
            raise ParameterError(
                where="system",
                found=repr(system),
                expected=f"one of {', '.join(self.evaluation.systems)}",
            )
        return self.places[key, system]

    def ordered(self, measure: str) -> list[Place]:
        """Return the systems by descending mean of a measure."""
        own = [self.places[measure, system] for system in self.evaluation.systems]
        return sorted(own, key=lambda place: -place.mean)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one dictionary per system and measure, including floor and ceiling."""
        yield from rows(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as the JSON contract ``gainful.headroom/1``."""
        return to_dict(self)

    def tables(self) -> list[Table]:
        """Return one table per measure."""
        return tables(self)

    def _picture(self, name: str, **options: Any) -> Plot:
        return self.evaluation.plot(name, **options)

    def _records(self, name: str) -> Records:
        return columns(self)

    def __repr__(self) -> str:
        measures = ", ".join(map(repr, self.evaluation.measures))
        return f"<Headroom of {', '.join(self.evaluation.systems)}: {measures}>"


def _mean(values: Mapping[str, float]) -> float:
    return sum(values[query] for query in sorted(values)) / len(values) if values else float("nan")
