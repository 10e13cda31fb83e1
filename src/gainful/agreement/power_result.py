"""The result of a power analysis: the analysis, its tables and its sentences."""

from __future__ import annotations

from itertools import pairwise
from statistics import median

from gainful import plots
from gainful.conventions import get
from gainful.errors import GainfulError
from gainful.formats.numbers import digits, short, span, thousands
from gainful.formats.table import Column, Note, Table, noted
from gainful.inference.power import (
    COSTS,
    achieved_power,
    detectable_difference,
    queries_needed,
)
from gainful.measures.notation import parse_measure
from gainful.records import Record, derived, field
from gainful.records.tables import columns_of, table_of_columns
from gainful.results import Records, Result, as_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Literal

    from gainful.plots import Plot

__all__ = ["MeasurePower", "PastSpread", "PowerAnalysis", "bar"]

#: The default differences for measures from 0 to 1.
DIFFERENCES = (0.01, 0.02, 0.03, 0.05, 0.1)
#: The default differences for other measures, in deviations, rounded to one digit.
_SHARES = (0.05, 0.1, 0.2, 0.5, 1.0)
#: The numbers of queries of a curve, times powers of ten, within a range of power.
_STEPS = (10, 15, 20, 30, 50, 70)
_CURVE = (0.1, 0.99)
_LARGEST = 10**9
#: Columns of a bar of power 1.
BAR = 40
_EIGHTHS = " ▏▎▍▌▋▊▉"

#: Whose labels a plan uses, as text.
_LABELS: dict[str | None, str] = {"combined": "combined", "people": "people only"}

_COUNT = {"minimum": 0}
_SHARE = {"minimum": 0, "maximum": 1}


class PastSpread(Record):
    """The variance of differences in one past evaluation."""

    name: str
    """The name of the collection."""
    systems: int
    """The number of systems."""
    queries: int
    """The number of queries."""
    left_out: int
    """The number of queries that do not count for all systems."""
    deviation: float
    """The standard deviation of the per-query difference between two systems."""
    df: int
    """(queries - 1) * (systems - 1)."""
    effective_df: float | None = field(json=_COUNT)
    """The degrees of freedom that account for heavy tails; None for fewer than 5 queries or a
    deviation of 0."""
    pair_deviations: tuple[float, ...] = field(key="")
    """The deviation of each pair of systems, in ascending order."""
    ratio: float | None = None
    """With the labels of a model, how many times more queries it judged than people."""


class PairDeviations(Record):
    """The deviations of the pairs of systems."""

    low: float
    """The smallest."""
    median: float
    """The median."""
    high: float
    """The largest."""


class Required(Record):
    """The queries required to detect a difference."""

    difference: float
    """The difference."""
    queries: int | None
    """The number of queries; None if the deviation is 0."""
    queries_at_most: int | None = field(json={"minimum": 2})
    """The number under the upper limit of the deviation; None without one."""


class Detectable(Record):
    """The minimum detectable difference of a number of queries."""

    queries: int
    """The number of queries."""
    difference: float
    """The difference."""


class PowerPoint(Record):
    """A point of a power curve."""

    queries: int
    """The number of queries."""
    power: float = field(json=_SHARE)
    """The probability of detecting the difference."""


class PowerCurve(Record):
    """Power by the number of queries."""

    difference: float
    """The difference to detect."""
    points: tuple[PowerPoint, ...]
    """Round numbers of queries, from a power of about .1 to .99."""


