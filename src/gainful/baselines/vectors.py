"""Vectors of documents and queries, and their exact nearest neighbors."""

from __future__ import annotations

import os
from collections import Counter

from gainful.data import Run
from gainful.data.array_files import map_array, reading_parquet
from gainful.data.column_names import find_column, missing_column
from gainful.data.corpus import each_document, read_queries
from gainful.data.text_files import text_lines
from gainful.errors import ArgumentError, ColumnError, FormatError
from gainful.packages import load_package
from gainful.parameters import COUNT
from gainful.parameters.searching import SIMILARITY
from gainful.references import refer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from os import PathLike
    from typing import Any, TypeAlias

    import numpy.typing as npt

    Path: TypeAlias = str | PathLike[str]

    Ids: TypeAlias = Sequence[str] | Path | None

    Floats: TypeAlias = npt.NDArray[Any]

    Matrix = npt.NDArray[Any]

__all__ = ["Vectors", "nearest"]


#: Rows per batch.
_BATCH = 8_192


class VectorColumns:
    """A column of ids, and a column of lists of numbers of equal length.

    Parameters
    ----------
    source : path or object with ``__arrow_c_stream__``
        The source. Parquet files are read in batches.
    name : str
        The name of the source, for messages.
    what : {"document", "query"}
        What the ids identify.

    Attributes
    ----------
    ids : list of str
        In the order of the rows.
    dimensions : int
        The length of the first list; all others must have the same.
    """

    def __init__(self, source: Any, name: str, what: str) -> None:
        self._name = name
        self._chunks: Callable[[], Iterator[Any]]
        if hasattr(source, "__arrow_c_stream__"):
            table = load_package("pyarrow", where="a data frame of vectors").table(source)
            id_column, column = self._named(table.schema.names, what)
            ids, vectors = table.column(id_column), table.column(column)
            self._chunks = lambda: (
                chunk
                for start in range(0, len(vectors), _BATCH)
                for chunk in vectors.slice(start, _BATCH).chunks
            )
        else:
            file = _opened(source)
            id_column, column = self._named(file.schema_arrow.names, what)
            with reading_parquet(name):
                ids = file.read(columns=[id_column]).column(0)
            self._chunks = lambda: _read(
                name, (batch.column(0) for batch in file.iter_batches(_BATCH, columns=[column]))
            )
        if ids.null_count:
            raise ColumnError(
                where=name, found=f"nulls in {id_column}", expected="an id in every row"
            )
        with reading_parquet(name):
            self.ids = [str(value) for value in ids.to_pylist()]
        first = next(iter(self._chunks()), None)
        vector = first[0].as_py() if first is not None and len(first) else None
        if self.ids and not (isinstance(vector, list) and vector):
            raise FormatError(where=name, found=f"no list in {column}", expected="lists of numbers")
        self.dimensions = len(vector) if vector else 1

    def arrays(self) -> Iterator[Any]:
        """Yield the vectors in batches, as two-dimensional arrays."""
        import numpy as np

        compute = load_package("pyarrow.compute", where=self._name)
        for chunk in self._chunks():
            lengths = compute.unique(compute.list_value_length(chunk)).to_pylist()
            flat = np.asarray(chunk.flatten().to_numpy(zero_copy_only=False))
            if lengths not in ([self.dimensions], []):
                raise FormatError(
                    where=self._name,
                    found="lists of different lengths, or nulls",
                    expected=f"{self.dimensions} numbers in each list, as in the first",
                )
            if flat.dtype.kind not in "fiu":
                raise FormatError(
                    where=self._name, found=f"lists of {flat.dtype}", expected="lists of numbers"
                )
            yield flat.reshape(len(chunk), self.dimensions)

    def _named(self, names: list[str], what: str) -> tuple[str, str]:
        """Return the names of the two columns."""
        runs_by_name = []
        for part, wanted in ((f"{what}.id", f"{what} ids"), ("vector", "vectors")):
            column = find_column(names, part, where=self._name)
            if column is None:
                raise missing_column(names, part, wanted, where=self._name)
            runs_by_name.append(column)
        return runs_by_name[0], runs_by_name[1]


def _opened(path: Any) -> Any:
    name = os.fspath(path)
    parquet = load_package("pyarrow.parquet", where=name)
    with reading_parquet(name):
        return parquet.ParquetFile(name)


def _read(name: str, chunks: Iterator[Any]) -> Iterator[Any]:
    while True:
        with reading_parquet(name):
            chunk = next(chunks, None)
        if chunk is None:
            return
        yield chunk


#: Maximum size of a block in bytes.
BLOCK = 32 * 2**20


