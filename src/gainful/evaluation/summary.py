"""Summaries of an evaluation, and their table with notes."""

from __future__ import annotations

from gainful.evaluation.notes import (
    describe_bounds,
    describe_convention,
    describe_counts,
    describe_cut_grades,
    describe_distinct_grades,
    describe_duplicates,
    describe_fractions,
    describe_header,
    describe_highest_grades,
    describe_regrouping,
    describe_selection,
    describe_unjudged,
    describe_weights_and_clusters,
)
from gainful.formats.numbers import digits, percent, spans
from gainful.formats.table import Column, Look, Note, Table, noted
from gainful.records import Interval, Record, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gainful.evaluation.result import Evaluation
    from gainful.measures import Measure

_COUNT = {"minimum": 0}

#: NaN in Python.
_FIGURE = {"type": ["number", "null"]}


class MeanEstimate(Record):
    """The base of means over queries, with their confidence intervals.

    A subclass declares the fields that are only annotated here.
    """

    __slots__ = ()

    n: int
    mean: float
    interval: Interval | None

    @property
    def value(self) -> float:
        """The number that represents the queries: the mean."""
        return self.mean

    @property
    def ends(self) -> tuple[float, float] | tuple[None, None]:
        """The ends of the interval; None without one."""
        return self.interval or (None, None)

    def figures(self) -> dict[str, float | None]:
        """Return the numbers that pictures of means show."""
        low, high = self.ends
        return {"mean": self.value, "low": low, "high": high, "queries": self.n}

    def _text(self) -> str:
        ends = self.interval
        return f"mean={self.mean:.4f}" + (
            f", low={ends[0]:.4f}, high={ends[1]:.4f}" if ends else ""
        )


class Summary(MeanEstimate):
    """The summary of a measure over the queries of one system.

    The main figures come first in JSON, where NaN is null.
    """

    mean: float = field(json=_FIGURE)
    """The mean; NaN without queries. With weights, the weighted mean. For GMAP and GMbpref the
    geometric mean, exp of the mean of log(max(value, 0.00001))."""
    median: float = field(json=_FIGURE)
    """The median, not weighted."""
    interval: Interval | None
    """The 95% confidence interval of the mean over queries, by `gainful.inference.mean_interval`.
    For a geometric mean it is computed from the logarithms. None below two queries, or if all
    values are equal and the measure has no upper limit."""
    n: int = field(json=_COUNT)
    """Queries that count."""
    chance: float | None = field(optional=True)
    """With candidates, the expected mean of a random order of them, for measures that have one."""
    clusters: int | None = field(default=None, optional=True, json={"minimum": 1})
    """With clusters, how many have queries that count."""
    effective: float | None = field(optional=True, json={"minimum": 1})
    """With weights, the effective number of queries: (sum of weights)^2 / sum of their squares.
    With clusters, the number of independent queries whose mean has the same standard error
    (`gainful.inference.Design.spread`)."""
    highest: float | None = field(optional=True)
    """With bounds, the highest possible figure (mean, or sum of a count) over the labels of
    unjudged documents."""
    interval_method: str | None = field(json={"enum": ["bounded-t", "t", None]})
    """``bounded-t``: Student's t, adjusted for the measure's range; ``t``: Student's t, for
    measures without an upper or lower limit, such as IDCG. None without an interval."""
    judged: float | None = field(json={"minimum": 0, "maximum": 1})
    """The judged share of the documents above the measure's cutoff, over all queries in the table;
    without a cutoff, of all retrieved documents. None if nothing was retrieved, for places in
    texts, or if ``unjudged=irrelevant`` declares the judgments complete."""
    lower_quartile: float = field(json=_FIGURE)
    """The lower quartile, with linear interpolation; not weighted."""
    lowest: float | None = field(optional=True)
    """With bounds, the lowest possible figure."""
    maximum: float = field(json=_FIGURE)
    """The highest value of a query."""
    minimum: float = field(json=_FIGURE)
    """The lowest value of a query."""
    no_relevant: int = field(json=_COUNT)
    """Queries without relevant documents for the measure, whether they count or not."""
    standard_deviation: float = field(json=_FIGURE)
    """Sample standard deviation, with n - 1; NaN below two queries. For a geometric mean, that of
    the logarithms."""
    sum: float = field(json=_FIGURE)
    """The sum, which counting measures (NumRel) report."""
    upper_quartile: float = field(json=_FIGURE)
    """The upper quartile, with linear interpolation; not weighted."""
    aggregate: str = field(key="")
    """How values are aggregated: mean, sum or geometric."""

    @property
    def value(self) -> float:
        """The figure of the system: the mean, or the sum of a count."""
        return self.sum if self.aggregate == "sum" else self.mean

    def figures(self) -> dict[str, float | None]:
        """Return the numbers that pictures of means show; a sum has no interval."""
        figures = super().figures()
        return figures | {"low": None, "high": None} if self.aggregate == "sum" else figures

    def __repr__(self) -> str:
        return f"Summary(n={self.n}, {self._text()}, median={self.median:.4f})"


