"""Evaluate runs and judgments in Spark, without a shuffle where files allow it."""

from __future__ import annotations

from typing import NamedTuple

from gainful.backends.spark.executor import Frame, Settings, SparkEvaluation, SparkRows, task
from gainful.backends.spark.footers import ParquetFiles, Ranges
from gainful.backends.spark.inputs import (
    Judgments,
    check_subtopics,
    grades_of,
    joint_ids,
    runs_by_name,
    scored,
    session_for,
    source_of,
    systems_of,
)
from gainful.backends.spark.parts import Range, cut, parallelism
from gainful.errors import ConventionError, MeasureError, ParameterError
from gainful.evaluation.partition import RowForm, order_dependence
from gainful.keywords import suggest_keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyspark.sql import DataFrame, SparkSession

    from gainful.backends.spark.inputs import Ranking, RunTable
    from gainful.backends.spark.parts import Side
    from gainful.conventions import Convention
    from gainful.data.paths import Paths
    from gainful.measures import Measure

__all__ = ["evaluate", "first_ranks"]

_SPARK_TYPES = {"string": "string", "double": "double", "int64": "bigint", "bool": "boolean"}


class CheckedArguments(NamedTuple):
    """The arguments of a call, checked.

    Attributes
    ----------
    form
        What to measure, and how.
    judged, runs
        The tables. The name of a run that has several systems is ignored.
    kinds
        The common kinds of query and document ids.
    extra
        Columns needed besides ids and numbers: ``rank``, ``subtopic``, ``position``.
    settings
        Settings for the executors.
    partitions
        The number of partitions of queries; None for the default.
    ranks
        The number of ranks of which rows are shuffled; None for all.
    """

    form: RowForm
    judged: Judgments
    runs: Mapping[str, Ranking]
    kinds: Mapping[str, str]
    extra: list[str]
    settings: Settings
    partitions: int | None
    ranks: int | None = None

    @property
    def tables(self) -> list[RunTable]:
        """The judgments and the runs."""
        return [self.judged, *self.runs.values()]


def schema(wanted: CheckedArguments) -> str:
    """Return the schema of the rows for Spark."""
    types = {name: _SPARK_TYPES[kind] for name, kind in wanted.form.types.items()}
    ids = wanted.kinds["query_id"]
    types["query_id"] = {"integer": "bigint", "binary": "binary", "text": "string"}[ids]
    return ", ".join(f"`{name.replace('`', '``')}` {kind}" for name, kind in types.items())


#: Measures that with a cutoff need only the documents above it and the judgments.
_CUT = ("CG", "DCG", "P", "R", "RR", "Success", "nDCG")

#: Parameters with which they need all documents.
_WHOLE = {"ideal": "list", "judged_only": True, "listed": True}

#: Policies that need all documents unless they have one of these values.
_POLICIES = {
    "order": ("score",),
    "unjudged": ("zero",),
    "unretrieved": ("absent",),
    "duplicates": ("error", "count"),
    "same_id": ("keep",),
    "single": ("keep",),
}


def first_ranks(form: RowForm, scored: bool) -> int:
    """Return the number of ranks that the measures look at.

    Examples
    --------
    >>> from gainful.evaluation.partition import RowForm
    >>> first_ranks(RowForm(["nDCG@10", "RR@20"], "gainful-1"), scored=True)
    20
    >>> first_ranks(RowForm("AP", "gainful-1"), scored=True)
    Traceback (most recent call last):
    ...
    gainful.errors.ParameterError: counts=False, but AP needs all documents of a query
    """
    policies = form.convention
    reasons = [
        repr(measure) for measure in form.measures if _cutoff(measure.resolve(policies)) is None
    ]
    reasons += [
        f"{name}={getattr(policies, name)}"
        for name, values in _POLICIES.items()
        if getattr(policies, name) not in values
    ]
    if policies.negative == "drop":
        reasons.append("negative=drop")
    if form.bounds is not None:
        reasons.append("bounds")
    if not scored:
        reasons.append("a run without scores")
    if reasons:
        raise ParameterError(f"counts=False, but {reasons[0]} needs all documents of a query")
    return max(_cutoff(measure.resolve(policies)) or 0 for measure in form.measures)


def _cutoff(measure: Measure) -> int | None:
    """Return the cutoff of a resolved measure that needs no rows below it."""
    whole = any(measure.params.get(name) == value for name, value in _WHOLE.items())
    return measure.cutoff if measure.family in _CUT and not whole else None


