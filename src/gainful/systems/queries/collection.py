"""The queries of a search, from files and objects."""

from __future__ import annotations

from collections.abc import Mapping
from os import fsdecode

from gainful.data.array_files import map_array, reading_parquet
from gainful.data.column_names import find_column, missing_column
from gainful.data.records import has_lone_surrogate
from gainful.errors import (
    ArgumentError,
    ColumnError,
    DuplicateError,
    FormatError,
    MatchError,
    UnknownQueryError,
)
from gainful.packages import load_package
from gainful.quoting import names_shown
from gainful.systems.protocol import Query
from gainful.systems.queries.files import identifier_of, query_of_value, read, rows_of_frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike
    from typing import Any, TypeAlias

    from gainful.data import Qrels

    Path: TypeAlias = str | PathLike[str]

    QueriesLike: TypeAlias = Path | Mapping[Any, Any] | Iterable[Any] | Qrels | "Queries"

__all__ = ["Queries"]


def query_vectors(vectors: Any, queries: Queries) -> Mapping[str, Any]:
    """Return the vector of each query."""
    if isinstance(vectors, Mapping):
        source, name = vectors, "vectors"
    elif isinstance(vectors, str) or hasattr(vectors, "__fspath__"):
        name = fsdecode(vectors)
        parquet = name.lower().endswith((".parquet", ".pq"))
        source = _of_parquet(name) if parquet else _of_npy(name, queries)
    else:
        raise ArgumentError(
            where="vectors", found=type(vectors).__name__, expected="a path, or {id: vector}"
        )
    missing = [query for query in queries._queries if query not in source]
    if missing:
        raise MatchError(
            f"no vector ({len(missing)} of {len(queries)} queries have none)",
            where=name,
            query=missing[0],
        )
    return source


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
        table = parquet.read_table(name)
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
    return {str(query): column[index].as_py() for index, query in enumerate(ids)}


