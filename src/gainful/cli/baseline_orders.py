"""``gainful baseline random`` and ``oracle``: the floor and the ceiling as runs."""

from __future__ import annotations

import click

from gainful.baselines import oracle as ideal
from gainful.baselines import random_order
from gainful.cli.arguments import complete_files, examples
from gainful.cli.baseline_output import depth_option, finish, run_options
from gainful.cli.runs import check_standard_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@click.command(
    short_help="Put documents in a random order: the floor.",
    epilog=examples(
        "gainful baseline random corpus.jsonl queries.tsv -o random.run",
        "gainful baseline random --judged qrels.txt --seed 7 -o random.run",
        "gainful baseline random --run bm25.run -o shuffled.run",
    ),
)
@click.argument("corpus", metavar="[CORPUS]", required=False, shell_complete=complete_files)
@click.argument("queries", metavar="[QUERIES]", required=False, shell_complete=complete_files)
@depth_option
@click.option(
    "--judged",
    metavar="QRELS",
    shell_complete=complete_files,
    help="Instead of a corpus: what is judged for each query.",
)
@click.option(
    "--run",
    "ranked",
    metavar="RUN",
    shell_complete=complete_files,
    help="Instead of a corpus: what this run has for each query.",
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Which order.")
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
    """Put documents in a random order for each query.

    One order is a draw; `gainful headroom` tells what a random order scores on average.
    """
    check_standard_input(
        corpus or "", queries or "", judged or "", ranked or "", result["qrels"] or ""
    )
    reading = result["reading"]
    run = random_order(
        corpus,
        queries,
        depth,
        judged=reading.given(judged, "qrels") if judged else None,
        run=reading.given(ranked, "run") if ranked else None,
        seed=seed,
        name=result["name"],
    )
    of = f"the documents of {corpus}" if corpus else f"what {judged or ranked} has"
    finish(
        run,
        result,
        words=f"{of} in a random order (seed {seed})",
    )


@click.command(
    short_help="Put documents in their ideal order: the ceiling.",
    epilog=examples(
        "gainful baseline oracle qrels.txt -o ideal.run",
        "gainful baseline oracle qrels.txt --run bm25.run --depth 100 -o reranked.run",
    ),
)
@click.argument("judgments", metavar="QRELS", shell_complete=complete_files)
@depth_option
@click.option(
    "--run",
    "ranked",
    metavar="RUN",
    shell_complete=complete_files,
    help="The best order of what this run has, which no re-ranker of it can beat.",
)
@click.option(
    "--depth",
    "down_to",
    type=int,
    metavar="N",
    help="Documents of the run that are put in order; all without it.",
)
@run_options("oracle")
def oracle(
    judgments: str, depth: int, ranked: str | None, down_to: int | None, **result: Any
) -> None:
    """Put what QRELS judge in its ideal order, or what a run has."""
    check_standard_input(judgments, ranked or "", result["qrels"] or "")
    reading = result["reading"]
    run = ideal(
        reading.given(judgments, "qrels"),
        depth,
        run=reading.given(ranked, "run") if ranked else None,
        depth=down_to,
        name=result["name"],
    )
    of = f"what {ranked} has" if ranked else f"what {judgments} judges"
    finish(
        run,
        result,
        words=f"{of} in its ideal order",
    )
