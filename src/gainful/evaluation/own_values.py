"""Compute measures of one's own from the rankings of an evaluation."""

from __future__ import annotations

from os.path import isfile

from gainful import _kernel
from gainful.errors import MeasureError
from gainful.evaluation.values import COUNTS, first_count
from gainful.measures.own import OwnFamily, Ranking, Rankings
from gainful.measures.parameters import number
from gainful.quoting import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, NoReturn

    from gainful.conventions import Convention
    from gainful.measures import Measure
    from gainful.measures.parameters import Value

    #: Evaluates, and keeps the documents and scores of the rankings if the argument is true.
    Evaluate = Callable[[bool], _kernel.Evaluated]

__all__ = ["own_values"]

#: A function gets whole queries with about this many rows, so that NumPy's arrays stay in the
#: caches of the processor: larger ones take several times as long per row.
_ROWS = 1 << 15

#: Values may exceed the range by rounding errors, relative to its ends.
_TOLERANCE = 1e-9


def own_values(
    measures: Sequence[Measure], convention: Convention
) -> Callable[[Evaluate, object], _kernel.Evaluated] | None:
    """Return what evaluates a run with one's own measures; None without any.

    It takes the call of the kernel, which must keep its rankings, and the run.
    """
    own_measures = [measure for measure in measures if measure.declaration.is_own]
    for measure in own_measures:
        if _family(measure).function is None:
            raise MeasureError(
                f"{measure!r} cannot be computed: its function is not defined here",
                hint="import the module that calls gainful.measures.define, or on the command line"
                f" write -m FILE.py:{measure!r}",
            )
    if not own_measures:
        return None

    def complete(evaluate: Evaluate, run: object) -> _kernel.Evaluated:
        # To keep documents and scores takes longer than all else, and few functions ask for them.
        documents = not _is_repeatable(run) or any(
            _family(measure).asks_for_documents for measure in own_measures
        )
        try:
            return _completed(evaluate(documents), measures, convention)
        except _DocumentsNotKept:
            return _completed(evaluate(True), measures, convention)

    return complete


def _is_repeatable(run: object) -> bool:
    """Return whether the kernel can read a run twice."""
    if isinstance(run, list):
        return all(isinstance(place, str) and isfile(place) for place in run)
    return isinstance(run, (dict, _kernel.Rows))


class _DocumentsNotKept(BaseException):
    """A function asks for documents or scores, so the rankings are computed again.

    Not an Exception, which the function could handle.
    """


class _Source:
    """The rankings of the kernel, which note that a function asks for what they lack."""

    __slots__ = ("_family", "_lacks_documents", "_rankings", "asked", "is_open")

    def __init__(self, rankings: _kernel.Rankings, family: OwnFamily) -> None:
        self._rankings = rankings
        self._family = family
        self._lacks_documents = not rankings.has_documents
        self.asked = False
        self.is_open = True

    def __getattr__(self, name: str) -> Any:
        if name in ("documents", "scores") and self._lacks_documents:
            if not self.is_open:
                raise MeasureError(f"{name} are only there while the function of a measure runs")
            self.asked = self._family.asks_for_documents = True
            raise _DocumentsNotKept
        return getattr(self._rankings, name)


def _completed(
    evaluated: _kernel.Evaluated, measures: Sequence[Measure], convention: Convention
) -> _kernel.Evaluated:
    """Return a table with the values of one's own measures."""
    queries = evaluated.query_ids()
    retrieved = evaluated.column(first_count(measures) + COUNTS.index("retrieved"))
    columns = []
    for index, measure in enumerate(measures):
        if not measure.declaration.is_own:
            continue
        # The convention sets the value of queries with flags.
        rows = [row for row, flags in enumerate(evaluated.flags(index)) if not flags]
        family, resolved = _family(measure), measure.resolve(convention)
        call = _Call(measure, resolved.params, resolved.cutoff)
        compute = _all_at_once if family.vectorized else _one_by_one
        values: list[float] = []
        for block in _blocks(rows, retrieved, resolved.cutoff):
            source = _Source(_kernel.Rankings(evaluated, block, resolved.cutoff), family)
            names = [queries[row] for row in block]
            try:
                values += compute(call, source, names, [int(retrieved[row]) for row in block])
            except MeasureError:
                if not source.asked:
                    raise
            finally:
                source.is_open = False
            if source.asked:
                raise _DocumentsNotKept
        columns.append((index, rows, values))
    return evaluated.completed(columns)


def _blocks(rows: list[int], retrieved: Sequence[float], cutoff: int | None) -> Iterator[list[int]]:
    """Yield the rows of a table in blocks."""
    start = documents = 0
    for end, row in enumerate(rows, start=1):
        documents += int(retrieved[row] if cutoff is None else min(retrieved[row], cutoff)) + 1
        if documents >= _ROWS or end == len(rows):
            yield rows[start:end]
            start, documents = end, 0


def _family(measure: Measure) -> OwnFamily:
    family = measure.declaration
    assert isinstance(family, OwnFamily)
    return family


