"""``gainful baseline fuse``: fusion of several runs."""

from __future__ import annotations

from gainful.baselines import fuse as fused
from gainful.cli.baseline_output import DEPTH, finish, run_options
from gainful.cli.command import Command
from gainful.parameters import Argument, Parameter
from gainful.vocabulary import FUSIONS, SCORE_NORMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.command import Values


@Command(
    Argument("runs", metavar="RUN RUN...", repeatable=True),
    DEPTH,
    Parameter(
        "method",
        default="rrf",
        choices=FUSIONS,
        help="Reciprocal rank fusion; the sum of scores; or that sum times the number of runs with"
        " the document.",
    ),
    Parameter("constant", float, 60.0, metavar="X", help="The constant of rrf."),
    Parameter(
        "norm",
        default="min-max",
        choices=SCORE_NORMS,
        help="How scores are normalized per query and run.",
    ),
    Parameter(
        "weights",
        float,
        flags=("--weight",),
        metavar="W",
        repeatable=True,
        help="The weight of a run. Repeatable, in the order of the runs. Default: 1.",
    ),
    Parameter(
        "down_to",
        int,
        flags=("--depth",),
        help="Number of documents to use from each run. Default: all.",
    ),
    run_options("METHOD"),
    examples=(
        "gainful baseline fuse bm25.run dense.run -o rrf.run",
        "gainful baseline fuse bm25.run dense.run --method combsum --weight 1 --weight 2"
        " --qrels qrels.txt",
    ),
    summary="Fuse several runs by ranks or scores.",
)
def fuse(
    runs: tuple[str, ...],
    depth: int,
    method: str,
    constant: float,
    norm: str,
    weights: tuple[float, ...],
    down_to: int | None,
    values: Values,
) -> None:
    """Fuse several RUNs into one, by ranks or scores. Their formats may differ."""
    reading = values.reading
    name = method if values.name == "METHOD" else values.name
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
        values,
        words=f"{how}, of {fused_runs}",
    )
