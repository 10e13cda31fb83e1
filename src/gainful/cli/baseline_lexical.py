"""``gainful baseline bm25`` and ``tfidf``: lexical rankings."""

from __future__ import annotations

import click

from gainful.baselines.answering import check_k, run_queries
from gainful.cli.arguments import examples
from gainful.cli.baseline_output import depth_option, finish, run_options
from gainful.cli.option_groups import Command as Grouped
from gainful.cli.option_groups import complete_files, option
from gainful.cli.runs import check_standard_input
from gainful.systems.lexical.bm25 import BM25
from gainful.systems.lexical.tfidf import TFIDF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from gainful.systems.lexical.term_weights import TermWeights

    Command = TypeVar("Command", bound=Callable[..., Any])


def _corpus_and_queries(command: Command) -> Command:
    corpus = click.argument("corpus", metavar="CORPUS", shell_complete=complete_files)
    queries = click.argument("queries", metavar="QUERIES", shell_complete=complete_files)
    return corpus(queries(command))


def _analysis(command: Command) -> Command:
    stemmer = option(
        "--stemmer",
        default="english",
        metavar="LANGUAGE",
        help="The Snowball stemmer, or none.",
    )
    stopwords = option(
        "--stopwords",
        type=click.Choice(("english", "none")),
        default="english",
        help="The stop words to remove: Lucene's English list, or none.",
    )
    return stemmer(stopwords(command))


@click.command(
    cls=Grouped,
    short_help="Rank a corpus by BM25.",
    epilog=examples(
        "gainful baseline bm25 corpus.jsonl queries.tsv -k 100 -o bm25.run",
        "gainful baseline bm25 corpus/ queries.jsonl --k1 0.9 --b 0.4 --qrels qrels.txt",
    ),
)
@_corpus_and_queries
@depth_option
@option("--k1", type=float, default=1.2, metavar="X", help="Term frequency saturation.")
@option("--b", type=float, default=0.75, metavar="X", help="Length normalization.")
@option(
    "--method",
    default="lucene",
    metavar="NAME",
    help="The variant: lucene, robertson, atire, bm25l or bm25+.",
)
@option("--delta", type=float, default=0.5, metavar="X", help="The delta of bm25l and bm25+.")
@_analysis
@run_options("bm25")
def bm25(
    corpus: str,
    queries: str,
    depth: int,
    k1: float,
    b: float,
    method: str,
    delta: float,
    stemmer: str,
    stopwords: str,
    **result: Any,
) -> None:
    """Rank the documents of CORPUS for each query in QUERIES by BM25.

    CORPUS is JSON lines, CSV, TSV, TREC markup, a zip of these, a BEIR folder or a folder of text
    files; title and text are concatenated. QUERIES are TSV, CSV, JSON lines or TREC topics.
    """
    _rank(
        lambda: BM25(
            corpus,
            k1=k1,
            b=b,
            method=method,
            delta=delta,
            stemmer=_or_none(stemmer),
            stopwords=_or_none(stopwords),
            name=result["name"],
        ),
        (corpus, queries),
        depth,
        result,
    )


@click.command(
    cls=Grouped,
    short_help="Rank a corpus by TF-IDF and cosine similarity.",
    epilog=examples(
        "gainful baseline tfidf corpus.jsonl queries.tsv -k 100 -o tfidf.run",
        "gainful baseline tfidf docs.trec topics.txt --sublinear --qrels qrels.txt",
    ),
)
@_corpus_and_queries
@depth_option
@option("--sublinear", is_flag=True, help="Use 1 + ln(tf) instead of tf as the term frequency.")
@_analysis
@run_options("tfidf")
def tfidf(
    corpus: str,
    queries: str,
    depth: int,
    sublinear: bool,
    stemmer: str,
    stopwords: str,
    **result: Any,
) -> None:
    """Rank the documents of CORPUS for each query in QUERIES by TF-IDF and cosine similarity.

    The weights are those of scikit-learn's TfidfVectorizer.
    """
    _rank(
        lambda: TFIDF(
            corpus,
            sublinear=sublinear,
            stemmer=_or_none(stemmer),
            stopwords=_or_none(stopwords),
            name=result["name"],
        ),
        (corpus, queries),
        depth,
        result,
    )


def _rank(
    make: Callable[[], TermWeights], sources: tuple[str, str], depth: int, result: dict[str, Any]
) -> None:
    check_standard_input(*sources, result["qrels"] or "")
    check_k(depth)
    system = make()
    run = run_queries(system, sources[1], depth)
    collection = system.collection
    parts = [f"{len(collection.documents):,} documents"]
    if collection.empty:
        parts.append(f"{collection.empty:,} of them without terms")
    if collection.duplicates:
        parts.append(f"{collection.duplicates:,} duplicates skipped")
    finish(
        run,
        result,
        words=f"{system.summary}. {', '.join(parts)}",
        documents=len(collection.documents),
    )


def _or_none(word: str) -> str | None:
    return None if word == "none" else word
