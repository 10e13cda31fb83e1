"""BM25 and TF-IDF as systems, also from a description."""

from __future__ import annotations

import os
from functools import lru_cache
from warnings import catch_warnings, simplefilter

from gainful.errors import ArgumentError, ParameterError
from gainful.extras import load_package
from gainful.systems.lexical.term_weights import Analyzer, Collection, TermWeights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    import numpy.typing as npt

    from gainful.data.corpus import TextsLike
    from gainful.systems.description.description import Description

__all__ = ["BM25", "METHODS", "TFIDF", "build", "corpus_paths"]


#: The variants, named as in bm25s.
METHODS = ("lucene", "robertson", "atire", "bm25l", "bm25+")

#: The maximum of k1 and delta; larger values would lose precision.
GREATEST = 1e9

#: Variants that score documents for terms that they lack.
_SHIFTED = ("bm25l", "bm25+")


class BM25(TermWeights):
    """BM25 over a corpus, as a system.

    Parameters
    ----------
    corpus : path, several paths, mapping or Texts
        As in `gainful.data.corpus.read_documents`; title and text are joined.
    k1 : float, default 1.2
        How slowly the score saturates with repetitions of a term; 0 or more.
    b : float, default 0.75
        The degree of length normalization, from 0 to 1.
    method : {"lucene", "robertson", "atire", "bm25l", "bm25+"}
        The variant, as in bm25s.
    delta : float, default 0.5
        The parameter of bm25l and bm25+; 0 or more.
    stemmer, stopwords
        As in `Analyzer`.
    name : str
        The name of the run.

    Raises
    ------
    ParameterError
        For a parameter outside its range.
    GainfulError
        If the extra ``baselines`` is not installed.

    Notes
    -----
    In Lucene's variant the score is Σ idf(t) × tf / (tf + k1 (1 - b + b × length / mean length))
    over the terms t of the query, with repetitions, with
    idf(t) = ln(1 + (N - n + 0.5) / (n + 0.5)), where n of N documents have the term. Unlike in
    Lucene, lengths are exact. The defaults of k1 and b are those of Lucene, Elasticsearch,
    OpenSearch and Solr.

    References
    ----------
    X. H. Lù: BM25S: Orders of magnitude faster lexical search via eager sparse scoring. 2024,
    arXiv:2407.03618. C. Kamphuis, A. P. de Vries, L. Boytsov, J. Lin: Which BM25 Do You Mean? ECIR
    2020, describes the variants.

    Examples
    --------
    >>> from gainful.systems.protocol import Query
    >>> system = BM25("docs.jsonl")
    >>> answer = system.ask([Query("q2", "bread without yeast")], k=2)[0]
    >>> list(zip(answer.documents, [round(score, 3) for score in answer.scores]))
    [('r09', 3.039), ('r10', 0.936)]
    """

    def __init__(
        self,
        corpus: TextsLike | Collection,
        *,
        k1: float = 1.2,
        b: float = 0.75,
        method: str = "lucene",
        delta: float = 0.5,
        stemmer: str | None = "english",
        stopwords: str | Iterable[str] | None = "english",
        name: str = "bm25",
    ) -> None:
        _check("k1", k1, GREATEST)
        _check("b", b, 1)
        _check("delta", delta, GREATEST)
        if method not in METHODS:
            raise ParameterError(
                where="method", found=repr(method), expected=f"one of {', '.join(METHODS)}"
            )
        with catch_warnings():
            # In notebooks without widgets tqdm warns about bars, which are off here.
            simplefilter("ignore")
            bm25s = load_package("bm25s", where="BM25", extra="baselines")
        super().__init__(corpus, stemmer, stopwords)
        self.name = name
        self.k1, self.b, self.method, self.delta = float(k1), float(b), method, float(delta)
        parameters: dict[str, object] = {"k1": self.k1, "b": self.b, "method": method}
        if method in _SHIFTED:
            parameters["delta"] = self.delta
        self.identity = self._about("bm25", **parameters)
        self._index = None
        if self.collection.vocabulary:
            self._index = bm25s.BM25(k1=k1, b=b, method=method, delta=delta, dtype="float64")
            self._index.index(
                (self.collection.terms, self.collection.vocabulary),
                create_empty_token=False,
                show_progress=False,
            )

    @property
    def summary(self) -> str:
        """A description in one line."""
        delta = f", delta {self.delta:g}" if self.method in _SHIFTED else ""
        return (
            f"BM25 ({self.method}, k1 {self.k1:g}, b {self.b:g}{delta};"
            f" {self.collection.analyzer.summary})"
        )

    def _scores(self, numbers: list[int]) -> tuple[npt.NDArray[Any], list[npt.NDArray[Any]]]:
        assert self._index is not None  # otherwise no term would have a number
        index = self._index.scores
        starts = index["indptr"]
        lists = [index["indices"][starts[at] : starts[at + 1]] for at in sorted(set(numbers))]
        return self._index.get_scores_from_ids(numbers), lists


