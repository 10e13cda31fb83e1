"""``gainful suite``: systems on several collections."""

from __future__ import annotations

import click

from gainful.cli.arguments import (
    chosen_convention,
    complete_folders,
    convention_options,
    examples,
    measure_option,
    output_option,
    reading_options,
    threads_option,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.suite import Suite

FORMATS = ("table", "tsv", "csv", "json", "markdown", "latex")


@click.command(
    epilog=examples(
        "gainful suite collections",
        "gainful suite collections --baseline bm25 -m nDCG@10 -m R@100",
        "gainful suite collections --common --format latex",
    )
)
@click.argument("folder", metavar="FOLDER", shell_complete=complete_folders)
@measure_option(multiple=True, default="nDCG@10")
@convention_options()
@click.option(
    "--common",
    is_flag=True,
    help="Average over the collections in which all systems have a run, instead of over all.",
)
@click.option(
    "--oracle",
    metavar="NAME",
    help="The run that stands for what can be reached; without it, for each query the best of the"
    " systems.",
)
@click.option(
    "--format",
    "style",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="How to write the result.",
)
@output_option
@threads_option
@reading_options
def command(
    folder: str,
    measures: tuple[str, ...],
    convention: str,
    changes: tuple[str, ...],
    common: bool,
    oracle: str | None,
    style: str,
    output: str | None,
    threads: int | None,
    qrels_format: str | None,
    run_format: str | None,
    comments: bool,
) -> None:
    """Evaluate and compare systems on several collections.

    Each sub-folder of FOLDER is a collection. In it, the judgments are the file whose name begins
    with qrels; the runs are the files of a folder runs, or files beside the judgments that end in
    .run. Runs of one name are of one system.

    A collection counts the same however many queries it has, and a system without a run in one of
    them has no average.
    """
    from gainful.cli.progress import Progress
    from gainful.cli.runs import judgments, ranking
    from gainful.suite import read_folder
    from gainful.suite.call import evaluate_collections

    policies = chosen_convention(convention, changes)
    found = read_folder(folder)
    chosen = measures or ("nDCG@10",)
    with Progress() as progress:
        collections = {}
        for name, (qrels, runs) in found.collections.items():
            read = judgments(qrels, qrels_format, comments, policies.duplicates, chosen)
            collections[name] = (
                read,
                {
                    system: ranking(path, run_format, comments, read)
                    for system, path in runs.items()
                },
            )
        suite = evaluate_collections(
            collections,
            chosen,
            over="common" if common else "all",
            oracle=oracle,
            convention=policies,
            threads=threads,
            progress=progress,
            left_out=found.left_out,
        )
    write(suite, style, output)


def write(suite: Suite, style: str, output: str | None) -> None:
    """Hand a suite to the renderer of a format, and its text to where it goes."""
    from gainful.cli.output import deliver, on_terminal

    if style == "json":
        from gainful.report.json import text

        deliver([text(suite.to_dict(), indent=2)], output)
    elif style in ("tsv", "csv"):
        from gainful.report.delimited import csv, tsv
        from gainful.report.suite_figures import cell_rows

        deliver((tsv if style == "tsv" else csv)(*cell_rows(suite)), output)
    elif style == "markdown":
        from gainful.report.markdown import markdown

        deliver(["\n".join(map(markdown, suite.tables()))], output)
    elif style == "latex":
        from gainful.report.latex import latex

        deliver(["\n".join(map(latex, suite.tables()))], output)
    elif output in (None, "-") and on_terminal():
        from shutil import get_terminal_size

        from gainful.report.console import drawn

        deliver([drawn(*suite.tables(min(get_terminal_size().columns, 100)))], output)
    else:
        deliver([f"{suite}\n"], output)
