"""The call: from judgments and a run in Spark to rows in Spark, and to an `Evaluation`."""

from __future__ import annotations

from gainful.backends.spark.columns import Judgments, joint_ids
from gainful.backends.spark.direct import planned
from gainful.backends.spark.executor import Settings
from gainful.backends.spark.inputs import (
    check_subtopics,
    grades_of,
    runs_by_name,
    scored,
    systems_of,
)
from gainful.backends.spark.order import check_order
from gainful.backends.spark.result import SparkEvaluation
from gainful.backends.spark.sources import session_for, source_of
from gainful.backends.spark.wanted import Wanted
from gainful.errors import ParameterError
from gainful.evaluation.partition import RowForm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyspark.sql import DataFrame, SparkSession

    from gainful.conventions import Convention
    from gainful.data.paths import Paths
    from gainful.measures import Measure

__all__ = ["evaluate"]

#: Judgments that know more of a document than one grade.
_LABELLED = ("subtopics", "groups", "strata")


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
    session: SparkSession | None = None,
) -> SparkEvaluation:
    """Evaluate runs against judgments on Spark, in DataFrames or in Parquet files.

    DataFrames are partitioned by query in one shuffle and sorted in it, and Python workers in the
    executors hand them to the engine in Arrow batches, many queries at a time. Files that are given
    by their addresses are cut into ranges of queries by what their footers say, and each task reads
    and measures a range: nothing is shuffled. Where the rows of a query stand far apart in the
    files, they are shuffled all the same, and `SparkEvaluation.way` says so.

    The rows are those of `gainful.evaluate` to the last bit. Nothing is computed before the rows
    are asked for, but the names of the systems where a column has them, and the grades where
    `bounds` need a scale.

    Gainful has to be installed where the executors run, in the driver's version.

    Parameters
    ----------
    qrels : DataFrame, path, or list of paths
        The judgments: a row a query and document, with a grade. Columns are found by their names,
        as in the data frames that `gainful.evaluate` takes. Ids are text, binary or whole numbers.
        A path is a Parquet file, a folder of them, a pattern, or an address that fsspec reads.
    run : DataFrame, path, list of paths, or mapping of str to these
        The ranking, with a score a row, or a rank; or several with their names.
    measures, convention, weights, bounds, scale
        As `gainful.evaluate` has them.
    qrels_columns, run_columns : mapping of str to str, optional
        Which column is which, as in ``{"doc_id": "sku"}``.
    system : str, optional
        The column of `run` that names the system a row is of. Without it, a column called
        ``system``, if there is one; a run without any is called as its file or folder is, or
        ``run``.
    position : str, optional
        A column of numbers that says in which order the run lists its rows, for conventions that
        go by it (``ties=given``): rows in Spark have no order.
    qrels_position : str, optional
        The same for the judgments. Without it, a convention that takes the first or the last of two
        grades of a document refuses judgments that have two.
    partitions : int, optional
        Into how many partitions the shuffle deals the queries; without it Spark decides. Or into
        about how many ranges files are cut, by default of two to eight million rows. A query is
        never split.
    session : SparkSession, optional
        The session, for addresses; without it, the active one.

    Returns
    -------
    SparkEvaluation
        With the rows as a DataFrame, and the `Evaluation` that they make.

    Raises
    ------
    ArgumentError, ColumnError
        For something that is neither DataFrame nor address, for a table without the columns that
        are needed or with columns of other types, and for addresses without a session.
    SourceNotFoundError, SourceError
        For files that are not there, or are no Parquet.
    ConventionError
        For a convention that goes by the order of rows, without the column that says it.
    GainfulError
        For measures and conventions, as `gainful.evaluate` has it. What is wrong with the rows is
        found when they are asked for.

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
    given = list(run.values()) if isinstance(run, dict) else [run]
    session = session_for(session, [qrels, *given])
    judged = Judgments(source_of(qrels, "the judgments", session), qrels_columns, qrels_position)
    runs = runs_by_name(run, run_columns, system, position, session)
    if bounds is not False and scale is None:
        scale = grades_of(judged)
    form = RowForm(measures, convention, bounds, scale)
    check_order(form, position, qrels_position)
    labelled = any(each.declaration.judgments in _LABELLED for each in form.measures)
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
    wanted = Wanted(form, judged, runs, kinds, extra, settings, partitions)
    return SparkEvaluation(planned(wanted, session), form, weights)