class _Call:
    """The call of the function of a measure."""

    __slots__ = ("cutoff", "function", "measure", "params")

    def __init__(self, measure: Measure, params: dict[str, Value], cutoff: int | None) -> None:
        function = _family(measure).function
        assert function is not None
        self.measure = measure
        self.function = function
        self.params = params
        self.cutoff = cutoff

    def of(self, rankings: Ranking | Rankings, query: str | None = None) -> object:
        try:
            return self.function(rankings, **self.params)
        except Exception as error:
            text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            raise MeasureError(
                where=repr(self.measure),
                query=query,
                found=f"the function of the measure raised {text}",
            ) from error


class _KeptRanking(Ranking):
    """A ranking whose columns are read when they are used."""

    __slots__ = ("_columns", "_number")

    def __init__(
        self, columns: _Columns, number: int, query: str, cutoff: int | None, retrieved: int
    ) -> None:
        self._columns = columns
        self._number = number
        self.query = query
        self.cutoff = cutoff
        self.retrieved = retrieved
        self.grades = columns.grades[columns.ranks(number)].tolist()

    @property
    def judged(self) -> Sequence[bool]:
        columns = self._columns
        return [flag != 0 for flag in columns.of("judged", "B")[columns.ranks(self._number)]]

    @property
    def documents(self) -> Sequence[str]:
        documents: list[str] = self._columns.source.documents(self._number)
        return documents

    @property
    def scores(self) -> Sequence[float]:
        columns = self._columns
        return columns.of("scores", "d")[columns.ranks(self._number)].tolist()

    @property
    def pool(self) -> Sequence[float]:
        columns = self._columns
        offsets = columns.of("pool_offsets", "q")
        part = slice(offsets[self._number], offsets[self._number + 1])
        return columns.of("pool", "d")[part].tolist()


class _Columns:
    """The columns of rankings, without NumPy."""

    __slots__ = ("_views", "grades", "offsets", "source")

    def __init__(self, source: _Source) -> None:
        self.source = source
        self._views: dict[str, memoryview[Any]] = {}
        self.grades = self.of("grades", "d")
        self.offsets = self.of("offsets", "q")

    def of(self, name: str, kind: str) -> memoryview[Any]:
        view = self._views.get(name)
        if view is None:
            view = memoryview(getattr(self.source, name)()).cast(kind)  # type: ignore[call-overload]
            self._views[name] = view
        return view

    def ranks(self, query: int) -> slice:
        return slice(self.offsets[query], self.offsets[query + 1])


def _one_by_one(
    call: _Call, source: _Source, queries: list[str], retrieved: list[int]
) -> list[float]:
    columns = _Columns(source)
    values = []
    for index, query in enumerate(queries):
        ranking = _KeptRanking(columns, index, query, call.cutoff, retrieved[index])
        values.append(_checked(call.measure, call.of(ranking, query), query))
    return values


def _all_at_once(
    call: _Call, source: _Source, queries: list[str], retrieved: list[int]
) -> list[float]:
    import numpy

    measure = call.measure
    returned = call.of(
        Rankings(source, queries, numpy.array(retrieved, dtype="int64"), call.cutoff)
    )
    try:
        values = numpy.asarray(returned)
    except ValueError:
        values = numpy.array(None)
    if values.shape != (len(queries),):
        size = f"{len(queries)} numbers, one per query"
        shape = "no array" if values.ndim == 0 else f"an array of shape {values.shape}"
        raise MeasureError(
            where=repr(measure),
            found=f"{shape} ({type(returned).__name__}) from the function",
            expected=f"an array of {size}",
        )
    if values.dtype.kind not in "biuf":
        # A list may contain None: each value is checked.
        return [
            _checked(measure, value, query) for value, query in zip(values, queries, strict=True)
        ]
    numbers = values.astype("float64")
    low, high = _limits(measure)
    wrong = ~numpy.isfinite(numbers)
    if low is not None:
        wrong |= numbers < low
    if high is not None:
        wrong |= numbers > high
    if wrong.any():
        first = int(wrong.argmax())
        _refuse(measure, float(numbers[first]), queries[first])
    return numbers.tolist()  # type: ignore[no-any-return]


def _checked(measure: Measure, value: object, query: str) -> float:
    """Return a value as a number in the range of the measure."""
    if getattr(value, "shape", None) == ():
        value = value.item()  # type: ignore[attr-defined]
    if isinstance(value, bool):
        value = int(value)
    try:
        checked = float(number(value))
    except ValueError:
        _refuse(measure, value, query)
    low, high = _limits(measure)
    if (low is not None and checked < low) or (high is not None and checked > high):
        _refuse(measure, value, query)
    return checked


def _limits(measure: Measure) -> tuple[float | None, float | None]:
    """Return the lowest and the highest value, with room for rounding errors."""
    low, high = measure.range()
    return (
        None if low is None else low - _TOLERANCE * max(1.0, abs(low)),
        None if high is None else high + _TOLERANCE * max(1.0, abs(high)),
    )


def _refuse(measure: Measure, value: object, query: str) -> NoReturn:
    low, high = measure.range()
    if low is None:
        limits = "" if high is None else f" of at most {high:g}"
    else:
        limits = f" of at least {low:g}" if high is None else f" from {low:g} to {high:g}"
    raise MeasureError(
        where=repr(measure),
        query=query,
        found=f"the value {shown(value)}",
        expected=f"a number{limits}",
    )
