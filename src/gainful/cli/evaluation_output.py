"""Write evaluations: means with significance marks, values of queries, published scores."""

from __future__ import annotations

from gainful.cli.output import draw, input_fields, send, write
from gainful.cli.tables import STYLES
from gainful.evaluation import Evaluation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.cli.command import Values
    from gainful.cli.tables import Layout
    from gainful.evaluation.several import Evaluations
    from gainful.formats.table import Table

__all__ = ["write_evaluation"]

#: Sign flips for the significance marks of a table of all systems and measures.
MARK_RESAMPLES = 10_000


def write_evaluation(result: Any, values: Values) -> None:
    """Write what ``gainful evaluate`` computed, also to the file of ``--publish``."""
    if isinstance(result, Evaluation) and values.style in STYLES and not values.per_query:
        _write_means(result, values)
    elif isinstance(result, Evaluation) or len(values.conventions) > 1:
        _write_records(result, values)
    else:
        records = _records(values) if values.per_query else None
        write(result, values.style, values.output, records=records)
    if values.publish is not None:
        from gainful.published import summarize_published, write_published

        # Estimates from a sample and several conventions refuse the option.
        scores = summarize_published(result, collection=values.collection)
        write_published(values.publish, scores)


def _records(values: Values) -> str:
    """Return the name of the records in TSV, CSV and Parquet."""
    if not values.per_query:
        return "summary"
    return "values" if values.wide is False else "queries"


def _write_records(result: Evaluation | Evaluations, values: Values) -> None:
    if isinstance(result, Evaluation):
        from gainful.evaluation import records as rendering
    else:
        from gainful.evaluation import several_rendering as rendering  # type: ignore[no-redef]
    of: Any = rendering
    style, per_query = values.style, values.per_query
    if style == "jsonl" or (style == "json" and per_query):
        draw(result)
        further = input_fields() if style == "json" else None
        chunks = of.json_chunks(result, style, per_query=per_query, further=further)
        send(chunks, values.output)
        return
    has_table = per_query and style in (*STYLES, "html")
    write(
        result,
        style,
        values.output,
        records=_records(values),
        tables=[of.query_table(result)] if has_table else None,
    )


def _write_means(result: Evaluation, values: Values) -> None:
    """Write the means; a table of systems × measures has significance marks."""
    layout, style = values.layout, values.style
    several = len(result.systems) > 1
    wide = style != "table" and several and result.bounds_of is None
    if layout.wide is not None:
        wide = layout.wide
    tables = result.tables(wide=wide, **layout.look)
    if wide and several and style != "table":
        tables = [_mark(result, layout, tables[0]), *tables[1:]]
    write(result, style, values.output, tables=tables)


def _mark(result: Evaluation, layout: Layout, plain: Table) -> Table:
    """Return a table of means with significance marks if the systems can be compared."""
    from gainful.comparison import compare
    from gainful.errors import MatchError, ParameterError

    try:
        comparison = compare(result, bootstrap=0, resamples=MARK_RESAMPLES)
    except (MatchError, ParameterError):
        # Too few queries: the means are shown without marks.
        return plain
    marked, *_ = comparison.tables(wide=True, **layout.look)
    notes = [note for note in marked.notes if note.key in ("marks", "verdict")]
    return marked.replace(notes=[*notes, *plain.notes])
