"""``gainful evaluate`` with several ``--convention``: a column each."""

from __future__ import annotations

from shutil import get_terminal_size

from gainful.evaluation import several_rendering as report
from gainful.evaluation.several import evaluate_each
from gainful.formats.latex import latex
from gainful.formats.markdown import markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gainful.cli.progress import Progress
    from gainful.conventions import Convention
    from gainful.data import Qrels, Run
    from gainful.measures import Measure


def several(
    qrels: Qrels,
    runs: Mapping[str, str | Run],
    measures: Sequence[Measure],
    conventions: Sequence[Convention],
    style: str,
    output: str | None,
    *,
    per_query: bool,
    weights: Mapping[str, float] | None,
    threads: int | None,
    progress: Progress,
) -> None:
    """Evaluate under each of the conventions, and hand the result to the renderer of a format."""
    from gainful.cli.output import deliver, on_terminal, show

    result = evaluate_each(
        qrels,
        runs=runs,
        measures=measures,
        conventions=conventions,
        weights=weights,
        threads=threads,
        progress=progress,
    )
    if style in ("tsv", "csv"):
        from gainful.cli.output import delimited

        rows = report.query_rows(result) if per_query else report.summary_rows(result)
        deliver(delimited(style)(*rows), output)
        return
    if style in ("json", "jsonl"):
        document = report.json if style == "json" else report.json_lines
        deliver(document(result, per_query=per_query), output)
        return
    columns = report.WIDTH
    if style == "table" and output in (None, "-") and on_terminal():
        # A terminal's table has a third blank between its columns: of conventions, and of names.
        room = get_terminal_size().columns - len(conventions) - 2
        columns = min(columns, room)
    render = report.query_table if per_query else report.summary_table
    table = render(result, columns)
    if style == "table":
        show(table, output)
    elif style == "markdown":
        deliver([markdown(table)], output)
    else:
        deliver([latex(table)], output)
