"""Partitions that come as batches: cut between queries, and measured many queries a time."""

from __future__ import annotations

from gainful.backends.partition.call import scored
from gainful.backends.partition.column_types import comparable, holds_ids
from gainful.errors import ArgumentError, ColumnError, ParameterError
from gainful.evaluation.query_rows import QueryRows, RowForm
from gainful.evaluation.result import DEFAULT_MEASURES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from gainful.conventions import Convention
    from gainful.measures import Measure

__all__ = ["score_batches", "score_table", "tagged"]

#: Rows that are measured at once, at least.
_ROWS = 1 << 20

#: The columns of a table of both, and those that it may have besides.
_BOTH = {
    "query_id": "large_string",
    "doc_id": "large_string",
    "is_judgment": "bool",
    "grade": "double",
    "score": "double",
}
_MORE = {"subtopic": "large_string", "rank": "double", "system": "large_string"}
#: What the columns of judgments and of a run are called in a table of both.
_QRELS = ("query_id", "subtopic", "doc_id", "grade")
_RUN = ("query_id", "doc_id", "score", "rank")


def tagged(
    table: Any,
    side: str,
    *,
    columns: Mapping[str, str] | None = None,
    system: str | None = None,
    more: Sequence[str] = (),
) -> Any:
    """Return judgments or a run as rows of the table of both that one shuffle carries.

    Both sides have the same columns of the same types, with ids as text: where the ids of one
    side are integers and those of the other text, a shuffle would tear queries apart.

    Parameters
    ----------
    table : pyarrow.Table, or another object with an Arrow stream
        Judgments or a run. Its columns are found as those of any data frame.
    side : {"qrels", "run"}
        Which of them.
    columns : mapping of str to str, optional
        Which column is which, as `gainful.Qrels` and `gainful.Run` have it.
    system : str, optional
        The name of the run's system, where there are several.
    more : sequence of str
        Which of the columns ``subtopic``, ``rank`` and ``system`` both sides have besides
        ``query_id``, ``doc_id``, ``is_judgment``, ``grade`` and ``score``: those that the measures,
        the convention or several systems ask for. Each is null on the side that has it not.

    Returns
    -------
    pyarrow.Table
        The columns that `score_table` takes.

    Raises
    ------
    ColumnError
        If a column is missing, or holds something else than ids or numbers.

    Examples
    --------
    >>> import pyarrow
    >>> run = pyarrow.table({"qid": [1], "docno": ["d1"], "score": [0.5]})
    >>> tagged(run, "run").to_pylist()
    [{'query_id': '1', 'doc_id': 'd1', 'is_judgment': False, 'grade': None, 'score': 0.5}]
    """
    import pyarrow

    from gainful.data.columns import find_columns

    judged = side == "qrels"
    if not judged and side != "run":
        raise ParameterError(where="side", found=repr(side), expected="'qrels' or 'run'")
    unknown = set(more).difference(_MORE)
    if unknown:
        raise ParameterError(
            where="more", found=repr(min(unknown)), expected=f"some of {', '.join(_MORE)}"
        )
    own = table if isinstance(table, pyarrow.Table) else pyarrow.table(table)
    sought = "subtopic qrels" if judged and "subtopic" in more else side
    found = find_columns(own.column_names, sought, columns)
    made = {}
    for name, kind in (_BOTH | {name: _MORE[name] for name in _MORE if name in more}).items():
        if name == "is_judgment":
            made[name] = pyarrow.repeat(judged, len(own))
        elif name == "system" and not judged and system is not None:
            made[name] = pyarrow.repeat(pyarrow.scalar(system, kind), len(own))
        elif name in found:
            made[name] = _cast(own.column(found[name]), found[name], kind)
        else:
            made[name] = pyarrow.nulls(len(own), kind)
    return pyarrow.table(made)


