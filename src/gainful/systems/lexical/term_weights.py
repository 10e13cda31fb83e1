"""The common base of BM25 and TF-IDF: systems that rank by term weights."""

from __future__ import annotations

import re
from array import array
from hashlib import sha256
from threading import Lock

from gainful.data.corpus import each_document
from gainful.errors import ArgumentError, FormatError, ParameterError
from gainful.extras import load_package
from gainful.systems.protocol import Answer, Query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    import numpy.typing as npt

    from gainful.data.corpus import TextsLike

    Floats = npt.NDArray[Any]

__all__ = ["STOPWORDS", "Analyzer", "Collection", "TermWeights"]


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
        for each in postings:
            matches[each] = True
        found = np.flatnonzero(matches)
        scores = scores[found]
        if len(scores) > k:
            least = np.partition(scores, len(scores) - k)[len(scores) - k]
            kept = scores >= least
            scores, found = scores[kept], found[kept]
        # A stable sort: documents are numbered in tie-breaking order.
        order = np.argsort(-scores, kind="stable")[:k]
        documents = self.collection.documents
        return Answer([documents[at] for at in found[order].tolist()], scores[order].tolist())

    def _scores(self, numbers: list[int]) -> tuple[Floats, list[npt.NDArray[Any]]]:
        """Return the scores of all documents, and the documents of each term."""
        raise NotImplementedError
