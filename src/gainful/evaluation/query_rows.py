"""Rows of queries that travel: out of an evaluation, through files and clusters, and back."""

from __future__ import annotations

from gainful import _engine
from gainful.errors import (
    ArgumentError,
    GainfulError,
    MatchError,
    ParameterError,
    SourceError,
    SourceNotFoundError,
)
from gainful.measures import Measure
from gainful.measures.choosing import choose_measures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gainful.conventions import Convention
    from gainful.data.inputs import ArrowStream, QrelsLike
    from gainful.data.paths import Paths
    from gainful.evaluation.joined import State
    from gainful.evaluation.result import Evaluation

    #: A column of rows: its name, its kind, its number in the engine's table, the measure it is of.
    Column = tuple[str, str, int, int]

__all__ = ["QueryRows", "RowForm", "from_rows"]

#: The columns of all rows, before and after those of the measures.
_BEFORE = ("system", "query_id")
_AFTER = {"status": "string", "queries": "int64", "flags": "string", "convention": "string"}
#: What the kinds of columns are in Arrow.
_TYPES = {"value": "double", "number": "double", "bound": "double", "count": "int64", "tie": "bool"}


class RowForm:
    """What rows look like that are made with some measures under a convention, and who made them.

    Parameters
    ----------
    measures : Measure, str, or several of them
        What is measured.
    convention : Convention or str
        Under which.
    bounds, scale
        As `gainful.evaluate` has them; with bounds the scale must be there.

    Raises
    ------
    MeasureError, ConventionError
        If they have no meaning together.
    ParameterError
        For bounds without a scale.
    """

    __slots__ = ("bounds", "columns", "convention", "kernels", "made_by", "measures")

    bounds: tuple[str, list[float]] | None
    columns: list[Column]
    convention: Convention
    kernels: list[_engine.Kernel]
    made_by: str
    measures: tuple[Measure, ...]

    def __init__(
        self,
        measures: Measure | str | Iterable[Measure | str] | None,
        convention: Convention | str,
        bounds: bool | str = False,
        scale: Iterable[float] | None = None,
    ) -> None:
        from gainful.conventions import get
        from gainful.evaluation.call import asked_bounds
        from gainful.evaluation.result import DEFAULT_MEASURES

        self.convention = get(convention)
        self.measures = choose_measures(measures, self.convention, usual=DEFAULT_MEASURES)
        self.kernels = [
            (repr(measure), *measure.kernel(self.convention)) for measure in self.measures
        ]
        asked = asked_bounds(bounds, scale, False, self.convention)
        if asked is not None and asked[1] is None:
            raise ParameterError(
                where="scale",
                found="bounds without a scale",
                expected="the grades that an unjudged document may have",
                hint="all judgments together have them, and a part does not know the others",
            )
        self.bounds = None if asked is None else (asked[0], asked[1] or [])
        # The engine refuses what has no meaning; and the scale is as it understands it: under the
        # convention, sorted, each grade once.
        checked = self.table([])
        if self.bounds is not None:
            self.bounds = self.bounds[0], list(checked.bounds_grades)
        self.columns = self._columns()
        self.made_by = self._fingerprint()

    def table(self, states: list[State]) -> _engine.Evaluated:
        """Return one table of the rows of several."""
        return _engine.evaluated(states, self.convention.engine(), self.kernels, bounds=self.bounds)

    @property
    def types(self) -> dict[str, str]:
        """The columns of the rows and the names of their Arrow types."""
        types = dict.fromkeys(_BEFORE, "string")
        types.update((name, _TYPES[kind]) for name, kind, _, _ in self.columns)
        return types | _AFTER

    def _columns(self) -> list[Column]:
        from gainful.evaluation.columns import AT_CUTOFF, COUNTS, cutoffs_of, parts_of

        measures = self.measures
        columns: list[Column] = [
            (repr(measure), "value", index, index) for index, measure in enumerate(measures)
        ]
        at = len(measures)
        columns += [(name, "number", at + part, 0) for name, part in parts_of(measures)]
        at += sum(2 for measure in measures if measure.family == "nDCG")
        columns += [(name, "count", at + index, 0) for index, name in enumerate(COUNTS)]
        at += len(COUNTS)
        resolved = [measure.resolve(self.convention) for measure in measures]
        for cutoff in cutoffs_of(resolved):
            for name in AT_CUTOFF:
                columns.append((f"{name}@{cutoff}", "tie" if name == "tie" else "count", at, 0))
                at += 1
        if self.bounds is not None:
            for index, measure in enumerate(measures):
                for end in ("low", "high"):
                    columns.append((f"{measure!r} {end}", "bound", at, index))
                    at += 1
        return columns

    def _fingerprint(self) -> str:
        """Return the convention's name, and a digest of all that the numbers depend on."""
        from hashlib import sha256
        from json import dumps

        told = [
            self.convention.to_dict(),
            [[repr(measure), repr(measure.resolve(self.convention))] for measure in self.measures],
            self.bounds,
        ]
        digest = sha256(dumps(told, sort_keys=True).encode()).hexdigest()
        return f"{self.convention.name}:{digest[:12]}"


