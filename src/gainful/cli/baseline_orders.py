"""``gainful baseline random`` and ``oracle``: random and ideal order as runs."""

from __future__ import annotations

from gainful.baselines import oracle as ideal
from gainful.baselines import random_order
from gainful.cli.baseline_output import DEPTH, finish, run_options
from gainful.cli.command import Command
from gainful.parameters import Argument, File, Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.command import Values


@Command(
    Argument("corpus", metavar="[CORPUS]", required=False),
    Argument("queries", metavar="[QUERIES]", required=False),
    DEPTH,
    Parameter(
        "judged",
        File,
        metavar="QRELS",
        help="Rank the judged documents of each query instead of a corpus.",
    ),
    Parameter(
        "ranked",
        File,
        flags=("--run",),
        metavar="RUN",
        help="Rank the documents of this run instead of a corpus.",
    ),
    Parameter("seed", int, 0, help="Random seed."),
    run_options("random"),
    examples=(
        "gainful baseline random corpus.jsonl queries.tsv -o random.run",
        "gainful baseline random --judged qrels.txt --seed 7 -o random.run",
        "gainful baseline random --run bm25.run -o shuffled.run",
    ),
    summary="Rank documents in random order, the lower bound.",
)
def random(
    corpus: str | None,
    queries: str | None,
    depth: int,
    judged: str | None,
    ranked: str | None,
    seed: int,
    values: Values,
) -> None:
    """Rank documents in random order for each query.

    This is one sample of all orders. `gainful headroom` reports the exact mean over them.
    """
    reading = values.reading
    run = random_order(
        corpus,
        queries,
        depth,
        judged=reading.path_or_table(judged, "qrels") if judged else None,
        run=reading.path_or_table(ranked, "run") if ranked else None,
        seed=seed,
        name=values.name,
    )
    of = f"the documents of {corpus or judged or ranked}"
    finish(
        run,
        values,
        words=f"{of} in random order (seed {seed})",
    )


@Command(
    Argument("judgments", metavar="QRELS"),
    DEPTH,
    Parameter(
        "ranked",
        File,
        flags=("--run",),
        metavar="RUN",
        help="Reorder the documents of this run: the upper bound of all re-rankers.",
    ),
    Parameter(
        "down_to",
        int,
        flags=("--depth",),
        help="Number of documents of the run to reorder. Default: all.",
    ),
    run_options("oracle"),
    examples=(
        "gainful baseline oracle qrels.txt -o ideal.run",
        "gainful baseline oracle qrels.txt --run bm25.run --depth 100 -o reranked.run",
    ),
    summary="Rank documents in ideal order, the upper bound.",
)
def oracle(
    judgments: str, depth: int, ranked: str | None, down_to: int | None, values: Values
) -> None:
    """Rank the judged documents of QRELS, or those of a run, in ideal order."""
    reading = values.reading
    run = ideal(
        reading.path_or_table(judgments, "qrels"),
        depth,
        run=reading.path_or_table(ranked, "run") if ranked else None,
        depth=down_to,
        name=values.name,
    )
    of = f"the documents of {ranked}" if ranked else f"the judged documents of {judgments}"
    finish(
        run,
        values,
        words=f"{of} in ideal order",
    )
