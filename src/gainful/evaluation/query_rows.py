"""Rows of queries: stored, sent and restored, and as CSV, TSV and JSON."""

from __future__ import annotations

from hashlib import sha256
from json import dumps

from gainful import _kernel
from gainful.conventions import Convention, get
from gainful.errors import ParameterError
from gainful.evaluation.arguments import DEFAULT_MEASURES, check_bounds
from gainful.evaluation.values import AT_CUTOFF, COUNTS, SUMS_OF_GAINS, cutoffs_of, parts_of
from gainful.formats.delimited import WRITERS, text
from gainful.measures import Measure
from gainful.measures.algebra import computed_before
from gainful.measures.choosing import choose_measures, prepare_measures
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gainful._kernel import State
    from gainful.evaluation.data import EvaluationData

    #: A column of rows: name, kind, index in the kernel's table, index of the measure.
    Column = tuple[str, str, int, int]

__all__ = ["QueryRows", "RowForm", "delimited_rows", "json_document", "json_rows"]

#: The columns of all rows, before and after those of the measures.
_BEFORE = ("system", "query_id")

_AFTER = {"status": "string", "queries": "int64", "flags": "string", "convention": "string"}

#: The Arrow types of the kinds of columns.
_TYPES = {"value": "double", "number": "double", "bound": "double", "count": "int64", "tie": "bool"}


class RowForm:
    """The schema of rows for some measures and a convention, and their fingerprint.

    Parameters
    ----------
    measures : Measure, str, or several of them
        The measures.
    convention : Convention or str
        The convention.
    bounds, scale
        As for `gainful.evaluate`; bounds require a scale.

    Raises
    ------
    MeasureError, ConventionError
        If measures, convention and bounds are not compatible.
    ParameterError
        For bounds without a scale.
    """

    bounds: tuple[str, list[float]] | None
    columns: list[Column]
    convention: Convention
    kernels: list[_kernel.Kernel]
    made_by: str
    measures: tuple[Measure, ...]

    def __init__(
        self,
        measures: Measure | str | Iterable[Measure | str] | None,
        convention: Convention | str,
        bounds: bool | str = False,
        scale: Iterable[float] | None = None,
    ) -> None:
        self.convention = get(convention)
        self.measures = choose_measures(measures, self.convention, usual=DEFAULT_MEASURES)
        self.kernels = prepare_measures(self.measures, self.convention).kernels(computed_before)
        checked_bounds = check_bounds(bounds, scale, False, self.convention)
        if checked_bounds is not None and checked_bounds[1] is None:
            raise ParameterError(
                where="scale",
                found="bounds without a scale",
                expected="the possible grades of an unjudged document",
                hint="a part of the judgments does not have all grades",
            )
        self.bounds = checked_bounds and (checked_bounds[0], checked_bounds[1] or [])
        # The kernel rejects invalid combinations, and returns the scale under the convention:
        # sorted, without duplicates.
        checked = self.table([])
        if self.bounds is not None:
            self.bounds = self.bounds[0], list(checked.bounds_grades)
        self.columns = self._columns()
        self.made_by = self._fingerprint()

    def table(self, states: list[State]) -> _kernel.Evaluated:
        """Combine the states of several tables into one table."""
        return _kernel.evaluated(states, self.convention.spec(), self.kernels, bounds=self.bounds)

    @property
    def types(self) -> dict[str, str]:
        """The columns of the rows with the names of their Arrow types."""
        types = dict.fromkeys(_BEFORE, "string")
        types.update((name, _TYPES[kind]) for name, kind, _, _ in self.columns)
        return types | _AFTER

    def _columns(self) -> list[Column]:
        measures = self.measures
        columns: list[Column] = [
            (repr(measure), "value", index, index) for index, measure in enumerate(measures)
        ]
        place = len(measures)
        columns += [(name, "number", place + part, 0) for name, part in parts_of(measures)]
        place += sum(2 for measure in measures if measure.family == "nDCG")
        columns += [(name, "count", place + index, 0) for index, name in enumerate(COUNTS)]
        place += len(COUNTS)
        resolved = [measure.resolve(self.convention) for measure in measures]
        for cutoff in cutoffs_of(resolved):
            for name in AT_CUTOFF:
                columns.append((f"{name}@{cutoff}", "tie" if name == "tie" else "count", place, 0))
                place += 1
        if self.bounds is not None:
            for index, measure in enumerate(measures):
                for end in ("low", "high"):
                    columns.append((f"{measure!r} {end}", "bound", place, index))
                    place += 1
        sums = [repr(measure) for measure in measures if measure.family in SUMS_OF_GAINS]
        columns += [
            (f"{name} ideal", "number", place + index, 0) for index, name in enumerate(sums)
        ]
        return columns

    def _fingerprint(self) -> str:
        """Return the convention's name and a digest of all that affects the numbers."""
        settings = [
            self.convention.to_dict(),
            [[repr(measure), repr(measure.resolve(self.convention))] for measure in self.measures],
            self.bounds,
        ]
        digest = sha256(dumps(settings, sort_keys=True).encode()).hexdigest()
        return f"{self.convention.name}:{digest[:12]}"


