"""The common base of BM25 and TF-IDF: systems that rank by term weights."""

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
