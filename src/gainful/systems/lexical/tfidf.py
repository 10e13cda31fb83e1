"""TF-IDF with cosine similarity, as in scikit-learn."""

from __future__ import annotations

from gainful.errors import ArgumentError
from gainful.systems.lexical.term_weights import TermWeights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    import numpy.typing as npt

    from gainful.data.corpus import TextsLike
    from gainful.systems.lexical.collection import Collection

__all__ = ["TFIDF"]


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