class Queries:
    r"""Queries in order, without duplicates.

    Parameters
    ----------
    queries : iterable of Query
        Duplicate ids must have the same text and fields; the first is kept.
    source : str, optional
        The file.

    Attributes
    ----------
    source : str or None
        As given.
    repeated : int
        The number of duplicates.

    Raises
    ------
    DuplicateError
        For a duplicate id with another text or other fields.
    FormatError
        For an empty id or text.

    Examples
    --------
    >>> queries = Queries.of({"q1": "lentil soup", "q2": {"text": "bread", "locale": "de"}})
    >>> queries
    <Queries: 2>
    >>> queries["q2"]
    Query(id='q2', text='bread', fields={'locale': 'de'})
    >>> [query.id for query in Queries.of(["tomato soup", "bread"])]
    ['tomato soup', 'bread']
    """

    def __init__(self, queries: Iterable[Query], *, source: str | None = None) -> None:
        self._queries: dict[str, Query] = {}
        self._vectors: Mapping[str, Any] | None = None
        self.source = source
        self.repeated = 0
        for query in queries:
            self._add(query)

    @classmethod
    def of(
        cls, queries: QueriesLike, *, vectors: Path | Mapping[str, Any] | None = None
    ) -> Queries:
        """Convert an object to `Queries`.

        Parameters
        ----------
        queries
            A path: TSV or CSV with or without a header, JSON lines, JSON, TREC topics, the folder
            of a BEIR collection, lines of text, or judgments with texts of queries; compressed
            (gzip, bzip2, xz, zstandard) or not; ``"-"`` is the standard input. A mapping of ids to
            texts, or to mappings with a text and further fields. An iterable of texts, which are
            also the ids; of pairs of id and text; of mappings, or of `Query`. A data frame of
            polars or pandas, or a table of PyArrow. `Qrels` whose query ids are texts. `Queries`
            are returned unchanged.
        vectors : path or mapping, optional
            A vector per query, stored in the field ``vector``: ``.npy`` with one row per query, in
            order; Parquet with a column of ids and one of lists; or ``{id: vector}``.

        Raises
        ------
        SourceError
            For a file that cannot be read.
        FormatError, ColumnError
            For data without texts, with file and line.
        DuplicateError
            For a duplicate id with another text or other fields.
        ArgumentError
            For other objects.
        """
        queries_read = cls._found(queries)
        if vectors is None:
            return queries_read
        again = cls(queries_read._queries.values(), source=queries_read.source)
        again.repeated = queries_read.repeated
        again._vectors = query_vectors(vectors, queries_read)
        return again

    @classmethod
    def _found(cls, queries: QueriesLike) -> Queries:
        if isinstance(queries, Queries):
            return queries
        if isinstance(queries, str) or hasattr(queries, "__fspath__"):
            path = fsdecode(queries)  # type: ignore[arg-type]
            queries_read = cls((), source=path)
            for file, line, query in read(path):
                queries_read._add(query, file, line)
            return queries_read
        if getattr(queries, "_kind", None) == "qrels":
            return cls(Query(str(text), str(text)) for text in queries)
        rows = rows_of_frame(queries)
        if rows is not None:
            return cls(_of_item(row, place) for place, row in enumerate(rows))
        items = getattr(queries, "items", None)
        if callable(items):
            return cls(
                query_of_value(value, identifier_of(identifier), where="queries")
                for identifier, value in items()
            )
        if hasattr(queries, "__iter__") and not isinstance(queries, bytes):
            return cls(_of_item(item, place) for place, item in enumerate(queries))
        hint = None
        if any(hasattr(queries, name) for name in ("__call__", "search")):
            hint = "the system comes first: search(system, queries)"
        raise ArgumentError(
            where="queries",
            found=f"{type(queries).__module__}.{type(queries).__qualname__}".removeprefix(
                "builtins."
            ),
            expected="a path, {id: text}, texts, or pairs of id and text",
            hint=hint,
        )

    def _add(self, query: Query, file: str | None = None, line: int | None = None) -> None:
        check(query, file=file, line=line)
        before = self._queries.get(query.id)
        if before is None:
            self._queries[query.id] = query
            return
        self.repeated += 1
        if before != query:
            raise conflict_error(before, query, file=file, line=line)

    def judged(self, qrels: Qrels) -> Queries:
        """Return the judged queries, with their ids in the judgments.

        Parameters
        ----------
        qrels : Qrels
            The judgments. An id with leading zeros (topic 051) matches the number without them.

        Raises
        ------
        MatchError
            If no query is judged.
        """
        known = set(qrels)
        judged_queries = []
        for query in self._queries.values():
            name = query.id
            if name not in known and name.isdigit():
                name = name.lstrip("0")
            if name in known:
                judged_queries.append((query.id, query._replace(id=name)))
        if not judged_queries:
            raise MatchError(
                f"none of the {len(known)} judged queries",
                where=self.source or "queries",
                hint=f"compare the ids here, {', '.join(map(repr, list(self._queries)[:3]))}, "
                f"with those of the judgments, {', '.join(map(repr, list(qrels)[:3]))}",
            )
        chosen = Queries([query for _, query in judged_queries], source=self.source)
        if self._vectors is not None:
            chosen._vectors = {query.id: self._vectors[before] for before, query in judged_queries}
        return chosen

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of all fields, in order of first appearance."""
        names = dict.fromkeys(name for query in self._queries.values() for name in query.fields)
        if self._vectors is not None:
            names["vector"] = None
        return tuple(names)

    def __len__(self) -> int:
        return len(self._queries)

    def __contains__(self, identifier: object) -> bool:
        return identifier in self._queries

    def __iter__(self) -> Iterator[Query]:
        if self._vectors is None:
            yield from self._queries.values()
        else:
            yield from map(self._with_vector, self._queries.values())

    def __getitem__(self, identifier: str) -> Query:
        query = self._queries.get(identifier)
        if query is None:
            raise UnknownQueryError(f"no such query among {len(self)}", query=identifier)
        return query if self._vectors is None else self._with_vector(query)

    def _with_vector(self, query: Query) -> Query:
        assert self._vectors is not None
        vector = self._vectors[query.id]
        # Converted on request: a list of numbers needs much more memory than an array.
        plain = vector.tolist() if hasattr(vector, "tolist") else list(vector)
        return query._replace(fields={**query.fields, "vector": plain})

    def __repr__(self) -> str:
        of = "" if self.source is None else f" of {self.source!r}"
        return f"<Queries{of}: {len(self)}>"


# --- each query ---------------------------------------------------------------------------------


def check(query: Query, *, file: str | None = None, line: int | None = None) -> None:
    """Refuse a query without an id or a text."""
    identifier: object = query.id
    text: object = query.text
    if not isinstance(identifier, str) or not identifier:
        raise FormatError(
            f"id {query.id!r} is not a text, or is empty",
            where=None if file else "queries",
            file=file,
            line=line,
        )
    if not isinstance(text, str) or not text.strip():
        problem = "the text is empty" if isinstance(text, str) else f"text {text!r} is not a text"
        raise FormatError(
            problem, where=None if file else "queries", file=file, line=line, query=query.id
        )
    for what, value in (("id", identifier), ("text", text)):
        if has_lone_surrogate(value):
            raise FormatError(
                f"{what} {value[:80]!r} has a lone surrogate",
                where=None if file else "queries",
                file=file,
                line=line,
            )


def conflict_error(
    before: Query, query: Query, *, file: str | None = None, line: int | None = None
) -> DuplicateError:
    """Return the error of a duplicate id with another text or other fields."""
    if before.text != query.text:
        problem = f"duplicate id with another text: {before.text!r} and {query.text!r}"
    else:
        names = {**before.fields, **query.fields}
        absent = object()
        other = next(
            name
            for name in names
            if before.fields.get(name, absent) != query.fields.get(name, absent)
        )
        problem = f"duplicate id with another {other}"
    return DuplicateError(
        problem, where=None if file else "queries", file=file, line=line, query=query.id
    )


def _of_item(item: object, place: int) -> Query:
    where = f"queries, item {place}"
    if isinstance(item, Query):
        return item
    if isinstance(item, (tuple, list)) and len(item) == 2:
        return query_of_value(item[1], identifier_of(item[0]), where="queries")
    if isinstance(item, str) or hasattr(item, "items"):
        return query_of_value(item, where=where)
    identifier = getattr(item, "query_id", None)
    text = next((getattr(item, name) for name in ("text", "title") if hasattr(item, name)), None)
    if identifier is not None and text is not None:
        return Query(identifier_of(identifier), text)
    raise ArgumentError(
        where=where,
        found=repr(item)[:80],
        expected="a text, a pair of id and text, a mapping, or a Query",
    )
