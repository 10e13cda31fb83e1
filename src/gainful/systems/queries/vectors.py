"""Read vectors of queries from NumPy files, Parquet or memory."""

from __future__ import annotations

from collections.abc import Mapping
from os import fsdecode

from gainful.data.array_files import map_array, reading_parquet
from gainful.data.column_names import find_column, missing_column
from gainful.errors import (
    ArgumentError,
    ColumnError,
    FormatError,
    MatchError,
)
from gainful.extras import load_package
from gainful.quoting import names_shown

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
        ``.npy``: an array with one row per query, in order; Parquet with a column of query ids and
        one of lists of numbers; or ``{id: vector}``.
    queries : Queries
        The queries.

    Raises
    ------
    SourceError
        For a file that cannot be read.
    FormatError, ColumnError
        For an array of another shape, or numbers that are not finite.
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
            f"no vector ({len(missing)} of {len(queries)} queries have none)",
            where=name,
            query=missing[0],
        )
    return found


def _of_npy(name: str, queries: Queries) -> dict[str, Any]:
    import numpy as np

    array = map_array(name, "a file of vectors, .npy or .parquet")
    if getattr(array, "ndim", 0) != 2 or array.dtype.kind not in "fiu":
        shape = getattr(array, "shape", None)
        raise FormatError(
            file=name,
            found=f"an array of {getattr(array, 'dtype', 'several arrays')}, shape {shape}",
            expected="a two-dimensional array of numbers, with one row per query",
        )
    if len(array) != len(queries) or queries.repeated:
        duplicates = f" and {queries.repeated} with a duplicate id" if queries.repeated else ""
        raise FormatError(
            f"{len(array)} rows for {len(queries)} queries{duplicates}",
            file=name,
            hint="use Parquet with a column query_id to match vectors by id",
        )
    # Memory-mapped: rows are read on request.
    if not bool(np.isfinite(array).all()):
        row = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise FormatError("a number is not finite", file=name, where=f"row {row}")
    return {query: array[row] for row, query in enumerate(queries._queries)}


def _of_parquet(name: str) -> dict[str, Any]:
    parquet = load_package("pyarrow.parquet", where=name)
    with reading_parquet(name):
        return _by_id(name, parquet.read_table(name))


def _by_id(name: str, table: Any) -> dict[str, Any]:
    lists = [field.name for field in table.schema if "list" in str(field.type)]
    identifier = find_column(table.column_names, "query_id", name)
    if identifier is None:
        raise missing_column(table.column_names, "query_id", "query ids", name)
    if len(lists) != 1:
        raise ColumnError(
            file=name,
            found=f"lists in the columns {names_shown(lists)}" if lists else "no column of lists",
            expected=f"one among {names_shown(table.column_names)}",
        )
    ids = table.column(identifier).to_pylist()
    column = table.column(lists[0]).combine_chunks()
    return {str(query): column[at].as_py() for at, query in enumerate(ids)}