class MeasurePower(Record):
    """The power of the paired t test under one measure."""

    measure: str | None = field(tables="required least", if_any=True)
    """The name of the measure; None for a given deviation."""
    labels: Literal["combined", "people"] | None = field(
        default=None,
        tables="required least",
        if_any=True,
        cell=lambda power: _LABELS.get(power.labels),
    )
    """In a plan with the labels of a model, whether the queries are the human-judged ones required
    with the model (``combined``) or without it (``people``); None without such labels."""
    deviation: float = field(tables="required least", json=_COUNT)
    """The standard deviation of the per-query difference between two systems: the root of twice the
    residual variance pooled over `past`."""
    upper_deviation: float | None = field(default=None, json=_COUNT)
    """The one-sided upper 95% confidence limit of the deviation; None for a given deviation."""
    df: int | None = None
    """The degrees of freedom of that estimate."""
    pairs: PairDeviations | None = derived(
        lambda power: _pair_deviations(power.past),
        tables="required",
        label="range over pairs",
        show=lambda pairs: _show_pairs(pairs),
        if_any=True,
    )
    """The deviations of the pairs of systems; None if unknown."""
    past: tuple[PastSpread, ...] = ()
    """The evaluations of the estimate."""
    required: tuple[Required, ...] = field(default=(), key="needed")
    """The queries required to detect each difference."""
    least: tuple[Detectable, ...] = field(default=(), key="detectable")
    """The minimum detectable difference for each number of queries."""
    curves: tuple[PowerCurve, ...] = ()
    """Power by the number of queries."""
    comparisons: int = field(default=1, key="")
    """The number of comparisons that are corrected together."""

    @property
    def name(self) -> str:
        """The measure, and whether the labels of a model are used."""
        return ", ".join(filter(None, (self.measure, _LABELS.get(self.labels))))

    @property
    def differences(self) -> tuple[float, ...]:
        """The differences of the plan."""
        return tuple(item.difference for item in self.required)

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

    def plan(
        self,
        differences: Sequence[float],
        queries: Sequence[int],
        *,
        power: float,
        alpha: float,
        comparisons: int,
    ) -> MeasurePower:
        """Return the power with what these differences and numbers of queries require."""
        corrected = self.replace(comparisons=comparisons)
        if not differences:
            differences = _default_differences(self)
        options = {"power": power, "alpha": alpha}
        return corrected.replace(
            required=tuple(
                Required(
                    difference=difference,
                    queries=corrected.needed(difference, **options),
                    queries_at_most=corrected.needed_at_most(difference, **options),
                )
                for difference in differences
            ),
            least=tuple(
                Detectable(queries=n, difference=corrected.detectable(n, **options))
                for n in queries
            ),
            curves=tuple(
                PowerCurve(
                    difference=difference,
                    points=tuple(
                        PowerPoint(queries=n, power=value)
                        for n, value in corrected.curve(difference, alpha=alpha)
                    ),
                )
                for difference in differences
            ),
        )

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


