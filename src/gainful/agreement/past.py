"""Past evaluations: the values of systems by query, from memory or from a file."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gainful.byte_order import in_byte_order
from gainful.data.paths import stem
from gainful.data.records import Record, Records, finite, read_records
from gainful.errors import ColumnError, FormatError, GainfulError, MatchError, MeasureError
from gainful.evaluation.predicted_result import PredictedEvaluation
from gainful.measures.notation import parse_measure
from gainful.quoting import names_shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    from numpy.typing import NDArray

    from gainful.evaluation import Evaluation

__all__ = ["PastEvaluation", "past_evaluation", "read_past"]

# Columns that `gainful evaluate --per-query` writes after the measures.
_AFTER = "retrieved"
# Columns that it writes for each nDCG, after the requested measures.
_PARTS = ("DCG", "IDCG")


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PastEvaluation:
    """The values of systems by query, under one or more measures.

    Attributes
    ----------
    name : str
        The name of the collection, for tables.
    systems : tuple of str
        The names of the systems.
    scores : dict of str to dict of str to dict of str to float
        Values by measure, system and query, without queries that do not count for the system.
    convention : str or None
        The convention in one line; None for files of rows, which do not contain it.
    combined : PredictedEvaluation or None
        The same values with those of a model for further queries, if there are any.
    """

    name: str
    systems: tuple[str, ...]
    scores: Mapping[str, Mapping[str, Mapping[str, float]]]
    convention: str | None = None
    combined: PredictedEvaluation | None = None

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures."""
        return tuple(self.scores)

    def matrix(self, measure: str) -> tuple[NDArray[np.float64], list[str], int]:
        """Return values of shape (queries, systems), the queries, and the number left out.

        Queries that do not count for all systems are left out.
        """
        columns = [self.scores[measure][system] for system in self.systems]
        every = {query for column in columns for query in column}
        queries = in_byte_order(
            query for query in every if all(query in column for column in columns)
        )
        values = np.array(
            [[column[query] for column in columns] for query in queries], dtype=np.float64
        ).reshape(len(queries), len(columns))
        return values, queries, len(every) - len(queries)

    def within(self, queries: Iterable[str]) -> PastEvaluation:
        """Return the values on some of the queries."""
        chosen = frozenset(queries)
        return replace(
            self,
            scores={
                measure: {
                    system: {query: value for query, value in own.items() if query in chosen}
                    for system, own in systems.items()
                }
                for measure, systems in self.scores.items()
            },
        )


def past_evaluation(evaluation: Evaluation | PredictedEvaluation, name: str = "") -> PastEvaluation:
    """Return the values of an evaluation.

    Raises
    ------
    MeasureError
        For a geometric mean, which is not a mean of per-query values.

    Examples
    --------
    >>> import gainful
    >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
    >>> past = past_evaluation(gainful.evaluate("qrels.txt", runs=runs, measures="nDCG@10"))
    >>> past.systems, past.measures
    (('bm25', 'dense'), ('nDCG@10',))
    >>> past.matrix("nDCG@10")[0].shape
    (6, 2)
    """
    if isinstance(evaluation, PredictedEvaluation):
        return replace(past_evaluation(evaluation.people, name), combined=evaluation)
    for measure in evaluation.measures:
        if measure.aggregate == "geometric":
            raise MeasureError(
                "a geometric mean is not a mean of per-query values",
                where=repr(measure),
                hint="use AP instead of GMAP, bpref instead of GMbpref",
            )
    return PastEvaluation(
        name=name or "evaluation",
        systems=evaluation.systems,
        # Under no_relevant=nan, queries that do not count have the value NaN.
        scores={
            repr(measure): {
                system: {
                    query: value
                    for query, value in evaluation._values(measure, system).items()
                    if value == value
                }
                for system in evaluation.systems
            }
            for measure in evaluation.measures
        },
        convention=str(evaluation.convention),
    )


