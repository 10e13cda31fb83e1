"""The result: rows in Spark, and their `Evaluation` on the driver."""

from __future__ import annotations

from contextlib import contextmanager
from json import JSONDecodeError, JSONDecoder

from gainful import errors
from gainful.backends.spark.executor import MARK
from gainful.errors import GainfulError
from gainful.evaluation.arguments import check_weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from pyspark.sql import DataFrame

    from gainful.backends.spark.direct import Plan
    from gainful.conventions import Convention
    from gainful.evaluation.partition import RowForm
    from gainful.evaluation.result import Evaluation
    from gainful.measures import Measure

__all__ = ["SparkEvaluation", "original_errors", "parse_error"]


class SparkEvaluation:
    """An evaluation on Spark, computed lazily.

    Printing it, or ending a notebook cell with it, shows the table of its `evaluation`.

    Attributes
    ----------
    rows : DataFrame
        One row per system and query, as described by `gainful.evaluation.partition.QueryRows`; its
        ``query_id`` has the type of the tables. Each action recomputes the rows:
        ``result.rows.write.parquet(...)`` saves them.
    way : str
        How rows were read: ``"shuffled"``, or without a shuffle, ``"8 ranges of queries"``. If
        files had to be shuffled, with the reason.
    convention : Convention
        The convention of the values.
    measures : tuple of Measure
        As given.
    """

    rows: DataFrame
    way: str
    convention: Convention
    measures: tuple[Measure, ...]

    def __init__(
        self, plan: Plan, form: RowForm, weights: Mapping[str, float] | None = None
    ) -> None:
        self.rows = plan.rows
        self.way = plan.way
        self._partial = plan.partial
        self._packed = plan.packed
        self.convention = form.convention
        self.measures = form.measures
        self._form = form
        self._weights = None if weights is None else check_weights(weights)
        self._found: Evaluation | None = None

    def evaluation(self) -> Evaluation:
        """Return the evaluation, with its rows on the driver; Spark computes them once.

        Raises
        ------
        MatchError
            If judgments and run have no common query.
        GainfulError
            For invalid judgments or runs.
        ArgumentError
            If Gainful is missing on the executors, or has another version there.
        """
        if self._found is None:
            from gainful.evaluation import Evaluation

            self._found = Evaluation.from_rows(
                self._collect(),
                self.measures,
                convention=self.convention,
                weights=self._weights,
                bounds=self._form.bounds[0] if self._form.bounds else False,
                scale=self._form.bounds[1] if self._form.bounds else None,
            )
        return self._found

    def _collect(self) -> Any:
        with original_errors():
            if self._packed is not None and not _is_cached(self.rows):
                from pyarrow import ipc

                return [ipc.open_stream(row[0]).read_all() for row in self._packed.collect()]
            if hasattr(self.rows, "toArrow"):
                return self.rows.toArrow()
            # Spark 3 cannot return Arrow, and pandas would convert nulls to NaN.
            return _table(self.rows.collect(), self.rows.columns, self.rows.dtypes)

    def __str__(self) -> str:
        shown = str(self.evaluation())
        return f"{shown}\n{self.way}" if self._partial else shown

    def __repr__(self) -> str:
        measures = ", ".join(map(repr, self.measures))
        return f"<evaluation on Spark: {measures}; {self.way}>"

    def _repr_html_(self) -> str:
        return self.evaluation()._repr_html_()


@contextmanager
def original_errors() -> Iterator[None]:
    """Raise an executor's original error, without Spark's text around it."""
    try:
        yield
    except Exception as error:
        known = parse_error(str(error))
        if known is None:
            raise
        raise known from None


def _is_cached(rows: DataFrame) -> bool:
    """Return whether Spark caches the rows, so that they are not recomputed."""
    level = rows.storageLevel
    return bool(level.useMemory or level.useDisk or level.useOffHeap)


def _table(rows: list[Any], names: list[str], types: list[tuple[str, str]]) -> Any:
    import pyarrow

    kinds = {"bigint": "int64", "double": "float64", "boolean": "bool"}
    columns = [
        pyarrow.array([row[index] for row in rows], kinds.get(kind, kind))
        for index, (_, kind) in enumerate(types)
    ]
    return pyarrow.table(columns, names=names)


def parse_error(message: str) -> GainfulError | None:
    r"""Parse the error of an executor from Spark's message; None if it is not ours.

    Examples
    --------
    >>> parse_error('...\n... gainful-error: ["TieError", {"query": "q", "found": "a tie"}]\n')
    TieError("query 'q': a tie")
    """
    _, _, text = message.partition(MARK)
    try:
        kind, fields = JSONDecoder().raw_decode(text)[0]
    except JSONDecodeError:
        return None
    error: GainfulError = getattr(errors, kind)()
    return error.replace(**fields)