def _cast(column: Any, name: str, kind: str) -> Any:
    """Return a column in the type that both sides have; no value may change by it."""
    import pyarrow

    column = comparable(column)
    of = column.type.value_type if pyarrow.types.is_dictionary(column.type) else column.type
    if kind == "large_string" and not holds_ids(of):
        raise ColumnError(
            where=f"column {name!r}", found=str(column.type), expected="text, bytes or integers"
        )
    try:
        if pyarrow.types.is_decimal(column.type):
            # By way of their texts, which are rounded once.
            column = column.cast("string")
        return column.cast(kind)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError) as error:
        raise ColumnError(
            where=f"column {name!r}",
            found=f"{column.type} that does not become {kind}: {error}",
            expected="ids of UTF-8" if kind != "double" else "numbers",
        ) from None


def score_table(
    table: Any,
    measures: Measure | str | Iterable[Measure | str] = DEFAULT_MEASURES,
    *,
    convention: Convention | str = "gainful-1",
    system: str = "run",
    systems: Sequence[str] | None = None,
    bounds: bool | str = False,
    scale: Iterable[float] | None = None,
    ids: str = "text",
    threads: int = 1,
) -> Any:
    """Measure judgments and a run that stand in one table, as a shuffle of both leaves them.

    Parameters
    ----------
    table : pyarrow.Table or pyarrow.RecordBatch
        All rows of some queries, in any order, with the columns ``query_id``, ``doc_id``,
        ``is_judgment`` (boolean: whether the row is one of the judgments or of the run),
        ``grade`` (used of judgments) and ``score``, ``rank`` or both (used of the run); where
        measures need it ``subtopic``, and with `systems` a column ``system`` (used of the run).
        `tagged` makes them. There may be no rows.
    measures, convention, system, bounds, scale, ids, threads
        As `score_partition` has them.
    systems : sequence of str, optional
        The names of all systems of which there are runs: each is measured over all judged
        queries, those of parts in which it has no row included. A row of another system is an
        error.

    Returns
    -------
    pyarrow.Table
        The rows that `score_partition` returns, of the same types for any number of rows.

    Raises
    ------
    GainfulError
        As `score_partition` has it.

    Examples
    --------
    >>> import gainful, pyarrow
    >>> from gainful.backends.partition import score_table, tagged
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
    named = _named(systems)
    batches = list(_pieces(table))
    schema = batches[0].schema if batches else _plain(table).schema
    whole = pyarrow.Table.from_batches(batches, schema=schema)
    return _measured(whole, form, system, named, ids, threads)


def score_batches(
    batches: Iterable[Any],
    measures: Measure | str | Iterable[Measure | str] = DEFAULT_MEASURES,
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
    """Measure judgments and a run that come in one stream, grouped by query.

    This is what a shuffle of both by query ends in. Memory holds some `rows` of it and the largest
    query.

    Parameters
    ----------
    batches : iterable of pyarrow.RecordBatch or pyarrow.Table
        With the columns of `score_table`. Rows of a query follow each other, over any number of
        batches; in which order queries come, and judgments and rankings within one, does not
        matter.
    measures, convention, system, systems, bounds, scale, ids, threads
        As `score_table` has them.
    rows : int
        How many rows are measured at once, at least, as long as there are more.

    Yields
    ------
    pyarrow.RecordBatch
        Rows as `score_partition` returns them, all of the same schema.

    Raises
    ------
    GainfulError
        As `score_partition` has it; line numbers are rows of what was measured at once.

    Examples
    --------
    >>> import gainful, pyarrow
    >>> from gainful.backends.partition import score_batches
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
    if rows < 1:
        raise ParameterError(where="rows", found=repr(rows), expected="1 or more")
    named = _named(systems)
    return (
        batch
        for table in _groups(batches, rows)
        for batch in _measured(table, form, system, named, ids, threads).to_batches()
    )


def _named(systems: Sequence[str] | None) -> tuple[str, ...] | None:
    if systems is None:
        return None
    named = tuple(systems)
    if not named or len(set(named)) < len(named):
        raise ParameterError(
            where="systems", found=repr(list(named)), expected="at least one, each once"
        )
    return named


