"""``gainful baseline fuse``: fusion of several runs."""

from __future__ import annotations

import click

from gainful.baselines import fuse as fused
from gainful.cli.arguments import examples
from gainful.cli.baseline_output import depth_option, finish, run_options
from gainful.cli.option_groups import Command, complete_files, option
from gainful.cli.runs import check_standard_input
from gainful.vocabulary import FUSIONS, SCORE_NORMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@click.command(
    cls=Command,
    short_help="Fuse several runs by ranks or scores.",
    epilog=examples(
        "gainful baseline fuse bm25.run dense.run -o rrf.run",
        "gainful baseline fuse bm25.run dense.run --method combsum --weight 1 --weight 2"
        " --qrels qrels.txt",
    ),
)
@click.argument(
    "runs", metavar="RUN RUN...", nargs=-1, required=True, shell_complete=complete_files
)
@depth_option
@option(
    "--method",
    type=click.Choice(FUSIONS),
    default="rrf",
    help="Reciprocal rank fusion; the sum of scores; or that sum times the number of runs with the"
    " document.",
)
@option("--constant", type=float, default=60.0, metavar="X", help="The constant of rrf.")
@option(
    "--norm",
    type=click.Choice(SCORE_NORMS),
    default="min-max",
    help="How scores are normalized per query and run.",
)
@option(
    "--weight",
    "weights",
    type=float,
    multiple=True,
    metavar="W",
    help="The weight of a run. Repeatable, in the order of the runs. Default: 1.",
)
@option(
    "--depth",
    "down_to",
    type=int,
    metavar="N",
    help="Number of documents to use from each run. Default: all.",
)
@run_options("METHOD")
def fuse(
    runs: tuple[str, ...],
    depth: int,
    method: str,
    constant: float,
    norm: str,
    weights: tuple[float, ...],
    down_to: int | None,
    **result: Any,
) -> None:
    """Fuse several RUNs into one, by ranks or scores. Their formats may differ."""
    check_standard_input(*runs, result["qrels"] or "")
    reading = result["reading"]
    name = method if result["name"] == "METHOD" else result["name"]
    run = fused(
        [reading.path_or_table(path, "run") for path in runs],
        method,
        depth,
        constant=constant,
        norm=norm,
        weights=weights or None,
        depth=down_to,
        name=name,
    )
    how = f"reciprocal ranks, constant {constant:g}" if method == "rrf" else f"{method}, {norm}"
    fused_runs = ", ".join(
        f"{path} × {weight:g}" if weights else path
        for path, weight in zip(runs, weights or [1.0] * len(runs), strict=True)
    )
    finish(
        run,
        result,
        words=f"{how}, of {fused_runs}",
    )
