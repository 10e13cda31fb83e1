"""BM25 and TF-IDF as systems, also from a description."""

from __future__ import annotations

import os
import re
from array import array
from functools import lru_cache
from hashlib import sha256
from threading import Lock
from warnings import catch_warnings, simplefilter

from gainful.data.corpus import each_document
from gainful.errors import ArgumentError, FormatError, ParameterError
from gainful.packages import load_package
from gainful.parameters.searching import BM25_METHOD, DELTA, K1, B
from gainful.systems.protocol import Answer, Query
from gainful.vocabulary import BM25_METHODS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    import numpy.typing as npt

    from gainful.data.corpus import TextsLike
    from gainful.systems.description.description import Description

    Floats = npt.NDArray[Any]

__all__ = ["BM25", "STOPWORDS", "TFIDF", "Analyzer", "TermWeights", "build", "corpus_paths"]


class Collection:
    """Documents as terms, in tie-breaking order: by id, descending on bytes.

    Parameters
    ----------
    corpus : path, several paths, mapping or Texts
        As in `gainful.data.corpus.read_documents`. Title and text are joined.
    analyzer : Analyzer
        The analyzer.

    Attributes
    ----------
    analyzer : Analyzer
        As given.
    documents : list of str
        The ids.
    terms : list of array
        The term numbers of each document, with repetitions.
    vocabulary : dict of str to int
        The number of each term.
    digest : str
        A fingerprint of ids and texts, independent of their order and file.
    duplicates : int
        The number of duplicate ids; the first record is kept.
    empty : int
        The number of documents without terms, which cannot be found.

    Raises
    ------
    FormatError
        For a corpus without documents.
    """

    def __init__(self, corpus: TextsLike, analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        self.vocabulary: dict[str, int] = {}
        self.duplicates = 0
        number, analyse = self.vocabulary.setdefault, analyzer.terms
        read: dict[str, array[int]] = {}
        sums = []
        for document, text in each_document(corpus):
            if document in read:
                self.duplicates += 1
                continue
            whole = f"{text.title} {text.text}" if text.title else text.text
            read[document] = array(
                "i", [number(term, len(self.vocabulary)) for term in analyse(whole)]
            )
            parts = (document, text.title, text.text)
            sums.append(sha256("\x1f".join(parts).encode("utf-8", "surrogateescape")).digest())
        if not read:
            raise FormatError("no documents", where="the corpus")
        self.documents = sorted(read, key=_bytes, reverse=True)
        self.terms = [read[document] for document in self.documents]
        self.empty = sum(not terms for terms in self.terms)
        self.digest = "sha256:" + sha256(b"".join(sorted(sums))).hexdigest()

    def numbers(self, text: str) -> list[int]:
        """Return the term numbers of a query, without unknown terms."""
        known = self.vocabulary
        return [known[term] for term in self.analyzer.terms(text) if term in known]


def _bytes(document: str) -> bytes:
    return document.encode("utf-8", "surrogateescape")


#: At least two letters, digits or underscores, as in scikit-learn and bm25s.
_WORD = re.compile(r"\b\w\w+\b")

#: The stop words of Lucene's English analyzer.
STOPWORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be but by for if in into is it no not of on or such that the their then"
        " there these they this to was will with",
    )
)

#: The number of cached words. Few words of a corpus are frequent, and many are unique.
_CACHE_SIZE = 1_000_000


