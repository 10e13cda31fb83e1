"""Evaluate partitions in one table or a stream of batches, many queries at a time."""

from __future__ import annotations

from gainful.errors import GainfulError, ParameterError
from gainful.evaluation.partition.call import evaluate_systems
from gainful.evaluation.partition.groups import groups, no_table, plain
from gainful.evaluation.partition.sides import split_sides
from gainful.evaluation.query_rows import QueryRows, RowForm
from gainful.keywords import suggest_keywords
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from gainful.conventions import Convention
    from gainful.measures import Measure

__all__ = ["score_batches", "score_table", "without_row"]

#: The minimum number of rows to evaluate at once.
_ROWS = 1 << 20


@suggest_keywords
def score_table(
    table: Any,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    convention: Convention | str = "gainful-1",
    system: str = "run",
    systems: Sequence[str] | None = None,
    bounds: bool | str = False,
    scale: Iterable[float] | None = None,
    ids: str = "text",
    threads: int = 1,
) -> Any:
    """Evaluate judgments and a run in one table, as a shuffle of both returns them.

    Parameters
    ----------
    table : pyarrow.Table, pyarrow.RecordBatch, or another object with an Arrow stream
        All rows of some queries, in any order, with the columns ``query_id``, ``doc_id``,
        ``is_judgment`` (boolean: whether the row is a judgment or part of the run), ``grade`` (used
        for judgments) and ``score``, ``rank`` or both (used for the run); if measures need it
        ``subtopic``, and with `systems` a column ``system`` (used for the run). `tagged` makes such
        rows. The table may be empty.
    measures, convention, system, bounds, scale, ids, threads
        As for `score_partition`.
    systems : sequence of str, optional
        The names of all systems. Each is evaluated on all judged queries, even in a partition
        without rows of the system. A row of another system is an error.

    Returns
    -------
    pyarrow.Table
        The rows that `score_partition` returns, with the same types for any number of rows.

    Raises
    ------
    GainfulError
        As for `score_partition`, but without row numbers.
    ColumnError
        If the table lacks a column, or a column has the wrong type.

    Examples
    --------
    >>> import gainful, pyarrow
    >>> from gainful.evaluation.partition import score_table, tagged
    >>> qrels = pyarrow.table({"query_id": ["q1"], "doc_id": ["d1"], "grade": [2]})
    >>> run = pyarrow.table({"query_id": ["q1"] * 2, "doc_id": ["d2", "d1"], "score": [0.9, 0.5]})
    >>> both = pyarrow.concat_tables(
    ...     [tagged(qrels, "qrels"), tagged(run, "run")], promote_options="default"
    ... )
    >>> gainful.Evaluation.from_rows(score_table(both, "RR"), "RR").mean()
    0.5
    """
    import pyarrow

    form = RowForm(measures, convention, bounds, scale)
    named = _check_systems(systems)
    if isinstance(table, pyarrow.RecordBatch):
        table = pyarrow.Table.from_batches([table])
    elif not hasattr(table, "__arrow_c_stream__"):
        raise no_table("table", table)
    return _evaluate_table(
        plain(pyarrow.table(table)), form, system, named, ids, thread_count(threads)
    )


@suggest_keywords
def score_batches(
    batches: Iterable[Any],
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    convention: Convention | str = "gainful-1",
    system: str = "run",
    systems: Sequence[str] | None = None,
    bounds: bool | str = False,
    scale: Iterable[float] | None = None,
    ids: str = "text",
    rows: int = _ROWS,
    threads: int = 1,
) -> Iterator[Any]:
    """Evaluate judgments and a run in one stream, grouped by query.

    Such a stream results from a shuffle of both by query. Memory use is about `rows` rows plus the
    largest query.

    Parameters
    ----------
    batches : iterable of pyarrow.RecordBatch, pyarrow.Table, or other objects with an Arrow stream
        With the columns of `score_table`. The rows of a query must be contiguous, over any number
        of batches; the order of queries, and of rows within a query, does not matter.
    measures, convention, system, systems, bounds, scale, ids, threads
        As for `score_table`.
    rows : int
        The minimum number of rows to evaluate at once.

    Yields
    ------
    pyarrow.RecordBatch
        Rows as `score_partition` returns them, all with the same schema.

    Raises
    ------
    GainfulError
        As for `score_table`; also if the column types of batches are incompatible.

    Examples
    --------
    >>> import gainful, pyarrow
    >>> from gainful.evaluation.partition import score_batches
    >>> both = pyarrow.table(
    ...     {
    ...         "query_id": ["q1", "q1", "q1", "q2"],
    ...         "doc_id": ["d1", "d2", "d1", "d3"],
    ...         "is_judgment": [True, False, False, True],
    ...         "grade": [1, None, None, 2],
    ...         "score": [None, 0.9, 0.5, None],
    ...     }
    ... )
    >>> found = score_batches(both.to_batches(), "RR")
    >>> gainful.Evaluation.from_rows(found, "RR").per_query()
    {'q1': 0.5, 'q2': 0.0}
    """
    form = RowForm(measures, convention, bounds, scale)
    if type(rows) is not int or rows < 1:
        raise ParameterError(where="rows", found=repr(rows), expected="1 or more")
    if hasattr(batches, "__arrow_c_stream__"):
        batches = [batches]
    elif not hasattr(batches, "__iter__"):
        raise no_table("batches", batches)
    named, count = _check_systems(systems), thread_count(threads)
    # Check `ids` before the first batch.
    QueryRows({}, form, ids)
    return (
        batch
        for table in groups(batches, rows)
        for batch in _evaluate_table(table, form, system, named, ids, count).to_batches()
    )


def _check_systems(systems: Any) -> tuple[str, ...] | None:
    if systems is None:
        return None
    named = tuple(systems)
    if isinstance(systems, str) or not named or len(set(named)) < len(named):
        raise ParameterError(
            where="systems", found=repr(systems), expected="a list of one or more different names"
        )
    return named


def _evaluate_table(
    table: Any,
    form: RowForm,
    system: str,
    systems: tuple[str, ...] | None,
    ids: str,
    threads: int,
) -> Any:
    import pyarrow

    qrels, runs = split_sides(table, system, systems)
    try:
        tables = evaluate_systems(form, qrels, runs, threads=threads)
    except GainfulError as error:
        raise without_row(error) from None
    return pyarrow.table(QueryRows(tables, form, ids))


def without_row(error: GainfulError) -> GainfulError:
    """Remove the row number from an error: it counts the rows of one partition."""
    if error.line is None and error.row is None:
        return error
    return error.replace(where=error.where or "the run", file=None, line=None, row=None)
