"""``gainful baseline dense``: exact nearest neighbors of vectors."""

from __future__ import annotations

import click

from gainful.baselines import dense as ranked
from gainful.baselines.vectors import Vectors
from gainful.cli.arguments import examples
from gainful.cli.baseline_output import depth_option, finish, run_options
from gainful.cli.option_groups import Command, complete_files, option
from gainful.cli.runs import check_standard_input
from gainful.progress import Bar
from gainful.vocabulary import SIMILARITIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@click.command(
    cls=Command,
    short_help="Rank documents by vectors of your own.",
    epilog=examples(
        "gainful baseline dense docs.parquet queries.parquet -o dense.run",
        "gainful baseline dense docs.npy queries.npy --doc-ids corpus.jsonl --query-ids"
        " queries.jsonl --similarity cosine",
    ),
)
@click.argument("documents", metavar="DOCUMENTS", shell_complete=complete_files)
@click.argument("queries", metavar="QUERIES", shell_complete=complete_files)
@depth_option
@option(
    "--doc-ids",
    metavar="FILE",
    shell_complete=complete_files,
    help="The ids for a .npy file of documents: one per line, or the corpus in the same order.",
)
@option(
    "--query-ids",
    metavar="FILE",
    shell_complete=complete_files,
    help="The ids for a .npy file of queries: one per line, or the queries in the same order.",
)
@option(
    "--similarity",
    type=click.Choice(SIMILARITIES),
    default="dot",
    help="The inner product, or the cosine.",
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

    Both are two-dimensional .npy files with separate files of ids, or Parquet files with a column
    of ids and a column of lists, such as vector or embedding. The search is exact: it computes the
    similarity of every document.
    """
    check_standard_input(doc_ids or "", query_ids or "", result["qrels"] or "")
    vectors = Vectors(documents, doc_ids)
    with Bar() as progress:
        run = ranked(
            vectors,
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
        words=f"exact {product} of vectors with {vectors.dimensions:,} components."
        f" {len(vectors):,} documents",
        documents=len(vectors),
    )
