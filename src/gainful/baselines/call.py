"""What a system is set beside: BM25, TF-IDF, vectors, fused runs, and the two ends of the scale.

A number says little about a system until one knows how hard the collection is. A random order is
the floor, the ideal order the ceiling, and BM25 what anybody has for nothing.
"""

from __future__ import annotations

from gainful.baselines.answering import asked
from gainful.baselines.dense_vectors import nearest
from gainful.baselines.fusion import fused
from gainful.baselines.orders import ideal, shuffled
from gainful.systems.lexical.bm25 import BM25
from gainful.systems.lexical.tfidf import TFIDF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from gainful.baselines.vectors import Ids
    from gainful.data import Run
    from gainful.data.corpus import TextsLike
    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.systems.queries.collection import QueriesLike

__all__ = ["bm25", "dense", "fuse", "oracle", "random_order", "tfidf"]


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
        The documents: JSON lines, CSV, TSV, TREC markup, a zip of these, a BEIR folder, or
        ``{id: text}``; see `gainful.data.corpus.read_documents`. Title and text are one text.
    queries : path, mapping, iterable or Queries
        What is asked; see `gainful.systems.Queries`.
    k : int, default 100
        Documents of each query at most; those without any of its terms are not found.
    k1, b, method, delta, stemmer, stopwords, name
        As `gainful.systems.lexical.bm25.BM25` has them, with the formula.
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
    queries: QueriesLike,
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
        As `gainful.systems.lexical.tfidf.TFIDF` has them, with the formula.

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
    system = TFIDF(corpus, sublinear=sublinear, stemmer=stemmer, stopwords=stopwords, name=name)
    return asked(system, queries, k, progress)


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
    """Rank documents by vectors of your own: the exact nearest to each query's.

    All documents are looked at, a block at a time; nothing is approximated. Equal scores stand by
    document id, as everywhere.

    Parameters
    ----------
    documents, queries
        The vectors: the path of a ``.npy`` file (one vector a row) or of a Parquet file, an array,
        ``{id: vector}``, or a data frame. Of Parquet and data frames the ids stand in a column as
        in a corpus, and the vectors in one of lists, called vector, embedding or the like; they
        need pyarrow.
    k : int, default 100
        Documents of each query.
    document_ids, query_ids : sequence of str or path, optional
        The ids of arrays and ``.npy`` files in the order of the vectors; a file of them has one a
        line, or is the corpus, or the queries, whose texts were embedded (JSON lines, CSV, TSV).
    similarity : {"dot", "cosine"}
        The inner product as it is, or of vectors of length 1; a vector of zeros has the cosine 0
        with all others.
    name : str
        What the run is called.
    progress : callable, optional
        Called with the documents done and their number.

    Returns
    -------
    Run
        With the products as scores, in float64.

    Raises
    ------
    FormatError
        For components that are not finite, or vectors that do not fit together.
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
    """Make one run of several.

    Parameters
    ----------
    runs : mapping of str to run, or sequence of runs
        Two or more, each whatever `Run` takes. A query that only some of them have is fused of
        these.
    method : {"rrf", "combsum", "combmnz"}
        Reciprocal ranks: Σ weight / (constant + rank), ranks from 1 in the default convention's
        order. CombSUM: Σ weight × score, scores made comparable by `norm`. CombMNZ: that times the
        number of runs that have the document.
    k : int, default 100
        Documents of each query at most.
    constant : float, default 60
        Of reciprocal ranks.
    norm : {"min-max", "z-score", "none"}
        How the scores of a query in a run are made comparable. "min-max": (score - least) /
        (greatest - least), 1 where all are equal; "z-score": (score - mean) / standard deviation
        (of the list itself, n in the denominator), 0 where all are equal; "none": as they are.
    weights : sequence or mapping of run names to float, optional
        How much each run counts; 1 without it.
    depth : int, optional
        Documents of each run that are used; all without it.
    name : str, optional
        What the fused run is called; `method` without it.

    Returns
    -------
    Run

    Raises
    ------
    ParameterError
        For fewer than two runs, or a parameter out of its range.
    FormatError
        For a run without scores, where these are to be added.

    Notes
    -----
    A document that a run does not have gets nothing from it. Under "z-score" that is as much as a
    document of mean score gets, and more than those below the mean, so that with lists of many
    documents "min-max" is the safer choice.

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
    return fused(
        runs,
        method,
        k,
        constant=constant,
        norm=norm,
        weights=weights,
        depth=depth,
        name=name,
    )


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
    """Put documents in a random order: the floor.

    One order is a draw, and its score varies with the seed. What a random order scores on average
    is computed exactly by `headroom`.

    Parameters
    ----------
    corpus, queries
        All documents of a corpus for each query; as `bm25` has them.
    k : int, default 100
        Documents of each query at most.
    judged : judgments, optional
        Instead of a corpus: the judged documents of each query, or of those of `queries`.
    run : run, optional
        Instead of a corpus: the documents that a run has for each query, or those of `queries`.
    seed : int, default 0
        Which order.
    name : str
        What the run is called.

    Returns
    -------
    Run
        A document's score is a hash of seed, query and document, from 0 to 1: the order of two
        documents does not depend on which others there are.

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
    return shuffled(corpus, queries, k, judged=judged, run=run, seed=seed, name=name)


def oracle(
    qrels: QrelsLike,
    k: int = 100,
    *,
    run: RunLike | None = None,
    depth: int | None = None,
    name: str = "oracle",
) -> Run:
    """Put documents in their ideal order: the ceiling.

    Parameters
    ----------
    qrels : judgments
        Grades of documents; not of subtopics, of which no order is the best for all measures.
    k : int, default 100
        Documents of each query at most.
    run : run, optional
        The best order of the documents that this run has, of judged queries: no re-ranker of it
        can do better. Unjudged documents count as grade 0; equal grades stay in the run's order.
        Without it, the judged documents, equal grades by id.
    depth : int, optional
        Documents of the run that are put in order; all without it.
    name : str
        What the run is called.

    Returns
    -------
    Run
        With the scores n, n-1, ... 1, so that nothing is tied.

    Raises
    ------
    MatchError
        If the run has none of the judged queries.

    Examples
    --------
    >>> import gainful
    >>> qrels = {"q1": {"a": 1, "b": 3, "c": 0}}
    >>> gainful.baselines.oracle(qrels)["q1"]
    [('b', 3.0), ('a', 2.0), ('c', 1.0)]
    >>> gainful.baselines.oracle(qrels, run={"q1": ["x", "a", "y"]})["q1"]
    [('a', 3.0), ('x', 2.0), ('y', 1.0)]
    """
    return ideal(qrels, k, run=run, depth=depth, name=name)
