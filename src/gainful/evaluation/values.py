"""The values of an evaluation for each query: rows, and their columns.

The kernel's table has only numbers, one row per query: the measures, DCG and IDCG of each nDCG, the
counts, the counts at each cutoff, and the ideal value of each CG and DCG.
"""

from __future__ import annotations

from gainful import _kernel
from gainful.errors import ParameterError
from gainful.measures import Measure
from gainful.measures import describe as declaration
from gainful.measures.notation import parse_measure
from gainful.records import field
from gainful.results import Records, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from gainful.conventions import Convention
    from gainful.measures import Measure

__all__ = [
    "AT_CUTOFF",
    "COUNTS",
    "SUMS_OF_GAINS",
    "QueryValues",
    "column_names",
    "column_values",
    "cutoffs_of",
    "first_count",
    "in_order",
    "parts_of",
    "query_ids",
]


class QueryValues(Result):
    """The values of measures for each query of some systems.

    The kernel stores and sums them in byte order of the query ids. The methods return them in the
    order of the judgments, with integer ids if all query ids of the judgments were integers.
    """

    __slots__ = (
        "bounds_of",
        "convention",
        "integer_ids",
        "kernel_tables",
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
    integer_ids: bool
    kernel_tables: dict[str, _kernel.Evaluated]

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
        index, table = self.index_of(measure), self.table_of(system)
        order = table.as_judged
        values = zip(
            query_ids(table, order, integers=self.integer_ids),
            in_order(table.column(index), order),
            in_order(table.flags(index), order),
            strict=True,
        )
        return {query: value for query, value, flags in values if not flags & 2}

    def values_by_text_id(
        self, measure: Measure | str | None, system: str | None = None
    ) -> dict[str, float]:
        """Return the values of `per_query` by text id in byte order, for sums."""
        index, table = self.index_of(measure), self.table_of(system)
        values = zip(table.query_ids(), table.column(index), table.flags(index), strict=True)
        return {query: value for query, value, flags in values if not flags & 2}

    def bounds(
        self, measure: Measure | str | None = None, system: str | None = None
    ) -> dict[Any, tuple[float, float | None, float]]:
        """Return low, value and high of each query, in the order of the judgments.

        Low and high are the lowest and highest possible value over the labels of unjudged
        documents. The value is None for a query that the convention skips but that some labels
        would include; queries that no labels would include are left out.

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
        index, table = self.index_of(measure), self.table_of(system)
        order = table.as_judged
        low, high = table.bounds(index)
        columns = (low, table.column(index), high, table.flags(index))
        rows = zip(
            query_ids(table, order, integers=self.integer_ids),
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
        return tuple(self.kernel_tables[self.systems[0]].bounds_grades)

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
        return column_values(
            self, system, self.kernel_tables[system].as_judged, integers=self.integer_ids
        )

    def _query_records(self) -> Records:
        columns: list[list[object]] = [[] for _ in self.columns]
        for system in self.systems:
            for column, more in zip(columns, self._columns(system), strict=True):
                column.extend(more)
        return dict(zip(self.columns, columns, strict=True))

    def _contents(self) -> object:
        # The order of the queries may differ.
        return self.to_dict(), [column_values(self, system, None) for system in self.systems]

    def index_of(self, measure: Measure | str | None) -> int:
        """Return the index of a measure, which may be omitted if there is one."""
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

    def table_of(self, system: str | None) -> _kernel.Evaluated:
        """Return the table of a system, which may be omitted if there is one."""
        if system is None and len(self.systems) == 1:
            return self.kernel_tables[self.systems[0]]
        if system not in self.kernel_tables:
            raise ParameterError(
                where="system",
                found="no system" if system is None else repr(system),
                expected=f"one of {', '.join(self.systems)}",
            )
        return self.kernel_tables[system]


#: The counts of a query.
COUNTS = ("retrieved", "relevant", "judged", "tied", "duplicates")


#: The counts at each cutoff.
AT_CUTOFF = ("judged", "unjudged", "tie")


#: The families whose ideal values end the kernel's rows.
SUMS_OF_GAINS = ("CG", "DCG")


def column_names(evaluation: QueryValues) -> tuple[str, ...]:
    """Return the names of all columns, for `Evaluation.columns`."""
    measures = evaluation.measures
    names = ["system", "query_id"]
    names += [repr(measure) for measure in measures]
    if not evaluation.has_rankings:
        return tuple(names)
    names += [name for name, _ in parts_of(measures)]
    names += COUNTS
    names += [f"{name}@{cut}" for cut in cutoffs_of(evaluation.resolved) for name in AT_CUTOFF]
    if evaluation.bounds_of is not None:
        names += [f"{measure!r} {end}" for measure in measures for end in ("low", "high")]
    return tuple(names)


def column_values(
    evaluation: QueryValues, system: str, order: list[int] | None, *, integers: bool = False
) -> list[list[object]]:
    """Return the columns of a system, in the order of `column_names`."""
    table, measures = evaluation.kernel_tables[system], evaluation.measures
    columns: list[list[object]] = [[system] * len(table), []]
    for index in range(len(measures)):
        values: list[object] = list(table.column(index))
        flags = table.flags(index)
        # Most conventions leave no query out.
        if any(flags) and any(flag & 2 for flag in flags):
            values = [None if f & 2 else v for v, f in zip(values, flags, strict=True)]
        columns.append(values)
    if not evaluation.has_rankings:
        ids = query_ids(table, order, integers=integers)
        return [columns[0], ids, *(in_order(column, order) for column in columns[2:])]
    columns += [list(table.column(len(measures) + part)) for _, part in parts_of(measures)]
    place = first_count(measures)
    columns += [_as_integers(table, place + index) for index in range(len(COUNTS))]
    place += len(COUNTS)
    for _ in cutoffs_of(evaluation.resolved):
        columns += [_as_integers(table, place), _as_integers(table, place + 1)]
        columns.append([value > 0 for value in table.column(place + 2)])
        place += len(AT_CUTOFF)
    if evaluation.bounds_of is not None:
        for index in range(len(measures)):
            flags = table.flags(index)
            for ends in table.bounds(index):
                pairs = zip(ends, flags, strict=True)
                columns.append([None if f & 2 and v != v else v for v, f in pairs])
    ids = query_ids(table, order, integers=integers)
    return [columns[0], ids, *(in_order(column, order) for column in columns[2:])]


def query_ids(
    table: _kernel.Evaluated, order: list[int] | None, *, integers: bool = False
) -> list[Any]:
    """Return the query ids of a table's rows, in the given order."""
    ids = in_order(table.query_ids(), order)
    return list(map(int, ids)) if integers else ids


def in_order(values: Sequence[Any], order: list[int] | None) -> list[Any]:
    """Return the values of rows, reordered unless the order is None."""
    return list(values) if order is None else [values[row] for row in order]


def first_count(measures: Iterable[Measure]) -> int:
    """Return the index of the first count in the kernel's rows."""
    return sum(3 if measure.family == "nDCG" else 1 for measure in measures)


def cutoffs_of(resolved: Iterable[Measure]) -> list[int]:
    """Return the cutoffs of measures, ascending."""
    return sorted({measure.cutoff for measure in resolved if measure.cutoff is not None})


def parts_of(measures: Iterable[Measure]) -> list[tuple[str, int]]:
    """Return the name and index of the DCG and IDCG columns of each nDCG.

    Columns of measures that are also requested themselves are left out.
    """
    measures = tuple(measures)
    parts = []
    known = {repr(measure) for measure in measures}
    column = 0
    for measure in measures:
        if measure.family != "nDCG":
            continue
        for family in ("DCG", "IDCG"):
            accepted = {parameter.name for parameter in declaration(family).parameters}
            params = {k: v for k, v in measure.params.items() if k in accepted}
            name = repr(Measure(family, params, measure.cutoff))
            if name not in known:
                parts.append((name, column))
                known.add(name)
            column += 1
    return parts


def _as_integers(table: _kernel.Evaluated, column: int) -> list[object]:
    return [int(value) for value in table.column(column)]
