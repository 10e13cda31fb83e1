"""``gainful find-unjudged``: unjudged documents that could reverse a verdict."""

from __future__ import annotations

import click

from gainful.cli.arguments import (
    convention_options,
    examples,
    format_option,
    measure_option,
    parse_convention,
    qrels_and_runs,
    texts_options,
    threads_option,
)
from gainful.cli.comparing import (
    seed_option,
)
from gainful.cli.option_groups import Command, Group, option
from gainful.cli.plots import plot_option
from gainful.cli.query_groups import query_group_options
from gainful.cli.reading import reading_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.query_groups import QueryGroupFiles
    from gainful.cli.reading import Reading


@click.command(
    cls=Command,
    epilog=examples(
        "gainful find-unjudged qrels.txt bm25.run dense.run",
        "gainful find-unjudged qrels.txt bm25.run dense.run --baseline bm25 -m nDCG@10 --prior run",
        "gainful find-unjudged qrels.txt bm25.run dense.run --docs docs.jsonl"
        " --queries queries.jsonl",
        "gainful find-unjudged qrels.txt bm25.run dense.run --format tsv -o to-judge.tsv",
    ),
)
@qrels_and_runs
@measure_option(multiple=False, default="nDCG@10")
@option(
    "--baseline",
    metavar="NAME",
    help="Compare every other run with this one. Default: each run with the next by mean.",
)
@query_group_options(
    verb="show systems and pairs",
    refused_clusters="bounds over labels do not depend on how the queries were sampled",
)
@option(
    "--depth",
    type=int,
    metavar="N",
    help="Consider documents down to this rank. Default: the cutoff of the measure, or 100.",
)
@option(
    "--scale",
    metavar="GRADES",
    help="The possible grades of a document: 0,1,2,3. Default: 0 and the grades of the judgments.",
)
@option(
    "--top",
    type=click.IntRange(min=0),
    default=20,
    metavar="N",
    help="Number of documents in tables; other formats contain all.",
)
@texts_options
@option(
    "--prior",
    group=Group.STATISTICS,
    metavar="PRIOR",
    help="Also draw labels at random, with the probabilities of the `run`, of the `pool`, or as in"
    " 0=0.9,1=0.1.",
)
@option(
    "--samples",
    group=Group.STATISTICS,
    type=int,
    default=1_000,
    metavar="N",
    help="Number of random labelings for --prior.",
)
@seed_option
@convention_options()
@plot_option("the means with their bounds over all labels")
@format_option(
    "jsonl",
    help="Format of the result. TSV, CSV and JSON lines contain one row per document to judge.",
)
@threads_option
@reading_options()
def command(
    qrels: str,
    runs: tuple[str, ...],
    measure: str | None,
    baseline: str | None,
    query_groups: QueryGroupFiles,
    depth: int | None,
    scale: str | None,
    prior: str | None,
    samples: int,
    seed: int,
    top: int,
    docs: str | None,
    queries: str | None,
    convention: str,
    changes: tuple[str, ...],
    style: str,
    output: str | None,
    threads: int | None,
    reading: Reading,
) -> None:
    """Find unjudged documents that could reverse a verdict.

    For each system, shows the lowest and highest mean over the missing labels. For each pair of
    systems, shows whether labels could reverse their order, and how few are enough. Then lists the
    documents, first those whose label changes an undecided difference most. The ideal ranking is
    recomputed for each label.
    """
    from gainful.cli.output import deliver, write
    from gainful.cli.runs import check_standard_input, parse_runs
    from gainful.cli.scale import parse_prior, parse_scale
    from gainful.formats.json import text
    from gainful.measures.choosing import choose_measure
    from gainful.progress import Bar
    from gainful.unjudged import find_unjudged

    named = parse_runs(runs)
    check_standard_input(qrels, *named.values(), docs or "", queries or "", *query_groups.paths)
    policies = parse_convention(convention, changes)
    chosen = choose_measure(measure, policies)
    groups = query_groups.arguments()
    grades, likely = parse_scale(scale), parse_prior(prior)
    with Bar() as progress:
        read, ranked = reading.load_all(qrels, named, policies.duplicates, [chosen])
        found = find_unjudged(
            read,
            ranked,
            chosen,
            baseline=baseline,
            convention=policies,
            **groups,
            depth=depth,
            scale=grades,
            prior=likely,
            samples=samples,
            seed=seed,
            docs=docs,
            queries=queries,
            threads=threads,
            progress=progress,
        )
    if style == "jsonl":
        deliver(map(text, found.rows()), output)
    else:
        write(found, style, output, tables=found.tables(top))
