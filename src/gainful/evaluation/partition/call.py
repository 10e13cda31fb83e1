"""Evaluate the judgments and the run of some queries."""

from __future__ import annotations

from gainful import _kernel
from gainful.conventions import Convention, get
from gainful.data import Qrels
from gainful.data.coercion import run_input
from gainful.data.columns import stream
from gainful.data.inputs import add_location, qrels_rows
from gainful.data.read_options import ReadOptions
from gainful.data.table import kernel_rows
from gainful.errors import ColumnError, GainfulError, MeasureError
from gainful.evaluation.arguments import add_convention_context
from gainful.evaluation.own_values import own_values
from gainful.evaluation.query_rows import QueryRows, RowForm
from gainful.keywords import suggest_keywords
from gainful.measures import Measure, parse_measures
from gainful.measures.choosing import choose_measures, prepare_measures
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gainful.data.qrels import QrelsLike
    from gainful.data.run import RunLike

__all__ = ["evaluate_systems", "order_dependence", "score_partition"]

#: Judgments with more than one grade per document.
_LABELLED = ("subtopics", "groups", "strata")


@suggest_keywords
def score_partition(
    qrels: QrelsLike | None,
    run: RunLike | None,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    convention: Convention | str = "gainful-1",
    system: str = "run",
    bounds: bool | str = False,
    scale: Iterable[float] | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    run_columns: Mapping[str, str] | None = None,
    shared: bool = False,
    ids: str = "text",
    threads: int = 1,
) -> QueryRows:
    """Evaluate a partition of the queries.

    A call needs all judgments and the whole ranking of each of its queries. Use many queries per
    call, since each call has a fixed cost. A partition may have only judgments, only a run, or no
    rows; the result then has the rows that count missing and extra queries.

    Parameters
    ----------
    qrels : table, mapping, Qrels or None
        The judgments of these queries, as for `gainful.evaluate`; None or an empty table if there
        are none.
    run : table, mapping, Run or None
        Their rankings, likewise. If the convention depends on the order of a run's rows
        (`order_dependence`), the rows of each query must be in that order.
    measures, convention
        As for `gainful.evaluate`.
    system : str
        The name of the run.
    bounds, scale
        As for `gainful.evaluate`. Bounds require a scale, since a partition does not know the
        grades of all judgments.
    qrels_columns, run_columns : mapping of str to str, optional
        The names of columns, as for `gainful.Qrels` and `gainful.Run`.
    shared : bool
        Whether `qrels` has the judgments of all queries. Then only the queries of the partition's
        run are evaluated, and ``Evaluation.from_rows(..., qrels=qrels)`` adds the judged queries
        without rows.
    ids : {"text", "binary"}
        The type of query ids in the rows. Text ids must be UTF-8.
    threads : int, default 1
        Number of threads; tasks of a cluster usually have one core.

    Returns
    -------
    QueryRows
        One row per query, for any data frame library and `Evaluation.from_rows`.

    Raises
    ------
    GainfulError
        For anything that cannot be read, matched or evaluated. `Evaluation.from_rows`, which has
        all rows, checks that judgments and runs have common queries.
    ParameterError
        For bounds without a scale.

    Examples
    --------
    >>> import gainful
    >>> from gainful.evaluation.partition import score_partition
    >>> parts = [
    ...     score_partition({"q1": {"d1": 2}}, {"q1": ["d2", "d1"]}, "RR"),
    ...     score_partition({"q2": {"d3": 1}}, None, "RR"),
    ...     score_partition(None, {"q3": ["d5"]}, "RR"),
    ... ]
    >>> result = gainful.Evaluation.from_rows(parts, "RR")
    >>> result.mean(), result.counts()["missing"], result.counts()["extra"]
    (0.25, 1, 1)
    """
    form = RowForm(measures, convention, bounds, scale)
    systems = evaluate_systems(
        form,
        qrels,
        {system: run},
        qrels_columns=qrels_columns,
        run_columns=run_columns,
        shared=shared,
        threads=thread_count(threads),
    )
    return QueryRows(systems, form, ids)


def evaluate_systems(
    form: RowForm,
    qrels: QrelsLike | _kernel.Rows | None,
    runs: Mapping[str, RunLike | None],
    *,
    qrels_columns: Mapping[str, str] | None = None,
    run_columns: Mapping[str, str] | None = None,
    shared: bool = False,
    threads: int = 1,
) -> dict[str, _kernel.Evaluated]:
    """Return the table of each system over some queries."""
    try:
        judged = _judgments(form, qrels, qrels_columns, threads)
        return {
            system: _evaluate_run(
                form, judged, _run(form, run, run_columns, threads), shared, threads
            )
            for system, run in runs.items()
        }
    except GainfulError as error:
        raise add_convention_context(error, form.convention) from None


