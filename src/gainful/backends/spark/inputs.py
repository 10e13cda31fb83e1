"""Judgments and runs of a call, and the properties of their rows that are needed in advance."""

from __future__ import annotations

from gainful.backends.spark.columns import Judgments, Ranking
from gainful.backends.spark.sources import source_of
from gainful.data.coercion import run_name
from gainful.data.paths import as_paths
from gainful.errors import ArgumentError, ColumnError, MeasureError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

    from gainful.evaluation.partition import RowForm

__all__ = ["check_subtopics", "grades_of", "runs_by_name", "scored", "systems_of"]

#: The name of a single run.
_RUN = "run"
#: The maximum number of distinct systems, or grades, of a column.
_MOST = 10_000


def runs_by_name(
    run: object,
    columns: Mapping[str, str] | None,
    system: str | None,
    position: str | None,
    session: SparkSession | None,
) -> dict[str, Ranking]:
    """Return the runs by name; a run with several systems has an empty name."""
    if not isinstance(run, dict):
        source = source_of(run, "the run", session)
        ranking = Ranking(source, columns, position, system, seek_system=True)
        name = _RUN if as_paths(run) is None else run_name(run) or _RUN
        return {name if ranking.system is None else "": ranking}
    if system is not None:
        raise ArgumentError("not available with several runs", where="system")
    if not run:
        raise ParameterError("no runs", where="run")
    return {
        str(name): Ranking(
            source_of(each, f"the run {name}", session), columns, position, None, seek_system=False
        )
        for name, each in run.items()
    }


def systems_of(runs: Mapping[str, Ranking]) -> list[str]:
    """Return the names of all systems; runs a Spark job if they are in a column."""
    ranking = runs.get("")
    if ranking is None or ranking.system is None:
        return list(runs)
    found = ranking.distinct("system", _MOST + 1)
    if None in found:
        raise ColumnError(
            where=f"column {ranking.system!r} of the run",
            found="a null",
            expected="a name in every row",
        )
    if len(found) > _MOST:
        raise ColumnError(
            f"more than {_MOST} names",
            where=f"column {ranking.system!r} of the run",
            hint='set the column of system names with system="..."',
        )
    # A run without rows is a system without results.
    return sorted(map(str, found)) or [_RUN]


def scored(runs: Mapping[str, Ranking]) -> bool:
    """Return whether runs have scores; refuse a mix."""
    for name, ranking in runs.items():
        if ranking.scored != next(iter(runs.values())).scored:
            raise ColumnError(
                "has scores, but other runs have none"
                if ranking.scored
                else "has no scores, but other runs have",
                where=f"the run {name}",
            )
    return all(ranking.scored for ranking in runs.values())


def grades_of(judged: Judgments) -> list[float]:
    """Return the grades of the judgments, and 0 for unjudged documents."""
    found = judged.distinct("grade", _MOST + 1)
    if len(found) > _MOST:
        raise ParameterError(
            f"required, because the judgments have more than {_MOST} grades",
            where="scale",
            hint="set the grades that an unjudged document may have",
        )
    return sorted({0.0, *(float(grade) for grade in found if grade is not None)})


def check_subtopics(form: RowForm, judged: Judgments) -> None:
    """Refuse judgments with a single subtopic if a measure needs several."""
    for measure in form.measures:
        if measure.declaration.judgments != "subtopics":
            continue
        found = judged.distinct("subtopic", 2)
        if len(found) == 1:
            raise MeasureError(
                f"all judgments are of the subtopic {found[0]!r}",
                where=repr(measure),
                hint='name the column of subtopics with qrels_columns={"subtopic": NAME}',
            )
        return
