"""Past evaluations: the values of systems by query, from memory or from a file."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gainful.byte_order import in_byte_order
from gainful.data.paths import stem
from gainful.errors import FormatError, MatchError, MeasureError
from gainful.evaluation.predicted import PredictedEvaluation
from gainful.evaluation.value_tables import read_values
from gainful.keywords import suggest_keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    from numpy.typing import NDArray

    from gainful.evaluation import Evaluation

__all__ = ["PastEvaluation", "past_evaluation", "read_past"]


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
                    system: {query: value for query, value in rankings.items() if query in chosen}
                    for system, rankings in systems.items()
                }
                for measure, systems in self.scores.items()
            },
        )


@suggest_keywords
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


@suggest_keywords
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
    table = read_values(path, measures)
    systems = tuple(next(iter(table.scores.values()), ()))
    if not systems:
        raise FormatError("no values of systems", file=table.source or name)
    return PastEvaluation(
        name=name or stem(table.source or ""), systems=systems, scores=table.scores
    )


def single_convention(past: Iterable[PastEvaluation]) -> None:
    """Reject evaluations that are known to have different conventions.

    Raises
    ------
    MatchError
        For two conventions.
    """
    known = list(
        dict.fromkeys(
            evaluation.convention for evaluation in past if evaluation.convention is not None
        )
    )
    if len(known) > 1:
        raise MatchError(
            where="past evaluations",
            found=f"two conventions, {known[0].partition(':')[0]} and {known[1].partition(':')[0]}",
            expected="one, because their values are pooled",
        )