def read_past(
    path: str | PathLike[str], measures: Iterable[str] | None = None, *, name: str = ""
) -> PastEvaluation:
    r"""Read the rows that ``gainful evaluate --per-query`` writes.

    Parameters
    ----------
    path : path
        TSV, CSV or JSON lines with the columns ``system``, ``query_id`` and one per measure. An
        empty cell or ``nan`` is a query that does not count.
    measures : iterable of str, optional
        The measures to read; those that the file lacks are ignored. Default: the measures requested
        from ``gainful evaluate``, or all other columns of other files.
    name : str, optional
        The name in tables. Default: the name of the file.

    Raises
    ------
    SourceError
        If the file cannot be read.
    ColumnError
        If the file lacks a column, or has none of the measures.
    FormatError
        For a line without system or query, a duplicate query of a system, or a cell that is not a
        number.

    Examples
    --------
    >>> with open("past.csv", "w") as file:
    ...     _ = file.write("system,query_id,AP\nold,q1,.4\nnew,q1,.5\nold,q2,.3\nnew,q2,.6\n")
    >>> past = read_past("past.csv")
    >>> past.name, past.systems, past.measures
    ('past', ('old', 'new'), ('AP',))
    """
    table = read_records(path)
    chosen = _columns(table, measures)
    scores: dict[str, dict[str, dict[str, float]]] = {measure: {} for measure in chosen}
    seen: set[tuple[str, str]] = set()
    for row in table.rows:
        system, query = (_id(table.name, row, column) for column in ("system", "query_id"))
        if (system, query) in seen:
            raise FormatError(
                f"duplicate query {query!r} of {system!r}", file=table.name, line=row.line
            )
        seen.add((system, query))
        for measure, column in chosen.items():
            values = scores[measure].setdefault(system, {})
            value = _number(table.name, row, column)
            if value is not None:
                values[query] = value
    systems = tuple(next(iter(scores.values())))
    return PastEvaluation(name=name or stem(table.name), systems=systems, scores=scores)


def measure_name(text: str) -> str:
    """Return the canonical name of a measure; other names are unchanged.

    Examples
    --------
    >>> measure_name("ndcg_cut_10"), measure_name("clicks")
    ('nDCG@10', 'clicks')
    """
    try:
        return repr(parse_measure(text))
    except GainfulError:  # The column of another tool's file.
        return text


def _columns(table: Records, measures: Iterable[str] | None) -> dict[str, str]:
    """Return the columns to read by the names of their measures."""
    for needed in ("system", "query_id"):
        if needed not in table.columns:
            raise ColumnError(
                file=table.name,
                found=f"the columns {names_shown(table.columns)}",
                expected="system, query_id and one per measure",
                hint="write the file with"
                " ⟪evaluate()=QRELS RUN... --per-query --format tsv -o FILE⟫",
            )
    own = [column for column in table.columns if column not in ("system", "query_id")]
    if _AFTER in own:
        own = own[: own.index(_AFTER)]
        parts = {f"{part}{name[4:]}" for name in own if name.startswith("nDCG") for part in _PARTS}
        while own and own[-1] in parts:
            own.pop()
    known = {measure_name(column): column for column in own}
    if measures is not None:
        wanted = list(dict.fromkeys(map(measure_name, measures)))
        known = {name: known[name] for name in wanted if name in known}
        if not known:
            raise ColumnError(
                file=table.name,
                found=f"the measures {', '.join(own) or 'none'}",
                expected=" or ".join(wanted),
            )
    if not known:
        raise ColumnError("at least one column with a measure is required", file=table.name)
    return known


def _id(name: str, row: Record, column: str) -> str:
    value = row.cells.get(column)
    if value is None or value == "":
        raise FormatError(f"{column} is missing", file=name, line=row.line)
    return str(value)


def _number(name: str, row: Record, column: str) -> float | None:
    # `gainful evaluate` writes "nan" for a query that does not count under no_relevant=nan.
    if row.cells.get(column) == "nan":
        return None
    expected = "a finite number, or an empty cell if the query does not count"
    return finite(name, row, column, expected=expected)


def single_convention(past: Iterable[PastEvaluation]) -> None:
    """Reject evaluations that are known to have different conventions.

    Raises
    ------
    MatchError
        For two conventions.
    """
    known = list(dict.fromkeys(each.convention for each in past if each.convention is not None))
    if len(known) > 1:
        raise MatchError(
            where="past evaluations",
            found=f"two conventions, {known[0].partition(':')[0]} and {known[1].partition(':')[0]}",
            expected="one, because their values are pooled",
        )
