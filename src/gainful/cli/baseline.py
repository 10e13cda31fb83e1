"""``gainful baseline``: baseline runs to compare a system with."""

from __future__ import annotations

from gainful.cli.command import Command

#: The baselines, in the order of the help.
KINDS = {
    "bm25": "gainful.cli.baseline_lexical:bm25",
    "tfidf": "gainful.cli.baseline_lexical:tfidf",
    "dense": "gainful.cli.baseline_dense:dense",
    "fuse": "gainful.cli.baseline_fuse:fuse",
    "random": "gainful.cli.baseline_orders:random",
    "oracle": "gainful.cli.baseline_orders:oracle",
}


@Command(
    commands=KINDS,
    kind="baseline",
    examples=(
        "gainful baseline bm25 corpus.jsonl queries.tsv -k 100 -o bm25.run",
        "gainful baseline bm25 corpus.jsonl queries.tsv --qrels qrels.txt",
        "gainful baseline dense docs.npy queries.npy --doc-ids docs.txt --query-ids q.txt -o d.run",
        "gainful baseline fuse bm25.run dense.run -o rrf.run",
        "gainful baseline oracle qrels.txt -o ideal.run",
    ),
)
def command() -> None:
    """Build a baseline run: BM25, TF-IDF, dense or fused.

    A random order and the ideal order are the lower and upper bound. With --qrels, the score is
    printed with its share of the achievable gain.
    """