def _check(name: str, value: object, most: float) -> None:
    # NumPy's numbers are accepted, booleans are not.
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if number and 0 <= value <= most:  # type: ignore[operator]
        return
    upwards = most == GREATEST
    expected = "a number of 0 or more" if upwards else f"a number from 0 to {most:g}"
    raise ParameterError(where=name, found=repr(value), expected=expected)


class TFIDF(TermWeights):
    """TF-IDF over a corpus, as a system that ranks by cosine similarity.

    Parameters
    ----------
    corpus : path, several paths, mapping or Texts
        As in `gainful.data.corpus.read_documents`; title and text are joined.
    sublinear : bool, default False
        Whether a term that occurs tf times counts 1 + ln(tf), instead of tf.
    stemmer, stopwords
        As in `Analyzer`. Without a stemmer, no optional package is needed.
    name : str
        The name of the run.

    Notes
    -----
    The weight of a term is tf × (ln((1 + N) / (1 + n)) + 1), where n of N documents have it. The
    weights of a document or query are divided by their Euclidean norm; the score is the dot
    product, from 0 to 1. Query terms that no document has are removed first. These are the defaults
    of scikit-learn's `TfidfVectorizer` (``smooth_idf=True``, ``norm="l2"``); many variants exist.

    References
    ----------
    G. Salton, C. Buckley: Term-weighting approaches in automatic text retrieval. Information
    Processing & Management 24(5), 1988.

    Examples
    --------
    >>> from gainful.systems.protocol import Query
    >>> system = TFIDF("docs.jsonl", stemmer=None)
    >>> answer = system.ask([Query("q2", "bread without yeast")], k=2)[0]
    >>> list(zip(answer.documents, [round(score, 3) for score in answer.scores]))
    [('r09', 0.664), ('r08', 0.233)]
    """

    def __init__(
        self,
        corpus: TextsLike | Collection,
        *,
        sublinear: bool = False,
        stemmer: str | None = "english",
        stopwords: str | Iterable[str] | None = "english",
        name: str = "tfidf",
    ) -> None:
        if type(sublinear) is not bool:
            raise ArgumentError(where="sublinear", found=repr(sublinear), expected="True or False")
        super().__init__(corpus, stemmer, stopwords)
        self.name = name
        self.sublinear = sublinear
        self.identity = self._about("tfidf", sublinear=sublinear)
        self._weigh()

    @property
    def summary(self) -> str:
        """A description in one line."""
        tf = "1 + ln tf" if self.sublinear else "tf"
        return f"TF-IDF ({tf} × smooth idf, cosine; {self.collection.analyzer.summary})"

    def _weigh(self) -> None:
        """Create the posting lists: the documents of each term, ascending, with its weights."""
        import numpy as np

        collection = self.collection
        lengths = np.fromiter(map(len, collection.terms), np.int64, len(collection.terms))
        terms = np.frombuffer(b"".join(each.tobytes() for each in collection.terms), np.int32)
        documents = np.repeat(np.arange(len(lengths)), lengths)
        # Term and document as one number; sorted, these are the posting lists.
        both, tf = np.unique(terms * np.int64(len(lengths)) + documents, return_counts=True)
        term_of, self._documents = np.divmod(both, len(lengths))
        self._starts = np.searchsorted(term_of, np.arange(len(collection.vocabulary) + 1))
        frequency = np.diff(self._starts)
        self._idf = np.log((1 + len(lengths)) / (1 + frequency)) + 1
        weights = self._counted(tf) * self._idf[term_of]
        squares = np.bincount(self._documents, weights**2, len(lengths))
        self._weights = weights / np.sqrt(squares)[self._documents]

    def _counted(self, tf: npt.NDArray[Any]) -> npt.NDArray[Any]:
        import numpy as np

        return 1 + np.log(tf) if self.sublinear else tf.astype(np.float64)

    def _scores(self, numbers: list[int]) -> tuple[npt.NDArray[Any], list[npt.NDArray[Any]]]:
        import numpy as np

        terms, tf = np.unique(np.asarray(numbers), return_counts=True)
        weights = self._counted(tf) * self._idf[terms]
        weights /= np.sqrt(np.sum(weights**2))
        scores = np.zeros(len(self.collection.documents))
        lists = []
        for term, weight in zip(terms.tolist(), weights.tolist(), strict=True):
            postings = slice(self._starts[term], self._starts[term + 1])
            scores[self._documents[postings]] += weight * self._weights[postings]
            lists.append(self._documents[postings])
        return scores, lists