class Vectors:
    """Vectors in the given order, each with an id.

    Parameters
    ----------
    source
        The path of a ``.npy`` file (axes: vector, component; memory-mapped) or of a Parquet file;
        an array; ``{id: vector}``; or an object with ``__arrow_c_stream__``. Parquet files and data
        frames have a column of ids as in a corpus, and a column of lists named vector, embedding or
        similar.
    ids : sequence of str or path, optional
        For arrays and ``.npy`` files: the ids in the order of the vectors, or a file with one id
        per line, or a corpus in JSON lines, CSV or TSV.
    what : {"document", "query"}
        What the ids identify.

    Attributes
    ----------
    ids : list of str
        In the order of the vectors.
    dimensions : int
        Number of components of a vector.

    Raises
    ------
    FormatError
        For values that are not finite numbers, or if ids and vectors differ in number.
    GainfulError
        For a Parquet file or data frame without pyarrow.
    """

    def __init__(self, source: Any, ids: Ids = None, what: str = "document") -> None:
        self._what = what
        self.ids: list[str] = []
        self.dimensions = 1
        self._name: str = f"the vectors of the {'queries' if what == 'query' else 'documents'}"
        self._array: Any = None
        self._columns: VectorColumns | None = None
        self._read(source, ids)
        if not self.ids:
            raise FormatError(where=self._name, found="none", expected="at least one")
        self._check_unique()

    def __len__(self) -> int:
        return len(self.ids)

    def blocks(self, rows: int | None = None) -> Iterator[tuple[int, Floats]]:
        """Yield blocks of vectors as float64, each with the position of its first."""
        import numpy as np

        most = rows or max(1, BLOCK // (8 * self.dimensions))
        position = 0
        for array in self._arrays():
            for start in range(0, len(array), most):
                block = np.asarray(array[start : start + most], dtype=np.float64)
                finite = np.isfinite(block).all(axis=1)
                if not finite.all():
                    bad = int(np.argmin(finite))
                    raise FormatError(
                        where=self.place(position + bad),
                        found="a component that is not finite",
                        expected="finite numbers",
                    )
                yield position, np.ascontiguousarray(block)
                position += len(block)

    def place(self, number: int) -> str:
        """Return the place of a vector, for messages."""
        return f"{self._name}, {self._what} {self.ids[number]!r}"

    def whole(self) -> Floats:
        """Return all vectors as one array of float64."""
        import numpy as np

        return np.concatenate([block for _, block in self.blocks()])

    def _arrays(self) -> Iterator[Any]:
        if self._columns is None:
            yield self._array
        else:
            yield from self._columns.arrays()

    # --- reading --------------------------------------------------------------------------------

    def _read(self, source: Any, ids: Ids) -> None:
        if isinstance(source, Vectors):
            self.ids, self.dimensions = source.ids, source.dimensions
            self._array, self._columns, self._name = source._array, source._columns, source._name
        elif isinstance(source, str) or hasattr(source, "__fspath__"):
            self._name = os.fspath(source)
            if self._name.lower().endswith((".parquet", ".pq")):
                self._check_no_ids(ids)
                self._read_columns(source)
            else:
                self._read_array(map_array(self._name, "a .npy or .parquet file"), ids)
        elif hasattr(source, "__arrow_c_stream__"):
            self._check_no_ids(ids)
            self._read_columns(source)
        elif hasattr(source, "items"):
            self._check_no_ids(ids)
            self._read_array(list(source.values()), [str(entry) for entry in source])
        else:
            self._read_array(source, ids)

    def _read_array(self, given: Any, ids: Ids) -> None:
        import numpy as np

        try:
            array = np.asanyarray(given)
        except ValueError:
            array = np.empty(0, dtype=object)
        # Booleans and text are not vectors.
        masked = bool(np.ma.is_masked(array))
        if array.ndim != 2 or array.dtype.kind not in "fiu" or not array.shape[1] or masked:
            shape = " × ".join(map(str, array.shape))
            raise FormatError(
                where=self._name,
                found=f"{'a masked' if masked else 'an'} array of {array.dtype} with shape"
                f" {shape or 'of a scalar'}",
                expected="a two-dimensional array of numbers, one vector per row",
            )
        self._array, self.dimensions = array, array.shape[1]
        if ids is None:
            raise ArgumentError(
                where=self._name,
                found="vectors without ids",
                expected=_wanted(self._what),
            )
        self.ids = _ids(ids, self._what)
        if len(self.ids) != len(array):
            raise FormatError(
                where=self._name,
                found=f"{len(array):,} vectors and {len(self.ids):,} ids",
                expected="one id per vector",
            )

    def _read_columns(self, source: Any) -> None:
        self._columns = VectorColumns(source, self._name, self._what)
        self.ids, self.dimensions = self._columns.ids, self._columns.dimensions

    # --- checks ---------------------------------------------------------------------------------

    def _check_no_ids(self, ids: Ids) -> None:
        if ids is not None:
            raise ArgumentError(
                where=self._name,
                found="ids for vectors that have their own",
                expected="ids only for arrays and .npy files",
            )

    def _check_unique(self) -> None:
        if len(set(self.ids)) == len(self.ids):
            return
        duplicate = next(name for name, count in Counter(self.ids).items() if count > 1)
        raise FormatError(
            where=f"{self._name}, {self._what} {duplicate!r}",
            found="several vectors",
            expected="one",
        )


def _wanted(what: str) -> str:
    name = f"{what}_ids"
    return f"{refer(name, python=name)}: the ids in the same order, or a file of ids"


def _ids(given: Sequence[str] | Path, what: str) -> list[str]:
    """Return ids in order, from a list or a file."""
    if not (isinstance(given, str) or hasattr(given, "__fspath__")):
        if not hasattr(given, "__iter__"):
            raise ArgumentError(
                where=f"{what}_ids", found=type(given).__name__, expected="a list of ids, or a file"
            )
        return [_id(identifier, what) for identifier in given]
    name = os.fspath(given)
    if name.lower().endswith((".jsonl", ".json", ".csv", ".tsv")):
        if what == "query":
            return list(read_queries(name).found)
        return [document for document, _ in each_document(name)]
    _, lines = text_lines(name)
    return [line for _, line in lines]


def _id(value: object, what: str) -> str:
    """Return an id as text; an integer becomes its decimal text."""
    if isinstance(value, str):
        return str(value)
    if hasattr(value, "__index__") and not isinstance(value, bool):
        return str(value.__index__())
    raise ArgumentError(
        where=f"{what}_ids", found=repr(value)[:80], expected="ids that are text or integers"
    )


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

    Notes
    -----
    `gainful.baselines.dense` has the other parameters. A matrix product finds candidates, but its
    rounding depends on the machine and on the position of a vector in its block. So the products of
    all vectors that could be among the first `k` are summed again, one by one. Equal vectors then
    have equal scores, whatever the blocks.
    """
    COUNT.check(k, "k")
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
    for start, block in corpus.blocks(rows):
        best.take(start, _unit(block) if cosine else _check_sizes(corpus, start, block), vectors)
        if progress is not None:
            progress(start + len(block), len(corpus))
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
            key=lambda index: documents[index].encode("utf-8", "surrogateescape"),
            reverse=True,
        )
        #: The rank of each document among equal scores.
        self.places = np.empty(len(documents), dtype=np.int64)
        self.places[order] = np.arange(len(documents))
        self.found = [np.empty(0, dtype=np.int64)] * queries
        self.scores = [np.empty(0)] * queries
        self.least = np.full(queries, -np.inf)

    def take(self, first: int, block: Matrix, queries: Matrix) -> None:
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
                nearest = np.partition(products, cut, axis=1)[:, cut]
            else:
                nearest = np.full(len(part), -np.inf)
            least = np.maximum(nearest, self.least[start : start + _QUERIES]) - margins
            for row in np.flatnonzero(products.max(axis=1) >= least).tolist():
                near = np.flatnonzero(products[row] >= least[row])
                exact = (block[near] * part[row]).sum(axis=1)
                self._merge(start + row, first + near, exact)

    def _merge(self, query: int, documents: Matrix, scores: Matrix) -> None:
        import numpy as np

        documents_known = np.concatenate([self.found[query], documents])
        scores = np.concatenate([self.scores[query], scores])
        order = np.lexsort((self.places[documents_known], -scores))[: self.k]
        self.found[query], self.scores[query] = documents_known[order], scores[order]
        if len(order) == self.k:
            self.least[query] = scores[order[-1]]

    def ranking(self, query: int) -> dict[str, float]:
        """Return the ranking of a query, best first."""
        documents, scores = self.found[query].tolist(), self.scores[query].tolist()
        return {
            self.documents[document]: score
            for document, score in zip(documents, scores, strict=True)
        }


def _check_sizes(vectors: Vectors, start: int, block: Matrix) -> Matrix:
    """Return the block if products with it cannot overflow."""
    import numpy as np

    sizes = np.abs(block).max(axis=1)
    worst = int(np.argmax(sizes))
    if sizes[worst] > _LARGEST:
        raise FormatError(
            where=vectors.place(start + worst),
            found=f"a component of size {sizes[worst]:.3g}",
            expected=f"at most {_LARGEST:g}, since larger products overflow",
            hint="the cosine has no such limit",
        )
    return block


def _unit(vectors: Matrix) -> Matrix:
    """Normalize vectors to length 1, except zero vectors."""
    import numpy as np

    # Squares of components above 1e154 overflow, and below 1e-162 underflow. Scaling by a power of
    # two prevents both and is exact.
    _, exponents = np.frexp(np.abs(vectors).max(axis=1, keepdims=True))
    scaled = np.ldexp(vectors, -exponents)
    lengths = np.sqrt((scaled * scaled).sum(axis=1, keepdims=True))
    unit: Matrix = scaled / np.where(lengths > 0, lengths, 1.0)
    return unit
