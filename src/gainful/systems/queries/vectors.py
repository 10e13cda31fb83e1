"""Vectors of queries, from NumPy's files, Parquet or memory."""

from __future__ import annotations

from collections.abc import Mapping
from os import fsdecode

from gainful.data.array_files import mapped_array, reading_parquet
from gainful.errors import (
    ArgumentError,
    ColumnError,
    FormatError,
    MatchError,
    SourceError,
)
from gainful.quoting import names_shown
from gainful.systems.queries.records import roles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.systems.queries.collection import Queries

__all__ = ["query_vectors"]


def query_vectors(vectors: Any, queries: Queries) -> Mapping[str, Any]:
    """Return the vector of each query.

    Parameters
    ----------
    vectors : path or mapping
        ``.npy``: an array of numbers with a row for each query, in their order; Parquet with a
        column of query ids and one of lists of numbers; or ``{id: vector}``.
    queries : Queries
        Whose they are.

    Raises
    ------
    SourceError
        For a file that cannot be read.
    FormatError, ColumnError
        For an array of another shape, and for numbers that are not finite.
    MatchError
        For a query without a vector.
    """
    if isinstance(vectors, Mapping):
        found, name = vectors, "vectors"
    elif isinstance(vectors, str) or hasattr(vectors, "__fspath__"):
        name = fsdecode(vectors)
        parquet = name.lower().endswith((".parquet", ".pq"))
        found = _of_parquet(name) if parquet else _of_npy(name, queries)
    else:
        raise ArgumentError(
            where="vectors", found=type(vectors).__name__, expected="a path, or {id: vector}"
        )
    missing = [query for query in queries._queries if query not in found]
    if missing:
        raise MatchError(
            where=name,
            query=missing[0],
            found=f"no vector, as for {len(missing)} of {len(queries)} queries",
            expected="one each",
        )
    return found


def _of_npy(name: str, queries: Queries) -> dict[str, Any]:
    import numpy as np

    array = mapped_array(name, "a file of vectors, .npy or .parquet")
    if getattr(array, "ndim", 0) != 2 or array.dtype.kind not in "fiu":
        shape = getattr(array, "shape", None)
        raise FormatError(
            file=name,
            found=f"an array of {getattr(array, 'dtype', 'several arrays')}, shape {shape}",
            expected="two dimensions of numbers: a row for each query",
        )
    if len(array) != len(queries) or queries.repeated:
        again = f" and {queries.repeated} that came again" if queries.repeated else ""
        raise FormatError(
            file=name,
            found=f"{len(array)} rows for {len(queries)} queries{again}",
            expected="a row for each, in their order",
            hint="Parquet with a column query_id says which vector is whose",
        )
    # In the memory of the file as long as nobody asks for a row.
    if not bool(np.isfinite(array).all()):
        row = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise FormatError(
            file=name,
            where=f"row {row}",
            found="a number that is not finite",
            expected="finite numbers",
        )
    return {query: array[row] for row, query in enumerate(queries._queries)}


def _of_parquet(name: str) -> dict[str, Any]:
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise SourceError(
            file=name,
            found="Parquet, and no pyarrow to read it",
            expected=".npy, or pyarrow",
            hint="pip install pyarrow",
        ) from None
    with reading_parquet(name):
        return _by_id(name, parquet.read_table(name))


def _by_id(name: str, table: Any) -> dict[str, Any]:
    lists = [field.name for field in table.schema if "list" in str(field.type)]
    identifier, _ = roles(table.column_names)
    if identifier is None or len(lists) != 1:
        raise ColumnError(
            file=name,
            found=f"the columns {names_shown(table.column_names)}",
            expected="one of query ids, such as query_id, and one of lists of numbers",
        )
    ids = table.column(identifier).to_pylist()
    column = table.column(lists[0]).combine_chunks()
    return {str(query): column[at].as_py() for at, query in enumerate(ids)}