class QueryRows:
    """One row per system and query, from which an `Evaluation` can be restored.

    It exports the Arrow C stream, so ``pyarrow.table(rows)``, ``polars.DataFrame(rows)`` and DuckDB
    read it directly. `gainful.evaluation.partition.score_partition` and `Evaluation.to_rows` return
    it; `Evaluation.from_rows` accepts it or any table made from it.

    Its columns are ``system`` and ``query_id``; those of `Evaluation.rows`, null if a query is left
    out of a measure; the ideal value of each CG and DCG, as ``DCG@10 ideal``; and

    ``status``
        ``"evaluated"`` for a query with values. ``"missing"`` means that the run lacks a judged
        query, ``"extra"`` that a query has no judgments; such rows have nulls, so that the average
        of a column is the mean. Rows of a partition contain one such row per query, those of a
        whole evaluation one row with the number of queries.
    ``queries``
        The number of queries that the row represents: 1, or a total.
    ``flags``
        One character per measure: ``"."`` for a value, ``"n"`` without relevant documents, ``"s"``
        if the query is skipped for that reason.
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

    def __init__(
        self, tables: Mapping[str, _kernel.Evaluated], form: RowForm, ids: str = "text"
    ) -> None:
        if ids not in ("text", "binary"):
            raise ParameterError(where="ids", found=repr(ids), expected="'text' or 'binary'")
        self._tables = dict(tables)
        self._form = form
        self._binary = ids == "binary"

    @property
    def columns(self) -> dict[str, str]:
        """The name and Arrow type of each column, independent of the number of rows."""
        types = self._form.types
        return types | {"query_id": "binary"} if self._binary else types

    def __len__(self) -> int:
        return sum(table.exported for table in self._tables.values())

    def __repr__(self) -> str:
        measures = ", ".join(map(repr, self._form.measures))
        return f"<{len(self)} rows of {', '.join(self._tables)}: {measures}>"

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the rows as an Arrow stream; the requested schema is ignored."""
        return _kernel.query_rows(
            list(self._tables.items()),
            self._form.made_by,
            self._form.columns,
            binary=self._binary,
        )


SEPARATORS = {"csv": ",", "tsv": "\t"}


def delimited_rows(
    evaluation: EvaluationData, style: str, threads: int | None = None
) -> Iterator[bytes]:
    """Yield a header and the rows of `Evaluation.rows` as text."""
    separator, write = SEPARATORS[style], WRITERS[style]
    names = evaluation.columns
    yield _encoded("".join(write(names, [])))
    for system in evaluation.systems:
        first = "".join(write([system], [])).removesuffix("\n") + separator
        leads = [first, *[separator] * (len(names) - 2)]
        yield from _rows(evaluation, system, leads, "\n", separator, threads)


def json_rows(evaluation: EvaluationData, threads: int | None = None) -> Iterator[bytes]:
    """Yield a JSON object per row, one per line."""
    for system in evaluation.systems:
        leads = _keys(evaluation, system)
        leads[0] = "{" + leads[0]
        yield from _rows(evaluation, system, leads, "}\n", None, threads)


def json_document(
    document: Mapping[str, object],
    evaluations: Iterable[EvaluationData],
    threads: int | None = None,
) -> Iterator[bytes]:
    """Yield an indented JSON document with the rows of queries, one per line."""
    empty = '"per_query": []'
    *parts, end = text(document, indent=2).split(empty)
    for part, evaluation in zip(parts, evaluations, strict=True):
        indent = " " * (len(part) - len(part.rstrip(" ")))
        yield _encoded(part + empty[:-1])
        is_first = True
        for system in evaluation.systems:
            leads = _keys(evaluation, system)
            leads[0] = f",\n{indent}  {{{leads[0]}"
            for chunk in _rows(evaluation, system, leads, "}", None, threads):
                # No comma precedes the first row.
                yield chunk[1:] if is_first else chunk
                is_first = False
        yield _encoded("]" if is_first else f"\n{indent}]")
    yield _encoded(end)


def _keys(evaluation: EvaluationData, system: str) -> list[str]:
    """Return the keys that precede values; the first with the system."""
    keys = [f"{_quoted(name)}: " for name in evaluation.columns]
    first = f"{keys[0]}{_quoted(system)}, {keys[1]}"
    return [first, *(", " + key for key in keys[2:])]


def _quoted(name: str) -> str:
    return text(name).removesuffix("\n")


def _rows(
    evaluation: EvaluationData,
    system: str,
    leads: list[str],
    end: str,
    separator: str | None,
    threads: int | None,
) -> Iterator[bytes]:
    form = RowForm(
        evaluation.measures,
        evaluation.convention,
        evaluation.bounds_of or False,
        evaluation.scale,
    )
    return _kernel.row_texts(
        evaluation.kernel_tables[system],
        # The last columns are only for rows that are restored.
        form.columns[: len(leads) - 1],
        list(map(_encoded, leads)),
        end.encode(),
        separator=None if separator is None else ord(separator),
        integers=evaluation.integer_ids,
        threads=thread_count(threads),
    )


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