def build(description: Description) -> TermWeights:
    """Create the system of a description.

    Parameters
    ----------
    description : Description
        With ``corpus``, a path or a list of them, and parameters of `BM25` or `TFIDF`. TOML has no
        null, so ``"none"`` means no stemmer or no stop words.

    Raises
    ------
    FormatError, ParameterError
        For a parameter of the wrong type or outside its range.
    """
    analysis = {
        "stemmer": _or_none(description.text("stemmer", "english")),
        "stopwords": _stopwords(description),
    }
    collection = _collection(description, analysis)
    if description.engine == "tfidf":
        sublinear = description.flag("sublinear", False)
        return TFIDF(collection, sublinear=sublinear, name=description.name)
    return BM25(
        collection,
        k1=description.number("k1", 1.2),
        b=description.number("b", 0.75),
        method=description.choice("method", METHODS, "lucene"),
        delta=description.number("delta", 0.5),
        name=description.name,
    )


def _or_none(word: str) -> str | None:
    return None if word == "none" else word


def _stopwords(description: Description) -> str | tuple[str, ...] | None:
    if _is_list(description, "stopwords"):
        return tuple(description.texts("stopwords"))
    return _or_none(description.text("stopwords", "english"))


def _is_list(description: Description, key: str) -> bool:
    template = description.template(key)
    return template is not None and template.constant and isinstance(template.value(), list)


def _collection(description: Description, analysis: dict[str, Any]) -> Collection:
    """Return the documents of a description; a sweep reads them only once."""
    paths = corpus_paths(description)
    if all(os.path.isfile(path) for path in paths):
        states = tuple((stat.st_size, stat.st_mtime_ns) for stat in map(os.stat, paths))
        return _read(tuple(paths), states, **analysis)
    return _read.__wrapped__(tuple(paths), (), **analysis)


def corpus_paths(description: Description) -> list[str]:
    """Return the files of the corpus."""
    if _is_list(description, "corpus"):
        return [os.path.join(description.folder, path) for path in description.texts("corpus")]
    return [description.path("corpus")]


@lru_cache(maxsize=1)
def _read(
    paths: tuple[str, ...],
    states: tuple[tuple[int, int], ...],
    stemmer: str | None,
    stopwords: str | tuple[str, ...] | None,
) -> Collection:
    return Collection(list(paths), Analyzer(stemmer, stopwords))
