"""Systems that rank by weights of terms; what BM25 and TF-IDF have in common."""

from __future__ import annotations

from gainful.systems.lexical.analysis import Analyzer
from gainful.systems.lexical.collection import Collection
from gainful.systems.protocol import Answer, Query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    import numpy.typing as npt

    Floats = npt.NDArray[Any]

    from gainful.data.corpus import TextsLike

__all__ = ["TermWeights"]


class TermWeights:
    """A system that ranks documents by what the terms of the query weigh in them.

    Only documents with a term of the query are found. Equal scores stand by document id,
    descending on bytes, as the default convention has them, so that what the cut at `k` leaves out
    is settled, too.
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
        """Do nothing: there is nothing to let go of."""

    @property
    def words(self) -> str:
        """How it ranks, in one line for people."""
        raise NotImplementedError

    def _about(self, kind: str, **parameters: object) -> dict[str, object]:
        """Return the identity: what it is, with which parameters, of which corpus."""
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
        # Marked and looked for, which is faster than putting the lists in order.
        there = np.zeros(len(scores), dtype=np.bool_)
        for each in postings:
            there[each] = True
        found = np.flatnonzero(there)
        scores = scores[found]
        if len(scores) > k:
            least = np.partition(scores, len(scores) - k)[len(scores) - k]
            kept = scores >= least
            scores, found = scores[kept], found[kept]
        # Stable, and documents are numbered in the order that settles ties.
        order = np.argsort(-scores, kind="stable")[:k]
        documents = self.collection.documents
        return Answer([documents[at] for at in found[order].tolist()], scores[order].tolist())

    def _scores(self, numbers: list[int]) -> tuple[Floats, list[npt.NDArray[Any]]]:
        """Return the scores of all documents, and of each term the places of those that have it."""
        raise NotImplementedError
