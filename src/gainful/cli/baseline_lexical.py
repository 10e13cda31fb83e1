"""``gainful baseline bm25`` and ``tfidf``: rankings by the words of query and document."""

from __future__ import annotations

import click

from gainful.baselines.answering import asked, check_k
from gainful.cli.arguments import complete_files, examples
from gainful.cli.baseline_output import depth_option, finish, run_options
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
    stemmer = click.option(
        "--stemmer",
        default="english",
        show_default=True,
        metavar="LANGUAGE",
        help="The Snowball stemmer that reduces words to their stem, or none.",
    )
    stopwords = click.option(
        "--stopwords",
        type=click.Choice(("english", "none")),
        default="english",
        show_default=True,
        help="Function words that are left out: Lucene's for English, or none.",
    )
    return stemmer(stopwords(command))


@click.command(
    short_help="Rank a corpus by BM25.",
    epilog=examples(
        "gainful baseline bm25 corpus.jsonl queries.tsv -k 100 -o bm25.run",
        "gainful baseline bm25 corpus/ queries.jsonl --k1 0.9 --b 0.4 --qrels qrels.txt",
    ),
)
@_corpus_and_queries
@depth_option
@click.option(
    "--k1", type=float, default=1.2, show_default=True, help="How slowly repeats saturate."
)
@click.option("--b", type=float, default=0.75, show_default=True, help="How much length counts.")
@click.option(
    "--method",
    default="lucene",
    show_default=True,
    help="The variant: lucene, robertson, atire, bm25l or bm25+.",
)
@click.option("--delta", type=float, default=0.5, show_default=True, help="Of bm25l and bm25+.")
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
    """Rank the documents of CORPUS for each of QUERIES by BM25.

    CORPUS is JSON lines, CSV, TSV, TREC markup, a zip of these or a BEIR folder; title and text are
    one text. QUERIES are TSV, CSV, JSON lines or TREC topics.
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
    short_help="Rank a corpus by TF-IDF and the cosine.",
    epilog=examples(
        "gainful baseline tfidf corpus.jsonl queries.tsv -k 100 -o tfidf.run",
        "gainful baseline tfidf docs.trec topics.txt --sublinear --qrels qrels.txt",
    ),
)
@_corpus_and_queries
@depth_option
@click.option("--sublinear", is_flag=True, help="Count a term 1 + ln(tf) instead of tf.")
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
    """Rank the documents of CORPUS for each of QUERIES by TF-IDF and the cosine.

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
    run = asked(system, sources[1], depth)
    collection = system.collection
    told = [f"{len(collection.documents):,} documents"]
    if collection.empty:
        told.append(f"{collection.empty:,} of which without a term")
    if collection.duplicates:
        told.append(f"{collection.duplicates:,} repeated and left out")
    finish(
        run,
        result,
        words=f"{system.words}. {', '.join(told)}",
        documents=len(collection.documents),
    )


def _or_none(word: str) -> str | None:
    return None if word == "none" else word
