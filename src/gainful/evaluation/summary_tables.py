"""Tables of the summaries of an evaluation."""

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
from gainful.formats.table import Column, Note, Table, TableFormat, noted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gainful.evaluation.data import EvaluationData
    from gainful.measures import Measure


#: The most measures of a caption.
_NAMED = 5


_JUDGED = (
    "judged: share of the top k of all queries with a judgment; without a cutoff, of all retrieved."
)


_CHANCE = "chance: expected mean if the candidates of each query are in random order."


_UNITS_READ = "units read: mean length of the chunks that the measure reads, repeats included."


_CONDENSED = "judged: share of the documents left after unjudged ones were removed."


def summary_table(evaluation: EvaluationData, look: TableFormat | None = None) -> Table:
    """Return one row per system and measure, with counts and convention below."""
    look = look or TableFormat()
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
    if evaluation.chance_values is not None:
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
    if evaluation.chance_values is None:
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


def _caption(evaluation: EvaluationData) -> str:
    of = f" of {evaluation.systems[0]}" if len(evaluation.systems) == 1 else ""
    summaries = (
        evaluation.summary(measure, system)
        for system in evaluation.systems
        for measure in evaluation.measures
    )
    queries = count_queries({summary.n for summary in summaries})
    return f"{name_measures(evaluation.measures)}{of} over {queries}."


def units_read(evaluation: EvaluationData) -> dict[Measure, Measure]:
    """Return the measures whose units read are a measure too, which is their column."""
    if not any(measure.family == "SpanUnits" for measure in evaluation.measures):
        return {}
    from gainful.measures.budgets import units_measure

    pairs = ((measure, units_measure(measure)) for measure in evaluation.measures)
    return {measure: read for measure, read in pairs if read in evaluation.measures}


def slice_tables(
    evaluation: EvaluationData,
    tabulate: Callable[[EvaluationData, TableFormat], Table],
    look: TableFormat,
) -> list[Table]:
    """Return a table of slices for each attribute, whose rows are those of `tabulate`."""
    if evaluation.groups is None:
        return []
    from gainful.evaluation.parts import slice_evaluations

    parts = list(slice_evaluations(evaluation))
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


def ordered(evaluation: EvaluationData, look: TableFormat) -> list[str]:
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


def _describe_intervals(evaluation: EvaluationData) -> str:
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
    units = "queries" if evaluation.count_clusters() is None else "clusters of queries"
    return f"95% CI: confidence interval of the mean over {units} ({how})."
