"""Reading files without a shuffle: each task reads the rows of one range of queries."""

from __future__ import annotations

from typing import NamedTuple

from gainful.backends.spark.executor import Frame, task
from gainful.backends.spark.footers import ParquetFiles, Ranges
from gainful.backends.spark.parts import Range, cut, parallelism
from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

    from gainful.backends.spark.executor import Settings
    from gainful.backends.spark.inputs import Judgments, Ranking, Table
    from gainful.backends.spark.parts import Side
    from gainful.evaluation.partition import RowForm
    from gainful.measures import Measure

__all__ = ["Plan", "Wanted", "first_ranks", "planned"]


_SPARK_TYPES = {"string": "string", "double": "double", "int64": "bigint", "bool": "boolean"}


class Wanted(NamedTuple):
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
    def tables(self) -> list[Table]:
        """The judgments and the runs."""
        return [self.judged, *self.runs.values()]


class Plan(NamedTuple):
    """How rows are read, and the resulting rows.

    Attributes
    ----------
    rows
        The rows of the queries, as a Spark DataFrame.
    packed
        The rows as one Arrow stream per range; None if not available.
    way
        The method in words, with the reason for a shuffle of files.
    partial
        Whether counts are of the first ranks only.
    """

    rows: DataFrame
    packed: DataFrame | None
    way: str
    partial: bool = False


def schema(wanted: Wanted) -> str:
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

    Raises
    ------
    ParameterError
        If they need all documents, with the reason.

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

    Parameters
    ----------
    run : DataFrame
        Rows of a run in the common form.
    ranks : int
        The lowest rank to keep.
    precision : {"float64", "float32"}
        The convention's precision, in which scores can be tied.
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


def plan_shuffle(wanted: Wanted, why: str | None = None) -> Plan:
    """Bring all rows of a query together in one shuffle.

    Parameters
    ----------
    wanted : Wanted
        The arguments of the call.
    why : str, optional
        Why rows of files are shuffled.
    """
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
    return Plan(measured, None, way, partial=wanted.ranks is not None)


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


def planned(wanted: Wanted, session: SparkSession | None) -> Plan:
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
    return Plan(
        numbers.mapInArrow(task(asked, "footers", "measured"), schema(wanted)),
        numbers.mapInArrow(task(asked, "footers", "packed"), "rows binary"),
        "one range of queries" if len(ranges) == 1 else f"{len(ranges)} ranges of queries",
    )


def _ranges(
    wanted: Wanted, files: list[ParquetFiles], session: SparkSession
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


def _columns(table: Table, extra: list[str]) -> dict[str, str]:
    """Return the columns to read from a table, by role."""
    roles = ("query_id", "doc_id", "grade", "score", "system", *extra)
    return {role: table.names[role] for role in roles if role in table.names}