def _measured(
    table: Any,
    form: RowForm,
    system: str,
    systems: tuple[str, ...] | None,
    ids: str,
    threads: int,
) -> Any:
    import pyarrow

    qrels, runs = _taken_apart(table, system, systems)
    return pyarrow.table(QueryRows(scored(form, qrels, runs, threads=threads), form, ids))


def _groups(batches: Iterable[Any], rows: int) -> Iterator[Any]:
    """Yield tables of so many rows, each with all rows of its queries."""
    import pyarrow

    held: list[Any] = []
    count = 0
    for given in batches:
        for batch in _pieces(given):
            if len(batch) == 0:
                continue
            if count >= rows:
                cut = _last_start(held[-1] if held else None, batch)
                if cut is not None:
                    yield pyarrow.Table.from_batches([*held, batch.slice(0, cut)])
                    held, count = [], 0
                    batch = batch.slice(cut)
            held.append(batch)
            count += len(batch)
    if held:
        yield pyarrow.Table.from_batches(held)


def _pieces(given: Any) -> Iterable[Any]:
    import pyarrow

    if isinstance(given, pyarrow.RecordBatch):
        return (_plain(given),)
    if isinstance(given, pyarrow.Table):
        return _plain(given).to_batches()  # type: ignore[no-any-return]
    raise ArgumentError(
        where="batches",
        found=type(given).__name__,
        expected="record batches or tables of pyarrow",
    )


def _plain(table: Any) -> Any:
    """Return a table or record batch whose columns can be compared and filtered."""
    given = table.columns
    columns = [comparable(column) for column in given]
    if all(column is own for column, own in zip(columns, given, strict=True)):
        return table
    return type(table).from_arrays(columns, names=table.schema.names)


def _last_start(before: Any, batch: Any) -> int | None:
    """Return the row of a batch at which its last query starts, 0 for its first row.

    None where it belongs to the query before.
    """
    from pyarrow import compute

    _need(batch, ("query_id",))
    queries = batch.column("query_id")
    changes = compute.not_equal(queries.slice(1), queries.slice(0, len(queries) - 1))
    starts = compute.indices_nonzero(compute.fill_null(changes, True))
    if len(starts):
        return int(starts[-1].as_py()) + 1
    if before is not None and before.column("query_id")[len(before) - 1] != queries[0]:
        return 0
    return None


def _taken_apart(
    table: Any, system: str, systems: tuple[str, ...] | None
) -> tuple[Any, dict[str, Any]]:
    """Return the judgments, and the run of each system."""
    from pyarrow import compute

    _need(table, ("query_id", "doc_id", "is_judgment", "grade"))
    judged = table.column("is_judgment")
    if judged.null_count:
        raise ColumnError(
            where="column 'is_judgment'", found="a null", expected="true or false in every row"
        )
    judged = compute.cast(judged, "bool")
    names = table.column_names
    qrels = table.select([name for name in _QRELS if name in names]).filter(judged)
    rest = table.filter(compute.invert(judged))
    if "score" not in names and "rank" not in names:
        raise _missing(names, "score")
    run = rest.select([name for name in _RUN if name in names])
    if systems is None:
        return qrels, {system: run}
    _need(table, ("system",))
    of = compute.cast(rest.column("system"), "string")
    unknown = set(compute.unique(of).to_pylist()) - set(systems)
    if unknown:
        raise ColumnError(
            where="column 'system'",
            found=repr(min(map(str, unknown))),
            expected=f"one of {', '.join(systems)}",
        )
    return qrels, {name: run.filter(compute.equal(of, name)) for name in systems}


def _need(table: Any, columns: tuple[str, ...]) -> None:
    names = table.schema.names
    for column in columns:
        if column not in names:
            raise _missing(names, column)


def _missing(names: list[str], column: str) -> ColumnError:
    return ColumnError(
        where="the columns of the batches",
        found=", ".join(map(repr, names)),
        expected=f"a column {column!r}",
        hint="score_batches says which columns a table of judgments and a run has",
    )
