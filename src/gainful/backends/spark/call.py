"""The call: from judgments and a run in Spark to rows in Spark, and to an `Evaluation`."""

from __future__ import annotations

from gainful.backends.partition import RowForm
from gainful.backends.spark.columns import Judgments, Ranking, joint_ids
from gainful.backends.spark.executor import Settings, task
from gainful.backends.spark.order import check_order
from gainful.backends.spark.result import SparkEvaluation
from gainful.errors import ArgumentError, ColumnError, MeasureError, ParameterError
from gainful.evaluation.result import DEFAULT_MEASURES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyspark.sql import DataFrame

    from gainful.conventions import Convention
    from gainful.measures import Measure

__all__ = ["evaluate"]

#: What one run is called.
_RUN = "run"
#: A column with more values than this names no systems, and no grades either.
_MOST = 10_000
#: Judgments that know more of a document than one grade.
_LABELLED = ("subtopics", "groups", "strata")
_SPARK_TYPES = {"string": "string", "double": "double", "int64": "bigint", "bool": "boolean"}


def evaluate(
    qrels: DataFrame,
    run: DataFrame | Mapping[str, DataFrame],
    measures: Measure | str | Iterable[Measure | str] = DEFAULT_MEASURES,
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
) -> SparkEvaluation:
    """Evaluate runs that Spark holds against judgments that Spark holds.

    Both are partitioned by query in one shuffle and sorted in it, and Python workers in the
    executors hand them to the engine in Arrow batches, many queries at a time. The rows are those
    of `gainful.evaluate` to the last bit. Nothing is computed before the rows are asked for, but
    the names of the systems where a column has them, and the grades where `bounds` need a scale.

    Gainful has to be installed where the executors run, in the driver's version.

    Parameters
    ----------
    qrels : DataFrame
        The judgments: a row a query and document, with a grade. Columns are found by their names,
        as in the data frames that `gainful.evaluate` takes. Ids are text, binary or whole numbers.
    run : DataFrame or mapping of str to DataFrame
        The ranking, with a score a row, or a rank; or several with their names.
    measures, convention, weights, bounds, scale
        As `gainful.evaluate` has them.
    qrels_columns, run_columns : mapping of str to str, optional
        Which column is which, as in ``{"doc_id": "sku"}``.
    system : str, optional
        The column of `run` that names the system a row is of. Without it, a column called
        ``system``, if there is one; a run without any is called ``run``.
    position : str, optional
        A column of numbers that says in which order the run lists its rows, for conventions that
        go by it (``ties=given``): rows in Spark have no order.
    qrels_position : str, optional
        The same for the judgments. Without it, a convention that takes the first or the last of two
        grades of a document refuses judgments that have two.
    partitions : int, optional
        Into how many partitions the shuffle deals the queries; without it Spark decides. A query is
        never split.

    Returns
    -------
    SparkEvaluation
        With the rows as a DataFrame, and the `Evaluation` that they make.

    Raises
    ------
    ArgumentError, ColumnError
        For something that is no DataFrame, or one without the columns that are needed.
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
    judged = Judgments(qrels, qrels_columns, qrels_position)
    runs = _runs(run, run_columns, system, position)
    if bounds is not False and scale is None:
        scale = _grades(judged)
    form = RowForm(measures, convention, bounds, scale)
    check_order(form, position, qrels_position)
    labelled = any(each.declaration.judgments in _LABELLED for each in form.measures)
    if labelled:
        judged.need_subtopics()
        _check_subtopics(form, judged)
    if partitions is not None and not (type(partitions) is int and partitions > 0):
        raise ParameterError(
            where="partitions", found=repr(partitions), expected="a whole number above 0"
        )

    systems = _systems(runs)
    scored = _scored(runs)
    tables = [judged, *runs.values()]
    kinds = {role: joint_ids(role, tables) for role in ("query_id", "doc_id")}
    extra = [
        *(["rank"] if form.convention.order == "rank" or not scored else []),
        *(["subtopic"] if labelled else []),
        *(["position"] if position or qrels_position else []),
    ]
    rows = judged.tagged(kinds, extra)
    for name, each in runs.items():
        rows = rows.union(each.tagged(kinds, extra, systems, name))
    rows = _grouped(rows, kinds["query_id"], partitions, bool(position or qrels_position))

    settings = Settings(
        form,
        systems,
        kinds["query_id"],
        scored=scored,
        judged_once=(
            qrels_position is None and form.convention.duplicates in ("first", "last", "blank")
        ),
    )
    return SparkEvaluation(
        rows.mapInArrow(task(settings), _schema(form, kinds["query_id"])), form, weights
    )


def _runs(
    run: object, columns: Mapping[str, str] | None, system: str | None, position: str | None
) -> dict[str, Ranking]:
    """Return the runs by name; the name of one that holds several systems is empty."""
    if not isinstance(run, dict):
        ranking = Ranking(run, columns, position, system, seek_system=True)
        return {_RUN if ranking.system is None else "": ranking}
    if system is not None:
        raise ArgumentError(
            where="system", found="a column beside several runs", expected="one of them"
        )
    if not run:
        raise ParameterError(where="run", found="no run", expected="at least one")
    return {
        str(name): Ranking(each, columns, position, None, seek_system=False)
        for name, each in run.items()
    }


def _systems(runs: Mapping[str, Ranking]) -> list[str]:
    if "" not in runs:
        return list(runs)
    ranking = runs[""]
    found = ranking.distinct("system", _MOST + 1)
    if None in found:
        raise ColumnError(
            where=f"column {ranking.system!r} of the run",
            found="a null",
            expected="the name of a system in every row",
        )
    if len(found) > _MOST:
        raise ColumnError(
            where=f"column {ranking.system!r} of the run",
            found=f"more than {_MOST} names",
            expected="the names of systems",
            hint='system="..." says which column names the system of a row',
        )
    # A run without rows is a system that returned nothing.
    return sorted(map(str, found)) or [_RUN]


def _scored(runs: Mapping[str, Ranking]) -> bool:
    """Return whether runs have scores; some cannot and others not."""
    for name, ranking in runs.items():
        if ranking.scored != next(iter(runs.values())).scored:
            raise ColumnError(
                where=f"the run {name}",
                found="scores beside runs without" if ranking.scored else "no scores, as others do",
                expected="scores in all runs, or ranks in all",
            )
    return all(ranking.scored for ranking in runs.values())


def _grades(judged: Judgments) -> list[float]:
    """Return the grades that judgments use, and 0: what unjudged documents may have."""
    found = judged.distinct("grade", _MOST + 1)
    if len(found) > _MOST:
        raise ParameterError(
            where="scale",
            found=f"none, and judgments with more than {_MOST} grades",
            expected="the grades that an unjudged document may have",
        )
    return sorted({0.0, *(float(grade) for grade in found if grade is not None)})


def _check_subtopics(form: RowForm, judged: Judgments) -> None:
    for measure in form.measures:
        if measure.declaration.judgments != "subtopics":
            continue
        found = judged.distinct("subtopic", 2)
        if len(found) == 1:
            raise MeasureError(
                where=repr(measure),
                found=f"judgments that are all of the subtopic {found[0]!r}",
                expected="judgments of several subtopics",
                hint='qrels_columns={"subtopic": NAME} says which column has them',
            )
        return


def _grouped(rows: DataFrame, ids: str, partitions: int | None, ordered: bool) -> DataFrame:
    """Bring all rows of a query into one partition, and there one after the other."""
    # A repartitioning by columns is never split by adaptive execution, however much one query has.
    rows = (
        rows.repartition("query_id")
        if partitions is None
        else rows.repartition(partitions, "query_id")
    )
    last = ["position"] if ordered else []
    if ids == "integer":
        return rows.sortWithinPartitions("query_id", *last)
    # Spark compares 8 bytes and then texts; those of ids are often the same, those of a hash not.
    hashed = rows.selectExpr("*", "xxhash64(query_id) AS hash")
    return hashed.sortWithinPartitions("hash", "query_id", *last).drop("hash")


def _schema(form: RowForm, ids: str) -> str:
    """Return the schema of the rows, as Spark reads it."""
    types = {name: _SPARK_TYPES[kind] for name, kind in form.types.items()}
    types["query_id"] = {"integer": "bigint", "binary": "binary", "text": "string"}[ids]
    return ", ".join(f"`{name.replace('`', '``')}` {kind}" for name, kind in types.items())
