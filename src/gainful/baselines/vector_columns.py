"""Read vectors from a column of lists, in Parquet files and Arrow streams."""

from __future__ import annotations

import os

from gainful.data.array_files import reading_parquet
from gainful.data.column_names import find_column, missing_column
from gainful.errors import ColumnError, FormatError
from gainful.extras import load_package

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

__all__ = ["VectorColumns"]

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
            self.ids = [str(each) for each in ids.to_pylist()]
        first = next(iter(self._chunks()), None)
        vector = first[0].as_py() if first is not None and len(first) else None
        if self.ids and not (isinstance(vector, list) and vector):
            raise FormatError(where=name, found=f"no list in {column}", expected="lists of numbers")
        self.dimensions = len(vector) if vector else 1

    def arrays(self) -> Iterator[Any]:
        """Yield the vectors in batches, as two-dimensional arrays.

        Raises
        ------
        FormatError
            For lists of different lengths, nulls, and values that are not numbers.
        """
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
        found = []
        for part, wanted in ((f"{what}.id", f"{what} ids"), ("vector", "vectors")):
            column = find_column(names, part, where=self._name)
            if column is None:
                raise missing_column(names, part, wanted, where=self._name)
            found.append(column)
        return found[0], found[1]


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
