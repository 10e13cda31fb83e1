"""``gainful reconcile``: which convention gives a reported number."""

from __future__ import annotations

import click

from gainful.cli.arguments import (
    complete_files,
    complete_measures,
    examples,
    format_option,
    threads_option,
)
from gainful.cli.reading import reading_options
from gainful.measures.notation import parse_measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.reading import Reading

#: The exit status where nothing gives the number.
NO_MATCH = 1


@click.command(
    epilog=examples(
        "gainful reconcile qrels.txt bm25.run --reported 0.7193 --measure nDCG@10",
        "gainful reconcile qrels.txt bm25.run --reported 43.12",
        "gainful reconcile qrels.txt bm25.run --reported .6 --digits 4 -m 'AP(rel=2)'",
        "gainful reconcile qrels.txt bm25.run --reported 0.719 --reported-per-query queries.txt",
        "gainful reconcile qrels.txt bm25.run --reported 0.7193 --format json -o found.json",
    )
)
@click.argument("qrels", metavar="QRELS", shell_complete=complete_files)
@click.argument("run", metavar="RUN", shell_complete=complete_files)
@click.option(
    "--reported",
    required=True,
    metavar="NUMBER",
    help="The number as it was printed: 0.4312, .4312, or 43.12 for a percentage.",
)
@click.option(
    "-m",
    "--measure",
    metavar="MEASURE",
    shell_complete=complete_measures,
    help="What it was said to be, such as nDCG@10. Without a cutoff all from 1 to 1000 are"
    " searched, without a measure all everyday ones.",
)
@click.option(
    "--digits",
    type=int,
    metavar="N",
    help="Digits after the point that count; without it those of the number.",
)
@click.option(
    "--reported-per-query",
    metavar="FILE",
    shell_complete=complete_files,
    help="Values of queries that were reported, too: lines of a query id and a number, or of a"
    " measure, a query id and a number.",
)
@format_option()
@threads_option
@reading_options()
@click.pass_context
def command(
    context: click.Context,
    qrels: str,
    run: str,
    reported: str,
    measure: str | None,
    digits: int | None,
    reported_per_query: str | None,
    style: str,
    output: str | None,
    threads: int | None,
    reading: Reading,
) -> None:
    """Find the convention that gives a reported number.

    Tries every preset that is verified for the measure, then all combinations of the policies that
    can make a difference on these data: ties, unjudged documents, gain, discount, ideal, cutoff,
    level of relevance, and so on. Prints what gives the number to its digits, the most plausible
    first, and how many others do by coincidence; the nearest misses where nothing does. Every query
    weighs the same.

    The exit status is 0 where something gives the number and 1 where nothing does.
    """
    from gainful.cli.output import write
    from gainful.cli.progress import Progress
    from gainful.cli.runs import check_standard_input
    from gainful.reconciliation import reconcile

    check_standard_input(qrels, run, reported_per_query or "")
    asked = None if measure is None else parse_measure(measure)
    # Each policy on duplicates is tried, so what stands twice is kept.
    judged = reading.judgments(qrels, "error", () if asked is None else (asked,))
    ranked = reading.run(run, judged)
    with Progress() as progress:
        found = reconcile(
            judged,
            ranked,
            reported,
            asked,
            digits=digits,
            per_query=reported_per_query,
            threads=threads,
            progress=progress,
        )
    write(found, style, output)
    if not found:
        context.exit(NO_MATCH)
