"""Shuffled rows: judgments and runs in one table, partitioned by query and sorted."""

from __future__ import annotations

from gainful.backends.spark.executor import task
from gainful.backends.spark.first_ranks import keep_first_ranks
from gainful.backends.spark.plan import Plan, Wanted, schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["plan_shuffle"]

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
        own = run.tagged(kinds, wanted.extra, wanted.settings.systems, name)
        if wanted.ranks is not None:
            own = keep_first_ranks(own, wanted.ranks, wanted.form.convention.precision)
        rows = rows.union(own)
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
