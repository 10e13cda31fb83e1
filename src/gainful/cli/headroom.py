"""``gainful headroom``: where systems stand between floor, baseline and ceiling."""

from __future__ import annotations

import click

from gainful.cli.arguments import (
    chosen_convention,
    complete_files,
    convention_options,
    examples,
    format_option,
    measure_option,
    qrels_and_runs,
    threads_option,
)
from gainful.cli.reading import reading_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.reading import Reading


@click.command(
    epilog=examples(
        "gainful headroom qrels.txt mine.run --corpus corpus.jsonl --queries queries.tsv",
        "gainful headroom qrels.txt mine.run bm25.run --baseline bm25 --documents 8841823",
        "gainful headroom qrels.txt lambdamart.run --floor judged",
    )
)
@qrels_and_runs
@measure_option(multiple=True, default="nDCG@10")
@click.option(
    "--baseline",
    metavar="NAME",
    help="Which of the runs is the baseline; without it BM25, if there is a corpus and queries.",
)
@click.option(
    "--corpus",
    metavar="FILE",
    shell_complete=complete_files,
    help="The documents that were searched: JSON lines, CSV, TSV, TREC markup, a BEIR folder.",
)
@click.option(
    "--queries",
    metavar="FILE",
    shell_complete=complete_files,
    help="What was asked, for BM25: TSV, CSV, JSON lines, TREC topics.",
)
@click.option(
    "--documents",
    type=int,
    metavar="N",
    help="How many documents were searched, if there is no corpus to count them.",
)
@click.option(
    "--floor",
    type=click.Choice(("corpus", "pool", "judged", "none")),
    help="What is put in a random order: the corpus, which is the default where its size is known;"
    " else the pool of all that is judged or in a run; or the judged documents alone.",
)
@convention_options()
@format_option()
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
    """Say where systems stand between a random order, a baseline and the ideal order.

    A mean says little as long as one does not know what is easy on the collection and what can be
    reached at all. The floor is the exact mean over all random orders, the ceiling the ideal order
    of what is judged.
    """
    from gainful.bounds import headroom
    from gainful.cli.output import write
    from gainful.cli.progress import Progress
    from gainful.cli.runs import check_standard_input, named_runs
    from gainful.measures.choosing import choose_measures

    named = named_runs(runs)
    check_standard_input(qrels, *named.values(), corpus or "", queries or "")
    policies = chosen_convention(convention, changes)
    chosen = choose_measures(measures or None, policies)
    with Progress() as progress:
        read, ranked = reading.all(qrels, named, policies.duplicates, chosen)
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
