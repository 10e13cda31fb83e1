"""The values of an evaluation for each query."""

from __future__ import annotations

from gainful import _kernel
from gainful.errors import ParameterError
from gainful.evaluation.columns import column_names, column_values, in_order, query_ids
from gainful.measures.notation import parse_measure
from gainful.records import field
from gainful.results import Records, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gainful.conventions import Convention
    from gainful.evaluation.query_rows import QueryRows
    from gainful.measures import Measure

__all__ = ["QueryValues"]


class QueryValues(Result):
    """The values of measures for each query of some systems.

    The kernel stores and sums them in byte order of the query ids. The methods return them in the
    order of the judgments, with integer ids if all query ids of the judgments were integers.
    """

    __slots__ = (
        "_integers",
        "_tables",
        "bounds_of",
        "convention",
        "measures",
        "resolved",
        "systems",
    )

    convention: Convention = field()
    """The convention of the numbers."""
    measures: tuple[Measure, ...]
    """The requested measures."""
    resolved: tuple[Measure, ...]
    """The measures with every parameter set."""
    systems: tuple[str, ...]
    """The names of the runs."""
    bounds_of: str | None
    """Which unjudged documents had labels, with bounds: retrieved or cutoff."""
    _integers: bool
    _tables: dict[str, _kernel.Evaluated]

    def __init__(
        self,
        tables: dict[str, _kernel.Evaluated],
        measures: tuple[Measure, ...],
        convention: Convention,
        *,
        bounds: str | None,
        integers: bool,
    ) -> None:
        put = object.__setattr__
        put(self, "_integers", integers)
        put(self, "_tables", tables)
        put(self, "bounds_of", bounds)
        put(self, "convention", convention)
        put(self, "measures", measures)
        put(self, "resolved", tuple(measure.resolve(convention) for measure in measures))
        put(self, "systems", tuple(tables))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an evaluation cannot be changed ({name})")

    def __getitem__(self, measure: Measure | str) -> dict[Any, float]:
        """Return the values of a measure by query, if there is one system.

        Examples
        --------
        >>> import gainful, pandas
        >>> qrels = {1: {10: 2, 11: 1}, 2: {12: 1}}
        >>> result = gainful.evaluate(qrels, {1: [11, 10], 2: [12]}, ["nDCG@10", "RR"])
        >>> result["RR"]
        {1: 1.0, 2: 1.0}
        >>> frame = pandas.DataFrame({"query_id": [2, 1], "words": [3, 1]})
        >>> frame.query_id.map(result["nDCG@10"]).round(4).tolist()
        [1.0, 0.8597]
        """
        if len(self.systems) > 1:
            raise ParameterError(
                where=f"[{measure!r}]",
                found=f"{len(self.systems)} systems",
                expected="an evaluation of one system",
                hint=f"use per_query({measure!r}, {self.systems[0]!r})",
            )
        return self.per_query(measure)

    def per_query(
        self, measure: Measure | str | None = None, system: str | None = None
    ) -> dict[Any, float]:
        """Return a measure's value for each query that counts, in judgment order."""
        index, table = self._measure(measure), self._table(system)
        order = table.as_judged
        values = zip(
            query_ids(table, order, integers=self._integers),
            in_order(table.column(index), order),
            in_order(table.flags(index), order),
            strict=True,
        )
        return {query: value for query, value, flags in values if not flags & 2}

    def _values(self, measure: Measure | str | None, system: str | None = None) -> dict[str, float]:
        """Return the values of `per_query` by text id in byte order, for sums."""
        index, table = self._measure(measure), self._table(system)
        values = zip(table.query_ids(), table.column(index), table.flags(index), strict=True)
        return {query: value for query, value, flags in values if not flags & 2}

    def bounds(
        self, measure: Measure | str | None = None, system: str | None = None
    ) -> dict[Any, tuple[float, float | None, float]]:
        """Return low, value and high of each query, in the order of the judgments.

        Low and high are the lowest and highest possible value over the labels of unjudged
        documents. The value is None for a query that the convention skips but that some labels
        would include; queries that no labels would include are left out.

        Raises
        ------
        ParameterError
            If the evaluation has no ``bounds``.

        Examples
        --------
        >>> import gainful
        >>> qrels = {"q": {"a": 1, "z": 3}}
        >>> result = gainful.evaluate(qrels, {"q": ["a", "x"]}, "P@2", bounds=True, scale=[0, 1])
        >>> result.bounds()
        {'q': (0.5, 0.5, 1.0)}
        """
        if self.bounds_of is None:
            raise ParameterError(
                where="bounds",
                found="an evaluation without bounds",
                expected="an evaluation with bounds=True",
            )
        index, table = self._measure(measure), self._table(system)
        order = table.as_judged
        low, high = table.bounds(index)
        columns = (low, table.column(index), high, table.flags(index))
        rows = zip(
            query_ids(table, order, integers=self._integers),
            *(in_order(column, order) for column in columns),
            strict=True,
        )
        return {
            query: (least, None if flags & 2 else value, most)
            for query, least, value, most, flags in rows
            if least == least or not flags & 2
        }

    @property
    def scale(self) -> tuple[float, ...] | None:
        """The possible grades of unjudged documents; None without bounds."""
        if self.bounds_of is None:
            return None
        return tuple(self._tables[self.systems[0]].bounds_grades)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one dictionary per system and query.

        Its keys are ``system``, ``query_id``, each measure, ``DCG`` and ``IDCG`` of each nDCG,
        ``retrieved``, ``relevant`` (grade 1 or more), ``judged`` (retrieved and judged), ``tied``,
        ``duplicates``, and at each cutoff ``judged@k``, ``unjudged@k`` and ``tie@k`` (equal scores
        on both sides of the cutoff). The value of a measure that leaves the query out is None. With
        bounds, ``low`` and ``high`` of each measure follow, as ``nDCG@10 low``.
        """
        names = self.columns
        for system in self.systems:
            columns = self._columns(system)
            for values in zip(*columns, strict=True):
                yield dict(zip(names, values, strict=True))

    @property
    def has_rankings(self) -> bool:
        """Whether any value was computed from rankings, and not elsewhere."""
        return True

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of `rows`."""
        return column_names(self)

    def _columns(self, system: str) -> list[list[object]]:
        return column_values(self, system, self._tables[system].as_judged, integers=self._integers)

    def _query_records(self) -> Records:
        columns: list[list[object]] = [[] for _ in self.columns]
        for system in self.systems:
            for column, more in zip(columns, self._columns(system), strict=True):
                column.extend(more)
        return dict(zip(self.columns, columns, strict=True))

    def _contents(self) -> object:
        # The order of the queries may differ.
        return self.to_dict(), [column_values(self, system, None) for system in self.systems]

    def to_rows(self, *, ids: str = "text") -> QueryRows:
        """Return rows from which `from_rows` can restore the evaluation.

        Parameters
        ----------
        ids : {"text", "binary"}
            The type of the query ids. Text ids must be UTF-8.
        """
        from gainful.evaluation.query_rows import QueryRows, RowForm

        form = RowForm(self.measures, self.convention, self.bounds_of or False, self.scale)
        return QueryRows(self._tables, form, ids)

    def _measure(self, measure: Measure | str | None) -> int:
        if measure is None:
            if len(self.measures) == 1:
                return 0
            raise ParameterError(
                where="measure",
                found="no measure",
                expected=f"one of {', '.join(map(repr, self.measures))}",
            )
        requested = parse_measure(measure, self.convention)
        if requested in self.measures:
            return self.measures.index(requested)
        resolved = requested.resolve(self.convention)
        if resolved in self.resolved:
            return self.resolved.index(resolved)
        raise ParameterError(
            where="measure",
            found=repr(requested),
            expected=f"one of {', '.join(map(repr, self.measures))}",
        )

    def _table(self, system: str | None) -> _kernel.Evaluated:
        if system is None and len(self.systems) == 1:
            return self._tables[self.systems[0]]
        if system not in self._tables:
            raise ParameterError(
                where="system",
                found="no system" if system is None else repr(system),
                expected=f"one of {', '.join(self.systems)}",
            )
        return self._tables[system]
