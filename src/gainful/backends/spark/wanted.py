"""What a call asks for, whatever way its rows take, and what comes of a way."""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from gainful.backends.spark.columns import Judgments, Ranking, Table
    from gainful.backends.spark.executor import Settings
    from gainful.evaluation.partition import RowForm

__all__ = ["Plan", "Wanted", "schema"]

_SPARK_TYPES = {"string": "string", "double": "double", "int64": "bigint", "bool": "boolean"}


class Wanted(NamedTuple):
    """What is asked of the rows.

    Attributes
    ----------
    form
        What is measured, and how.
    judged, runs
        The tables; the name of a run that holds several systems says nothing.
    kinds
        What the ids of queries and of documents are together.
    extra
        Which columns are needed besides ids and numbers: ``rank``, ``subtopic``, ``position``.
    settings
        What the executors have to know.
    partitions
        Into how many parts the queries are dealt; None for as many as fit.
    """

    form: RowForm
    judged: Judgments
    runs: Mapping[str, Ranking]
    kinds: Mapping[str, str]
    extra: list[str]
    settings: Settings
    partitions: int | None

    @property
    def tables(self) -> list[Table]:
        """The judgments, then the runs."""
        return [self.judged, *self.runs.values()]


class Plan(NamedTuple):
    """How rows come to the engine, and what comes of it.

    Attributes
    ----------
    rows
        The rows of the queries, as a table of Spark.
    packed
        The same in few values, each an Arrow stream; None where there are no such.
    way
        In words, with the reason where rows of files are shuffled.
    """

    rows: DataFrame
    packed: DataFrame | None
    way: str


def schema(wanted: Wanted) -> str:
    """Return the schema of the rows, as Spark reads it."""
    types = {name: _SPARK_TYPES[kind] for name, kind in wanted.form.types.items()}
    ids = wanted.kinds["query_id"]
    types["query_id"] = {"integer": "bigint", "binary": "binary", "text": "string"}[ids]
    return ", ".join(f"`{name.replace('`', '``')}` {kind}" for name, kind in types.items())
