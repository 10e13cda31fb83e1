"""Parquet files of which each Spark task reads a range of queries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path as Folder
from typing import Any

from gainful.conventions import Convention, presets
from local_spark import LocalSession
from paths_of_evaluation.collections import Collection
from paths_of_evaluation.columns import few, qrels_table, run_table
from paths_of_evaluation.outcome import Rows, of_evaluation
from paths_of_evaluation.path import Ask, Measures, Path
from requirements import need

PRESETS = tuple(preset.name for preset in presets())


def numbered(table: Any) -> Any:
    """Return a table with a column of row numbers, since Spark may reorder rows."""
    return table.append_column("at", need("pyarrow").array(range(len(table))))


def in_ranges(session: Any) -> Callable[[Collection, Folder], Ask]:
    """Return a function that evaluates files by their addresses, in a session."""

    def open(collection: Collection, folder: Folder) -> Ask:
        import pyarrow.parquet as pq

        from gainful.backends import spark

        paths = []
        for name, table in (("qrels", qrels_table(collection)), ("own", run_table(collection))):
            # Rows are sorted by query id, but queries span the boundaries of files.
            rows = numbered(table).sort_by([("query_id", "ascending"), ("at", "descending")])
            paths.append(folder / name)
            paths[-1].mkdir()
            size = 1 + len(rows) // 2
            for at in range(3):
                part = rows.slice(at * size, size)
                pq.write_table(part, paths[-1] / f"{at}.parquet", row_group_size=few(rows))

        def ask(measures: Measures, convention: Convention) -> Rows:
            result = spark.evaluate(
                paths[0],
                {"own": paths[1]},
                measures,
                convention=convention,
                position="at",
                qrels_position="at",
                partitions=4,
                session=session,
            )
            assert "shuffled" not in result.way
            return of_evaluation(result.evaluation())

        return ask

    return open


PATHS = (
    Path(
        "Parquet in ranges of queries, as Spark's tasks read it",
        in_ranges(LocalSession()),
        ("pyarrow",),
        frozenset({"first error"}),
        PRESETS,
    ),
)
