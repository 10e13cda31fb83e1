"""Build baselines: BM25, TF-IDF, dense vectors, fused runs, random and ideal orders.

A score means little without knowing how hard the collection is. A random order is the lower bound,
the ideal order the upper bound, and BM25 a common baseline.
"""

from __future__ import annotations

from gainful.baselines.fusion import fuse_runs, order_ideally, run_queries, shuffle
from gainful.baselines.vectors import nearest
from gainful.keywords import suggest_keywords
from gainful.progress import Bar, show_progress
from gainful.systems.lexical import BM25, TFIDF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from gainful.baselines.vectors import Ids
    from gainful.data import Run
    from gainful.data.corpus import TextsLike
    from gainful.data.qrels import QrelsLike
    from gainful.data.run import RunLike
    from gainful.systems.queries.collection import QueriesLike

__all__ = ["bm25", "dense", "fuse", "oracle", "random_order", "tfidf"]


@show_progress(Bar)
@suggest_keywords
def bm25(
    corpus: TextsLike,
    queries: QueriesLike,
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
        The documents: JSON lines, CSV, TSV, TREC markup, a zip of these, a BEIR folder, a folder of
        text files, or ``{id: text}``; see `gainful.data.corpus.read_documents`. Title and text are
        joined.
    queries : path, mapping, iterable or Queries
        The queries; see `gainful.systems.Queries`.
    k : int, default 100
        Maximum number of documents per query. Documents without any of its terms are not returned.
    k1, b, method, delta, stemmer, stopwords, name
        As for `gainful.systems.lexical.BM25`, which has the formula.
    progress : callable, optional
        Called occasionally with (queries done, number of queries).

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
    return run_queries(system, queries, k, progress)


@show_progress(Bar)
@suggest_keywords
def tfidf(
    corpus: TextsLike,
    queries: QueriesLike,
    k: int = 100,
    *,
    sublinear: bool = False,
    stemmer: str | None = "english",
    stopwords: str | Iterable[str] | None = "english",
    name: str = "tfidf",
    progress: Callable[[int, int], object] | None = None,
) -> Run:
    """Rank a corpus by TF-IDF with cosine similarity.

    Parameters
    ----------
    corpus, queries, k, progress
        As for `bm25`.
    sublinear, stemmer, stopwords, name
        As for `gainful.systems.lexical.TFIDF`, which has the formula.

    Returns
    -------
    Run

    Raises
    ------
    GainfulError
        If stemming is on and the extra ``baselines`` is not installed, or a file cannot be read.

    Examples
    --------
    >>> import gainful
    >>> run = gainful.baselines.tfidf("docs.jsonl", "queries.jsonl", k=10)
    >>> run["q2"][0][0]
    'r09'
    """
    system = TFIDF(corpus, sublinear=sublinear, stemmer=stemmer, stopwords=stopwords, name=name)
    return run_queries(system, queries, k, progress)


@show_progress(Bar)
@suggest_keywords
def dense(
    documents: Any,
    queries: Any,
    k: int = 100,
    *,
    document_ids: Ids = None,
    query_ids: Ids = None,
    similarity: str = "dot",
    name: str = "dense",
    progress: Callable[[int, int], object] | None = None,
) -> Run:
    """Rank documents by your own vectors, with exact nearest neighbors.

    All documents are compared with each query, in blocks, without approximation. Equal scores are
    ordered by document id, as in the default convention.

    Parameters
    ----------
    documents, queries
        The vectors: the path of a ``.npy`` file (one vector per row) or of a Parquet file, an
        array, ``{id: vector}``, or a data frame. Parquet files and data frames have a column of ids
        as in a corpus, and a column of lists named vector, embedding or similar; they require
        pyarrow.
    k : int, default 100
        Number of documents per query.
    document_ids, query_ids : sequence of str or path, optional
        The ids of arrays and ``.npy`` files in the order of the vectors; or a file with one id per
        line, or the embedded corpus or queries (JSON lines, CSV, TSV).
    similarity : {"dot", "cosine"}
        The inner product, or the cosine. The cosine of a zero vector is 0.
    name : str
        The name of the run.
    progress : callable, optional
        Called with (documents done, number of documents).

    Returns
    -------
    Run
        With the similarities as scores, in float64.

    Raises
    ------
    FormatError
        For components that are not finite, or vectors of different dimensions.
    ArgumentError
        For an array without ids.

    Examples
    --------
    >>> import gainful
    >>> documents = {"d1": [1.0, 0.0], "d2": [0.6, 0.8], "d3": [0.0, 2.0]}
    >>> gainful.baselines.dense(documents, {"q1": [0.0, 1.0]}, k=2)["q1"]
    [('d3', 2.0), ('d2', 0.8)]
    >>> gainful.baselines.dense([[1, 0], [0, 1]], [[3, 4]], document_ids=["a", "b"],
    ...                         query_ids=["q"], similarity="cosine")["q"]
    [('b', 0.8), ('a', 0.6)]
    """
    return nearest(
        documents,
        queries,
        k,
        document_ids=document_ids,
        query_ids=query_ids,
        similarity=similarity,
        name=name,
        progress=progress,
    )


@suggest_keywords
def fuse(
    runs: Mapping[str, RunLike] | Sequence[RunLike],
    method: str = "rrf",
    k: int = 100,
    *,
    constant: float = 60.0,
    norm: str = "min-max",
    weights: Sequence[float] | Mapping[str, float] | None = None,
    depth: int | None = None,
    name: str | None = None,
) -> Run:
    """Fuse several runs into one.

    Parameters
    ----------
    runs : mapping of str to run, or sequence of runs
        Two or more runs. A query that is missing from some is fused from the others.
    method : {"rrf", "combsum", "combmnz"}
        Reciprocal rank fusion: Σ weight / (constant + rank), with ranks from 1 in the default
        convention's order. CombSUM: Σ weight × score, with scores normalized by `norm`. CombMNZ:
        CombSUM times the number of runs that contain the document.
    k : int, default 100
        Maximum number of documents per query.
    constant : float, default 60
        The constant of reciprocal rank fusion.
    norm : {"min-max", "z-score", "none"}
        The normalization of the scores of a query in a run. "min-max": (score - min) / (max - min),
        1 if all are equal. "z-score": (score - mean) / standard deviation (with n in the
        denominator), 0 if all are equal. "none": unchanged.
    weights : sequence or mapping of run names to float, optional
        The weights of the runs. Default: 1.
    depth : int, optional
        Number of documents of each run to use. Default: all.
    name : str, optional
        The name of the fused run. Default: `method`.

    Returns
    -------
    Run

    Raises
    ------
    ParameterError
        For fewer than two runs, or a parameter out of its range.
    FormatError
        For a run without scores, unless the method is ``rrf``.

    Notes
    -----
    A document that is missing from a run gets 0 from it. Under "z-score", 0 is the score of an
    average document and more than that of documents below the mean, so "min-max" is safer for long
    lists.

    References
    ----------
    G. V. Cormack, C. L. A. Clarke, S. Büttcher: Reciprocal rank fusion outperforms Condorcet and
    individual rank learning methods. SIGIR 2009. E. A. Fox, J. A. Shaw: Combination of multiple
    searches. TREC-2, 1993 (CombSUM and CombMNZ). J. H. Lee: Analyses of multiple evidence
    combination. SIGIR 1997 (min-max).

    Examples
    --------
    >>> import gainful
    >>> words, vectors = {"q": {"a": 9.0, "b": 4.0}}, {"q": {"b": 1.0, "c": 0.75, "a": 0.5}}
    >>> [document for document, _ in gainful.baselines.fuse([words, vectors])["q"]]
    ['b', 'a', 'c']
    >>> gainful.baselines.fuse([words, vectors], "combsum").to_dict()
    {'q': {'b': 1.0, 'a': 1.0, 'c': 0.5}}
    """
    return fuse_runs(
        runs,
        method,
        k,
        constant=constant,
        norm=norm,
        weights=weights,
        depth=depth,
        name=name,
    )


@suggest_keywords
def random_order(
    corpus: TextsLike | None = None,
    queries: QueriesLike | None = None,
    k: int = 100,
    *,
    judged: QrelsLike | None = None,
    run: RunLike | None = None,
    seed: int = 0,
    name: str = "random",
) -> Run:
    """Put documents in a random order, as a lower bound.

    This is one sample; its score varies with the seed. `headroom` computes the exact expected score
    of a random order.

    Parameters
    ----------
    corpus, queries
        The corpus, all of whose documents are ordered for each query, as for `bm25`.
    k : int, default 100
        Maximum number of documents per query.
    judged : judgments, optional
        Instead of a corpus: the judged documents of each query, or of each of `queries`.
    run : run, optional
        Instead of a corpus: the documents of a run for each query, or for each of `queries`.
    seed : int, default 0
        The random seed.
    name : str
        The name of the run.

    Returns
    -------
    Run
        A score is a hash of seed, query and document, from 0 to 1, so the order of two documents
        does not depend on the others.

    Raises
    ------
    ArgumentError
        Unless exactly one of corpus, judged and run is given.

    Examples
    --------
    >>> import gainful
    >>> gainful.baselines.random_order("docs.jsonl", "queries.jsonl", k=5)
    <Run 'random': 6 queries, 30 documents>
    >>> qrels = {"q1": {"a": 2, "b": 1, "c": 0}}
    >>> [list(gainful.baselines.random_order(judged=qrels, seed=seed).to_dict()["q1"])
    ...  for seed in (1, 2)]
    [...]
    """
    return shuffle(corpus, queries, k, judged=judged, run=run, seed=seed, name=name)


@suggest_keywords
def oracle(
    qrels: QrelsLike,
    k: int = 100,
    *,
    run: RunLike | None = None,
    depth: int | None = None,
    name: str = "oracle",
) -> Run:
    """Put documents in their ideal order, as an upper bound.

    Parameters
    ----------
    qrels : judgments
        Grades of documents. Grades of subtopics have no order that is best for all measures.
    k : int, default 100
        Maximum number of documents per query.
    run : run, optional
        The run whose documents are ordered, for judged queries: the upper bound for a re-ranker.
        Unjudged documents count as grade 0; equal grades keep the order of the run. Default: the
        judged documents, with equal grades ordered by id.
    depth : int, optional
        Number of documents of the run to order. Default: all.
    name : str
        The name of the run.

    Returns
    -------
    Run
        With the scores n, n-1, ... 1, without ties.

    Raises
    ------
    MatchError
        If the run has no judged query.

    Examples
    --------
    >>> import gainful
    >>> qrels = {"q1": {"a": 1, "b": 3, "c": 0}}
    >>> gainful.baselines.oracle(qrels)["q1"]
    [('b', 3.0), ('a', 2.0), ('c', 1.0)]
    >>> gainful.baselines.oracle(qrels, run={"q1": ["x", "a", "y"]})["q1"]
    [('a', 3.0), ('x', 2.0), ('y', 1.0)]
    """
    return order_ideally(qrels, k, run=run, depth=depth, name=name)
