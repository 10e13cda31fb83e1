"""The result of a power analysis."""

from __future__ import annotations

from dataclasses import dataclass, field

from gainful import plots
from gainful.agreement.power_tables import columns, document, tables
from gainful.conventions import get
from gainful.errors import GainfulError
from gainful.inference.power import (
    COSTS,
    achieved_power,
    detectable_difference,
    queries_needed,
)
from gainful.measures.notation import parse_measure
from gainful.results import Records, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gainful.formats.table import Table
    from gainful.plots import Plot

__all__ = ["MeasurePower", "PastSpread", "PowerAnalysis"]

#: The default differences for measures from 0 to 1.
DIFFERENCES = (0.01, 0.02, 0.03, 0.05, 0.1)
#: The default differences for other measures, in deviations, rounded to one digit.
_SHARES = (0.05, 0.1, 0.2, 0.5, 1.0)
#: The numbers of queries of a curve, times powers of ten, within a range of power.
_STEPS = (10, 15, 20, 30, 50, 70)
_CURVE = (0.1, 0.99)
_LARGEST = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class PastSpread:
    """The variance of differences in one past evaluation.

    Attributes
    ----------
    name : str
        The name of the collection.
    systems, queries : int
        The numbers of systems and queries.
    left_out : int
        The number of queries that do not count for all systems.
    deviation : float
        The standard deviation of the per-query difference between two systems.
    df : int
        (queries - 1) * (systems - 1).
    effective_df : float or None
        The degrees of freedom that account for heavy tails; None for fewer than 5 queries
        or a deviation of 0.
    pair_deviations : tuple of float
        The deviation of each pair of systems, in ascending order.
    ratio : float or None
        With the labels of a model, how many times more queries it judged than people.
    """

    name: str
    systems: int
    queries: int
    left_out: int
    deviation: float
    df: int
    effective_df: float | None
    pair_deviations: tuple[float, ...]
    ratio: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasurePower:
    """The power of the paired t test under one measure.

    Attributes
    ----------
    measure : str or None
        The name of the measure; None for a given deviation.
    deviation : float
        The standard deviation of the per-query difference between two systems: the root of twice
        the residual variance pooled over `past`.
    upper_deviation : float or None
        The upper 95% confidence limit of the deviation, one-sided; None for a given deviation.
    df : int or None
        The degrees of freedom of that estimate.
    past : tuple of PastSpread
        The evaluations of the estimate.
    labels : {"combined", "people"} or None
        In a plan with the labels of a model: whether the number of human-judged queries is that
        with the model or that of people only. None without such labels.
    comparisons : int
        The number of comparisons that are corrected together.
    """

    measure: str | None
    deviation: float
    upper_deviation: float | None = None
    df: int | None = None
    past: tuple[PastSpread, ...] = ()
    labels: str | None = None
    comparisons: int = 1

    @property
    def name(self) -> str:
        """The measure, and whether the labels of a model are used."""
        kinds = {"combined": "combined", "people": "people only"}
        return ", ".join(filter(None, (self.measure, kinds.get(self.labels or ""))))

    @property
    def pairs(self) -> tuple[float, float, float] | None:
        """The smallest, median and largest deviation of a pair of systems; None if unknown."""
        each = sorted(value for past in self.past for value in past.pair_deviations)
        if not each:
            return None
        middle = len(each) // 2
        median = each[middle] if len(each) % 2 else (each[middle - 1] + each[middle]) / 2
        return each[0], median, each[-1]

    def needed(self, difference: float, *, power: float = 0.8, alpha: float = 0.05) -> int | None:
        """Return the queries required to detect a difference; None if the deviation is 0."""
        if self.deviation == 0.0:
            return None
        return queries_needed(difference, self.deviation, power=power, **self._test(alpha))

    def needed_at_most(
        self, difference: float, *, power: float = 0.8, alpha: float = 0.05
    ) -> int | None:
        """Return the queries required under the upper limit of the deviation; None if unknown."""
        if self.upper_deviation is None:
            return None
        return queries_needed(difference, self.upper_deviation, power=power, **self._test(alpha))

    def detectable(self, queries: int, *, power: float = 0.8, alpha: float = 0.05) -> float:
        """Return the minimum detectable difference for a number of queries."""
        return detectable_difference(queries, self.deviation, power=power, **self._test(alpha))

    def achieved(self, queries: int, difference: float, *, alpha: float = 0.05) -> float:
        """Return the power to detect a difference with a number of queries."""
        return achieved_power(queries, difference, self.deviation, **self._test(alpha))

    def _test(self, alpha: float) -> dict[str, float]:
        """Return the level and the cost of the test of one of the comparisons."""
        cost = COSTS["max-t"] if self.comparisons > 1 else 0.0
        return {"alpha": alpha / self.comparisons, "cost": cost}

    def curve(self, difference: float, *, alpha: float = 0.05) -> list[tuple[int, float]]:
        """Return round numbers of queries and their power, from about .1 to .99."""
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
    """Required queries by difference, and minimum detectable differences by queries.

    ``print`` shows tables and a curve of text; it exports its rows as an Arrow stream, so
    ``polars.DataFrame(analysis)`` works.

    Attributes
    ----------
    measures : tuple of MeasurePower
        One per measure.
    power : float
        The probability of detecting a difference.
    alpha : float
        The two-sided level of the test; with several comparisons, the family-wise error rate.
    queries : tuple of int
        The requested numbers of queries.
    convention : str or None
        The convention of the past evaluations in one line, if known.

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

    @property
    def comparisons(self) -> int:
        """The number of comparisons that are corrected together."""
        return max((measure.comparisons for measure in self.measures), default=1)

    def differences(self, measure: MeasurePower) -> tuple[float, ...]:
        """Return the requested differences, or defaults for the measure."""
        if self._differences:
            return self._differences
        if measure.measure is None or _from_zero_to_one(measure.measure):
            return DIFFERENCES
        return tuple(dict.fromkeys(float(f"{s * measure.deviation:.0e}") for s in _SHARES))

    def curves(self) -> list[tuple[MeasurePower, float, list[tuple[int, float]]]]:
        """Return the power curve of each measure and difference."""
        return [
            (measure, difference, measure.curve(difference, alpha=self.alpha))
            for measure in self.measures
            for difference in self.differences(measure)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the analysis as the JSON contract ``gainful.power/1``."""
        return document(self)

    def tables(self) -> list[Table]:
        """Return the required queries, the detectable differences and the curve as tables."""
        return tables(self)

    def _records(self, name: str) -> Records:
        return columns(self)

    def _picture(self, name: str) -> Plot:
        rows = [
            {
                "curve": " of ".join(filter(None, (f"{difference:g}", measure.name))),
                "queries": queries,
                "power": power,
            }
            for measure, difference, points in self.curves()
            for queries, power in points
        ]
        return plots.power(rows, self.power)

    def __repr__(self) -> str:
        names = ", ".join(each.name or f"deviation {each.deviation:g}" for each in self.measures)
        return f"<PowerAnalysis of {names}>"


def _round_numbers() -> Iterator[int]:
    scale = 1
    while scale < _LARGEST:
        yield from (step * scale for step in _STEPS)
        scale *= 10


def _from_zero_to_one(name: str) -> bool:
    try:
        return parse_measure(name).range(get("gainful-1")) == (0.0, 1.0)
    except GainfulError:  # The column of another tool's file.
        return False