class DataCounts(Record):
    """The counts of an evaluation of a system."""

    judged_queries: int = field(json=_COUNT)
    """Queries in the judgments."""
    queries: int = field(json=_COUNT)
    """Queries evaluated."""
    missing: int = field(json=_COUNT)
    """Judged queries missing from the run."""
    extra: int = field(json=_COUNT)
    """Queries of the run that are not judged."""
    no_relevant: dict[str, int] = field(json={"additionalProperties": _COUNT})
    """By measure, queries without relevant documents."""
    duplicates: int = field(json=_COUNT)
    """Duplicate rows of the run."""
    tied: int = field(json=_COUNT)
    """Documents with tied scores."""
    ties_at_cutoff: dict[str, int] = field(json={"additionalProperties": _COUNT})
    """By cutoff, queries with equal scores on both sides of it."""
    judged_at_cutoff: dict[str, float | None] = field(
        json={"additionalProperties": {"minimum": 0, "maximum": 1}}
    )
    """By cutoff, the share of the top k with a judgment; null as for `judged`."""


class Clusters(Record):
    """The clusters of the queries."""

    attribute: str | None
    """The attribute that clusters the queries."""
    number: int = field(json={"minimum": 1})
    """The number of clusters."""


class Selection(Record):
    """The queries and documents that were evaluated."""

    queries: int = field(json=_COUNT)
    """Judged queries that were selected."""
    judged_queries: int = field(json=_COUNT)
    """Queries in the judgments."""
    excluded: int | None = field(optional=True, json=_COUNT)
    """Pairs of query and document to exclude."""
    excluded_judged: int | None = field(optional=True, json=_COUNT)
    """Pairs that were removed from the judgments of the selected queries."""
    excluded_retrieved: dict[str, int] | None = field(
        optional=True, json={"additionalProperties": _COUNT}
    )
    """By system, rows that were removed from its rankings of the selected queries."""
    copies_judged: int | None = field(optional=True, json=_COUNT)
    """With classes of documents, judgments that were merged into that of another of the class."""
    copies_retrieved: dict[str, int] | None = field(
        optional=True, json={"additionalProperties": _COUNT}
    )
    """With classes of documents, by system: documents that were removed from its rankings, because
    another of the class is above them."""
    digests: dict[str, str | None] | None = field(default=None, key="")
    """The digests of the pairs to exclude and of the classes; None for a function."""

    def joined(self, other: Selection) -> Selection:
        """Return the sums over two sets of queries."""
        return self.replace(
            queries=self.queries + other.queries,
            judged_queries=self.judged_queries + other.judged_queries,
            excluded=_added(self.excluded, other.excluded),
            excluded_judged=_added(self.excluded_judged, other.excluded_judged),
            excluded_retrieved=_added_by(self.excluded_retrieved, other.excluded_retrieved),
            copies_judged=_added(self.copies_judged, other.copies_judged),
            copies_retrieved=_added_by(self.copies_retrieved, other.copies_retrieved),
        )


