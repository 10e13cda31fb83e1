"""What a system is set beside: BM25, TF-IDF, vectors, fused runs, and the two ends of the scale.

A number says little about a system until one knows how hard the collection is. A random order is
the floor, the ideal order the ceiling, and BM25 what anybody has for nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from gainful.data import Run
    from gainful.data.corpus import TextsLike

__all__ = ["bm25", "tfidf"]


def bm25(
    corpus: TextsLike,
    queries: Any,
    k: int = 100,
    *,
    k1: float = 1.2,
    b: float = 0.75,
    method: str = "lucene",
    delta: float = 0.5,
    stemmer: str | None = "english",
    stopwords: str | Iterable[str] | None = "english",
    name: str = "bm25",
    progress: Callable[[int, int], object] | None = None,
) -> Run:
    """Rank a corpus by BM25.

    Parameters
    ----------
    corpus : path, several paths, mapping or Texts
        The documents: JSON lines, CSV, TSV, TREC markup, a zip of these, a BEIR folder, or
        ``{id: text}``; see `gainful.data.corpus.read_documents`. Title and text are one text.
    queries : path, mapping or Queries
        What is asked.
    k : int, default 100
        Documents of each query at most; those without any of its terms are not found.
    k1, b, method, delta, stemmer, stopwords, name
        As `gainful.systems.baselines.bm25.BM25` has them, with the formula.
    progress : callable, optional
        Called now and then with the queries done and their number.

    Returns
    -------
    Run

    Raises
    ------
    ParameterError
        For a parameter out of its range.
    GainfulError
        If the extra ``baselines`` is not installed, or a file cannot be read.

    Examples
    --------
    >>> import gainful
    >>> run = gainful.baselines.bm25("docs.jsonl", "queries.jsonl", k=10)
    >>> run
    <Run 'bm25': 6 queries, 17 documents>
    >>> gainful.evaluate("qrels.txt", run).summary("nDCG@10").value > 0.6
    True
    """
    from gainful.systems.baselines.answering import asked
    from gainful.systems.baselines.bm25 import BM25

    system = BM25(
        corpus,
        k1=k1,
        b=b,
        method=method,
        delta=delta,
        stemmer=stemmer,
        stopwords=stopwords,
        name=name,
    )
    return asked(system, queries, k, progress)


def tfidf(
    corpus: TextsLike,
    queries: Any,
    k: int = 100,
    *,
    sublinear: bool = False,
    stemmer: str | None = "english",
    stopwords: str | Iterable[str] | None = "english",
    name: str = "tfidf",
    progress: Callable[[int, int], object] | None = None,
) -> Run:
    """Rank a corpus by TF-IDF and the cosine.

    Parameters
    ----------
    corpus, queries, k, progress
        As `bm25` has them.
    sublinear, stemmer, stopwords, name
        As `gainful.systems.baselines.tfidf.TFIDF` has them, with the formula.

    Returns
    -------
    Run

    Raises
    ------
    GainfulError
        If there is a stemmer and the extra ``baselines`` is not installed, or a file cannot be
        read.

    Examples
    --------
    >>> import gainful
    >>> run = gainful.baselines.tfidf("docs.jsonl", "queries.jsonl", k=10)
    >>> run["q2"][0][0]
    'r09'
    """
    from gainful.systems.baselines.answering import asked
    from gainful.systems.baselines.tfidf import TFIDF

    system = TFIDF(corpus, sublinear=sublinear, stemmer=stemmer, stopwords=stopwords, name=name)
    return asked(system, queries, k, progress)
