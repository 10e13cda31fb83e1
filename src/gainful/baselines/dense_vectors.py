"""Find nearest neighbors by exact inner product, in blocks of documents."""

from __future__ import annotations

from gainful.baselines.answering import check_k
from gainful.baselines.vectors import Vectors
from gainful.data import Run
from gainful.errors import ArgumentError, FormatError
from gainful.parameters.baselines import SIMILARITY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    import numpy.typing as npt

    from gainful.baselines.vectors import Ids

    Floats = npt.NDArray[Any]

__all__ = ["nearest"]

#: Queries multiplied with a block of documents at once.
_QUERIES = 256

_EPSILON = 2.0**-52
#: Maximum size of a component; sums of products of larger ones may overflow.
_LARGEST = 1e150


def nearest(
    documents: Any,
    queries: Any,
    k: int = 100,
    *,
    document_ids: Ids = None,
    query_ids: Ids = None,
    similarity: str = "dot",
    name: str = "dense",
    rows: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Run:
    """Rank documents by the inner product of their vectors with each query's.

    Parameters
    ----------
    rows : int, optional
        Documents in memory at once; it does not affect the result.

    Notes
    -----
    `gainful.baselines.dense` has the other parameters. A matrix product finds candidates, but its
    rounding depends on the machine and on the position of a vector in its block. So the products of
    all vectors that could be among the first `k` are summed again, one by one. Equal vectors then
    have equal scores, whatever the blocks.
    """
    check_k(k)
    SIMILARITY.check(similarity)
    if type(name) is not str:
        raise ArgumentError(where="name", found=type(name).__name__, expected="text")
    corpus = Vectors(documents, document_ids)
    searched = Vectors(queries, query_ids, "query")
    if corpus.dimensions != searched.dimensions:
        raise FormatError(
            where="the vectors",
            found=f"{corpus.dimensions} dimensions of documents, {searched.dimensions} of queries",
            expected="the same number of dimensions",
        )
    cosine = similarity == "cosine"
    vectors = _unit(searched.whole()) if cosine else _check_sizes(searched, 0, searched.whole())
    best = _Nearest(corpus.ids, len(searched), k)
    for at, block in corpus.blocks(rows):
        best.take(at, _unit(block) if cosine else _check_sizes(corpus, at, block), vectors)
        if progress is not None:
            progress(at + len(block), len(corpus))
    return Run(
        {query: best.ranking(number) for number, query in enumerate(searched.ids)}, name=name
    )


class _Nearest:
    """The first k documents of each query so far."""

    def __init__(self, documents: list[str], queries: int, k: int) -> None:
        import numpy as np

        self.documents = documents
        self.k = k
        order = sorted(
            range(len(documents)),
            key=lambda at: documents[at].encode("utf-8", "surrogateescape"),
            reverse=True,
        )
        #: The rank of each document among equal scores.
        self.places = np.empty(len(documents), dtype=np.int64)
        self.places[order] = np.arange(len(documents))
        self.found = [np.empty(0, dtype=np.int64)] * queries
        self.scores = [np.empty(0)] * queries
        self.least = np.full(queries, -np.inf)

    def take(self, at: int, block: Floats, queries: Floats) -> None:
        """Merge a block of documents, starting at a position."""
        import numpy as np

        # An upper bound of the length of a vector, which does not overflow.
        root = block.shape[1] ** 0.5
        longest = float(np.abs(block).max()) * root
        for start in range(0, len(queries), _QUERIES):
            part = queries[start : start + _QUERIES]
            products = part @ block.T
            lengths = np.abs(part).max(axis=1) * root
            # Twice the error bound of either summation.
            margins = 4 * block.shape[1] * _EPSILON * lengths * longest
            if products.shape[1] > self.k:
                cut = products.shape[1] - self.k
                own = np.partition(products, cut, axis=1)[:, cut]
            else:
                own = np.full(len(part), -np.inf)
            least = np.maximum(own, self.least[start : start + _QUERIES]) - margins
            for row in np.flatnonzero(products.max(axis=1) >= least).tolist():
                near = np.flatnonzero(products[row] >= least[row])
                exact = (block[near] * part[row]).sum(axis=1)
                self._merge(start + row, at + near, exact)

    def _merge(self, query: int, documents: Floats, scores: Floats) -> None:
        import numpy as np

        found = np.concatenate([self.found[query], documents])
        scores = np.concatenate([self.scores[query], scores])
        order = np.lexsort((self.places[found], -scores))[: self.k]
        self.found[query], self.scores[query] = found[order], scores[order]
        if len(order) == self.k:
            self.least[query] = scores[order[-1]]

    def ranking(self, query: int) -> dict[str, float]:
        """Return the ranking of a query, best first."""
        found, scores = self.found[query].tolist(), self.scores[query].tolist()
        return {self.documents[at]: score for at, score in zip(found, scores, strict=True)}


def _check_sizes(vectors: Vectors, at: int, block: Floats) -> Floats:
    """Return the block if products with it cannot overflow.

    Raises
    ------
    FormatError
        For a component that is too large.
    """
    import numpy as np

    sizes = np.abs(block).max(axis=1)
    worst = int(np.argmax(sizes))
    if sizes[worst] > _LARGEST:
        raise FormatError(
            where=vectors.place(at + worst),
            found=f"a component of size {sizes[worst]:.3g}",
            expected=f"at most {_LARGEST:g}, since larger products overflow",
            hint="the cosine has no such limit",
        )
    return block


def _unit(vectors: Floats) -> Floats:
    """Normalize vectors to length 1, except zero vectors."""
    import numpy as np

    # Squares of components above 1e154 overflow, and below 1e-162 underflow. Scaling by a power of
    # two prevents both and is exact.
    _, exponents = np.frexp(np.abs(vectors).max(axis=1, keepdims=True))
    scaled = np.ldexp(vectors, -exponents)
    lengths = np.sqrt((scaled * scaled).sum(axis=1, keepdims=True))
    unit: Floats = scaled / np.where(lengths > 0, lengths, 1.0)
    return unit
