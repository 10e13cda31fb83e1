"""An evaluation as rows, for CSV, JSON and the table of queries."""

from __future__ import annotations

from gainful.evaluation.notes import describe_bounds
from gainful.evaluation.tables import format_figure, round_sum
from gainful.formats.table import Column, Note, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gainful.evaluation.result import Evaluation

    Rows = tuple[Sequence[str], Iterator[Sequence[object]]]

#: Additional columns with bounds.
BOUNDS = ("lowest", "highest")
SUMMARY = ("system", "measure", "mean", "low", "high", "median", "n", "judged")


def summary_rows(evaluation: Evaluation) -> Rows:
    """Return headers and one row per system and measure.

    With bounds, the lowest and the highest mean are added, with candidates chance.

    Examples
    --------
    >>> import gainful
    >>> result = gainful.evaluate({"q1": {"d1": 1}}, {"q1": ["d1"]}, "nDCG@10")
    >>> headers, rows = summary_rows(result)
    >>> list(rows)
    [('run', 'nDCG@10', 1.0, None, None, 1.0, 1, 1.0)]
    """
    bounded = evaluation.bounds_of is not None
    with_chance = evaluation._chance is not None
    return (*SUMMARY, *(BOUNDS if bounded else ()), *(("chance",) if with_chance else ())), (
        (
            *(
                system,
                repr(measure),
                s.mean,
                *(s.interval or (None, None)),
                s.median,
                s.n,
                s.judged,
            ),
            *((s.lowest, s.highest) if bounded else ()),
            *((s.chance,) if with_chance else ()),
        )
        for system in evaluation.systems
        for measure in evaluation.measures
        for s in (evaluation.summary(measure, system),)
    )


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


def json_chunks(
    evaluation: Evaluation,
    style: str,
    *,
    per_query: bool = False,
    further: Mapping[str, object] | None = None,
) -> Iterator[bytes]:
    """Yield JSON in parts: the contract with the rows of queries, or with ``jsonl`` one per line.

    A line is an object of each system and measure, or of each query. A document also has the
    `further` fields.
    """
    if per_query:
        from gainful.evaluation.row_texts import json_document, json_rows

        if style == "json":
            document = {**evaluation.to_dict(), **(further or {}), "per_query": []}
            yield from json_document(document, [evaluation])
        else:
            yield from json_rows(evaluation)
        return
    from gainful.formats.json import text

    for system in evaluation.systems:
        for measure in evaluation.measures:
            figures = evaluation.summary(measure, system).to_dict()
            line = text({"system": system, "measure": repr(measure), **figures})
            yield line.encode("utf-8", "surrogateescape")
