"""Nearest neighbours by exact inner product, a block of documents at a time."""

from __future__ import annotations

from gainful.baselines.answering import check_k
from gainful.baselines.vectors import Vectors
from gainful.data import Run
from gainful.errors import ArgumentError, FormatError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    import numpy.typing as npt

    from gainful.baselines.vectors import Ids

    Floats = npt.NDArray[Any]

__all__ = ["nearest"]

SIMILARITIES = ("dot", "cosine")

#: Queries that are multiplied with a block of documents at once.
_QUERIES = 256

_EPSILON = 2.0**-52
#: Components whose products are numbers, also when all of a vector are added.
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
        Documents that are held at once; it changes nothing but the memory.

    Notes
    -----
    `gainful.baselines.dense` has the other parameters. A product of matrices finds candidates; how
    it rounds depends on the machine and on where a vector stands in its block. Whatever could be
    among the first `k` in spite of that is summed once more, each product by itself, so that equal
    vectors have equal scores and blocks do not matter.
    """
    check_k(k)
    if similarity not in SIMILARITIES:
        raise ParameterError(
            where="similarity", found=repr(similarity), expected=" or ".join(SIMILARITIES)
        )
    if type(name) is not str:
        raise ArgumentError(where="name", found=type(name).__name__, expected="text")
    held = Vectors(documents, document_ids)
    asked = Vectors(queries, query_ids, "query")
    if held.dimensions != asked.dimensions:
        raise FormatError(
            where="the vectors",
            found=f"{held.dimensions} components of documents and {asked.dimensions} of queries",
            expected="as many",
        )
    cosine = similarity == "cosine"
    wanted = _unit(asked.whole()) if cosine else _multiplied(asked, 0, asked.whole())
    kept = _Kept(held.ids, len(asked), k)
    for at, block in held.blocks(rows):
        kept.take(at, _unit(block) if cosine else _multiplied(held, at, block), wanted)
        if progress is not None:
            progress(at + len(block), len(held))
    return Run({query: kept.ranking(number) for number, query in enumerate(asked.ids)}, name=name)


class _Kept:
    """The first k documents of each query, of those that were met."""

    def __init__(self, documents: list[str], queries: int, k: int) -> None:
        import numpy as np

        self.documents = documents
        self.k = k
        order = sorted(
            range(len(documents)),
            key=lambda at: documents[at].encode("utf-8", "surrogateescape"),
            reverse=True,
        )
        #: The place of each document among equal scores.
        self.places = np.empty(len(documents), dtype=np.int64)
        self.places[order] = np.arange(len(documents))
        self.found = [np.empty(0, dtype=np.int64)] * queries
        self.scores = [np.empty(0)] * queries
        self.least = np.full(queries, -np.inf)

    def take(self, at: int, block: Floats, queries: Floats) -> None:
        """Look at a block of documents, the first of which stands at a place."""
        import numpy as np

        # No vector is longer than this, and neither of them leaves the range of numbers.
        root = block.shape[1] ** 0.5
        longest = float(np.abs(block).max()) * root
        for start in range(0, len(queries), _QUERIES):
            part = queries[start : start + _QUERIES]
            products = part @ block.T
            lengths = np.abs(part).max(axis=1) * root
            # Twice the bound of what either way of summing can be off.
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
        """Return what is kept for a query, the best first."""
        found, scores = self.found[query].tolist(), self.scores[query].tolist()
        return {self.documents[at]: score for at, score in zip(found, scores, strict=True)}


def _multiplied(vectors: Vectors, at: int, block: Floats) -> Floats:
    """Return a block as it is, if products with it are numbers.

    Raises
    ------
    FormatError
        For a component so large that they may not be.
    """
    import numpy as np

    sizes = np.abs(block).max(axis=1)
    worst = int(np.argmax(sizes))
    if sizes[worst] > _LARGEST:
        raise FormatError(
            where=vectors.place(at + worst),
            found=f"a component of the size {sizes[worst]:.3g}",
            expected=f"at most {_LARGEST:g}, for products beyond 1e308 are no numbers",
            hint="the cosine has no such bound",
        )
    return block


def _unit(vectors: Floats) -> Floats:
    """Return vectors of length 1; one of length 0 stays as it is."""
    import numpy as np

    # The squares of components beyond 1e154 are no numbers, and those below 1e-162 are nothing. A
    # power of two puts them in reach and changes no digit.
    _, exponents = np.frexp(np.abs(vectors).max(axis=1, keepdims=True))
    scaled = np.ldexp(vectors, -exponents)
    lengths = np.sqrt((scaled * scaled).sum(axis=1, keepdims=True))
    unit: Floats = scaled / np.where(lengths > 0, lengths, 1.0)
    return unit
