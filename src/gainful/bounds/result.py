"""The result of `headroom`: the scores of systems between floor, baseline and ceiling."""

from __future__ import annotations

from gainful.errors import ParameterError
from gainful.evaluation.notes import describe_convention, describe_counts
from gainful.formats.numbers import digits, with_sign
from gainful.formats.table import Column, Note, Table, noted
from gainful.records import Interval, Record, derived, field
from gainful.records.tables import columns_of, table_of_columns
from gainful.references import refer
from gainful.results import Records, Result, as_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from gainful.bounds.floor import Floor
    from gainful.conventions import Convention
    from gainful.evaluation import Evaluation
    from gainful.measures import Measure
    from gainful.plots import Plot

__all__ = ["Headroom", "MeasureHeadroom", "Place", "Share"]

FLOOR, CEILING = "floor", "ceiling"

_COUNT = {"minimum": 0}
_NUMBER = {"type": ["number", "null"]}
_NO_ENDS = (None, None)


def _percent(share: float) -> str:
    return f"{digits(100 * share, 1)}%"


def _signed(share: float) -> str:
    return f"{with_sign(100 * share, 1)}%"


def _ends(show: Callable[[float], str]) -> Callable[[Interval], str]:
    return lambda ends: f"{show(ends.low).removesuffix('%')} to {show(ends.high)}"


class Share(Record):
    """A share of the difference between two means."""

    value: float
    """0 at the lower mean and 1 at the upper one; it can be negative or above 1."""
    interval: Interval | None
    """Its confidence interval; None if the difference is not significantly different from 0."""
    n: int = field(json=_COUNT)
    """The number of queries that count for both ends and for the system."""


class Place(Record):
    """The score of a system between floor and ceiling."""

    system: str = field(key="")
    """The name of the system."""
    mean: float = field(tables="systems", show=digits, json=_NUMBER)
    """The mean over queries."""
    interval: Interval | None
    """The 95% confidence interval of the mean."""
    n: int = field(json=_COUNT)
    """The number of queries in the mean."""
    achieved: Share | None
    """The share of the achievable gain, from floor to ceiling; None without a floor, or if floor
    and ceiling are equal."""
    vs_baseline: Share | None
    """The share of the headroom from the baseline to the ceiling; None without a baseline, and for
    the baseline."""
    reranked: float = field(tables="systems", label="re-ranked", show=digits, json=_NUMBER)
    """The mean of the retrieved documents in ideal order: the upper bound for a re-ranker."""


class MeasureHeadroom(Record):
    """The scores of all systems under one measure, with their bounds."""

    resolved: Measure
    """The measure with every parameter set."""
    floor: float | None
    """The mean score of a random order, over all queries that count; None without a floor."""
    ceiling: float = field(json=_NUMBER)
    """The mean score of the ideal order."""
    systems: dict[str, Place]
    """The systems by name, the best mean first."""


class Headroom(Result):
    """The scores of systems between floor, baseline and ceiling.

    Examples
    --------
    >>> import gainful
    >>> found = gainful.headroom("qrels.txt", ["bm25.run", "dense.run"])
    >>> found
    <Headroom of bm25, dense: nDCG@10>
    >>> round(found.place("bm25").achieved.value, 2)
    0.51
    """

    SCHEMA = "gainful.headroom/1"
    COMMAND = "headroom"
    RECORDS = {"systems": None}
    PICTURES = ("means",)

    convention: Convention = derived(lambda headroom: headroom.evaluation.convention)
    """The policies of the numbers, as in gainful.evaluation/1."""
    level: float = field(json={"minimum": 0, "maximum": 1})
    """The confidence level of the intervals of shares. Intervals of means are always 95%."""
    baseline: str | None
    """The name of the baseline; None for none."""
    baseline_description: str | None
    """The settings of the baseline, if it was built for the comparison."""
    floor: Floor | None
    """The expected score of a random order; None for none."""
    measures: dict[str, MeasureHeadroom]
    """The systems and bounds by measure."""
    counts: dict[str, Any] = derived(
        lambda headroom: {
            system: headroom.evaluation.counts(system) for system in headroom.evaluation.systems
        }
    )
    """Data checks by system, as in gainful.evaluation/1."""
    evaluation: Evaluation = field(key="")
    """The evaluation of the systems, including the baseline."""
    ceiling: Mapping[str, Mapping[str, float]] = field(key="")
    """By measure and query, the score of the judged documents in ideal order."""

    @property
    def floors(self) -> dict[str, float]:
        """The mean score of a random order by measure; empty without a floor."""
        floors = {name: bounds.floor for name, bounds in self.measures.items()}
        return {name: floor for name, floor in floors.items() if floor is not None}

    @property
    def ceilings(self) -> dict[str, float]:
        """The mean score of the ideal order by measure."""
        return {name: bounds.ceiling for name, bounds in self.measures.items()}

    def place(self, system: str, measure: Measure | str | None = None) -> Place:
        """Return the score and shares of a system. With one measure, its name is optional.

        Raises
        ------
        ParameterError
            For an unknown system or measure.
        """
        key = repr(self.evaluation.measures[self.evaluation._measure(measure)])
        if system not in self.measures[key].systems:
            raise ParameterError(
                where="system",
                found=repr(system),
                expected=f"one of {', '.join(self.evaluation.systems)}",
            )
        return self.measures[key].systems[system]

    def tables(self) -> list[Table]:
        """Return one table per measure, from ceiling to floor; the last has the notes."""
        tables = [_table(self, name, bounds) for name, bounds in self.measures.items()]
        return [*tables[:-1], tables[-1].replace(notes=_notes(self))]

    def _picture(self, name: str, **options: Any) -> Plot:
        return self.evaluation.plot(name, **options)

    def _records(self, name: str) -> Records:
        shares = [
            f"{name}{end}" for name in ("achieved", "vs_baseline") for end in ("", "_low", "_high")
        ]
        names = ("measure", "system", "role", "mean", "low", "high", *shares, "reranked", "n")
        return as_records(names, _rows(self))

    def __repr__(self) -> str:
        return f"<Headroom of {', '.join(self.evaluation.systems)}: {', '.join(self.measures)}>"


