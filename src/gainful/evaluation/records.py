"""An evaluation as rows of figures: what the formats for programs write, and the table a query."""

from __future__ import annotations

from gainful.evaluation.words import bounds_line
from gainful.formats.table import TextTable, digits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gainful.evaluation.result import Evaluation

    Rows = tuple[Sequence[str], Iterator[Sequence[object]]]

#: Further columns where bounds were asked for.
BOUNDS = ("lowest", "highest")
SUMMARY = ("system", "measure", "mean", "low", "high", "median", "n", "judged")


def summary_rows(evaluation: Evaluation) -> Rows:
    """Return the headers and one row a system and measure: mean, interval, median, queries, judged.

    With bounds, the lowest and the highest mean follow.

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
    """Return the headers and one row a system and query, with all that is known about it."""
    columns = evaluation.columns
    return columns, (tuple(row.values()) for row in evaluation.rows())


def query_table(evaluation: Evaluation) -> TextTable:
    """Return the measures of each system and query as a table for people."""
    several = len(evaluation.systems) > 1
    names = [repr(measure) for measure in evaluation.measures]
    places = [0 if measure.aggregate == "sum" else 4 for measure in evaluation.measures]
    bounded = evaluation.bounds_of is not None
    # A measure stands between its bounds.
    ends = ("low", "", "high") if bounded else ("",)
    around = [(f"{name} {end}" if end else name) for name in names for end in ends]
    shown = [end or name for name in names for end in ends]
    digits_of = [place for place in places for _ in ends]
    rows = [
        [
            *([str(row["system"])] if several else []),
            str(row["query_id"]),
            *(_cell(row[name], place) for name, place in zip(around, digits_of, strict=True)),
        ]
        for row in evaluation.rows()
    ]
    headers = ["system", "query_id"] if several else ["query_id"]
    notes = [str(evaluation.convention), *([bounds_line(evaluation)] if bounded else [])]
    return TextTable(
        [*headers, *shown],
        rows,
        align="l" * len(headers) + "r" * len(shown),
        title=evaluation.table().title,
        notes=notes,
    )


def _cell(value: object, places: int) -> str:
    assert value is None or isinstance(value, (int, float))
    return digits(value, places)