class PowerAnalysis(Result):
    """Required queries by difference, and minimum detectable differences by queries.

    ``print`` shows tables and a curve of text; it exports its rows as an Arrow stream, so
    ``polars.DataFrame(analysis)`` works.

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

    SCHEMA = "gainful.power/1"
    COMMAND = "analyze-power"
    RECORDS = {"answers": None}
    PICTURES = ("power",)

    test: str = derived(lambda _: "paired t, two-sided")
    """The test whose power is computed. `compare` has nearly the same power."""
    power: float = field(json=_SHARE)
    """The probability of detecting a difference."""
    alpha: float = field(json=_SHARE)
    """The significance level of the test; with several comparisons, the family-wise error rate."""
    comparisons: int = derived(
        lambda analysis: max((measure.comparisons for measure in analysis.measures), default=1),
        json={"minimum": 1},
    )
    """The number of comparisons that are corrected together."""
    convention: str | None = None
    """The convention of the past evaluations in one line; None if unknown."""
    measures: tuple[MeasurePower, ...]
    """One per measure."""
    queries: tuple[int, ...] = field(key="")
    """The requested numbers of queries."""
    is_requested: bool = field(default=False, key="")
    """Whether the differences were requested, not the default."""

    def tables(self) -> list[Table]:
        """Return the required queries, the detectable differences and the curve as tables."""
        tables = [*_required_tables(self), _least_table(self), *_curve_tables(self)]
        return [*tables[:-1], tables[-1].replace(notes=_notes(self))]

    def _records(self, name: str) -> Records:
        """Return all answers as rows; ``found`` names the computed column of the three."""
        is_combined = any(measure.labels for measure in self.measures)
        labels = ("labels",) if is_combined else ()
        names = ("measure", *labels, "deviation")
        names += ("found", "queries", "difference", "power", "queries_at_most")
        rows: list[tuple[object, ...]] = []
        for measure in self.measures:
            start = (measure.measure, *((measure.labels,) if labels else ()), measure.deviation)
            for item in measure.required:
                numbers = (item.queries, item.difference, self.power, item.queries_at_most)
                rows.append((*start, "queries", *numbers))
            for least in measure.least:
                rows.append(
                    (*start, "difference", least.queries, least.difference, self.power, None)
                )
            for curve in measure.curves:
                for point in curve.points:
                    numbers = (point.queries, curve.difference, point.power, None)
                    rows.append((*start, "power", *numbers))
        return as_records(names, rows)

    def _picture(self, name: str) -> Plot:
        rows = [
            {
                "curve": " of ".join(filter(None, (f"{curve.difference:g}", measure.name))),
                "queries": point.queries,
                "power": point.power,
            }
            for measure in self.measures
            for curve in measure.curves
            for point in curve.points
        ]
        return plots.power(rows, self.power)

    def __repr__(self) -> str:
        names = ", ".join(power.name or f"deviation {power.deviation:g}" for power in self.measures)
        return f"<PowerAnalysis of {names}>"


def _pair_deviations(past: Sequence[PastSpread]) -> PairDeviations | None:
    deviations = sorted(value for spread in past for value in spread.pair_deviations)
    if not deviations:
        return None
    low, *_, high = deviations if len(deviations) > 1 else deviations * 2
    return PairDeviations(low=low, median=median(deviations), high=high)


def _default_differences(power: MeasurePower) -> tuple[float, ...]:
    if power.measure is None or _from_zero_to_one(power.measure):
        return DIFFERENCES
    return tuple(dict.fromkeys(float(f"{share * power.deviation:.0e}") for share in _SHARES))


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


# --- tables ---------------------------------------------------------------------------------------


def _required_tables(analysis: PowerAnalysis) -> list[Table]:
    """Return one table for all measures with the same differences."""
    groups: dict[tuple[float, ...], list[MeasurePower]] = {}
    for measure in analysis.measures:
        groups.setdefault(measure.differences, []).append(measure)
    title = f"Queries required to detect a difference ({100 * analysis.power:g}% power)"
    tables = []
    for differences, measures in groups.items():
        columns = columns_of(measures, "required")
        for place, difference in enumerate(differences):
            column = Column(f"queries.{difference}", short(difference), _show_required)
            columns.append((column, [_numbers(measure.required[place]) for measure in measures]))
        tables.append(table_of_columns(columns, title=title))
    return tables


def _numbers(required: Required) -> tuple[int, int | None] | None:
    return None if required.queries is None else (required.queries, required.queries_at_most)


def _show_required(ends: tuple[int, int | None]) -> str:
    number, most = ends
    return thousands(number) if most is None else f"{thousands(number)} to {thousands(most)}"


def _least_table(analysis: PowerAnalysis) -> Table:
    columns = columns_of(analysis.measures, "least")
    for place, n in enumerate(analysis.queries):
        values: list[object] = [
            measure.least[place].difference if measure.deviation else None
            for measure in analysis.measures
        ]
        columns.append((Column(f"difference.{n}", thousands(n), digits), values))
    title = f"Minimum detectable difference by queries ({100 * analysis.power:g}% power)"
    return table_of_columns(columns, title=title)


def _curve_tables(analysis: PowerAnalysis) -> Iterator[Table]:
    """Yield the curves of each middle difference, of all measures that have it in the middle."""
    groups: dict[float, list[MeasurePower]] = {}
    for measure in analysis.measures:
        middle = measure.differences[(len(measure.differences) - 1) // 2]
        groups.setdefault(middle, []).append(measure)
    for difference, measures in groups.items():
        counts = sorted(
            {
                point.queries
                for measure in measures
                for curve in measure.curves
                if curve.difference == difference
                for point in curve.points
            }
        )
        if counts:
            yield _curve_table(analysis, difference, measures, counts)


def _curve_table(
    analysis: PowerAnalysis, difference: float, measures: list[MeasurePower], counts: list[int]
) -> Table:
    columns: list[tuple[Column, Sequence[object]]] = [(Column("queries", show=thousands), counts)]
    drawn = len(measures) == 1
    for measure in measures:
        powers = [measure.achieved(n, difference, alpha=analysis.alpha) for n in counts]
        name = "power" if drawn else measure.name or "power"
        key = "power" if drawn else f"power.{measure.name}"
        columns.append((Column(key, name, _show_power), powers))
        if drawn:
            columns.append((Column("bar", "", bar, align="l", fit="picture"), powers))
    of = f" in {measures[0].measure}" if drawn and measures[0].measure else ""
    title = f"Power to detect a difference of {short(difference)}{of}"
    return table_of_columns(columns, title=title)


def bar(share: float, columns: int = BAR) -> str:
    """Return a bar of blocks, by eighths of a column.

    Examples
    --------
    >>> bar(0.5, 8), bar(0.3, 8), bar(0.0, 8)
    ('████', '██▍', '')
    """
    whole, rest = divmod(round(share * columns * 8), 8)
    return "█" * whole + _EIGHTHS[rest].strip()


def _show_pairs(pairs: PairDeviations) -> str:
    return digits(pairs.low) if pairs.low == pairs.high else span(pairs.low, pairs.high)


def _show_power(power: float) -> str:
    # Power is always below 1.
    return ">.99" if power >= 0.995 else digits(power, 2)


# --- sentences ------------------------------------------------------------------------------------


def _notes(analysis: PowerAnalysis) -> list[Note]:
    count = analysis.comparisons
    family = f", corrected for {count:,} comparisons" if count > 1 else ""
    test = f"Two-sided test of `gainful compare`, alpha {short(analysis.alpha)}{family}."
    notes = [*noted("combined", _combined(analysis)), Note("test", test)]
    past = [measure for measure in analysis.measures if measure.past]
    if not past:
        return notes
    text = "deviation: standard deviation of the per-query difference between two systems."
    notes.append(Note("deviation", text, explains=True))
    if any(measure.upper_deviation is not None for measure in past):
        text = (
            "Queries: an estimate to its upper 95% confidence limit, since past queries are a"
            " sample."
        )
        notes.append(Note("limit", text))
    pairs = {sum(len(spread.pair_deviations) for spread in measure.past) for measure in past}
    if pairs == {1}:
        text = "The deviation is that of one pair of systems. Other pairs may need more queries."
        notes.append(Note("pairs", text))
    else:
        text = "Pairs with a larger deviation need more queries, in proportion to its square."
        notes.append(Note("pairs", text, explains=True))
    same = [measure.name for measure in past if not measure.deviation]
    if same:
        text = "every query has the same difference, so nothing can be estimated."
        notes.append(Note("same", f"{', '.join(same)}: {text}"))
    notes += noted("past", _origins(past))
    if analysis.convention:
        notes.append(Note("convention", analysis.convention))
    return notes


def _combined(analysis: PowerAnalysis) -> Iterator[str]:
    """Yield the plan with the labels of a model in words, and its condition."""
    pairs = [
        (combined, alone)
        for combined, alone in pairwise(analysis.measures)
        if combined.labels == "combined" and alone.labels == "people"
    ]
    for combined, alone in pairs if analysis.is_requested else ():
        for with_model, without in zip(combined.required, alone.required, strict=True):
            if with_model.queries is not None and without.queries is not None:
                of = f" in {combined.measure}" if len(pairs) > 1 else ""
                yield (
                    f"With this model, {with_model.queries:,} human-judged queries detect"
                    f" {short(with_model.difference)}{of}; without it, {without.queries:,}."
                )
    if pairs:
        ratios = sorted(
            {f"{spread.ratio:.3g}" for combined, _ in pairs for spread in combined.past}
        )
        yield (
            f"Queries are human-judged queries. The model judges {' or '.join(ratios)} times as"
            " many, as in the pilot."
        )


def _origins(measures: Sequence[MeasurePower]) -> list[str]:
    """Return the past evaluations; once if they are the same for all measures."""
    origins: dict[str, list[str]] = {}
    for measure in measures:
        if measure.labels == "combined":
            continue
        parts = [
            f"{past.name} ({past.systems} systems, {past.queries} queries"
            + (f", {past.left_out} left out" if past.left_out else "")
            + ")"
            for past in measure.past
        ]
        origins.setdefault(", ".join(parts), []).append(measure.measure or "")
    return [
        f"From {text}." if len(origins) == 1 else f"{', '.join(names)}: from {text}."
        for text, names in origins.items()
    ]
