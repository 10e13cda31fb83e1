"""``gainful explain``: where does one query's number come from."""

from __future__ import annotations

import click

from gainful.cli.arguments import (
    chosen_convention,
    complete_files,
    convention_options,
    examples,
    format_option,
    measure_option,
    texts_options,
)
from gainful.cli.reading import reading_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.reading import Reading


@click.command(
    epilog=examples(
        "gainful explain qrels.txt bm25.run",
        "gainful explain qrels.txt bm25.run --query q1 --docs docs.jsonl --queries queries.jsonl",
        "gainful explain qrels.txt bm25.run -q q1 -m 'nDCG(gain=exponential)@5' --format latex",
    )
)
@click.argument("qrels", metavar="QRELS", shell_complete=complete_files)
@click.argument("run", metavar="RUN", shell_complete=complete_files)
@click.option(
    "-q", "--query", metavar="ID", help="The query; without it the one that the run serves worst."
)
@measure_option(multiple=False, default="nDCG@10")
@convention_options()
@texts_options
@click.option(
    "--depth", type=int, metavar="N", help="Ranks to list; without it those up to the cutoff."
)
@format_option()
@reading_options()
def command(
    qrels: str,
    run: str,
    query: str | None,
    measure: str | None,
    convention: str,
    changes: tuple[str, ...],
    docs: str | None,
    queries: str | None,
    depth: int | None,
    style: str,
    output: str | None,
    reading: Reading,
) -> None:
    """Explain one query's number, rank by rank.

    For each rank the document, its grade, gain and discount, and what it adds; beside it the ideal
    ranking; below, what each misplaced document costs and where the missing ones are. With --docs
    and --queries their titles stand beside the ids.
    """
    from gainful.cli.output import write
    from gainful.cli.runs import check_standard_input
    from gainful.explanation import explain, worst_query
    from gainful.measures.choosing import choose_measure

    check_standard_input(qrels, run, docs or "", queries or "")
    policies = chosen_convention(convention, changes)
    asked = choose_measure(measure, policies)
    # Read once: the standard input cannot be read again. The convention judges duplicates.
    judged = reading.judgments(qrels, policies.duplicates, [asked])
    ranked = reading.run(run, judged)
    chosen = query
    if chosen is None:
        chosen = worst_query(judged, ranked, asked, convention=policies)
    result = explain(
        judged,
        ranked,
        chosen,
        asked,
        convention=policies,
        docs=docs,
        queries=queries,
        depth=depth,
    )
    if query is None:
        from dataclasses import replace

        said = f"Query {chosen} is the one that the run serves worst; --query chooses another."
        result = replace(result, notes=(said, *result.notes))
    write(result, style, output)
