"""Read vectors with ids from arrays, ``.npy`` and Parquet files and data frames."""

from __future__ import annotations

import os
from collections import Counter

from gainful.baselines.vector_columns import VectorColumns
from gainful.data.array_files import map_array
from gainful.data.corpus import each_document, read_queries
from gainful.data.text_lines import text_lines
from gainful.errors import ArgumentError, FormatError
from gainful.references import refer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike
    from typing import Any, TypeAlias

    import numpy.typing as npt

    Path: TypeAlias = str | PathLike[str]
    Ids: TypeAlias = Sequence[str] | Path | None
    Floats: TypeAlias = npt.NDArray[Any]

__all__ = ["Vectors"]

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
        """Yield blocks of vectors as float64, each with the position of its first.

        Parameters
        ----------
        rows : int, optional
            Maximum number of vectors per block. Default: as many as fit into 32 MiB.

        Raises
        ------
        FormatError
            For a vector with a component that is not finite.
        """
        import numpy as np

        most = rows or max(1, BLOCK // (8 * self.dimensions))
        at = 0
        for array in self._arrays():
            for start in range(0, len(array), most):
                block = np.asarray(array[start : start + most], dtype=np.float64)
                finite = np.isfinite(block).all(axis=1)
                if not finite.all():
                    bad = int(np.argmin(finite))
                    raise FormatError(
                        where=self.place(at + bad),
                        found="a component that is not finite",
                        expected="finite numbers",
                    )
                yield at, np.ascontiguousarray(block)
                at += len(block)

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
            self._read_array(list(source.values()), [str(each) for each in source])
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
        return [_id(each, what) for each in given]
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