class QueryRows:
    """One row a system and query, with all that an `Evaluation` is made of again.

    It exports the Arrow C stream, so ``pyarrow.table(rows)``, ``polars.DataFrame(rows)`` and DuckDB
    take it as it is. `gainful.backends.partition.score_partition` and `Evaluation.to_rows` make it,
    and `Evaluation.from_rows` takes it, or whatever was made of it.

    Its columns are ``system`` and ``query_id``; those of `Evaluation.rows`, null where a query is
    left out of a measure; and

    ``status``
        ``"evaluated"`` for a query with values. A row with ``"missing"`` or ``"extra"`` has none,
        but nulls, so that the average of a column is the mean; it says that the run lacks a judged
        query, or that one has no judgments. Those of a part are named, a row each; the rows of a
        whole evaluation say how many there are.
    ``queries``
        How many queries the row stands for: 1, and more where it says how many there are.
    ``flags``
        A character for each measure: ``"."`` for a value, ``"n"`` where nothing is relevant,
        ``"s"`` where the query is therefore left out.
    ``convention``
        The name of the convention, and a fingerprint of it, the measures and the bounds.

    Examples
    --------
    >>> import gainful, pyarrow
    >>> result = gainful.evaluate({"q1": {"d1": 2}}, {"q1": ["d2", "d1"], "q9": ["d4"]}, "RR")
    >>> table = pyarrow.table(result.to_rows())
    >>> table.select(["query_id", "RR", "status", "queries"]).to_pylist()[0]
    {'query_id': 'q1', 'RR': 0.5, 'status': 'evaluated', 'queries': 1}
    >>> table.select(["query_id", "RR", "status", "queries"]).to_pylist()[1]
    {'query_id': None, 'RR': None, 'status': 'extra', 'queries': 1}
    """

    __slots__ = ("_binary", "_form", "_tables")

    def __init__(
        self, tables: Mapping[str, _engine.Evaluated], form: RowForm, ids: str = "text"
    ) -> None:
        if ids not in ("text", "binary"):
            raise ParameterError(where="ids", found=repr(ids), expected="'text' or 'binary'")
        self._tables = dict(tables)
        self._form = form
        self._binary = ids == "binary"

    @property
    def columns(self) -> dict[str, str]:
        """The name of each column and of its Arrow type, the same for any number of rows."""
        types = self._form.types
        return types | {"query_id": "binary"} if self._binary else types

    def __len__(self) -> int:
        return sum(table.exported for table in self._tables.values())

    def __repr__(self) -> str:
        measures = ", ".join(map(repr, self._form.measures))
        return f"<{len(self)} rows of {', '.join(self._tables)}: {measures}>"

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the rows as an Arrow stream; the requested schema is not followed."""
        return _engine.query_rows(
            list(self._tables.items()),
            self._form.made_by,
            self._form.columns,
            binary=self._binary,
        )


def from_rows(
    rows: Paths | ArrowStream | Iterable[ArrowStream],
    measures: Measure | str | Iterable[Measure | str] | None,
    *,
    convention: Convention | str,
    weights: Mapping[str, float] | None,
    bounds: bool | str,
    scale: Iterable[float] | None,
    qrels: QrelsLike | None,
) -> Evaluation:
    """Do what `Evaluation.from_rows` does."""
    from gainful.data.inputs import located
    from gainful.evaluation.call import checked_weights
    from gainful.evaluation.result import Evaluation

    form = RowForm(measures, convention, bounds, scale)
    judgments = None
    if qrels is not None:
        from gainful.evaluation.judgments import judgments_for

        judgments = judgments_for(form.measures, qrels, duplicates=form.convention.duplicates)
    try:
        tables = dict(
            _engine.evaluated_rows(
                _streams(rows),
                form.made_by,
                form.columns,
                form.convention.engine(),
                form.kernels,
                bounds=form.bounds,
            )
        )
    except GainfulError as error:
        raise _told(error, located) from None
    if not tables:
        raise MatchError(where="rows", found="no rows", expected="rows of queries")
    if judgments is not None:
        tables = {
            system: _completed(form, table, judgments._rows) for system, table in tables.items()
        }
    for system, table in tables.items():
        judged, _, missing, extra = table.counts
        if judged == missing:
            raise MatchError(
                where="rows" if len(tables) == 1 else f"rows of {system}",
                found=f"no query in common: {judged} in the judgments, {extra} in the run",
                expected="the same query ids in both",
                hint="are these the judgments of another collection, or are the ids written "
                "differently?",
            )
    own = None if weights is None else checked_weights(weights)
    scope = form.bounds[0] if form.bounds else None
    return Evaluation(tables, form.measures, form.convention, own, judgments, bounds=scope)


def _completed(
    form: RowForm, table: _engine.Evaluated, judgments: _engine.Rows
) -> _engine.Evaluated:
    """Return a table with the judged queries that no row is of, as the convention has them."""
    from gainful.backends.partition.call import scored

    known = set(table.query_ids())
    judged = judgments.query_ids()
    absent = [query for query in judged if query not in known]
    if len(known) + len(absent) > len(judged):
        raise MatchError(
            where="rows",
            query=min(known.difference(judged)),
            found="rows of a query that the judgments lack",
            expected="the judgments with which the rows were made",
        )
    if not absent:
        return table
    ids, values, flags, (_, evaluated, _, extra), tag = table.state()
    if form.convention.missing == "skip":
        counts = (len(judged), evaluated, len(absent), extra)
        return form.table([(ids, values, flags, counts, tag)])
    rest = scored(form, judgments.select(absent), {"": None})[""]
    return form.table([table.state(), rest.state()])


def _streams(rows: object) -> Iterator[object]:
    """Yield what exports an Arrow stream, one after the other."""
    from gainful.data.paths import as_paths

    paths = as_paths(rows)
    if paths is not None:
        from gainful.data.columnar import expanded

        for path in expanded(paths, "run"):
            yield _of_file(path)
    elif hasattr(rows, "__arrow_c_stream__"):
        yield rows
    elif hasattr(rows, "__iter__") and not isinstance(rows, (bytes, dict)):
        for part in rows:
            if not hasattr(part, "__arrow_c_stream__"):
                raise _no_stream(part)
            yield part
    else:
        raise _no_stream(rows)


def _of_file(path: str) -> object:
    """Return the rows of a Parquet file, read a part at a time."""
    try:
        from pyarrow import ArrowException, RecordBatchReader
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise ArgumentError(
            found="paths, and no pyarrow to read them",
            expected="pyarrow",
            hint="pip install pyarrow; or give a data frame",
        ) from None
    remote = getattr(path, "open", None)
    try:
        file = ParquetFile(path if remote is None else remote())
        return RecordBatchReader.from_batches(file.schema_arrow, file.iter_batches())
    except GainfulError:
        raise
    except FileNotFoundError:
        raise SourceNotFoundError(
            where=path, found="no such file", expected="a file that exists"
        ) from None
    except (OSError, ArrowException) as error:
        raise SourceError(
            where=path, found=f"a file that cannot be read ({error})", expected="Parquet"
        ) from None


def _no_stream(obj: object) -> ArgumentError:
    return ArgumentError(
        found=type(obj).__name__,
        expected="a data frame or another object with an Arrow stream, several of them, or a path",
    )


def _told(error: GainfulError, located: object) -> GainfulError:
    if isinstance(error, MatchError) and error.query is not None:
        torn = str(error.found).startswith("its judgments")
        return MatchError(
            where="rows",
            query=error.query,
            found=error.found if torn else "rows of it in two parts",
            expected="all rows of a query in one part",
            hint="a shuffle that deals out ids of two types deals them differently"
            if torn
            else "were the rows of a part added twice, or its queries not all of its own?",
        )
    return located(error, "rows")  # type: ignore[operator, no-any-return]
