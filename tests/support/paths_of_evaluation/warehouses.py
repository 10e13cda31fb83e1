"""Queries in SQL, executed by a database; values within a tolerance, counts exactly."""

from __future__ import annotations

from pathlib import Path as Folder

from gainful.backends import sql
from gainful.conventions import Convention, get, presets
from gainful.measures import Measure
from paths_of_evaluation.collections import Collection
from paths_of_evaluation.columns import qrels_table, run_table
from paths_of_evaluation.outcome import Rows, of_rows
from paths_of_evaluation.path import Ask, Measures, Path
from paths_of_evaluation.program import ProgramError
from requirements import need

MEASURES = ("nDCG", "AP", "RR", "P", "R")


def in_duckdb(collection: Collection, folder: Folder) -> Ask:
    """Fill DuckDB tables and execute the query there."""
    import duckdb

    connection = duckdb.connect()
    listed = run_table(collection)
    listed = listed.append_column("at", need("pyarrow").array(range(len(listed))))
    for name, table in (("qrels", qrels_table(collection)), ("run", listed)):
        connection.register("given", table)
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
        connection.unregister("given")

    def ask(measures: Measures, convention: Convention) -> Rows:
        text = sql.query(measures, convention=convention, position="at")
        try:
            found = connection.execute(text)
            names = [column[0] for column in found.description]
            return of_rows(dict(zip(names, row, strict=True)) for row in found.fetchall())
        except duckdb.Error as error:
            raise ProgramError(str(error)) from None

    return ask


def expressible(measure: Measure) -> bool:
    """Return whether a measure is tested here; SQL supports more."""
    return measure.family in MEASURES


PATHS = (
    Path(
        "SQL in DuckDB",
        in_duckdb,
        needs=("duckdb", "pyarrow"),
        lacks=frozenset({"subtopics", "first error"}),
        conventions=tuple(preset.name for preset in presets() if get(preset.name).order != "rank"),
        collections=("whole grades", "all judged"),
        tolerance=1e-12,
        measures=expressible,
    ),
)