def _evaluate_run(
    form: RowForm,
    judged: _kernel.Rows,
    run: _kernel.Rows | _kernel.Columnar | list[str],
    shared: bool,
    threads: int,
) -> _kernel.Evaluated:
    policies = form.convention.spec()
    if shared:
        policies["missing"] = "skip"
    if isinstance(run, _kernel.Rows) and run.queries == 0:
        # A partition without rankings needs no ranks.
        policies["order"] = "score"
    if judged.queries == 0 and form.convention.extra != "no-relevant":
        # Without judgments there are no values, and subtopics are unknown: only count the queries.
        plain = [(repr(measure), *measure.spec()) for measure in parse_measures("NumRet")]
        # NumRet has no terms to round.
        policies["rounding"] = "none"
        return _kernel.evaluate(
            judged, run, policies, plain, threads=threads, counts=False, partial=True
        )
    complete = own_values(form.measures, form.convention)
    kernels = prepare_measures(form.measures, form.convention).kernels(judged.grades)

    def evaluate(documents: bool) -> _kernel.Evaluated:
        return _kernel.evaluate(
            judged,
            run,
            policies,
            kernels,
            threads=threads,
            bounds=form.bounds,
            partial=True,
            rankings=complete is not None,
            ranked_documents=documents,
        )

    try:
        rows = evaluate(False) if complete is None else complete(evaluate, run)
    except GainfulError as error:
        if isinstance(run, _kernel.Columnar) and error.line is not None:
            raise add_location(error, "the run", "run") from None
        raise
    if not shared:
        return rows
    ids, values, flags, (_, evaluated, _, *rest), tag, (_, extra) = rows.state()
    counts = [evaluated, evaluated, 0, *rest]
    return form.table([(ids, values, flags, counts, tag, ([], extra))])


def _judgments(
    form: RowForm, qrels: object, columns: Mapping[str, str] | None, threads: int
) -> _kernel.Rows:
    if isinstance(qrels, _kernel.Rows):
        return qrels
    if isinstance(qrels, Qrels):
        return kernel_rows(qrels)
    if _is_empty(qrels):
        return _empty_rows("qrels")
    for measure in form.measures:
        if measure.declaration.judgments in ("alternatives", "spans"):
            raise MeasureError(
                f"{measure!r} needs judgments that are read as Qrels, with or without groups",
                hint="pass gainful.Qrels(...), with subtopics=True if there are groups",
            )
    duplicates = form.convention.duplicates
    labelled = any(measure.declaration.judgments in _LABELLED for measure in form.measures)
    if _has_stream(qrels):
        try:
            taken = stream(qrels, "qrels", columns, labelled)
            return taken.rows(threads=threads, duplicates=duplicates, partial=True)
        except GainfulError as error:
            raise add_location(error, "the judgments", "judgments") from None
    options = ReadOptions(duplicates=duplicates, columns=columns, subtopics=labelled)
    rows: _kernel.Rows
    rows, _, _ = qrels_rows(qrels, options, threads=threads)
    return rows


def _run(
    form: RowForm, run: object, columns: Mapping[str, str] | None, threads: int
) -> _kernel.Rows | _kernel.Columnar | list[str]:
    if _is_empty(run):
        return _empty_rows("run")
    if _has_stream(run):
        taken = stream(run, "run", columns)
        if taken.systems:
            raise ColumnError(
                "several systems in one part",
                where="the run",
                hint="call score_partition for the rows of each system, or score_table(table,"
                " systems=[...]) for all",
            )
        if taken.scored and form.convention.extra != "no-relevant":
            return taken
        return taken.rows(threads=threads, duplicates="count", partial=True)
    options = ReadOptions(columns=columns)
    return run_input(run, options, extra=form.convention.extra, threads=threads)  # type: ignore[arg-type]


def _empty_rows(table: str) -> _kernel.Rows:
    # The readers reject empty input.
    return _kernel.rows_from_mapping({"q": {"d": 1.0}}, table).select([])


def _is_empty(obj: object) -> bool:
    """Return whether an input is known to have no rows; a stream may still be empty."""
    if obj is None:
        return True
    if isinstance(obj, (str, bytes)):
        return False
    try:
        return len(obj) == 0  # type: ignore[arg-type]
    except TypeError:
        return False


def _has_stream(obj: object) -> bool:
    # Columns of pandas may have types that Arrow lacks.
    pandas = type(obj).__module__.partition(".")[0] == "pandas"
    return hasattr(obj, "__arrow_c_stream__") and not pandas


@suggest_keywords
def order_dependence(
    measures: Measure | str | Iterable[Measure | str], convention: Convention | str = "gainful-1"
) -> tuple[str, ...]:
    """Return the policies of a convention that depend on the order of a run's rows.

    A shuffle loses the order of rows. If this returns policies, sort the rows by a column with
    their original position. For ``duplicates`` this is needed only if documents are repeated.

    Parameters
    ----------
    measures, convention
        As for `gainful.evaluate`. Measures depend on the order only through the convention.

    Returns
    -------
    tuple of str
        The policies with their values; empty if any order of the rows gives exactly the same
        numbers.

    Examples
    --------
    >>> order_dependence("nDCG@10"), order_dependence("nDCG@10", "ranx")
    ((), ('ties=given', 'duplicates=last'))
    """
    policies = get(convention)
    # Reject invalid measures and conventions.
    choose_measures(measures, policies)
    sources = []
    if policies.order == "given":
        sources.append("order=given")
    elif policies.ties in ("given", "reverse"):
        sources.append(f"ties={policies.ties}")
    if policies.duplicates in ("first", "last", "blank"):
        sources.append(f"duplicates={policies.duplicates}")
    return tuple(sources)
