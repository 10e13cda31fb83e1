"""``gainful baseline dense``: the nearest vectors."""

from __future__ import annotations

import click

from gainful.baselines import dense as ranked
from gainful.baselines.vectors import Vectors
from gainful.cli.arguments import complete_files, examples
from gainful.cli.baseline_output import depth_option, finish, run_options
from gainful.cli.progress import Progress
from gainful.cli.runs import check_standard_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@click.command(
    short_help="Rank documents by vectors that you bring.",
    epilog=examples(
        "gainful baseline dense docs.parquet queries.parquet -o dense.run",
        "gainful baseline dense docs.npy queries.npy --doc-ids corpus.jsonl --query-ids"
        " queries.jsonl --similarity cosine",
    ),
)
@click.argument("documents", metavar="DOCUMENTS", shell_complete=complete_files)
@click.argument("queries", metavar="QUERIES", shell_complete=complete_files)
@depth_option
@click.option(
    "--doc-ids",
    metavar="FILE",
    shell_complete=complete_files,
    help="The ids of a .npy file of documents, one a line; or the corpus in the same order.",
)
@click.option(
    "--query-ids",
    metavar="FILE",
    shell_complete=complete_files,
    help="The ids of a .npy file of queries, one a line; or the queries in the same order.",
)
@click.option(
    "--similarity",
    type=click.Choice(("dot", "cosine")),
    default="dot",
    show_default=True,
    help="The inner product as it is, or of vectors of length 1.",
)
@run_options("dense")
def dense(
    documents: str,
    queries: str,
    depth: int,
    doc_ids: str | None,
    query_ids: str | None,
    similarity: str,
    **result: Any,
) -> None:
    """Rank DOCUMENTS by the inner product of their vectors with those of QUERIES.

    Both are .npy files of two axes, with their ids in files of their own, or Parquet files with a
    column of ids and one of lists called vector, embedding or the like. Every document is looked
    at, and nothing is approximated.
    """
    check_standard_input(doc_ids or "", query_ids or "", result["qrels"] or "")
    held = Vectors(documents, doc_ids)
    with Progress() as progress:
        run = ranked(
            held,
            queries,
            depth,
            query_ids=query_ids,
            similarity=similarity,
            name=result["name"],
            progress=progress,
        )
    product = "cosine" if similarity == "cosine" else "inner product"
    finish(
        run,
        result,
        words=f"exact {product} of vectors of {held.dimensions:,} components."
        f" {len(held):,} documents",
        documents=len(held),
    )
