"""Reading files without a shuffle: each task reads the rows of one range of queries."""

from __future__ import annotations

from gainful.backends.spark.executor import task
from gainful.backends.spark.footers import ParquetFiles
from gainful.backends.spark.frames import Frame
from gainful.backends.spark.plan import Plan, Wanted, schema
from gainful.backends.spark.ranges import Range, cut, parallelism
from gainful.backends.spark.reading import Ranges
from gainful.backends.spark.shuffle import plan_shuffle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from gainful.backends.spark.columns import Table
    from gainful.backends.spark.parts import Side

__all__ = ["planned"]


def planned(wanted: Wanted, session: SparkSession | None) -> Plan:
    """Plan how rows are read: without a shuffle if the files are grouped by query."""
    sources = [table.source for table in wanted.tables]
    files = [source for source in sources if isinstance(source, ParquetFiles)]
    if len(files) < len(sources) or session is None:
        instead = [source.instead for source in sources if isinstance(source, Frame)]
        why = next((reason for reason in instead if reason is not None), None)
        return plan_shuffle(wanted, why or ("DataFrames and files are mixed" if files else None))
    found = _ranges(wanted, files, session)
    if isinstance(found, str):
        return plan_shuffle(wanted, found)
    sides, ranges = found
    asked = Ranges(wanted.settings, sides, list(wanted.runs), ranges)
    numbers = session.range(0, len(ranges), 1, len(ranges))
    return Plan(
        numbers.mapInArrow(task(asked, "reading", "measured"), schema(wanted)),
        numbers.mapInArrow(task(asked, "reading", "packed"), "rows binary"),
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
    found = cut(groups, parallelism(session), wanted.partitions, held=held)
    if isinstance(found, str):
        hint = "sorted by query, files need no shuffle"
        return f"{found} ({hint})"
    return sides, found


def _columns(table: Table, extra: list[str]) -> dict[str, str]:
    """Return the columns to read from a table, by role."""
    roles = ("query_id", "doc_id", "grade", "score", "system", *extra)
    return {role: table.names[role] for role in roles if role in table.names}
