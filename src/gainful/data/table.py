"""The common base of judgments and runs: immutable rows grouped by query."""

from __future__ import annotations

from os import fspath

from gainful import _kernel
from gainful.data.paths import check_suffix, is_parquet
from gainful.errors import ArgumentError, ColumnError, ParameterError, UnknownQueryError
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, Self, TypeAlias, TypeVar

    import pandas
    import polars
    import pyarrow

    from gainful.data.paths import Path

    Id: TypeAlias = str | bytes | int
    Names: TypeAlias = Mapping[str, Id] | Callable[[str], Id]

    AnyTable = TypeVar("AnyTable", bound="RowTable")

__all__ = ["RowTable", "as_function", "kernel_rows", "table_of_rows"]


class RowTable:
    """Rows grouped by query; the base of `Qrels` and `Run`.

    A mapping from query ids to the data of a query: its length is the number of queries, iteration
    yields their ids in order of first appearance. The kernel stores the rows in columns; slices and
    filters are new tables.

    Attributes
    ----------
    name : str or None
        The name in results.
    source : str or None
        The file that contained the rows.
    """

    __slots__ = ("_content", "name", "source")

    #: The name in messages and in the kernel.
    _kind = ""
    _noun = ""

    _content: _kernel.Rows
    name: str | None
    source: str | None

    def _set(self, rows: _kernel.Rows, name: str | None, source: str | None) -> None:
        put = object.__setattr__
        put(self, "_content", rows)
        put(self, "name", name)
        put(self, "source", source)

    def _like(self, rows: _kernel.Rows) -> Self:
        return table_of_rows(type(self), rows, name=self.name, source=self.source)

    @property
    def _rows(self) -> _kernel.Rows:
        """The rows, to measure, write or export."""
        return self._content

    # --- a mapping ------------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        """The total number of rows."""
        return len(self._content)

    def __len__(self) -> int:
        return self._content.queries

    def __iter__(self) -> Iterator[str]:
        return iter(self._content.query_ids())

    def __contains__(self, query: object) -> bool:
        try:
            return query in self._content
        except ColumnError:  # The value is not a valid id.
            return False

    def keys(self) -> list[str]:
        """Return the query ids, in order of first appearance."""
        return self._content.query_ids()

    def _unknown(self, query: object) -> UnknownQueryError:
        return UnknownQueryError(f"no query {query!r}", where=self._label())

    def _label(self) -> str:
        return self.name or self.source or self._kind

    @property
    def digest(self) -> str:
        """A fingerprint of the content: ``"sha256:"`` and 64 hexadecimal digits.

        Equal tables have equal fingerprints, whatever the order of their rows and their file, in
        every version of Gainful; different tables have different ones. It does not depend on the
        name, or on ranks if there are scores. It is recomputed each time.

        Examples
        --------
        >>> import gainful
        >>> qrels = gainful.Qrels({"q1": {"d1": 3, "d2": 0}, "q2": {"d3": 1}})
        >>> qrels.digest[:19]
        'sha256:7b201740886c'
        >>> rows = [("q2", "d3", 1), ("q1", "d2", 0), ("q1", "d1", 3)]
        >>> gainful.Qrels(rows).digest == qrels.digest
        True
        """
        return f"sha256:{self._content.digest()}"

    # --- slices and filters ---------------------------------------------------------------------

    def select(self, queries: Iterable[Id]) -> Self:
        """Return the rows of some queries, in the given order."""
        if isinstance(queries, (str, bytes)):
            raise ArgumentError(
                f"a single id, {queries!r}", where="select", hint=f"write select([{queries!r}])"
            )
        return self._like(self._content.select(queries))

    def rename(self, *, queries: Names | None = None, documents: Names | None = None) -> Self:
        """Return the same rows with other ids."""
        if queries is None and documents is None:
            raise ArgumentError("set queries=, documents= or both", where="rename")
        return self._like(self._content.rename(as_function(queries), as_function(documents)))

    # --- exchange -------------------------------------------------------------------------------

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the rows as an Arrow stream; the requested schema is ignored, as allowed."""
        return _kernel.rows_stream(self._rows, self._kind)

    def _write(self, path: Path, format: str | None, tag: str = "") -> list[str]:
        """Write the rows in a format of rows; return the queries that it cannot represent."""
        name = fspath(path)
        if is_parquet(name, format):
            if name == "-":
                raise ParameterError("Parquet needs an output file", where="format")
            write_whole(name, [_kernel.parquet_bytes(self)])
            return []
        check_suffix(name)
        return _kernel.write(self._rows, self._kind, path, format=format, tag=tag)

    def to_arrow(self) -> pyarrow.Table:
        """Return the rows as a PyArrow table, with the columns of `to_pandas`."""
        from gainful.packages import load_package

        return load_package("pyarrow").table(self)

    def to_polars(self) -> polars.DataFrame:
        """Return the rows as a polars data frame, with the columns of `to_pandas`."""
        from gainful.packages import load_package

        return load_package("polars").DataFrame(self)

    def to_pandas(self) -> pandas.DataFrame:
        """Return the rows as a pandas data frame.

        The columns are ``query_id``, ``doc_id`` and ``grade``, for judgments of subtopics also
        ``subtopic``; for runs ``query_id``, ``doc_id``, ``score`` (if documents have scores) and
        ``rank``. Rows keep their order, and ranks are as `Run.write` describes. A query without
        documents is one row, in which only ``query_id`` has a value.

        Examples
        --------
        >>> import gainful
        >>> print(gainful.Run({"q1": {"d1": 8.5, "d2": 9.25}}).to_pandas().to_string(index=False))
        query_id doc_id  score  rank
              q1     d1   8.50     2
              q1     d2   9.25     1
        """
        from gainful.packages import load_package

        names, rows = self._row_names(), list(self._each_row())
        frame = load_package("pandas").DataFrame(rows, columns=names)
        for name in ("grade", "rank"):
            # pandas turns integers with missing values into floats.
            if name in names:
                column = names.index(name)
                if {type(row[column]) for row in rows} == {int, type(None)}:
                    frame[name] = frame[name].astype("Int64")
        return frame

    def _row_names(self) -> list[str]:
        raise NotImplementedError

    def _each_row(self) -> Iterable[tuple[object, ...]]:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        assert isinstance(other, RowTable)
        return self._content.same(other._content)

    def __hash__(self) -> int:
        return hash((self._kind, len(self), self.rows))

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (type(self), *self._rows.state(), self.name, self.source)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed ({name})")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed ({name})")

    # --- display --------------------------------------------------------------------------------

    def __repr__(self) -> str:
        label = "" if self.name is None and self.source is None else f" {self._label()!r}"
        return f"<{type(self).__name__}{label}: {self._size()}>"

    def _size(self) -> str:
        queries = "1 query" if len(self) == 1 else f"{len(self):,} queries"
        rows = f"1 {self._noun}" if self.rows == 1 else f"{self.rows:,} {self._noun}s"
        return f"{queries}, {rows}"

    def _repr_html_(self) -> str:
        from gainful.formats.markup import page
        from gainful.formats.table import Column, Note, Table

        headers, align, cells = self._preview()
        left = self.rows - len(cells)
        note = self._size() + (f"; {left:,} {self._noun}s not shown" if left else "")
        columns = [Column(name, align=side) for name, side in zip(headers, align, strict=True)]
        notes = [Note("size", note)]
        return page([Table(columns, cells, title=self._label(), notes=notes)])

    def _preview(self) -> tuple[list[str], str, list[list[str]]]:
        raise NotImplementedError


def _restore(
    kind: type[RowTable],
    state: bytes,
    scored: bool,
    integers: bool,
    name: str | None,
    source: str | None,
) -> RowTable:
    rows = _kernel.rows_from_state(state, scored, integers)
    return table_of_rows(kind, rows, name=name, source=source)


def kernel_rows(table: Any) -> _kernel.Rows:
    """Return the rows of judgments, also on disk, or of a run, to pass them to the kernel."""
    rows: _kernel.Rows = table._rows
    return rows


def table_of_rows(
    kind: type[AnyTable],
    rows: _kernel.Rows,
    *,
    name: str | None = None,
    source: str | None = None,
) -> AnyTable:
    """Return judgments or a run with rows that the kernel made."""
    table = object.__new__(kind)
    table._set(rows, name, source)
    return table


def as_function(names: Names | None) -> Callable[[str], Id] | None:
    """Return new ids as a function of the old ones."""
    if names is None or callable(names):
        return names
    known = names
    return lambda old: known.get(old, old)
