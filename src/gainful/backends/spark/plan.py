"""The contents of a call, and the plan that computes it."""

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
