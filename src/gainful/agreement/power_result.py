"""The result of a power analysis: what so many queries can find."""

from __future__ import annotations

from dataclasses import dataclass, field

from gainful import charts
from gainful.agreement.power_tables import columns, document, tables
from gainful.conventions import get
from gainful.errors import GainfulError
from gainful.inference.power import achieved_power, detectable_difference, queries_needed
from gainful.measures.notation import parse_measure
from gainful.results import Records, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gainful.formats.table import Table

__all__ = ["MeasurePower", "PastSpread", "PowerAnalysis"]

#: Differences that are asked about where nobody names one, for measures from 0 to 1.
DIFFERENCES = (0.01, 0.02, 0.03, 0.05, 0.1)
#: For others, in standard deviations of a difference, rounded to a digit.
_SHARES = (0.05, 0.1, 0.2, 0.5, 1.0)
#: Numbers of queries of a curve: those between a first and a last power.
_STEPS = (10, 15, 20, 30, 50, 70)
_CURVE = (0.1, 0.99)
_LARGEST = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class PastSpread:
    """How systems differed in one past evaluation.

    Attributes
    ----------
    name : str
        Of the collection.
    systems, queries : int
        That its estimate rests on.
    left_out : int
        Queries that do not count for all systems, as the convention has it.
    deviation : float
        The standard deviation of a difference between two systems on a query.
    df : int
        (queries - 1) * (systems - 1).
    pair_deviations : tuple of float
        That of each pair of systems, in rising order.
    """

    name: str
    systems: int
    queries: int
    left_out: int
    deviation: float
    df: int
    pair_deviations: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasurePower:
    """What queries can find under one measure, by the paired t test.

    Attributes
    ----------
    measure : str or None
        Its name; None where the deviation was given and not estimated.
    deviation : float
        The standard deviation of a difference between two systems on a query: the root of twice
        the residual variance pooled over `past`.
    df : int or None
        Degrees of freedom of that estimate.
    past : tuple of PastSpread
        The evaluations that it was estimated from.
    """

    measure: str | None
    deviation: float
    df: int | None = None
    past: tuple[PastSpread, ...] = ()

    @property
    def pairs(self) -> tuple[float, float, float] | None:
        """The least, the median and the largest deviation of a pair of systems; None if unknown."""
        each = sorted(value for past in self.past for value in past.pair_deviations)
        if not each:
            return None
        middle = len(each) // 2
        median = each[middle] if len(each) % 2 else (each[middle - 1] + each[middle]) / 2
        return each[0], median, each[-1]

    def needed(self, difference: float, *, power: float = 0.8, alpha: float = 0.05) -> int | None:
        """Return the number of queries that find a difference; None where they never differ."""
        if self.deviation == 0.0:
            return None
        return queries_needed(difference, self.deviation, power=power, alpha=alpha)

    def detectable(self, queries: int, *, power: float = 0.8, alpha: float = 0.05) -> float:
        """Return the smallest difference that so many queries find."""
        return detectable_difference(queries, self.deviation, power=power, alpha=alpha)

    def achieved(self, queries: int, difference: float, *, alpha: float = 0.05) -> float:
        """Return the chance that so many queries find a difference."""
        return achieved_power(queries, difference, self.deviation, alpha)

    def curve(self, difference: float, *, alpha: float = 0.05) -> list[tuple[int, float]]:
        """Return round numbers of queries with the chance of each to find a difference.

        They begin where it is about .1 and end where it is .99.
        """
        if self.deviation == 0.0 or difference == 0.0:
            return []
        points: list[tuple[int, float]] = []
        for queries in _round_numbers():
            power = self.achieved(queries, difference, alpha=alpha)
            if power < _CURVE[0]:
                points.clear()
            points.append((queries, power))
            if power >= _CURVE[1]:
                break
        return points


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class PowerAnalysis(Result):
    """How many queries find a difference, and which difference so many queries find.

    ``print`` shows tables and a curve of text; it exports its rows as an Arrow stream, so
    ``polars.DataFrame(analysis)`` works.

    Attributes
    ----------
    measures : tuple of MeasurePower
        One a measure.
    power : float
        The chance with which a difference is to be found.
    alpha : float
        The two-sided level of the paired t test.
    queries : tuple of int
        Numbers of queries that were asked about.
    convention : str or None
        Of the past evaluations, in one line, if it is known.

    Examples
    --------
    >>> import gainful
    >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
    >>> past = gainful.evaluate("qrels.txt", runs=runs, measures="nDCG@10")
    >>> analysis = gainful.analyze_power(past, difference=0.05)
    >>> analysis.measures[0].needed(0.05)
    83
    >>> round(analysis.measures[0].detectable(50), 4)
    0.0648
    """

    RECORDS = ("answers",)
    PICTURES = ("power",)

    measures: tuple[MeasurePower, ...]
    power: float
    alpha: float
    queries: tuple[int, ...]
    convention: str | None = None
    _differences: tuple[float, ...] = field(default=())

    def differences(self, measure: MeasurePower) -> tuple[float, ...]:
        """Return the differences that were asked about; where none was, some that suit it."""
        if self._differences:
            return self._differences
        if measure.measure is None or _from_zero_to_one(measure.measure):
            return DIFFERENCES
        return tuple(dict.fromkeys(float(f"{s * measure.deviation:.0e}") for s in _SHARES))

    def curves(self) -> list[tuple[MeasurePower, float, list[tuple[int, float]]]]:
        """Return the curves of power over queries: of each measure and difference asked about."""
        return [
            (measure, difference, measure.curve(difference, alpha=self.alpha))
            for measure in self.measures
            for difference in self.differences(measure)
        ]

    def to_dict(self) -> dict[str, object]:
        """Return the analysis as the JSON contract ``gainful.power/1`` has it."""
        return document(self)

    def tables(self) -> list[Table]:
        """Return it as tables of text: queries needed, differences found, the curve."""
        return tables(self)

    def _records(self, name: str) -> Records:
        return columns(self)

    def _picture(self, name: str) -> Any:
        rows = [
            {
                "curve": " of ".join(filter(None, (f"{difference:g}", measure.measure))),
                "queries": queries,
                "power": chance,
            }
            for measure, difference, points in self.curves()
            for queries, chance in points
        ]
        return charts.power(rows, self.power)

    def __repr__(self) -> str:
        names = ", ".join(each.measure or f"deviation {each.deviation:g}" for each in self.measures)
        return f"<PowerAnalysis of {names}>"


def _round_numbers() -> Iterator[int]:
    scale = 1
    while scale < _LARGEST:
        yield from (step * scale for step in _STEPS)
        scale *= 10


def _from_zero_to_one(name: str) -> bool:
    try:
        return parse_measure(name).range(get("gainful-1")) == (0.0, 1.0)
    except GainfulError:  # A column of somebody else's file.
        return False
