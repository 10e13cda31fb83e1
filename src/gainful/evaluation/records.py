"""An evaluation as rows, for CSV, JSON and the table of queries."""

from __future__ import annotations

from gainful.evaluation.notes import describe_bounds
from gainful.evaluation.tables import format_figure, round_sum
from gainful.formats.table import Column, Note, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.evaluation.result import Evaluation

    Rows = tuple[Sequence[str], Iterator[Sequence[object]]]

#: Additional columns with bounds.
BOUNDS = ("lowest", "highest")
SUMMARY = ("system", "measure", "mean", "low", "high", "median", "n", "judged")


def summary_rows(evaluation: Evaluation) -> Rows:
    """Return headers and one row per system and measure.

    With bounds, the lowest and the highest mean are added.

    Examples
    --------
    >>> import gainful
    >>> result = gainful.evaluate({"q1": {"d1": 1}}, {"q1": ["d1"]}, "nDCG@10")
    >>> headers, rows = summary_rows(result)
    >>> list(rows)
    [('run', 'nDCG@10', 1.0, None, None, 1.0, 1, 1.0)]
    """
    bounded = evaluation.bounds_of is not None
    return (*SUMMARY, *(BOUNDS if bounded else ())), (
        (
            *(system, repr(measure), s.mean, s.low, s.high, s.median, s.n, s.judged),
            *((s.lowest, s.highest) if bounded else ()),
        )
        for system in evaluation.systems
        for measure in evaluation.measures
        for s in (evaluation.summary(measure, system),)
    )


def query_rows(evaluation: Evaluation) -> Rows:
    """Return headers and one row per system and query, with all columns."""
    columns = evaluation.columns
    return columns, (tuple(row.values()) for row in evaluation.rows())


def query_table(evaluation: Evaluation) -> Table:
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
                round_sum(row[column.key], each)
                for column, each in zip(columns, summed, strict=True)
            ),
        ]
        for row in evaluation.rows()
    ]
    notes = [Note("convention", str(evaluation.convention))]
    if bounded:
        notes.append(Note("bounds", describe_bounds(evaluation), explains=True))
    title = "" if several else evaluation.systems[0]
    return Table([*start, *columns], rows, title=title, notes=notes)


def document(evaluation: Evaluation) -> dict[str, object]:
    """Return the JSON contract of an evaluation with the rows of its queries."""
    return {**evaluation.to_dict(), "per_query": list(evaluation.rows())}


def json_lines(evaluation: Evaluation, *, per_query: bool = False) -> Iterator[str]:
    """Yield one JSON object per line: of each system and measure, or of each query."""
    from gainful.formats.json import text

    if per_query:
        yield from map(text, evaluation.rows())
        return
    for system in evaluation.systems:
        for measure in evaluation.measures:
            figures = evaluation.summary(measure, system).to_dict()
            yield text({"system": system, "measure": repr(measure), **figures})