def _added(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _added_by(one: dict[str, int] | None, other: dict[str, int] | None) -> dict[str, int] | None:
    if one is None or other is None:
        return None
    return {name: number + other.get(name, 0) for name, number in one.items()}


class QuerySlice(Record):
    """The summary of a measure over a slice of the queries."""

    attribute: str
    """The attribute of the slice."""
    slice: str
    """The value of the queries."""
    system: str
    """The system."""
    measure: str
    """The measure."""
    summary: Summary = field(key="*")
    """The summary over the queries of the slice."""


class Answers(Record):
    """The values of answers over some queries."""

    n: int = field(json={"minimum": 0})
    """Queries."""
    right: int | None = field(json={"minimum": 0})
    """Queries with the value 1; None if values are not all 0 or 1."""
    mean: float | None
    """The mean, for right and wrong answers the share of the right ones; None without queries."""
    interval: Interval | None
    """The 95% confidence interval of the mean, as `Summary` has it."""


class AnswersByEvidence(Record):
    """Answers where evidence was found, and where it is missing."""

    system: str
    """The system."""
    evidence: str
    """The measure of evidence."""
    answers: str
    """The measure of answers."""
    found: Answers
    """Queries whose evidence was found: the measure is 1."""
    missing: Answers
    """The other queries."""
    difference: float | None
    """The mean of `found` minus that of `missing`; None if either has no queries."""
    interval: Interval | None
    """The 95% confidence interval of the difference."""


class LabelBounds(Record):
    """The scope of bounds."""

    labels_of: str = field(json={"enum": ["retrieved", "cutoff"]})
    """Which unjudged documents have labels."""
    scale: tuple[float, ...]
    """The possible grades."""


class QueryRow(Record):
    """The values of a system for a query."""

    system: str
    """The system."""
    query_id: str
    """The query."""
    retrieved: int = field(json=_COUNT)
    """Retrieved documents."""
    relevant: int = field(json=_COUNT)
    """Relevant documents in the judgments."""
    judged: int = field(json=_COUNT)
    """Judged documents."""
    tied: int = field(json=_COUNT)
    """Retrieved documents with tied scores."""
    duplicates: int = field(json=_COUNT)
    """Duplicate rows."""


#: The most measures of a caption.
_NAMED = 5

_JUDGED = (
    "judged: share of the top k of all queries with a judgment; without a cutoff, of all retrieved."
)

_CHANCE = "chance: expected mean if the candidates of each query are in random order."

_UNITS_READ = "units read: mean length of the chunks that the measure reads, repeats included."

_CONDENSED = "judged: share of the documents left after unjudged ones were removed."


def summary_table(evaluation: Evaluation, look: Look | None = None) -> Table:
    """Return one row per system and measure, with counts and convention below."""
    look = look or Look()
    several = len(evaluation.systems) > 1
    bounded = evaluation.bounds_of is not None
    sums = [measure.aggregate == "sum" for measure in evaluation.measures]
    units = units_read(evaluation)
    columns = [
        Column("measure"),
        Column("units", "units read", show="{:,.0f}".format),
        Column("low", show=look.text),
        Column(
            "mean",
            "mean or sum" if any(sums) else "mean",
            show=look.text,
            best=evaluation.measures[0].direction
            if len(evaluation.measures) == 1 and not any(sums)
            else 0,
        ),
        Column("high", show=look.text),
        Column("chance", show=look.text),
        Column("interval", "95% CI", show=spans(look.text), around="mean"),
        Column("median", show=look.text),
        Column("n", "queries", show=str),
        Column("judged", show=percent),
    ]
    rows: list[tuple[object, ...]] = []
    unjudged = False
    effective = set()
    for system in ordered(evaluation, look):
        for measure, summed in zip(evaluation.measures, sums, strict=True):
            if measure in units.values():
                continue
            summary = evaluation.summary(measure, system)
            read = units.get(measure)
            number = None if read is None else evaluation.summary(read, system).mean
            unjudged |= summary.judged is not None and summary.judged < 1
            times = 100 if look.scaled(measure, evaluation.convention) else 1
            low, mean, high, chance, median, *ends = (
                round_sum(value if value is None or times == 1 else times * value, summed)
                for value in (
                    summary.lowest,
                    summary.value,
                    summary.highest,
                    summary.chance,
                    summary.median,
                    *summary.ends,
                )
            )
            interval = None if summed else tuple(ends)
            if summary.effective is not None and not summed:
                effective.add(summary.effective)
            name = look.heading(measure, evaluation.convention)
            row = (
                name,
                number,
                low,
                mean,
                high,
                chance,
                interval,
                median,
                summary.n,
                summary.judged,
            )
            rows.append((system, *row) if several else row)
    notes = describe_counts(evaluation)
    for name, describe in (
        ("fractions", describe_fractions),
        ("fractions", describe_cut_grades),
        ("fractions", describe_distinct_grades),
        ("header", describe_header),
    ):
        doubt = describe(evaluation)
        if doubt is not None:
            notes.append(Note(name, doubt, is_doubt=True))
    notes += noted("queries", describe_selection(evaluation))
    notes += noted("queries", describe_weights_and_clusters(evaluation, effective))
    if evaluation.unjudged_systems:
        notes.append(Note("unjudged", describe_unjudged(evaluation), is_doubt=True))
    if evaluation.judgments_note is not None:
        notes.append(Note("judgments", evaluation.judgments_note))
    if evaluation.scattered:
        notes.append(Note("scattered", describe_regrouping(evaluation.scattered, several)))
    notes += noted("grades", describe_highest_grades(evaluation))
    notes += noted("duplicates", describe_duplicates(evaluation), is_doubt=True)
    notes.append(Note("convention", describe_convention(evaluation)))
    if bounded:
        notes.append(Note("bounds", describe_bounds(evaluation), explains=True))
    if evaluation._chance is not None:
        notes.append(Note("chance", _CHANCE, explains=True))
    if units:
        notes.append(Note("units", _UNITS_READ, explains=True))
    if not all(sums):
        notes.append(Note("interval", _describe_intervals(evaluation), explains=True))
    if unjudged:
        notes.append(Note("judged", _JUDGED, explains=True))
    elif evaluation.convention.unjudged == "condense":
        notes.append(Note("judged", _CONDENSED, explains=True))
    table = Table(
        [Column("system"), *columns] if several else columns,
        rows,
        title="" if several else evaluation.systems[0],
        notes=notes,
        caption=_caption(evaluation),
    )
    absent = ["median"] if bounded else ["low", "high"]
    is_complete = evaluation.convention.unjudged == "irrelevant" or evaluation.has_places
    if is_complete or not evaluation.has_rankings:
        absent.append("judged")
    if evaluation._chance is None:
        absent.append("chance")
    if not units:
        absent.append("units")
    return table.only(lambda column: column.key not in absent)


def count_queries(counts: set[int]) -> str:
    """Return one or several numbers of queries as text."""
    low, high = min(counts), max(counts)
    if low == high:
        return f"{low} quer{'y' if low == 1 else 'ies'}"
    return f"{low} to {high} queries"


def name_measures(measures: Sequence[Measure]) -> str:
    """Return the names of measures as text; of many, the first.

    Examples
    --------
    >>> from gainful.measures import AP, RR, nDCG
    >>> name_measures([nDCG @ 10]), name_measures([nDCG @ 10, AP, RR])
    ('nDCG@10', 'nDCG@10, AP and RR')
    """
    *first, last = map(repr, measures)
    if len(first) >= _NAMED:
        first, last = first[: _NAMED - 1], f"{len(measures) - _NAMED + 1} other measures"
    return f"{', '.join(first)} and {last}" if first else last


def _caption(evaluation: Evaluation) -> str:
    of = f" of {evaluation.systems[0]}" if len(evaluation.systems) == 1 else ""
    summaries = (
        evaluation.summary(measure, system)
        for system in evaluation.systems
        for measure in evaluation.measures
    )
    queries = count_queries({summary.n for summary in summaries})
    return f"{name_measures(evaluation.measures)}{of} over {queries}."


def units_read(evaluation: Evaluation) -> dict[Measure, Measure]:
    """Return the measures whose units read are a measure too, which is their column."""
    if not any(measure.family == "SpanUnits" for measure in evaluation.measures):
        return {}
    from gainful.measures.budgets import units_measure

    pairs = ((measure, units_measure(measure)) for measure in evaluation.measures)
    return {measure: read for measure, read in pairs if read in evaluation.measures}


def slice_tables(
    evaluation: Evaluation,
    tabulate: Callable[[Evaluation, Look], Table],
    look: Look,
) -> list[Table]:
    """Return a table of slices for each attribute, whose rows are those of `tabulate`."""
    parts = list(evaluation._parts())
    if not parts:
        return []
    from copy import copy

    tables: dict[str, Table] = {}
    for attribute, name, part in parts:
        table = tabulate(part, look)
        rows = [(name, *row) for row in table.rows]
        if attribute in tables:
            tables[attribute] = tables[attribute].replace(rows=[*tables[attribute].rows, *rows])
        else:
            columns = [Column(attribute), *map(copy, table.columns)]
            for column in columns:
                # The best of all slices says nothing.
                column.best = False
            system = "" if len(evaluation.systems) > 1 else f"{evaluation.systems[0]}, "
            tables[attribute] = Table(columns, rows, title=f"{system}by {attribute}")
    return list(tables.values())


def ordered(evaluation: Evaluation, look: Look) -> list[str]:
    """Return the systems in the order of a look."""
    means = {
        (repr(measure), system): evaluation.summary(measure, system).value
        for measure in (evaluation.measures if look.sort is not None else ())
        for system in evaluation.systems
    }
    return look.order(evaluation.systems, evaluation.measures, means)


def round_sum(value: float | None, summed: bool) -> float | None:
    """Return a value for a table: sums become integers."""
    if not summed or value is None or value - value != 0:
        return value
    return round(value)


def format_figure(value: float) -> str:
    """Format a mean with four digits, a sum as an integer.

    Examples
    --------
    >>> format_figure(0.5), format_figure(12)
    ('.5000', '12')
    """
    return str(value) if isinstance(value, int) else digits(value)


def _describe_intervals(evaluation: Evaluation) -> str:
    """Describe the method of the intervals, and the measures without limits."""
    columns = units_read(evaluation).values()
    means = [
        measure
        for measure in evaluation.measures
        if measure.aggregate != "sum" and measure not in columns
    ]
    unbounded = [
        repr(measure)
        for measure in means
        if any(None in evaluation.range_on_data(measure, name) for name in evaluation.systems)
    ]
    how = "Student's t"
    if len(unbounded) < len(means):
        how += ", adjusted for the measure's range"
        if unbounded:
            how += f"; not adjusted for {', '.join(unbounded)}, which has no upper limit"
    units = "queries" if evaluation._clusters is None else "clusters of queries"
    return f"95% CI: confidence interval of the mean over {units} ({how})."
