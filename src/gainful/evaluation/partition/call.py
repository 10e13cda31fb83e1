"""The call: from the judgments and the run of some queries to their rows."""

from __future__ import annotations

from gainful import _kernel
from gainful.conventions import Convention, get
from gainful.data import Qrels
from gainful.data.coercion import run_input
from gainful.data.columnar import stream
from gainful.data.inputs import located, qrels_rows
from gainful.data.read_options import ReadOptions
from gainful.errors import GainfulError
from gainful.evaluation.error_context import add_convention_context
from gainful.evaluation.query_rows import QueryRows, RowForm
from gainful.measures import Measure, parse_measures
from gainful.measures.choosing import choose_measures
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gainful.data.inputs import QrelsLike, RunLike

__all__ = ["order_dependence", "score_partition", "scored"]

#: Judgments that know more of a document than one grade.
_LABELLED = ("subtopics", "groups", "strata")


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
    """Measure some queries of many.

    All judgments and all of the run of a query have to be in one call; many queries belong into
    one, since each call has a cost of its own. A part that has only judgments, only a run, or no
    rows at all is none of its business: it gives the rows that the whole needs of it.

    Parameters
    ----------
    qrels : table, mapping, Qrels or None
        The judgments of these queries: what `gainful.evaluate` takes, without rows where there are
        none; None is the same.
    run : table, mapping, Run or None
        Their rankings, in the same way. Where the convention goes by the order of a run's rows,
        as `order_dependence` says, the rows of a query are in that order.
    measures, convention
        As `gainful.evaluate` has them.
    system : str
        The name of the run.
    bounds, scale
        As `gainful.evaluate` has them. A part does not know the grades of all judgments, so bounds
        need a scale.
    qrels_columns, run_columns : mapping of str to str, optional
        Which column is which, as `gainful.Qrels` and `gainful.Run` have it.
    shared : bool
        Whether `qrels` are the judgments of all queries, which every part has: only those of the
        part's run are then measured. ``Evaluation.from_rows(..., qrels=qrels)`` adds the judged
        queries that no part has.
    ids : {"text", "binary"}
        Of what type query ids are in the rows. As text they have to be UTF-8.
    threads : int, default 1
        Threads to use: of a cluster's tasks each has one core, as a rule.

    Returns
    -------
    QueryRows
        One row a query, which any library of data frames takes, and `Evaluation.from_rows`.

    Raises
    ------
    GainfulError
        For whatever cannot be read, matched or measured. That no query is in common is for
        `Evaluation.from_rows` to find, which sees all rows.
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
    found = scored(
        form,
        qrels,
        {system: run},
        qrels_columns=qrels_columns,
        run_columns=run_columns,
        shared=shared,
        threads=thread_count(threads),
    )
    return QueryRows(found, form, ids)


def scored(
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
            system: _measured(form, judged, _run(run, run_columns, threads), shared, threads)
            for system, run in runs.items()
        }
    except GainfulError as error:
        raise add_convention_context(error, form.convention) from None


def _measured(
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
        # A part without rankings has no ranks either, and needs none.
        policies["order"] = "score"
    if judged.queries == 0:
        # Without judgments nobody can tell whether they would be of subtopics, and nothing is
        # measured: only the queries count.
        plain = [(repr(measure), *measure.spec()) for measure in parse_measures("NumRet")]
        # Terms that are rounded have no meaning for a count.
        policies["rounding"] = "none"
        return _kernel.evaluate(
            judged, run, policies, plain, threads=threads, counts=False, partial=True
        )
    try:
        found = _kernel.evaluate(
            judged, run, policies, form.kernels, threads=threads, bounds=form.bounds, partial=True
        )
    except GainfulError as error:
        if isinstance(run, _kernel.Columnar) and error.line is not None:
            raise located(error, "the run", "run") from None
        raise
    if not shared:
        return found
    ids, values, flags, (_, evaluated, _, extra), tag = found.state()
    return form.table([(ids, values, flags, (evaluated, evaluated, 0, extra), tag)])


def _judgments(
    form: RowForm, qrels: object, columns: Mapping[str, str] | None, threads: int
) -> _kernel.Rows:
    if isinstance(qrels, _kernel.Rows):
        return qrels
    if isinstance(qrels, Qrels):
        return qrels._rows
    if _is_empty(qrels):
        return _nothing("qrels")
    duplicates = form.convention.duplicates
    labelled = any(each.declaration.judgments in _LABELLED for each in form.measures)
    if _has_stream(qrels):
        try:
            taken = stream(qrels, "qrels", columns, labelled)
            return taken.rows(threads=threads, duplicates=duplicates, partial=True)
        except GainfulError as error:
            raise located(error, "the judgments", "judgments") from None
    options = ReadOptions(duplicates=duplicates, columns=columns, subtopics=labelled)
    rows, _, _ = qrels_rows(qrels, options, threads=threads)
    return rows


def _run(
    run: object, columns: Mapping[str, str] | None, threads: int
) -> _kernel.Rows | _kernel.Columnar | list[str]:
    if _is_empty(run):
        return _nothing("run")
    if _has_stream(run):
        taken = stream(run, "run", columns)
        if taken.scored:
            return taken
        return taken.rows(threads=threads, duplicates="count", partial=True)
    return run_input(run, ReadOptions(columns=columns), threads=threads)  # type: ignore[arg-type]


def _nothing(table: str) -> _kernel.Rows:
    # Wherever rows are read, it is an error that there are none.
    return _kernel.rows_from_mapping({"q": {"d": 1.0}}, table).select([])


def _is_empty(obj: object) -> bool:
    """Whether there are no rows, as far as that can be seen; a stream may still have none."""
    if obj is None:
        return True
    if isinstance(obj, (str, bytes)):
        return False
    try:
        return len(obj) == 0  # type: ignore[arg-type]
    except TypeError:
        return False


def _has_stream(obj: object) -> bool:
    # The columns of pandas may hold what Arrow has no type for: they are read another way.
    pandas = type(obj).__module__.partition(".")[0] == "pandas"
    return hasattr(obj, "__arrow_c_stream__") and not pandas


def order_dependence(
    measures: Measure | str | Iterable[Measure | str], convention: Convention | str = "gainful-1"
) -> tuple[str, ...]:
    """Return the policies of a convention that go by the order in which a run's rows are given.

    Rows that went through a shuffle are in no order. Where this returns something, they have to be
    sorted by a column that says where in the run they stood; on account of ``duplicates`` only if
    a document does stand twice.

    Parameters
    ----------
    measures, convention
        As `gainful.evaluate` has them. No measure goes by the order where the convention does not.

    Returns
    -------
    tuple of str
        The policies with their values; empty where any order of the rows gives the same numbers,
        to the last bit.

    Examples
    --------
    >>> order_dependence("nDCG@10"), order_dependence("nDCG@10", "ranx")
    ((), ('ties=given', 'duplicates=last'))
    """
    policies = get(convention)
    # What cannot be measured is refused here as everywhere.
    choose_measures(measures, policies)
    found = []
    if policies.order == "given":
        found.append("order=given")
    elif policies.ties in ("given", "reverse"):
        found.append(f"ties={policies.ties}")
    if policies.duplicates in ("first", "last", "blank"):
        found.append(f"duplicates={policies.duplicates}")
    return tuple(found)
