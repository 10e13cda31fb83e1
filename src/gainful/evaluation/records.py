"""An evaluation as rows, and as a table of systems × measures."""

from __future__ import annotations

from gainful.evaluation.notes import describe_bounds
from gainful.evaluation.summary_tables import format_figure, ordered, round_sum, summary_table
from gainful.formats.markup import Figure
from gainful.formats.numbers import digits, percent
from gainful.formats.table import Column, Note, Table, TableFormat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gainful.evaluation.data import EvaluationData
    from gainful.evaluation.summary import Summary
    from gainful.measures import Measure

    Rows = tuple[Sequence[str], Iterator[Sequence[object]]]

__all__ = ["html_table", "matrix_table"]

#: Additional columns with bounds.
BOUNDS = ("lowest", "highest")

#: Additional columns with slices; empty for all queries.
SLICE = ("attribute", "slice")

SUMMARY = ("system", "measure", "mean", "low", "high", "median", "n", "judged")


def summary_rows(evaluation: EvaluationData) -> Rows:
    """Return headers and one row per system and measure, also of each slice.

    With bounds, the lowest and the highest mean are added, with candidates chance, with slices
    their attributes and values.

    Examples
    --------
    >>> import gainful
    >>> result = gainful.evaluate({"q1": {"d1": 1}}, {"q1": ["d1"]}, "nDCG@10")
    >>> headers, rows = summary_rows(result)
    >>> list(rows)
    [('run', 'nDCG@10', 1.0, None, None, 1.0, 1, 1.0)]
    """
    bounded = evaluation.bounds_of is not None
    slices = evaluation.slices or ()
    with_chance = evaluation.chance_values is not None
    further = (
        *(BOUNDS if bounded else ()),
        *(("chance",) if with_chance else ()),
        *(SLICE if slices else ()),
    )

    def row(system: str, measure: str, summary: Summary, *of_slice: str | None) -> list[object]:
        numbers = (summary.mean, *summary.ends, summary.median, summary.n, summary.judged)
        values = [system, measure, *numbers]
        bounds = [summary.lowest, summary.highest] if bounded else []
        chance = [summary.chance] if with_chance else []
        return [*values, *bounds, *chance, *(of_slice if slices else ())]

    def rows() -> Iterator[Sequence[object]]:
        for system in evaluation.systems:
            for measure in evaluation.measures:
                yield row(system, repr(measure), evaluation.summary(measure, system), None, None)
        for part in slices:
            yield row(part.system, part.measure, part.summary, part.attribute, part.slice)

    return (*SUMMARY, *further), map(tuple, rows())


def value_rows(evaluation: EvaluationData) -> Rows:
    """Return headers and one row per system, query and measure.

    Examples
    --------
    >>> import gainful
    >>> result = gainful.evaluate({"q1": {"d1": 1}}, {"q1": ["d1"]}, "nDCG@10 P@1")
    >>> headers, rows = value_rows(result)
    >>> list(rows)
    [('run', 'q1', 'nDCG@10', 1.0), ('run', 'q1', 'P@1', 1.0)]
    """
    names = list(map(repr, evaluation.measures))
    rows = (
        (row["system"], row["query_id"], name, row[name])
        for row in evaluation.rows()
        for name in names
    )
    return ("system", "query_id", "measure", "value"), rows


def query_table(evaluation: EvaluationData) -> Table:
    """Return the measures of each system and query as a table for people."""
    several = len(evaluation.systems) > 1
    bounded = evaluation.bounds_of is not None
    columns, summed = [], []
    for measure in evaluation.measures:
        # Show a measure between its bounds.
        for end in ("low", "", "high") if bounded else ("",):
            key = f"{measure!r} {end}" if end else repr(measure)
            columns.append(Column(key, end or key, format_figure))
            summed.append(measure.aggregate == "sum")
    start = [Column("system"), Column("query_id")] if several else [Column("query_id")]
    rows = [
        [
            *(row[column.key] for column in start),
            *(
                round_sum(row[column.key], values)
                for column, values in zip(columns, summed, strict=True)
            ),
        ]
        for row in evaluation.rows()
    ]
    notes = [Note("convention", str(evaluation.convention))]
    if bounded:
        notes.append(Note("bounds", describe_bounds(evaluation), explains=True))
    title = "" if several else evaluation.systems[0]
    return Table([*start, *columns], rows, title=title, notes=notes)