def keep_first_ranks(run: DataFrame, ranks: int, precision: str) -> DataFrame:
    """Keep the rows of each query and system down to a rank, and those tied with it.

    Spark removes most other rows before it shuffles. Invalid scores are kept, so that they raise an
    error later.
    """
    # Adding 0 turns -0.0 into 0.0, so that the two tie. Spark orders NaN above infinity.
    kind = "float" if precision == "float32" else "double"
    score = f"CAST(nullif(value, double('-infinity')) + 0D AS {kind})"
    ordered = f"PARTITION BY query_id, system ORDER BY {score} DESC NULLS FIRST"
    ranked = run.selectExpr("*", f"rank() OVER ({ordered}) AS place")
    return ranked.where(f"place <= {ranks}").drop("place")


_UNCOUNTED = (
    "documents below are not checked for duplicates and not among the documents retrieved, judged "
    "and tied (counts=True counts all)"
)


def plan_shuffle(wanted: CheckedArguments, why: str | None = None) -> SparkRows:
    """Bring all rows of a query together in one shuffle."""
    kinds = wanted.kinds
    rows = wanted.judged.tagged(kinds, wanted.extra)
    for name, run in wanted.runs.items():
        table = run.tagged(kinds, wanted.extra, wanted.settings.systems, name)
        if wanted.ranks is not None:
            table = keep_first_ranks(table, wanted.ranks, wanted.form.convention.precision)
        rows = rows.union(table)
    ordered = "position" in wanted.extra
    rows = _grouped(rows, kinds["query_id"], wanted.partitions, ordered)
    measured = rows.mapInArrow(task(wanted.settings), schema(wanted))
    way = "shuffled" if why is None else f"shuffled, since {why}"
    if wanted.ranks is not None:
        way = f"ranks 1 to {wanted.ranks} {way}; {_UNCOUNTED}"
    return SparkRows(measured, None, way, partial=wanted.ranks is not None)


def _grouped(rows: DataFrame, ids: str, partitions: int | None, ordered: bool) -> DataFrame:
    """Bring all rows of a query into one partition, one after the other."""
    # Adaptive execution never splits a repartitioning by columns, even if one query is large.
    rows = (
        rows.repartition("query_id")
        if partitions is None
        else rows.repartition(partitions, "query_id")
    )
    last = ["position"] if ordered else []
    if ids == "integer":
        return rows.sortWithinPartitions("query_id", *last)
    # Spark compares 8-byte prefixes first; those of ids are often equal, those of hashes are not.
    hashed = rows.selectExpr("*", "xxhash64(query_id) AS hash")
    return hashed.sortWithinPartitions("hash", "query_id", *last).drop("hash")


def _planned(wanted: CheckedArguments, session: SparkSession | None) -> SparkRows:
    """Plan how rows are read: without a shuffle if the files are grouped by query."""
    sources = [table.source for table in wanted.tables]
    files = [source for source in sources if isinstance(source, ParquetFiles)]
    if len(files) < len(sources) or session is None:
        instead = [source.instead for source in sources if isinstance(source, Frame)]
        why = next((reason for reason in instead if reason is not None), None)
        return plan_shuffle(wanted, why or ("DataFrames and files are mixed" if files else None))
    planned_ranges = _ranges(wanted, files, session)
    if isinstance(planned_ranges, str):
        return plan_shuffle(wanted, planned_ranges)
    sides, ranges = planned_ranges
    asked = Ranges(wanted.settings, sides, list(wanted.runs), ranges)
    numbers = session.range(0, len(ranges), 1, len(ranges))
    return SparkRows(
        numbers.mapInArrow(task(asked, "footers", "measured"), schema(wanted)),
        numbers.mapInArrow(task(asked, "footers", "packed"), "rows binary"),
        "one range of queries" if len(ranges) == 1 else f"{len(ranges)} ranges of queries",
    )


def _ranges(
    wanted: CheckedArguments, files: list[ParquetFiles], session: SparkSession
) -> tuple[list[Side], list[Range]] | str:
    """Return the tables to read and the ranges; or the reason for a shuffle."""
    sides = []
    orders = set()
    groups = []
    for table, source in zip(wanted.tables, files, strict=True):
        columns = _columns(table, wanted.extra)
        side = source.side(columns)
        if side is None:
            return f"columns of {table.what} are of types that Spark converts"
        sides.append(side)
        orders.add(source.order(columns["query_id"]))
        groups.append(source.row_groups(columns["query_id"]))
    if len(orders) > 1:
        return "the ids of queries are of several types, which are ordered differently"
    held = any({"system", "position"} & set(side.columns) for side in sides)
    cuts = cut(groups, parallelism(session), wanted.partitions, held=held)
    if isinstance(cuts, str):
        hint = "sorted by query, files need no shuffle"
        return f"{cuts} ({hint})"
    return sides, cuts


