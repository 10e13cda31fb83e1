"""The result: rows that stay in Spark, and the `Evaluation` that they make on the driver."""

from __future__ import annotations

from contextlib import contextmanager
from json import JSONDecodeError, JSONDecoder

from gainful import errors
from gainful.backends.spark.executor import MARK
from gainful.errors import GainfulError
from gainful.evaluation.arguments import checked_weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from pyspark.sql import DataFrame

    from gainful.backends.spark.wanted import Plan
    from gainful.conventions import Convention
    from gainful.evaluation.partition import RowForm
    from gainful.evaluation.result import Evaluation
    from gainful.measures import Measure

__all__ = ["SparkEvaluation", "plainly", "told"]


class SparkEvaluation:
    """An evaluation on Spark, which is computed when it is asked for.

    Printed, also at the end of a notebook's cell, it is the table that its `evaluation` prints.

    Attributes
    ----------
    rows : DataFrame
        A row a system and query, as `gainful.evaluation.partition.QueryRows` describes them: its
        ``query_id`` is of the type of the tables. It is as lazy as any, and each action computes it
        anew: ``result.rows.write.parquet(...)`` keeps it.
    way : str
        How the rows of judgments and run come to the engine: ``"shuffled"``, or read where they
        lie, ``"8 ranges of queries"``. Where files had to be shuffled, it says why.
    convention : Convention
        Under which the numbers are made.
    measures : tuple of Measure
        As they were asked for.
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
        self._packed = plan.packed
        self.convention = form.convention
        self.measures = form.measures
        self._form = form
        self._weights = None if weights is None else checked_weights(weights)
        self._found: Evaluation | None = None

    def evaluation(self) -> Evaluation:
        """Return the evaluation, with its rows on the driver; Spark computes them the first time.

        Raises
        ------
        MatchError
            If judgments and run have no query in common.
        GainfulError
            For what is wrong with the judgments or the run.
        ArgumentError
            If Gainful is not installed where the executors run, or in another version.
        """
        if self._found is None:
            from gainful.evaluation import Evaluation

            self._found = Evaluation.from_rows(
                self._collected(),
                self.measures,
                convention=self.convention,
                weights=self._weights,
                bounds=self._form.bounds[0] if self._form.bounds else False,
                scale=self._form.bounds[1] if self._form.bounds else None,
            )
        return self._found

    def _collected(self) -> Any:
        with plainly():
            if self._packed is not None and not _is_kept(self.rows):
                from pyarrow import ipc

                return [ipc.open_stream(row[0]).read_all() for row in self._packed.collect()]
            if hasattr(self.rows, "toArrow"):
                return self.rows.toArrow()
            # Spark 3 has none; pandas would make NaN of the nulls.
            return _table(self.rows.collect(), self.rows.columns, self.rows.dtypes)

    def __str__(self) -> str:
        return str(self.evaluation())

    def __repr__(self) -> str:
        measures = ", ".join(map(repr, self.measures))
        return f"<evaluation on Spark: {measures}; {self.way}>"

    def _repr_html_(self) -> str:
        return self.evaluation()._repr_html_()


@contextmanager
def plainly() -> Iterator[None]:
    """Raise what an executor raised as it was, without what Spark says around it."""
    try:
        yield
    except Exception as error:
        known = told(str(error))
        if known is None:
            raise
        raise known from None


def _is_kept(rows: DataFrame) -> bool:
    """Whether Spark has been asked to keep the rows, so that they are not to be made again."""
    level = rows.storageLevel
    return bool(level.useMemory or level.useDisk or level.useOffHeap)


def _table(rows: list[Any], names: list[str], types: list[tuple[str, str]]) -> Any:
    import pyarrow

    kinds = {"bigint": "int64", "double": "float64", "boolean": "bool"}
    columns = [
        pyarrow.array([row[at] for row in rows], kinds.get(kind, kind))
        for at, (_, kind) in enumerate(types)
    ]
    return pyarrow.table(columns, names=names)


def told(message: str) -> GainfulError | None:
    r"""Return the error that an executor raised, from what Spark says; None if it was not ours.

    Examples
    --------
    >>> told('...\n... gainful-error: ["TieError", {"query": "q", "found": "a tie"}]\n')
    TieError("query 'q': found a tie")
    """
    _, _, text = message.partition(MARK)
    try:
        kind, fields = JSONDecoder().raw_decode(text)[0]
    except JSONDecodeError:
        return None
    error: GainfulError = getattr(errors, kind)()
    return error.replace(**fields)
