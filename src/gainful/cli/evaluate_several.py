"""``gainful evaluate`` with several ``--convention``: a column each."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gainful.cli.progress import Progress
    from gainful.conventions import Convention
    from gainful.data import Qrels, Run


def several(
    qrels: Qrels,
    runs: Mapping[str, str | Run],
    measures: Iterable[str],
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
    from gainful.cli.output import deliver, show
    from gainful.evaluation.several import evaluate_each
    from gainful.report import several as report

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
        from gainful.report.delimited import csv, tsv

        rows = report.query_rows(result) if per_query else report.summary_rows(result)
        deliver(tsv(*rows) if style == "tsv" else csv(*rows), output)
        return
    if style in ("json", "jsonl"):
        document = report.json if style == "json" else report.json_lines
        deliver(document(result, per_query=per_query), output)
        return
    table = report.query_table(result) if per_query else report.summary_table(result)
    if style == "table":
        show(table, output)
    elif style == "markdown":
        from gainful.report.markdown import markdown

        deliver([markdown(table)], output)
    else:
        from gainful.report.latex import latex

        deliver([latex(table)], output)
