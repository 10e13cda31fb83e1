"""Run code on the executors of a cluster, and its results as frames and evaluations."""

from __future__ import annotations

from contextlib import contextmanager
from json import JSONDecodeError, JSONDecoder
from typing import NamedTuple

from gainful import errors
from gainful.data.remote import without_credentials
from gainful.errors import GainfulError
from gainful.evaluation.arguments import check_weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from pyspark.sql import DataFrame

    from gainful.conventions import Convention
    from gainful.evaluation.partition import RowForm
    from gainful.evaluation.result import Evaluation
    from gainful.measures import Measure

__all__ = [
    "Frame",
    "Settings",
    "SparkEvaluation",
    "SparkRows",
    "first_line",
    "measured",
    "original_errors",
    "parse_error",
    "quoted",
    "refuse_two_grades",
    "task",
    "unknown_system",
    "with_integers",
]


def quoted(name: str) -> str:
    """Quote the name of a column for Spark SQL.

    >>> quoted("a `strange` name")
    '`a ``strange`` name`'
    """
    return f"`{name.replace('`', '``')}`"


class Frame:
    """A DataFrame.

    Parameters
    ----------
    table : DataFrame
        The rows.
    instead : str, optional
        Why it replaces an address.
    """

    def __init__(self, table: DataFrame, instead: str | None = None) -> None:
        self._table = table
        self.types: dict[str, str] = dict(table.dtypes)
        self.instead = instead

    def frame(self) -> DataFrame:
        """Return the rows as a Spark DataFrame."""
        return self._table

    def distinct(self, column: str, kind: str, most: int) -> list[Any]:
        """Return at most `most` values of a column; runs a Spark job."""
        text = "string" if kind == "binary" else kind
        asked = f"CAST(CAST({quoted(column)} AS {text}) AS {kind}) AS value"
        rows = self._table.selectExpr(asked).distinct().limit(most).collect()
        return [row[0] for row in rows]


def first_line(error: BaseException) -> str:
    """Return the first line of a Spark error's message, without credentials."""
    # Py4J's own message says only which call failed.
    raised = getattr(error, "java_exception", None)
    lines = (str(error) if raised is None else raised.toString()).strip().splitlines()
    return without_credentials(lines[0] if lines else type(error).__name__)[:300]


#: The minimum number of rows to measure at once, about 30 MB.
_ROWS = 1 << 18

#: Prefix of an error's class and fields, as JSON, in the text that Spark passes on.
MARK = "gainful-error: "

#: The key columns of a judgment.
_KEYS = ("query_id", "doc_id", "subtopic")


class Settings:
    """Settings for the executors, as plain values.

    Parameters
    ----------
    form : RowForm
        What to measure, and how.
    systems : list of str
        The names of the systems.
    ids : {"integer", "text", "binary"}
        The kind of query ids.
    scored : bool
        Whether runs have scores, not only ranks.
    judged_once : bool
        Whether duplicate judgments are refused, because their order is unknown.
    """

    def __init__(
        self,
        form: RowForm,
        systems: list[str],
        ids: str,
        *,
        scored: bool = True,
        judged_once: bool = False,
    ) -> None:
        self.measures = form.measures
        self.convention = form.convention
        self.bounds: bool | str = form.bounds[0] if form.bounds else False
        self.scale = form.bounds[1] if form.bounds else None
        self.systems = systems
        self.ids = ids
        self.scored = scored
        self.judged_once = judged_once


#: What an executor runs as it loads the function; it has Python alone.
_ARROW_CHECK = f"""
try:
    import pyarrow
except ImportError as error:
    from json import dumps
    from sys import executable
    raise ImportError({MARK!r} + dumps(["ArgumentError", {{
        "where": "an executor",
        "found": f"no PyArrow in {{executable}} ({{error}})",
        "expected": "PyArrow",
        "hint": "pip install pyarrow in the Python of the executors",
    }}])) from None
"""


class _NeedsArrow:
    """A value whose loading checks for PyArrow: Spark imports it before it calls the function."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return exec, (_ARROW_CHECK,)


def task(
    asked: Any, module: str = "executor", name: str = "measured"
) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Return the function for ``DataFrame.mapInArrow``.

    It is sent to the executors by value and imports Gainful there, so that a missing installation
    of it or of PyArrow gives a clear error.
    """
    from pickle import dumps

    from gainful import __version__

    pickled, version, mark = dumps(asked), __version__, MARK
    place = f"gainful.backends.spark.{module}"
    needed = _NeedsArrow()

    def measure(batches: Iterable[Any]) -> Iterator[Any]:
        _ = needed  # It is sent with the function.
        import json
        from pickle import loads
        from sys import executable

        def unusable(found: str, hint: str) -> ImportError:
            fields = {"where": "an executor", "found": found, "expected": f"gainful {version}"}
            return ImportError(mark + json.dumps(["ArgumentError", {**fields, "hint": hint}]))

        try:
            from gainful import __version__ as own
        except ImportError as error:
            hint = "install it in the Python of the executors, as docs/distributed.md shows"
            raise unusable(f"no gainful in {executable} ({error})", hint) from None
        if own != version:
            hint = "install the same version on the driver and the executors"
            raise unusable(f"gainful {own} in {executable}", hint)
        from importlib import import_module

        from gainful import errors

        try:
            yield from getattr(import_module(place), name)(batches, loads(pickled))
        except errors.GainfulError as error:
            fields = json.dumps([type(error).__name__, vars(error)], default=str)
            raise RuntimeError(f"{error} {mark}{fields}") from None

    return measure