def _columns(table: RunTable, extra: list[str]) -> dict[str, str]:
    """Return the columns to read from a table, by role."""
    roles = ("query_id", "doc_id", "grade", "score", "system", *extra)
    return {role: table.names[role] for role in roles if role in table.names}


def check_order(form: RowForm, position: str | None, qrels_position: str | None) -> None:
    """Refuse a convention that needs an order of rows without a column for it.

    Examples
    --------
    >>> from gainful.evaluation.partition import RowForm
    >>> check_order(RowForm("nDCG@10", "gainful-1"), None, None)
    >>> check_order(RowForm("nDCG@10", "ranx"), None, None)
    Traceback (most recent call last):
    ...
    gainful.errors.ConventionError: under ranx-0.3.21: ties=given, duplicates=last: ...
    """
    asked = order_dependence(form.measures, form.convention)
    if asked and position is None:
        raise _refused(form, ", ".join(asked), "position", "that numbers the rows of the run")
    by_judgments = _by_judgments(form)
    if by_judgments and qrels_position is None:
        raise _refused(
            form, ", ".join(by_judgments), "qrels_position", "that numbers the judgments"
        )


def _refused(form: RowForm, found: str, argument: str, column: str) -> ConventionError:
    return ConventionError(
        f"{found}: Spark tables have no order of rows",
        where=f"under {form.convention.label}",
        hint=f"set {argument}=COLUMN, a column {column}",
    )


def _by_judgments(form: RowForm) -> list[str]:
    """Return the settings that depend on the order of the judgments."""
    policies = form.convention
    plans = []
    if policies.unretrieved == "last" and policies.ties in ("given", "reverse"):
        plans.append(f"unretrieved=last with ties={policies.ties}")
    for measure in form.measures:
        if measure.resolve(policies).params.get("ideal") == "given-order":
            plans.append(f"ideal='given-order' of {measure!r}")
    return plans


#: Columns of judgments that have more than one grade per document.
_LABELLED = ("subtopics", "groups", "strata")


