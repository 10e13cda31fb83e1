"""``gainful baseline dense``: exact nearest neighbors of vectors."""

from __future__ import annotations

from gainful.baselines import dense as ranked
from gainful.baselines.vectors import Vectors
from gainful.cli.baseline_output import DEPTH, finish, run_options
from gainful.cli.command import Command
from gainful.parameters import Argument, File, Parameter
from gainful.progress import Bar
from gainful.vocabulary import SIMILARITIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.command import Values


@Command(
    Argument("documents"),
    Argument("queries"),
    DEPTH,
    Parameter(
        "doc_ids",
        File,
        help="The ids for a .npy file of documents: one per line, or the corpus in the same order.",
    ),
    Parameter(
        "query_ids",
        File,
        help="The ids for a .npy file of queries: one per line, or the queries in the same order.",
    ),
    Parameter(
        "similarity", default="dot", choices=SIMILARITIES, help="The inner product, or the cosine."
    ),
    run_options("dense"),
    examples=(
        "gainful baseline dense docs.parquet queries.parquet -o dense.run",
        "gainful baseline dense docs.npy queries.npy --doc-ids corpus.jsonl --query-ids"
        " queries.jsonl --similarity cosine",
    ),
    summary="Rank documents by vectors of your own.",
)
def dense(
    documents: str,
    queries: str,
    depth: int,
    doc_ids: str | None,
    query_ids: str | None,
    similarity: str,
    values: Values,
) -> None:
    """Rank DOCUMENTS by the inner product of their vectors with those of QUERIES.

    Both are two-dimensional .npy files with separate files of ids, or Parquet files with a column
    of ids and a column of lists, such as vector or embedding. The search is exact: it computes the
    similarity of every document.
    """
    vectors = Vectors(documents, doc_ids)
    with Bar() as progress:
        run = ranked(
            vectors,
            queries,
            depth,
            query_ids=query_ids,
            similarity=similarity,
            name=values.name,
            progress=progress,
        )
    product = "cosine" if similarity == "cosine" else "inner product"
    finish(
        run,
        values,
        words=f"exact {product} of vectors with {vectors.dimensions:,} components."
        f" {len(vectors):,} documents",
        documents=len(vectors),
    )
