"""``gainful reproduce``: whether a rerun reproduces an original experiment."""

from __future__ import annotations

import click

from gainful.cli.arguments import (
    convention_options,
    examples,
    format_option,
    measure_option,
    parse_convention,
    strict_option,
    threads_option,
)
from gainful.cli.option_groups import Command, complete_files, option
from gainful.cli.reading import reading_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.reading import Reading


@click.command(
    cls=Command,
    epilog=examples(
        "gainful reproduce qrels.txt --original paper.run --rerun ours.run",
        "gainful reproduce qrels.txt --original paper.run --rerun ours.run"
        " --original-baseline paper-bm25.run --rerun-baseline our-bm25.run",
        "gainful reproduce qrels.txt --original a.run --rerun b.run --rerun-qrels other.txt"
        " --original-baseline a0.run --rerun-baseline b0.run",
    ),
)
@click.argument("qrels", metavar="QRELS", shell_complete=complete_files)
@option(
    "--original",
    required=True,
    metavar="RUN",
    shell_complete=complete_files,
    help="The run of the original experiment.",
)
@option(
    "--rerun",
    required=True,
    metavar="RUN",
    shell_complete=complete_files,
    help="The run of the rerun experiment.",
)
@option(
    "--original-baseline",
    metavar="RUN",
    shell_complete=complete_files,
    help="The baseline of the original experiment.",
)
@option(
    "--rerun-baseline",
    metavar="RUN",
    shell_complete=complete_files,
    help="The baseline of the rerun experiment. With both, improvements are compared.",
)
@option(
    "--rerun-qrels",
    metavar="FILE",
    shell_complete=complete_files,
    help="The judgments of the rerun, if it is on another collection.",
)
@measure_option(multiple=True, default="nDCG@10")
@option(
    "--margin",
    type=float,
    default=0.01,
    show_default=True,
    metavar="X",
    help="Without baselines, differences of means up to this are considered equal.",
)
@option(
    "--least-ratio",
    type=float,
    default=0.9,
    show_default=True,
    metavar="X",
    help="With baselines, the share of the original's improvement that reproduces it.",
)
@option(
    "--depth",
    type=int,
    default=1000,
    show_default=True,
    metavar="K",
    help="Number of ranks to compare.",
)
@option(
    "--persistence",
    type=float,
    default=0.8,
    show_default=True,
    metavar="P",
    help="Persistence of rank-biased overlap.",
)
@option(
    "--level",
    type=float,
    default=0.95,
    show_default=True,
    metavar="X",
    help="Confidence level; alpha is 1 - level.",
)
@convention_options()
@format_option()
@strict_option
@threads_option
@reading_options()
def command(
    qrels: str,
    original: str,
    rerun: str,
    original_baseline: str | None,
    rerun_baseline: str | None,
    rerun_qrels: str | None,
    measures: tuple[str, ...],
    margin: float,
    least_ratio: float,
    depth: int,
    persistence: float,
    level: float,
    convention: str,
    changes: tuple[str, ...],
    style: str,
    output: str | None,
    threads: int | None,
    reading: Reading,
) -> None:
    """Check whether a rerun reproduces an original experiment.

    Compares scores, rankings and, with a baseline on both sides, improvements: RMSE over queries,
    Kendall's tau, rank-biased overlap, p-values, effect ratio and delta relative improvement. The
    verdict is reproduced, partly reproduced, not reproduced or inconclusive.
    """
    from gainful.cli.output import write
    from gainful.cli.runs import check_standard_input
    from gainful.measures.choosing import choose_measures
    from gainful.reproduction import reproduce

    files = (original, rerun, original_baseline, rerun_baseline, rerun_qrels)
    check_standard_input(qrels, *(file or "" for file in files))
    policies = parse_convention(convention, changes)
    chosen = choose_measures(measures or None, policies)
    judged = reading.load_judgments(qrels, policies.duplicates, chosen)
    others = judged
    if rerun_qrels is not None:
        others = reading.load_judgments(rerun_qrels, policies.duplicates, chosen)
    found = reproduce(
        judged,
        reading.load_run(original, judged),
        reading.load_run(rerun, others),
        chosen,
        original_baseline=None
        if original_baseline is None
        else reading.load_run(original_baseline, judged),
        rerun_baseline=None if rerun_baseline is None else reading.load_run(rerun_baseline, others),
        rerun_qrels=None if rerun_qrels is None else others,
        margin=margin,
        least_ratio=least_ratio,
        depth=depth,
        persistence=persistence,
        convention=policies,
        level=level,
        threads=threads,
    )
    write(found, style, output)