@suggest_keywords
def evaluate(
    qrels: DataFrame | Paths,
    run: DataFrame | Paths | Mapping[str, DataFrame | Paths],
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    convention: Convention | str = "gainful-1",
    weights: Mapping[str, float] | None = None,
    bounds: bool | str = False,
    scale: Iterable[float] | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    run_columns: Mapping[str, str] | None = None,
    system: str | None = None,
    position: str | None = None,
    qrels_position: str | None = None,
    partitions: int | None = None,
    counts: bool = True,
    session: SparkSession | None = None,
) -> SparkEvaluation:
    """Evaluate runs against judgments on Spark, in DataFrames or in Parquet files.

    DataFrames are partitioned and sorted by query in one shuffle. Python workers in the executors
    pass them to the kernel in Arrow batches of many queries. Parquet files given by address are
    split into ranges of queries, using their footers; each task reads and measures one range
    without a shuffle. If the rows of a query are far apart in the files, they are shuffled, and
    `SparkEvaluation.way` gives the reason.

    Values equal those of `gainful.evaluate` to the last bit. Computation is lazy, except for the
    names of systems in a column, and the grades if `bounds` need a scale.

    The executors need the same version of Gainful as the driver.

    Parameters
    ----------
    qrels : DataFrame, path, or list of paths
        The judgments: one row per query and document, with a grade. Columns are detected by name,
        as in the data frames of `gainful.evaluate`. Ids are text, binary or whole numbers. A path
        is a Parquet file, a folder of them, a glob pattern, or an address that fsspec reads.
    run : DataFrame, path, list of paths, or mapping of str to these
        The ranking, with a score or a rank per row; or several by name.
    measures, convention, weights, bounds, scale
        As in `gainful.evaluate`.
    qrels_columns, run_columns : mapping of str to str, optional
        The column for each role, as in ``{"doc_id": "sku"}``.
    system : str, optional
        The column of `run` with the system's name. Default: a column called ``system``, if there
        is one. Otherwise the run is named after its file or folder, or ``run``.
    position : str, optional
        A numeric column with the order of the run's rows, for conventions that need it
        (``ties=given``): rows in Spark have no order.
    qrels_position : str, optional
        The same for the judgments. Without it, a convention that uses the first or the last of
        two grades of a document refuses duplicate judgments.
    partitions : int, optional
        The number of partitions of the shuffle; by default Spark decides. For files, the
        approximate number of ranges; default: two to eight million rows each. A query is never
        split.
    counts : bool, default True
        Whether retrieved, judged, tied and duplicate documents are counted at all ranks. With
        False, rows below the largest cutoff are removed before the shuffle, which is faster if the
        rows of a query are near each other. Values and the counts at cutoffs stay the same. The
        other counts are of the documents down to the cutoff and those tied there, and a duplicate
        or an invalid id below is not an error. All measures need a cutoff. `SparkEvaluation.way`
        reports it. Files that are read without a shuffle are always counted.
    session : SparkSession, optional
        The session, for addresses. Default: the active one.

    Returns
    -------
    SparkEvaluation
        With the rows as a DataFrame, and their `Evaluation`.

    Raises
    ------
    ArgumentError, ColumnError
        For an argument that is neither DataFrame nor address, for missing columns or columns of
        other types, and for addresses without a session.
    SourceNotFoundError, SourceError
        For files that do not exist or are not Parquet.
    ParameterError
        For ``counts=False`` with a measure or a policy that needs all documents.
    ConventionError
        For a convention that needs the order of rows, without a column for it.
    GainfulError
        For measures and conventions, as in `gainful.evaluate`. Invalid rows are detected when the
        rows are computed.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> from gainful.backends import spark
    >>> session = SparkSession.builder.getOrCreate()
    >>> judged = [("q1", "d1", 2), ("q1", "d2", 1), ("q2", "d3", 1)]
    >>> qrels = session.createDataFrame(judged, ["query_id", "doc_id", "grade"])
    >>> found = [("q1", "d2", 0.9), ("q1", "d1", 0.5), ("q2", "d3", 0.7)]
    >>> run = session.createDataFrame(found, ["query_id", "doc_id", "score"])
    >>> result = spark.evaluate(qrels, run, "nDCG@10")
    >>> result.rows.orderBy("query_id").select("query_id", "`nDCG@10`").collect()
    [Row(query_id='q1', nDCG@10=0.8597186998521972), Row(query_id='q2', nDCG@10=1.0)]
    >>> result.evaluation().mean()
    0.9298593499260985
    """
    given_runs = list(run.values()) if isinstance(run, dict) else [run]
    session = session_for(session, [qrels, *given_runs])
    judged = Judgments(source_of(qrels, "the judgments", session), qrels_columns, qrels_position)
    runs = runs_by_name(run, run_columns, system, position, session)
    if bounds is not False and scale is None:
        scale = grades_of(judged)
    form = RowForm(measures, convention, bounds, scale)
    check_order(form, position, qrels_position)
    for measure in form.measures:
        if measure.declaration.judgments in ("alternatives", "spans"):
            raise MeasureError(
                f"{measure!r} is not available on Spark",
                hint="gainful.evaluate computes it, from files of any size",
            )
    labelled = any(measure.declaration.judgments in _LABELLED for measure in form.measures)
    if labelled:
        judged.need_subtopics()
        check_subtopics(form, judged)
    if partitions is not None and not (type(partitions) is int and partitions > 0):
        raise ParameterError(
            where="partitions", found=repr(partitions), expected="a whole number above 0"
        )
    systems, tables = systems_of(runs), [judged, *runs.values()]
    scores = scored(runs)
    kinds = {role: joint_ids(role, tables) for role in ("query_id", "doc_id")}
    extra = [
        *(["rank"] if form.convention.order == "rank" or not scores else []),
        *(["subtopic"] if labelled else []),
        *(["position"] if position or qrels_position else []),
    ]
    settings = Settings(
        form,
        systems,
        kinds["query_id"],
        scored=scores,
        judged_once=(
            qrels_position is None and form.convention.duplicates in ("first", "last", "blank")
        ),
    )
    ranks = None if counts else first_ranks(form, scores)
    wanted = CheckedArguments(form, judged, runs, kinds, extra, settings, partitions, ranks)
    return SparkEvaluation(_planned(wanted, session), form, weights)
