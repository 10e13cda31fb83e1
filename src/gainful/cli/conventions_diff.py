"""``gainful conventions diff``: what two conventions do differently, and what it comes to."""

from __future__ import annotations

import click

from gainful.cli.arguments import (
    chosen_convention,
    complete_conventions,
    complete_files,
    complete_policies,
    examples,
    format_option,
    measure_option,
    output_option,
    threads_option,
    weights_option,
)
from gainful.cli.output import delimited, deliver, on_terminal
from gainful.cli.progress import Progress
from gainful.cli.reading import Reading, reading_options
from gainful.cli.runs import check_standard_input, named_runs
from gainful.cli.weights import read_weights
from gainful.contrasts import Contrast, contrast
from gainful.conventions import diff
from gainful.errors import ParameterError
from gainful.evaluation.held import agreed_duplicates
from gainful.measures.choosing import choose_measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.conventions.difference import Differences


def of_side(changes: Sequence[str], side: str) -> list[str]:
    """Return the changes of ``--policy`` that hold for convention A or for convention B.

    Examples
    --------
    >>> of_side(["ties=expected", "b:missing=empty", "rounding=query:2"], "B")
    ['ties=expected', 'missing=empty', 'rounding=query:2']
    >>> of_side(["ties=expected", "b:missing=empty", "rounding=query:2"], "A")
    ['ties=expected', 'rounding=query:2']
    """
    found = []
    for change in changes:
        letter, colon, rest = change.partition(":")
        if not colon or letter.strip().upper() not in ("A", "B"):
            found.append(change)
        elif letter.strip().upper() == side:
            found.append(rest)
    return found


@click.command(
    epilog=examples(
        "gainful conventions diff trec_eval gainful",
        "gainful conventions diff trec_eval gainful qrels.txt bm25.run",
        "gainful conventions diff trec_eval gainful qrels.txt bm25.run dense.run -m nDCG@10",
        "gainful conventions diff trec_eval gainful --policy missing=empty",
        "gainful conventions diff trec_eval trec_eval qrels.txt bm25.run --policy b:missing=empty",
        "gainful conventions diff trec_eval gainful qrels.txt bm25.run --per-query --format csv",
    ),
)
@click.argument("a", metavar="A", shell_complete=complete_conventions)
@click.argument("b", metavar="B", shell_complete=complete_conventions)
@click.argument("qrels", metavar="[QRELS]", required=False, shell_complete=complete_files)
@click.argument("runs", metavar="[RUN]...", nargs=-1, shell_complete=complete_files)
@measure_option(multiple=False, default="nDCG@10")
@click.option(
    "--policy",
    "changes",
    multiple=True,
    metavar="[A:|B:]NAME=VALUE",
    shell_complete=complete_policies,
    help="Change one policy of both conventions, such as ties=expected, or with A: or B: before it"
    " of one of them. Repeatable.",
)
@click.option(
    "--per-query", is_flag=True, help="List every query that moves; as CSV and JSON, every step."
)
@format_option(("table", "json", "csv", "markdown"), "How to write the answer.")
@output_option
@weights_option
@threads_option
@reading_options()
def command(
    a: str,
    b: str,
    qrels: str | None,
    runs: tuple[str, ...],
    measure: str | None,
    changes: tuple[str, ...],
    per_query: bool,
    style: str,
    output: str | None,
    weights: str | None,
    threads: int | None,
    reading: Reading,
) -> None:
    """List the policies in which conventions A and B differ, and what each does to the numbers.

    With A and B alone, the command prints the policies that differ. With judgments and runs, it
    computes the measure under A and then changes one policy after the other to that of B. This
    splits the whole difference by policy, and by query. With several runs, it also reports whether
    the two conventions rank the systems alike.
    """
    first, last = (
        chosen_convention(name, of_side(changes, side)) for name, side in ((a, "A"), (b, "B"))
    )
    if qrels is None:
        deliver([words(diff(first, last), style)], output)
        return
    if not runs:
        raise ParameterError(
            where="gainful conventions diff",
            found="judgments without a run",
            expected="QRELS and one RUN or several, or neither",
        )
    named = named_runs(runs)
    check_standard_input(qrels, *named.values(), weights or "")
    shares = read_weights(weights)
    duplicates = agreed_duplicates((first, last))
    asked = choose_measure(measure, first, last)
    with Progress() as progress:
        judged = reading.judgments(qrels, duplicates, [asked])
        result = contrast(
            judged,
            runs={name: reading.ranking(path, judged) for name, path in named.items()},
            a=first,
            b=last,
            measure=asked,
            weights=shares,
            threads=threads,
            progress=progress,
        )
    coloured = style == "table" and output in (None, "-") and on_terminal()
    deliver(account(result, style, per_query=per_query, coloured=coloured), output)


def words(found: Differences, style: str) -> str:
    """Return what two conventions do differently in a format."""
    from gainful.conventions import differences as report

    if style == "csv":
        return "".join(delimited("csv")(*report.rows(found)))
    render = {
        "table": report.plain,
        "json": report.json,
        "markdown": report.markdown,
    }
    return render[style](found)


def account(result: Contrast, style: str, *, per_query: bool, coloured: bool) -> list[str]:
    """Return the account of a contrast in a format."""
    from gainful.contrasts import rendering as report

    queries = None if per_query else report.QUERIES
    if style == "csv":
        rows = report.query_rows(result) if per_query else report.step_rows(result)
        return list(delimited("csv")(*rows))
    if style == "json":
        return [report.json(result, per_query=per_query)]
    if style == "markdown":
        return [report.markdown(result, queries=queries)]
    render = report.drawn if coloured else report.plain
    return [render(result, queries=queries).rstrip("\n") + "\n"]
