"""Where systems stand, as a value."""

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

__all__ = ["Headroom", "Place", "Share"]


@dataclass(frozen=True, slots=True)
class Share:
    """A share of the way from one mean to another.

    Attributes
    ----------
    value : float
        0 where the way begins, 1 where it ends; below 0 and above 1 are beyond these.
    low, high : float or None
        Its interval; None where one cannot be told.
    n : int
        Queries that it is over.
    """

    value: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a system stands under a measure.

    Attributes
    ----------
    system, measure : str
        Whose place it is.
    n : int
        Queries of the mean.
    mean, low, high : float
        The mean and its interval, as an evaluation has them; the ends may be None.
    way : Share or None
        Of the way from the floor to the ceiling; None without a floor, and where the two are one.
    beyond : Share or None
        Of the way from the baseline to the ceiling; None without a baseline, and for itself.
    reranked : float
        The mean if what the system found stood in the ideal order: no re-ranker can do better.
    """

    system: str
    measure: str
    n: int
    mean: float
    low: float | None
    high: float | None
    way: Share | None
    beyond: Share | None
    reranked: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Headroom(Result):
    """Where systems stand between floor, baseline and ceiling.

    Attributes
    ----------
    evaluation : Evaluation
        Of the systems, the baseline included.
    floor : Floor or None
        What was put in a random order, and what that scores for each query.
    ceiling : dict of str to dict of str to float
        By measure and query, what the ideal order of the judged documents scores.
    places : dict of (str, str) to Place
        By measure and system.
    baseline : str or None
        Which of the systems is the baseline.
    baseline_words : str or None
        How the baseline was made, if it was made on the way.
    level : float
        Of the intervals of shares; those of means are of 95%, as an evaluation has them.

    Examples
    --------
    >>> import gainful
    >>> found = gainful.headroom("qrels.txt", ["bm25.run", "dense.run"])
    >>> found
    <Headroom of bm25, dense: nDCG@10>
    >>> round(found.place("bm25").way.value, 2)
    0.51
    """

    RECORDS = ("systems",)
    PICTURES = ("means",)

    evaluation: Evaluation
    floor: Floor | None
    ceiling: Mapping[str, Mapping[str, float]]
    places: Mapping[tuple[str, str], Place]
    baseline: str | None
    baseline_words: str | None
    level: float

    @property
    def floors(self) -> dict[str, float]:
        """By measure, the mean of a random order; empty without a floor."""
        if self.floor is None:
            return {}
        return {measure: _mean(values) for measure, values in self.floor.values.items()}

    @property
    def ceilings(self) -> dict[str, float]:
        """By measure, the mean of the ideal order."""
        return {measure: _mean(values) for measure, values in self.ceiling.items()}

    def place(self, system: str, measure: Measure | str | None = None) -> Place:
        """Return where a system stands, under the only measure where none is named.

        Raises
        ------
        ParameterError
            For a system or measure that is not there.
        """
        told = repr(self.evaluation.measures[self.evaluation._measure(measure)])
        if (told, system) not in self.places:
            raise ParameterError(
                where="system",
                found=repr(system),
                expected=f"one of {', '.join(self.evaluation.systems)}",
            )
        return self.places[told, system]

    def ordered(self, measure: str) -> list[Place]:
        """Return the places under a measure, the best mean first."""
        own = [self.places[measure, system] for system in self.evaluation.systems]
        return sorted(own, key=lambda place: -place.mean)

    def rows(self) -> Iterator[dict[str, object]]:
        """Yield one dictionary a system and measure, the ends of the scale among them."""
        yield from rows(self)

    def to_dict(self) -> dict[str, object]:
        """Return it as the JSON contract ``gainful.headroom/1`` has it."""
        return to_dict(self)

    def tables(self) -> list[Table]:
        """Return a table of text for each measure."""
        return tables(self)

    def _picture(self, name: str, **options: Any) -> Any:
        return self.evaluation.plot(name, **options)

    def _records(self, name: str) -> Records:
        return columns(self)

    def __repr__(self) -> str:
        measures = ", ".join(map(repr, self.evaluation.measures))
        return f"<Headroom of {', '.join(self.evaluation.systems)}: {measures}>"


def _mean(values: Mapping[str, float]) -> float:
    return sum(values[query] for query in sorted(values)) / len(values) if values else float("nan")