class Analyzer:
    """An analyzer, the same for documents and queries.

    Words are runs of two or more letters, digits and underscores, in lower case.

    Parameters
    ----------
    stemmer : str, optional
        A Snowball stemmer, such as "english" or "german"; None for no stemming. Requires PyStemmer,
        of the extra ``baselines``.
    stopwords : "english", iterable of str, or None
        Words to remove before stemming: Lucene's 33 English stop words, the given ones, or none.

    Raises
    ------
    ParameterError
        For an unknown stemmer or list of words.
    GainfulError
        If PyStemmer is needed and not installed.

    Examples
    --------
    >>> Analyzer(stemmer=None).terms("The lamps under a bed")
    ['lamps', 'under', 'bed']
    """

    def __init__(
        self,
        stemmer: str | None = "english",
        stopwords: str | Iterable[str] | None = "english",
    ) -> None:
        self.stopwords: str | tuple[str, ...] | None
        removed: frozenset[str]
        if stopwords is None:
            self.stopwords, removed = None, frozenset()
        elif isinstance(stopwords, str):
            if stopwords != "english":
                raise ParameterError(
                    where="stopwords",
                    found=repr(stopwords),
                    expected="'english', a list of words, or None",
                )
            self.stopwords, removed = stopwords, STOPWORDS
        else:
            words = _words(stopwords)
            self.stopwords, removed = words, frozenset(words)
        self.stemmer = stemmer
        self._stem = None if stemmer is None else _stemmer(stemmer)
        self._terms: dict[str, str | None] = dict.fromkeys(removed)

    @property
    def identity(self) -> dict[str, object]:
        """The identity of the analyzer, as plain JSON values."""
        stopwords = self.stopwords
        return {
            "stemmer": self.stemmer,
            "stopwords": list(stopwords) if isinstance(stopwords, tuple) else stopwords,
        }

    @property
    def summary(self) -> str:
        """A short description."""
        stemmer = "no stemmer" if self.stemmer is None else f"Snowball stemmer for {self.stemmer}"
        if self.stopwords is None:
            return f"{stemmer}, no stop words"
        if self.stopwords == "english":
            return f"{stemmer}, {len(STOPWORDS)} English stop words removed"
        return f"{stemmer}, {len(self.stopwords)} stop words removed"

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text, in order, with repetitions."""
        known = self._terms
        terms = []
        for word in _WORD.findall(text.lower()):
            try:
                term = known[word]
            except KeyError:
                term = word if self._stem is None else self._stem(word)
                if len(known) < _CACHE_SIZE:
                    known[word] = term
            if term is not None:
                terms.append(term)
        return terms


def _words(given: Iterable[str]) -> tuple[str, ...]:
    try:
        words = list(given)
    except TypeError:
        words = [None]  # type: ignore[list-item]
    if not all(isinstance(word, str) for word in words):
        raise ArgumentError(
            where="stopwords", found=repr(given), expected="'english', a list of words, or None"
        )
    return tuple(sorted({word.lower() for word in words}))


def _stemmer(name: str):  # type: ignore[no-untyped-def]
    """Return a function that stems a word."""
    stemmers = load_package(
        "Stemmer", where=f"the stemmer {name!r}", package="PyStemmer", extra="baselines"
    )
    if name not in stemmers.algorithms():
        raise ParameterError(
            where="stemmer",
            found=repr(name),
            expected=f"None, or one of {', '.join(sorted(stemmers.algorithms()))}",
        )
    stemmer = stemmers.Stemmer(name)
    # A stemmer has state, so two threads must not use it at once.
    lock = Lock()

    def stem(word: str) -> str:
        with lock:
            reduced: str = stemmer.stemWord(word)
        return reduced

    return stem


class TermWeights:
    """A system that ranks documents by the weights of the query's terms.

    Only documents with a term of the query are found. Ties are ordered by document id, descending
    on bytes, as in the default convention, so the cut at `k` is deterministic.
    """

    asynchronous = False
    batch = 1

    name: str
    identity: dict[str, Any]

    def __init__(
        self,
        corpus: TextsLike | Collection,
        stemmer: str | None,
        stopwords: str | Iterable[str] | None,
    ) -> None:
        if isinstance(corpus, Collection):
            self.collection = corpus
        else:
            self.collection = Collection(corpus, Analyzer(stemmer, stopwords))

    def ask(self, queries: Sequence[Query], k: int) -> list[Answer]:
        """Answer each query with its first `k` documents."""
        return [self._answer(query.text, k) for query in queries]

    def close(self) -> None:
        """Do nothing."""

    @property
    def summary(self) -> str:
        """A description in one line."""
        raise NotImplementedError

    def _about(self, kind: str, **parameters: object) -> dict[str, object]:
        """Return the identity: kind, parameters and corpus."""
        collection = self.collection
        return {
            "engine": kind,
            **parameters,
            **collection.analyzer.identity,
            "corpus": collection.digest,
            "documents": len(collection.documents),
        }

    def _answer(self, text: str, k: int) -> Answer:
        numbers = self.collection.numbers(text)
        if not numbers:
            return Answer((), ())
        import numpy as np

        scores, postings = self._scores(numbers)
        # Marking the documents is faster than sorting the lists.
        matches = np.zeros(len(scores), dtype=np.bool_)
        for posting in postings:
            matches[posting] = True
        places = np.flatnonzero(matches)
        scores = scores[places]
        if len(scores) > k:
            least = np.partition(scores, len(scores) - k)[len(scores) - k]
            kept = scores >= least
            scores, places = scores[kept], places[kept]
        # A stable sort: documents are numbered in tie-breaking order.
        order = np.argsort(-scores, kind="stable")[:k]
        documents = self.collection.documents
        return Answer(
            [documents[place] for place in places[order].tolist()], scores[order].tolist()
        )

    def _scores(self, numbers: list[int]) -> tuple[Floats, list[npt.NDArray[Any]]]:
        """Return the scores of all documents, and the documents of each term."""
        raise NotImplementedError


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
        for parameter, value in ((K1, k1), (B, b), (DELTA, delta), (BM25_METHOD, method)):
            parameter.check(value)
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
        lists = [
            index["indices"][starts[place] : starts[place + 1]] for place in sorted(set(numbers))
        ]
        return self._index.get_scores_from_ids(numbers), lists


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
        terms = np.frombuffer(b"".join(term.tobytes() for term in collection.terms), np.int32)
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
        method=description.choice("method", BM25_METHODS, BM25_METHODS[0]),
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
