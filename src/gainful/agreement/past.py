"""Evaluations of the past: what each system had on each query, from memory or from a file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gainful.byte_order import in_byte_order
from gainful.data.paths import stem
from gainful.data.records import Record, Records, finite, read_records
from gainful.errors import ColumnError, FormatError, GainfulError, MatchError, MeasureError
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
# What it writes of each nDCG, after all that was asked for.
_PARTS = ("DCG", "IDCG")


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PastEvaluation:
    """What systems had on queries, under one measure or several.

    Attributes
    ----------
    name : str
        Of the collection, in tables.
    systems : tuple of str
        Their names.
    scores : dict of str to dict of str to dict of str to float
        By measure, by system, by query. A query that does not count for a system is not in it.
    convention : str or None
        In one line, if it is known: files of rows do not say.
    """

    name: str
    systems: tuple[str, ...]
    scores: Mapping[str, Mapping[str, Mapping[str, float]]]
    convention: str | None = None

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures."""
        return tuple(self.scores)

    def matrix(self, measure: str) -> tuple[NDArray[np.float64], list[str], int]:
        """Return the values of a measure, (queries, systems); the queries; how many are left out.

        Left out are the queries that do not count for all of the systems.
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


def past_evaluation(evaluation: Evaluation, name: str = "") -> PastEvaluation:
    """Take the values of an evaluation.

    Raises
    ------
    MeasureError
        For a geometric mean, which is no mean of the queries' values.

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
    for measure in evaluation.measures:
        if measure.aggregate == "geometric":
            raise MeasureError(
                where=repr(measure),
                found="a geometric mean, which is not the mean of the queries' values",
                expected="a measure that is",
                hint="AP is what GMAP is made of, and bpref what GMbpref is",
            )
    return PastEvaluation(
        name=name or "evaluation",
        systems=evaluation.systems,
        # Under no_relevant=nan a query that does not count has a value that is no number.
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
    r"""Read the rows of an evaluation, as ``gainful evaluate --per-query`` writes them.

    Parameters
    ----------
    path : path
        TSV, CSV or JSON lines with the columns ``system``, ``query_id`` and one a measure. An empty
        cell, or ``nan``, is a query that does not count.
    measures : iterable of str, optional
        Those to read, as far as the file has them; without it all. Of what ``gainful evaluate``
        wrote all are the measures that it was asked for, of other files all columns but the two.
    name : str, optional
        What it is called in tables; without it as its file.

    Raises
    ------
    SourceError
        If the file cannot be read.
    ColumnError
        If it lacks a column, or has none of the measures.
    FormatError
        For a line without system or query, a query that stands twice for a system, or a cell that
        is no number.

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
                file=table.name,
                line=row.line,
                found=f"query {query!r} a second time for {system!r}",
                expected="each query once for a system",
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
    """Return a measure's name as evaluations have it; other names as they are.

    Examples
    --------
    >>> measure_name("ndcg_cut_10"), measure_name("clicks")
    ('nDCG@10', 'clicks')
    """
    try:
        return repr(parse_measure(text))
    except GainfulError:  # A column of somebody else's file.
        return text


def _columns(table: Records, measures: Iterable[str] | None) -> dict[str, str]:
    """Return the columns to read by the names of their measures."""
    for needed in ("system", "query_id"):
        if needed not in table.columns:
            raise ColumnError(
                file=table.name,
                found=f"the columns {names_shown(table.columns)}",
                expected="system, query_id and one a measure",
                hint="`gainful evaluate QRELS RUN... --per-query --format tsv -o FILE` writes such"
                " a file",
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
        raise ColumnError(file=table.name, found="no measure", expected="a column a measure")
    return known


def _id(name: str, row: Record, column: str) -> str:
    value = row.cells.get(column)
    if value is None or value == "":
        raise FormatError(file=name, line=row.line, found=f"no {column}", expected="one")
    return str(value)


def _number(name: str, row: Record, column: str) -> float | None:
    # "nan" is what `gainful evaluate` writes of a query that does not count under no_relevant=nan.
    if row.cells.get(column) == "nan":
        return None
    expected = "a finite number, or nothing where the query does not count"
    return finite(name, row, column, expected=expected)


def single_convention(past: Iterable[PastEvaluation]) -> None:
    """Refuse evaluations of which it is known that their numbers were made differently.

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
            expected="one, for their numbers are pooled",
        )