def json_chunks(
    evaluation: EvaluationData,
    style: str,
    *,
    per_query: bool = False,
    further: Mapping[str, object] | None = None,
) -> Iterator[bytes]:
    """Yield JSON in parts: the contract with the rows of queries, or with ``jsonl`` one per line.

    A line is an object of each system and measure, also of each slice, or of each query. A document
    also has the `further` fields.
    """
    if per_query:
        from gainful.evaluation.query_rows import json_document, json_rows

        if style == "json":
            document = {**evaluation.to_dict(), **(further or {}), "per_query": []}
            yield from json_document(document, [evaluation])
        else:
            yield from json_rows(evaluation)
        return
    from gainful.formats.delimited import text

    lines = [
        {"system": system, "measure": repr(measure)} | evaluation.summary(measure, system).to_dict()
        for system in evaluation.systems
        for measure in evaluation.measures
    ]
    for line in (*lines, *(part.to_dict() for part in evaluation.slices or ())):
        yield text(line).encode("utf-8", "surrogateescape")


def html_table(evaluation: EvaluationData) -> Table:
    """Return the table for notebooks: systems × measures, or one row per system or measure."""
    look = TableFormat(sort=repr(evaluation.measures[0]))
    if len(evaluation.systems) == 1:
        return summary_table(evaluation)
    if len(evaluation.measures) > 1 and evaluation.bounds_of is None:
        return matrix_table(evaluation, look)
    return summary_table(evaluation, look)


def matrix_table(evaluation: EvaluationData, look: TableFormat | None = None) -> Table:
    """Return one row per system and one column per measure, with intervals.

    Examples
    --------
    >>> import gainful
    >>> runs = {"bm25": {"q": ["b", "a"]}, "dense": {"q": ["a", "b"]}}
    >>> found = gainful.evaluate({"q": {"a": 1}}, runs=runs, measures=["RR", "P@1"])
    >>> table = matrix_table(found, TableFormat(sort="RR"))
    >>> [list(map(str, row)) for row in table.rows]
    [['dense', '1.0000', '1.0000'], ['bm25', '.5000', '.0000']]
    """
    look = look or TableFormat()
    columns = [
        Column(
            repr(measure),
            look.heading(measure, evaluation.convention),
            show=str,
            best=measure.direction if measure.aggregate != "sum" else 0,
        )
        for measure in evaluation.measures
    ]
    rows = [
        [system, *(_figure(evaluation, measure, system, look) for measure in evaluation.measures)]
        for system in ordered(evaluation, look)
    ]
    summary = summary_table(evaluation)
    return Table([Column("system"), *columns], rows, notes=summary.notes, caption=summary.caption)


def _figure(evaluation: EvaluationData, measure: Measure, system: str, look: TableFormat) -> Figure:
    summary = evaluation.summary(measure, system)
    summed = measure.aggregate == "sum"
    times = 100 if look.scaled(measure, evaluation.convention) else 1
    value = round_sum(times * summary.value, summed)
    text = "–" if value is None else look.text(value)
    parts = [f"{measure!r} of {system}: {text}"]
    low, high = (None if summed else summary.interval) or (None, None)
    if low is not None and high is not None:
        parts.append(f"95% CI {digits(low)} to {digits(high)}")
    parts.append(f"{summary.n:,} quer{'y' if summary.n == 1 else 'ies'}")
    if summary.judged is not None:
        parts.append(f"{percent(summary.judged)} judged")
    return Figure(text, value, low, high, ", ".join(parts))
