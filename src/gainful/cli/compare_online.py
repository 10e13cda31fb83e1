"""``gainful compare-online``: what came online of past offline differences."""

from __future__ import annotations

import click

from gainful.cli.arguments import (
    complete_files,
    examples,
    format_option,
)


@click.command(
    epilog=examples(
        "gainful compare-online experiments.csv",
        "gainful compare-online experiments.tsv --format markdown",
        "gainful compare-online - --format json < experiments.jsonl",
    )
)
@click.argument("experiments", metavar="FILE", shell_complete=complete_files)
@click.option(
    "--minimum",
    type=int,
    default=15,
    show_default=True,
    help="With fewer experiments nothing is concluded.",
)
@click.option(
    "--level", type=float, default=0.95, show_default=True, help="Of the intervals, as in .95."
)
@format_option()
def command(experiments: str, minimum: int, level: float, style: str, output: str | None) -> None:
    """Compare past offline differences with what came of them online.

    FILE is a table of experiments, as TSV, CSV or JSON lines. Its columns are offline_difference
    and online_difference; as far as they are known offline_se and online_se, their standard errors;
    measure and metric, where there are several; and experiment, a name.

    Prints how often both have the same sign, their rank correlation and the slope, each with its
    interval, and whether that is enough to say that online follows offline.
    """
    from gainful.agreement import compare_online
    from gainful.cli.output import write

    found = compare_online(experiments, minimum=minimum, level=level)
    write(found, style, output)
