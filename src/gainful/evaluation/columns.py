"""The columns of the rows of an evaluation.

The kernel's table has only numbers, one row per query: the measures, DCG and IDCG of each nDCG, the
counts, the counts at each cutoff, and the ideal value of each CG and DCG.
"""

from __future__ import annotations

from gainful.measures import Measure
from gainful.measures import describe as declaration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from gainful import _kernel
    from gainful.evaluation.values import QueryValues

__all__ = [
    "AT_CUTOFF",
    "COUNTS",
    "SUMS_OF_GAINS",
    "column_names",
    "column_values",
    "cutoffs_of",
    "first_count",
    "in_order",
    "parts_of",
    "query_ids",
]

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
    """Return the columns of a system, in the order of `column_names`.

    Parameters
    ----------
    order : list of int, optional
        The rows of the kernel's table to return, in this order; None for byte order.
    integers : bool
        Whether to return query ids as integers.
    """
    table, measures = evaluation._tables[system], evaluation.measures
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
