"""``gainful baseline fuse``: one run of several."""

from __future__ import annotations

import click

from gainful.baselines import fuse as fused
from gainful.cli.arguments import complete_files, examples
from gainful.cli.baseline_output import depth_option, finish, run_options
from gainful.cli.runs import check_standard_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@click.command(
    short_help="Make one run of several, by ranks or by scores.",
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
@click.option(
    "--method",
    type=click.Choice(("rrf", "combsum", "combmnz")),
    default="rrf",
    show_default=True,
    help="Reciprocal ranks; the sum of scores; or that times the number of runs with the document.",
)
@click.option(
    "--constant", type=float, default=60.0, show_default=True, help="Of reciprocal ranks."
)
@click.option(
    "--norm",
    type=click.Choice(("min-max", "z-score", "none")),
    default="min-max",
    show_default=True,
    help="How the scores of a query in a run are made comparable.",
)
@click.option(
    "--weight",
    "weights",
    type=float,
    multiple=True,
    metavar="W",
    help="How much each run counts, in their order; 1 without it.",
)
@click.option(
    "--depth",
    "down_to",
    type=int,
    metavar="N",
    help="Documents of each run that are used; all without it.",
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
    """Make one run of several RUNs, whatever formats these are in."""
    check_standard_input(*runs, result["qrels"] or "")
    reading = result["reading"]
    name = method if result["name"] == "METHOD" else result["name"]
    run = fused(
        [reading.given(path, "run") for path in runs],
        method,
        depth,
        constant=constant,
        norm=norm,
        weights=weights or None,
        depth=down_to,
        name=name,
    )
    how = f"reciprocal ranks, constant {constant:g}" if method == "rrf" else f"{method}, {norm}"
    told = ", ".join(
        f"{path} × {weight:g}" if weights else path
        for path, weight in zip(runs, weights or [1.0] * len(runs), strict=True)
    )
    finish(
        run,
        result,
        words=f"{how}, of {told}",
    )