def measured(batches: Iterable[Any], settings: Settings) -> Iterator[Any]:
    """Yield one row per query of the batches, with the columns of `columns`."""
    from gainful.evaluation.partition import score_batches
    from gainful.evaluation.partition.batches import without_row

    if settings.judged_once:
        batches = _judged_once(batches)
    batches_of_scores = score_batches(
        (_named(batch, settings.systems, settings.scored) for batch in batches),
        settings.measures,
        convention=settings.convention,
        systems=settings.systems,
        bounds=settings.bounds,
        scale=settings.scale,
        ids="binary" if settings.ids == "binary" else "text",
        rows=_ROWS,
    )
    try:
        for batch in batches_of_scores:
            yield with_integers(batch) if settings.ids == "integer" else batch
    except GainfulError as error:
        raise without_row(error) from None


def _named(batch: Any, systems: list[str], scored: bool) -> Any:
    """Return a batch in the form that `score_batches` needs, without copying rows."""
    import pyarrow
    from pyarrow import compute

    arrays = {name: batch.column(index) for index, name in enumerate(batch.schema.names)}
    system, value = arrays.pop("system"), arrays.pop("value")
    if system.null_count or (len(system) and compute.min(system).as_py() < 0):
        raise unknown_system(systems)
    judged = compute.equal(system, 0)
    numbers = compute.if_else(judged, None, compute.subtract(system, 1)).cast("int32")
    names = pyarrow.DictionaryArray.from_arrays(numbers, pyarrow.array(systems, "string"))
    arrays.pop("position", None)
    arrays |= {"system": names, "is_judgment": judged, "grade": value}
    if scored:
        arrays["score"] = value
    return pyarrow.RecordBatch.from_arrays(list(arrays.values()), names=list(arrays))


def unknown_system(systems: list[str]) -> GainfulError:
    """Return the error for a row of a system that was not in the plan."""
    from gainful.errors import ColumnError

    return ColumnError(
        f"a system that was not in the run when the evaluation was planned ({', '.join(systems)})",
        where="the run",
    )


def with_integers(batch: Any) -> Any:
    """Convert the query ids of rows from text to integers."""
    field_index = batch.schema.get_field_index("query_id")
    return batch.set_column(field_index, "query_id", batch.column(field_index).cast("int64"))


def _judged_once(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield batches; raise if the judgments give a document two grades."""
    import pyarrow
    from pyarrow import compute

    before = None
    for batch in batches:
        keys = [name for name in _KEYS if name in batch.schema.names]
        judged = pyarrow.Table.from_batches([batch]).select([*keys, "value", "system"])
        judged = judged.filter(compute.equal(judged.column("system"), 0))
        if before is not None:
            # The last query may continue in the next batch.
            judged = pyarrow.concat_tables([before, judged])
        refuse_two_grades(judged, "value")
        if len(judged):
            last = judged["query_id"][len(judged) - 1]
            before = judged.filter(compute.equal(judged["query_id"], last))
        yield batch


def refuse_two_grades(judged: Any, value: str) -> None:
    """Refuse judgments with two grades for a document, in the column `value`."""
    from pyarrow import compute

    from gainful.errors import DuplicateError

    keys = [name for name in _KEYS if name in judged.column_names]
    grades = judged.group_by(keys).aggregate([(value, "min_max")])
    bounds = grades[f"{value}_min_max"]
    low, high = compute.struct_field(bounds, 0), compute.struct_field(bounds, 1)
    twice = grades.filter(compute.not_equal(low, high))
    if len(twice):
        raise DuplicateError(
            "two grades",
            where="the judgments",
            query=_text(twice["query_id"][0].as_py()),
            document=_text(twice["doc_id"][0].as_py()),
            hint="set qrels_position=COLUMN, which orders the judgments",
        )


def _text(id: Any) -> str:
    return id.decode(errors="surrogateescape") if isinstance(id, bytes) else str(id)


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
        self, plan: SparkRows, form: RowForm, weights: Mapping[str, float] | None = None
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


class SparkRows(NamedTuple):
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
