"""``gainful baseline bm25`` and ``tfidf``: lexical rankings."""

from __future__ import annotations

from gainful.baselines.fusion import check_k, run_queries
from gainful.cli.baseline_output import DEPTH, finish, run_options
from gainful.cli.command import Command
from gainful.parameters import Argument, Parameter
from gainful.systems.lexical import BM25, TFIDF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gainful.cli.command import Values
    from gainful.systems.lexical import TermWeights


CORPUS_AND_QUERIES = (Argument("corpus"), Argument("queries"))

ANALYSIS = (
    Parameter(
        "stemmer",
        default="english",
        metavar="LANGUAGE",
        help="The Snowball stemmer, or none.",
    ),
    Parameter(
        "stopwords",
        default="english",
        choices=("english", "none"),
        help="The stop words to remove: Lucene's English list, or none.",
    ),
)


@Command(
    CORPUS_AND_QUERIES,
    DEPTH,
    Parameter("k1", float, 1.2, metavar="X", help="Term frequency saturation."),
    Parameter("b", float, 0.75, metavar="X", help="Length normalization."),
    Parameter(
        "method",
        default="lucene",
        metavar="NAME",
        help="The variant: lucene, robertson, atire, bm25l or bm25+.",
    ),
    Parameter("delta", float, 0.5, metavar="X", help="The delta of bm25l and bm25+."),
    ANALYSIS,
    run_options("bm25"),
    examples=(
        "gainful baseline bm25 corpus.jsonl queries.tsv -k 100 -o bm25.run",
        "gainful baseline bm25 corpus/ queries.jsonl --k1 0.9 --b 0.4 --qrels qrels.txt",
    ),
    summary="Rank a corpus by BM25.",
)
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
    values: Values,
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
            name=values.name,
        ),
        (corpus, queries),
        depth,
        values,
    )


@Command(
    CORPUS_AND_QUERIES,
    DEPTH,
    Parameter("sublinear", bool, help="Use 1 + ln(tf) instead of tf as the term frequency."),
    ANALYSIS,
    run_options("tfidf"),
    examples=(
        "gainful baseline tfidf corpus.jsonl queries.tsv -k 100 -o tfidf.run",
        "gainful baseline tfidf docs.trec topics.txt --sublinear --qrels qrels.txt",
    ),
    summary="Rank a corpus by TF-IDF and cosine similarity.",
)
def tfidf(
    corpus: str,
    queries: str,
    depth: int,
    sublinear: bool,
    stemmer: str,
    stopwords: str,
    values: Values,
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
            name=values.name,
        ),
        (corpus, queries),
        depth,
        values,
    )


def _rank(
    make: Callable[[], TermWeights], sources: tuple[str, str], depth: int, values: Values
) -> None:
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
        values,
        words=f"{system.summary}. {', '.join(parts)}",
        documents=len(collection.documents),
    )


def _or_none(word: str) -> str | None:
    return None if word == "none" else word