def _rows(headroom: Headroom) -> Iterator[tuple[object, ...]]:
    """Yield one row per measure and system, from ceiling to floor."""
    nothing = [None] * 10
    for measure, bounds in headroom.measures.items():
        yield measure, CEILING, CEILING, bounds.ceiling, *nothing
        for system, place in bounds.systems.items():
            role = "baseline" if system == headroom.baseline else "system"
            shares = (*_values(place.achieved), *_values(place.vs_baseline))
            ends = place.interval or _NO_ENDS
            yield measure, system, role, place.mean, *ends, *shares, place.reranked, place.n
        if bounds.floor is not None:
            yield measure, FLOOR, FLOOR, bounds.floor, *nothing


def _values(share: Share | None) -> tuple[object, ...]:
    return (None, *_NO_ENDS) if share is None else (share.value, *(share.interval or _NO_ENDS))


# --- tables ---------------------------------------------------------------------------------------


def _table(headroom: Headroom, measure: str, bounds: MeasureHeadroom) -> Table:
    places = list(bounds.systems.values())
    mean, reranked = columns_of(places, "systems")
    marks = [" (baseline)" if place.system == headroom.baseline else "" for place in places]
    names = [place.system + mark for place, mark in zip(places, marks, strict=True)]
    columns: list[tuple[Column, Sequence[object]]] = [(Column("system", ""), names), mean]
    if bounds.floor is not None:
        columns += _share_columns(headroom, places, "achieved", "gain achieved", _percent)
    if headroom.baseline is not None:
        label = f"vs. {headroom.baseline}"
        columns += _share_columns(headroom, places, "vs_baseline", label, _signed)
    title = f"{measure} and ideal order (ceiling)"
    columns.append(reranked)
    blank = [""] * (len(columns) - 2)
    table = table_of_columns(columns)
    rows = [(CEILING, bounds.ceiling, *blank), *table.rows]
    if bounds.floor is not None:
        title = f"{measure} between random order (floor) and ideal order (ceiling)"
        rows.append((FLOOR, bounds.floor, *blank))
    return Table(table.columns, rows, title=title)


def _share_columns(
    headroom: Headroom, places: list[Place], name: str, label: str, show: Callable[[float], str]
) -> list[tuple[Column, list[object]]]:
    shares: list[Share | None] = [getattr(place, name) for place in places]
    interval = Column(f"{name}_interval", f"{100 * headroom.level:g}% CI", _ends(show))
    return [
        (Column(name, label, show), ["" if share is None else share.value for share in shares]),
        (interval, ["" if share is None else share.interval for share in shares]),
    ]


# --- sentences ------------------------------------------------------------------------------------


def _notes(headroom: Headroom) -> list[Note]:
    explaining, facts = [], []
    places = [place for bounds in headroom.measures.values() for place in bounds.systems.values()]
    if headroom.floor is not None:
        explaining += [
            "gain achieved: share of the achievable gain, (mean − floor) / (ceiling − floor).",
            describe_floor(headroom.floor),
        ]
        if any(_is_uncertain(place.achieved) for place in places):
            facts.append("gain achieved –: floor and ceiling do not differ significantly.")
    if headroom.baseline is not None:
        name = headroom.baseline
        explaining.append(
            f"vs. {name}: share of the headroom from {name} to the ceiling."
            f" {refer('compare()')} tests the difference."
        )
        if any(_is_uncertain(place.vs_baseline) for place in places):
            facts.append(f"vs. {name} –: no significant headroom up to the ceiling.")
    if headroom.baseline_description is not None:
        facts.append(f"{headroom.baseline}: built here, {headroom.baseline_description}.")
    explaining += [
        "re-ranked: mean with the retrieved documents in ideal order, the limit for a re-ranker.",
        "ceiling: the judged documents of each query in ideal order.",
    ]
    above = _above(headroom)
    if above:
        facts.append(
            f"Above the ceiling: {above}. For this measure, the order by grade is not the best."
        )
    return [
        *noted("bounds", facts),
        *describe_counts(headroom.evaluation),
        Note("convention", describe_convention(headroom.evaluation)),
        *noted("bounds", explaining, explains=True),
        Note("interval", "CI: Fieller's confidence interval of a ratio of means.", explains=True),
    ]


def _is_uncertain(share: Share | None) -> bool:
    """Return whether a share has no interval in spite of several queries."""
    return share is not None and share.interval is None and share.n > 1


def describe_floor(floor: Floor) -> str:
    """Return in one sentence what the floor is."""
    if floor.kind == "judged":
        of = "the judged documents"
    elif floor.kind == "pool":
        of = "all documents that are judged or in a run"
    else:
        of = f"the {floor.documents:,} documents"
    order = f"expected score of a random order of {of}"
    if floor.taken != floor.documents:
        return f"floor: upper bound of the {order} (from {floor.taken:,}, with all relevant ones)."
    return f"floor: exact {order}."


def _above(headroom: Headroom) -> str:
    return ", ".join(
        f"{system} ({measure})"
        for measure, bounds in headroom.measures.items()
        for system in headroom.evaluation.systems
        if bounds.systems[system].mean > bounds.ceiling + 1e-9
    )
