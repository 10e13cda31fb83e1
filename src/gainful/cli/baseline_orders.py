"""``gainful baseline random`` and ``oracle``: random and ideal order as runs."""

from __future__ import annotations

import click

from gainful.baselines import oracle as ideal
from gainful.baselines import random_order
from gainful.cli.arguments import examples
from gainful.cli.baseline_output import depth_option, finish, run_options
from gainful.cli.option_groups import Command, complete_files, option
from gainful.cli.runs import check_standard_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@click.command(
    cls=Command,
    short_help="Rank documents in random order, the lower bound.",
    epilog=examples(
        "gainful baseline random corpus.jsonl queries.tsv -o random.run",
        "gainful baseline random --judged qrels.txt --seed 7 -o random.run",
        "gainful baseline random --run bm25.run -o shuffled.run",
    ),
)
@click.argument("corpus", metavar="[CORPUS]", required=False, shell_complete=complete_files)
@click.argument("queries", metavar="[QUERIES]", required=False, shell_complete=complete_files)
@depth_option
@option(
    "--judged",
    metavar="QRELS",
    shell_complete=complete_files,
    help="Rank the judged documents of each query instead of a corpus.",
)
@option(
    "--run",
    "ranked",
    metavar="RUN",
    shell_complete=complete_files,
    help="Rank the documents of this run instead of a corpus.",
)
@option("--seed", type=int, default=0, metavar="N", help="Random seed.")
@run_options("random")
def random(
    corpus: str | None,
    queries: str | None,
    depth: int,
    judged: str | None,
    ranked: str | None,
    seed: int,
    **result: Any,
) -> None:
    """Rank documents in random order for each query.

    This is one sample of all orders. `gainful headroom` reports the exact mean over them.
    """
    check_standard_input(
        corpus or "", queries or "", judged or "", ranked or "", result["qrels"] or ""
    )
    reading = result["reading"]
    run = random_order(
        corpus,
        queries,
        depth,
        judged=reading.path_or_table(judged, "qrels") if judged else None,
        run=reading.path_or_table(ranked, "run") if ranked else None,
        seed=seed,
        name=result["name"],
    )
    of = f"the documents of {corpus or judged or ranked}"
    finish(
        run,
        result,
        words=f"{of} in random order (seed {seed})",
    )


@click.command(
    cls=Command,
    short_help="Rank documents in ideal order, the upper bound.",
    epilog=examples(
        "gainful baseline oracle qrels.txt -o ideal.run",
        "gainful baseline oracle qrels.txt --run bm25.run --depth 100 -o reranked.run",
    ),
)
@click.argument("judgments", metavar="QRELS", shell_complete=complete_files)
@depth_option
@option(
    "--run",
    "ranked",
    metavar="RUN",
    shell_complete=complete_files,
    help="Reorder the documents of this run: the upper bound of all re-rankers.",
)
@option(
    "--depth",
    "down_to",
    type=int,
    metavar="N",
    help="Number of documents of the run to reorder. Default: all.",
)
@run_options("oracle")
def oracle(
    judgments: str, depth: int, ranked: str | None, down_to: int | None, **result: Any
) -> None:
    """Rank the judged documents of QRELS, or those of a run, in ideal order."""
    check_standard_input(judgments, ranked or "", result["qrels"] or "")
    reading = result["reading"]
    run = ideal(
        reading.path_or_table(judgments, "qrels"),
        depth,
        run=reading.path_or_table(ranked, "run") if ranked else None,
        depth=down_to,
        name=result["name"],
    )
    of = f"the documents of {ranked}" if ranked else f"the judged documents of {judgments}"
    finish(
        run,
        result,
        words=f"{of} in ideal order",
    )
