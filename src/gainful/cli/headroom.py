"""``gainful headroom``: systems between random order, baseline and ideal order."""

from __future__ import annotations

import click

from gainful.cli.arguments import (
    convention_options,
    examples,
    format_option,
    measure_option,
    parse_convention,
    qrels_and_runs,
    strict_option,
    threads_option,
)
from gainful.cli.option_groups import Command, complete_files, option
from gainful.cli.plots import plot_option
from gainful.cli.reading import reading_options
from gainful.vocabulary import FLOORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.reading import Reading


@click.command(
    cls=Command,
    epilog=examples(
        "gainful headroom qrels.txt mine.run --corpus corpus.jsonl --queries queries.tsv",
        "gainful headroom qrels.txt mine.run bm25.run --baseline bm25 --documents 8841823",
        "gainful headroom qrels.txt lambdamart.run --floor judged",
    ),
)
@qrels_and_runs
@measure_option(multiple=True, default="nDCG@10")
@option(
    "--baseline",
    metavar="NAME",
    help="The run that is the baseline. Default: BM25, if --corpus and --queries are given.",
)
@option(
    "--corpus",
    metavar="FILE",
    shell_complete=complete_files,
    help="The searched documents: JSON lines, CSV, TSV, TREC markup, a BEIR folder or a folder of"
    " text files.",
)
@option(
    "--queries",
    metavar="FILE",
    shell_complete=complete_files,
    help="The queries, for BM25: TSV, CSV, JSON lines or TREC topics.",
)
@option(
    "--documents",
    type=int,
    metavar="N",
    help="The number of searched documents, if there is no --corpus.",
)
@option(
    "--floor",
    type=click.Choice(FLOORS),
    help="The documents in random order: the whole corpus; the pool of judged and retrieved"
    " documents; or only the judged ones. Default: corpus if its size is known, else pool.",
)
@convention_options()
@plot_option("the means of the first measure")
@format_option()
@strict_option
@threads_option
@reading_options()
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    baseline: str | None,
    corpus: str | None,
    queries: str | None,
    documents: int | None,
    floor: str | None,
    convention: str,
    changes: tuple[str, ...],
    style: str,
    output: str | None,
    threads: int | None,
    reading: Reading,
) -> None:
    """Locate systems between random order, baseline and ideal order.

    A mean is hard to read without the range of possible values. The floor is the exact expected
    value of a random order, and the ceiling is the value of the ideal order of the judged
    documents.
    """
    from gainful.bounds import headroom
    from gainful.cli.output import write
    from gainful.cli.runs import check_standard_input, parse_runs
    from gainful.measures.choosing import choose_measures
    from gainful.progress import Bar

    named = parse_runs(runs)
    check_standard_input(qrels, *named.values(), corpus or "", queries or "")
    policies = parse_convention(convention, changes)
    chosen = choose_measures(measures or None, policies)
    with Bar() as progress:
        read, ranked = reading.load_all(qrels, named, policies.duplicates, chosen)
        found = headroom(
            read,
            ranked,
            chosen,
            baseline=baseline,
            corpus=corpus,
            queries=queries,
            documents=documents,
            floor=floor,
            convention=policies,
            threads=threads,
            progress=progress,
        )
    write(found, style, output)
