"""``gainful find-unjudged``: which unjudged documents would decide a comparison."""

from __future__ import annotations

import click

from gainful.cli.arguments import (
    chosen_convention,
    convention_options,
    examples,
    format_option,
    measure_option,
    qrels_and_runs,
    texts_options,
    threads_option,
)
from gainful.cli.comparing import (
    seed_option,
)
from gainful.cli.reading import reading_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.reading import Reading


@click.command(
    epilog=examples(
        "gainful find-unjudged qrels.txt bm25.run dense.run",
        "gainful find-unjudged qrels.txt bm25.run dense.run --baseline bm25 -m nDCG@10 --prior run",
        "gainful find-unjudged qrels.txt bm25.run dense.run --docs docs.jsonl"
        " --queries queries.jsonl",
        "gainful find-unjudged qrels.txt bm25.run dense.run --format tsv -o to-judge.tsv",
    )
)
@qrels_and_runs
@measure_option(multiple=False, default="nDCG@10")
@click.option(
    "--baseline",
    metavar="NAME",
    help="The run that the others are set beside; without it each beside the next in the order of"
    " means.",
)
@click.option(
    "--depth",
    type=int,
    metavar="N",
    help="Look at documents down to this rank; without it to the measure's cutoff, or 100.",
)
@click.option(
    "--scale",
    metavar="GRADES",
    help="The grades that a document may have, as 0,1,2,3; without it those that the judgments"
    " use, and 0.",
)
@click.option(
    "--prior",
    metavar="PRIOR",
    help="Draw labels at random, too: as likely as in the `run`, in the `pool`, or as"
    " 0=0.9,1=0.1 says.",
)
@click.option(
    "--samples",
    type=int,
    default=1_000,
    show_default=True,
    metavar="N",
    help="Labellings to draw with --prior.",
)
@seed_option
@click.option(
    "--top",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    metavar="N",
    help="Documents to show in a table; the other formats hold all.",
)
@texts_options
@convention_options()
@format_option(
    "jsonl",
    help="How to write the result. TSV, CSV and JSON lines have a row per document to judge.",
)
@threads_option
@reading_options()
def command(
    qrels: str,
    runs: tuple[str, ...],
    measure: str | None,
    baseline: str | None,
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
    """Find the unjudged documents that would decide who is ahead.

    For each system how low and how high its mean can be over their labels; for each two systems
    whether labels can turn their order, and how few of them do; and the documents, those first
    whose label moves a difference most that is not settled. Each is judged with the ideal made
    anew.
    """
    from gainful.cli.output import deliver, write
    from gainful.cli.progress import Progress
    from gainful.cli.runs import check_standard_input, named_runs
    from gainful.cli.scale import read_prior, read_scale
    from gainful.measures.choosing import choose_measure
    from gainful.unjudged import find_unjudged
    from gainful.unjudged.rendering import json_lines

    named = named_runs(runs)
    check_standard_input(qrels, *named.values(), docs or "", queries or "")
    policies = chosen_convention(convention, changes)
    chosen = choose_measure(measure, policies)
    grades, likely = read_scale(scale), read_prior(prior)
    with Progress() as progress:
        read, ranked = reading.all(qrels, named, policies.duplicates, [chosen])
        found = find_unjudged(
            read,
            ranked,
            chosen,
            baseline=baseline,
            convention=policies,
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
        deliver(json_lines(found), output)
    else:
        write(found, style, output, tables=found.tables(top))
