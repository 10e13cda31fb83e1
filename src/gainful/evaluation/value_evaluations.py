"""Evaluations of values that were computed elsewhere, alone and joined to other evaluations."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from gainful.conventions import Convention
from gainful.errors import ArgumentError, FormatError, MatchError, MeasureError, ParameterError
from gainful.evaluation.arguments import check_weights
from gainful.evaluation.query_groups import read_query_groups
from gainful.evaluation.query_rows import RowForm
from gainful.evaluation.value_tables import read_values
from gainful.evaluation.values import query_ids
from gainful.measures import Measure, declare
from gainful.measures.notation import parse_measure
from gainful.quoting import names_shown, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, TypeVar

    from gainful import _kernel
    from gainful._kernel import State
    from gainful.evaluation.data import EvaluationData
    from gainful.evaluation.query_groups import Attribute, By
    from gainful.evaluation.value_tables import ValuesLike, ValueTable
    from gainful.measures.parameters import Range

    T = TypeVar("T")

    AnyEvaluation = TypeVar("AnyEvaluation", bound=EvaluationData)

__all__ = ["GIVEN", "from_values", "join"]

#: What is known of how values were computed that are only given.
GIVEN = Convention(name="computed elsewhere", no_relevant="skip", missing="skip")

#: The flag of a query that does not count for a measure.
_LEFT_OUT = 2
#: The most names of missing queries that a table keeps.
_EXAMPLES = 100


def from_values(
    kind: type[AnyEvaluation],
    values: ValuesLike,
    measure: Measure | str | Iterable[Measure | str] | None,
    *,
    range: Range | None,
    higher_is_better: bool | None,
    aggregate: str | None,
    weights: Mapping[str, float] | None,
    clusters: Attribute | None,
    by: By | None,
) -> AnyEvaluation:
    """Implement `Evaluation.from_values`."""
    one = isinstance(measure, (Measure, str))
    wanted: list[Measure | str] | None = (
        None if measure is None else [measure] if one else list(measure)  # type: ignore[arg-type, list-item]
    )
    declared = {repr(measure): measure for measure in wanted or () if isinstance(measure, Measure)}
    table = read_values(values, None if wanted is None else list(map(_name, wanted)))
    measures = tuple(
        declared[label]
        if label in declared
        else _measure(label, range, higher_is_better, aggregate)
        for label in table.scores
    )
    for name in measures:
        _check_range(name, table)
    form = RowForm(measures, GIVEN)
    systems = list(dict.fromkeys(system for values in table.scores.values() for system in values))
    groups = None
    if clusters is not None or by is not None:
        groups = read_query_groups(clusters=clusters, by=by)
    tables = {system: _table(form, table, system) for system in systems}
    source = table.layout if table.source is None else f"{table.source}, {table.layout}"
    result = kind(
        tables,
        form.measures,
        GIVEN,
        None if weights is None else check_weights(weights),
        integers=table.integers,
        groups=groups,
        given=dict.fromkeys(map(repr, form.measures), source),
    )
    if groups is not None:
        groups.check(list(table.queries))
    return result


def _name(measure: Measure | str) -> str:
    return repr(measure) if isinstance(measure, Measure) else measure


def _measure(
    label: str, range: Range | None, higher_is_better: bool | None, aggregate: str | None
) -> Measure:
    """Return the measure of a name, which is declared unless it is known."""
    changes = {"range": range, "higher_is_better": higher_is_better, "aggregate": aggregate}
    chosen: dict[str, Any] = {name: value for name, value in changes.items() if value is not None}
    try:
        known = parse_measure(label)
    except MeasureError:
        return declare(label, **chosen)
    family = known.declaration
    if not chosen:
        return known
    if not family.is_own:
        raise MeasureError(
            f"{', '.join(chosen)} cannot be changed",
            where=label,
            hint="give values of another definition another name",
        )
    parameters = {
        "range": (family.low, family.high),
        "higher_is_better": family.higher_is_better,
        "aggregate": family.aggregate,
    }
    return declare(label, **{**parameters, **chosen})


def _check_range(measure: Measure, table: ValueTable) -> None:
    low, high = measure.range()
    for system, values in table.scores[repr(measure)].items():
        for query, value in values.items():
            # Sums of rounded terms can exceed the ends by less.
            if (low is None or value >= low - 1e-9) and (high is None or value <= high + 1e-9):
                continue
            ends = f"at least {low:g}" if high is None else f"at most {high:g}"
            raise FormatError(
                where=f"{measure!r}, {system}",
                file=table.source,
                query=query,
                found=shown(value),
                expected=ends if low is None or high is None else f"{low:g} to {high:g}",
                hint="divide percentages by 100"
                if high == 1 and 1 < value <= 100
                else "⟪range⟫ declares another range"
                if measure.declaration.is_own
                else None,
            )


def _table(form: RowForm, table: ValueTable, system: str) -> _kernel.Evaluated:
    """Return the kernel's table of a system."""
    columns = [table.scores[repr(measure)].get(system, {}) for measure in form.measures]
    there = [query for query in table.queries if any(query in column for column in columns)]
    absent = float("nan")
    rows = [
        Row(
            [column.get(query, absent) for column in columns],
            [0 if query in column else _LEFT_OUT for column in columns],
            {},
        )
        for query in there
    ]
    missing = [query for query in table.queries if not any(query in column for column in columns)]
    return form.table([_state(form, there, rows, missing)])


class Row(NamedTuple):
    """The values and flags of a query by measure, and other columns by name."""

    values: list[float]
    flags: list[int]
    others: dict[str, float]


def _state(
    form: RowForm,
    queries: Sequence[str],
    rows: Iterable[Row],
    missing: Sequence[str],
    tag: str = "",
) -> State:
    """Return the state of a table."""
    width = 1 + max(place for _, _, place, _ in form.columns)
    values, flags = array("d"), bytearray()
    for row in rows:
        cells = [0.0] * width
        for name, kind, at, _ in form.columns:
            cells[at] = row.others.get(name, float("nan") if kind == "number" else 0.0)
        cells[: len(row.values)] = row.values
        values.extend(cells)
        flags += bytes(row.flags)
    lacking = [_bytes(query) for query in sorted(missing)[:_EXAMPLES]]
    counts = [len(queries) + len(missing), len(queries), len(missing), *[0] * 8]
    ids = [_bytes(query) for query in queries]
    return ids, values.tobytes(), bytes(flags), counts, tag.encode(), (lacking, [])


def _bytes(query: str) -> bytes:
    return query.encode("utf-8", "surrogateescape")


# --- joining ------------------------------------------------------------------------------------


def join(first: AnyEvaluation, other: AnyEvaluation) -> AnyEvaluation:
    """Implement `Evaluation.join`."""
    if not isinstance(other, type(first)):
        raise ArgumentError(
            where="join",
            found=type(other).__name__,
            expected="an Evaluation",
            hint="Evaluation.from_values makes one from values",
        )
    convention = _checked_convention(first, other)
    form = RowForm((*first.measures, *other.measures), convention)
    tables = {}
    for system in first.systems:
        sides = [(_rows(side, system), side) for side in (first, other)]
        queries = list(dict.fromkeys(query for rows, _ in sides for query in rows))
        joined = []
        for query in queries:
            left, right = (rows.get(query) or _absent(len(side.measures)) for rows, side in sides)
            joined.append(
                Row(
                    left.values + right.values,
                    left.flags + right.flags,
                    {**right.others, **left.others},
                )
            )
        table = first.kernel_tables[system]
        missing = [query for query in table.unmatched[0] if query not in queries]
        tables[system] = form.table([_state(form, queries, joined, missing, table.tag)])
    return type(first)(
        tables,
        form.measures,
        convention,
        _shared("weights", first.weights, other.weights),
        first.judgments if first.judgments is not None else other.judgments,
        integers=first.integer_ids and other.integer_ids,
        groups=_shared("clusters or slices", first.groups, other.groups),
        selection=_shared("a selection", first.selection, other.selection),
        given={**(first.given or {}), **(other.given or {})} or None,
        runs=first.runs or other.runs,
    )


def _checked_convention(first: EvaluationData, other: EvaluationData) -> Convention:
    """Return the convention of two evaluations whose measures can be joined."""
    same = [repr(measure) for measure in other.measures if measure in first.measures]
    if same:
        raise MatchError(
            f"both have {names_shown(same)}",
            where="join",
            hint="concat joins evaluations of different queries",
        )
    for one, another in ((first, other), (other, first)):
        lacking = [system for system in one.systems if system not in another.systems]
        if lacking:
            raise MatchError(
                where="join",
                found=f"no values of {names_shown(another.measures)} for {names_shown(lacking)}",
                expected="the same systems on both sides",
            )
    if first.bounds_of is not None or other.bounds_of is not None:
        raise ParameterError("bounds cannot be joined", where="join")
    digests = {side.judgments_digest for side in (first, other)} - {None}
    if len(digests) > 1:
        raise MatchError("the judgments differ", where="join")
    known = [side.convention for side in (first, other) if side.convention != GIVEN]
    if len(known) == 2 and known[0] != known[1]:
        raise MatchError(
            where="join",
            found=f"the conventions {known[0].label} and {known[1].label}",
            expected="one convention",
        )
    return known[0] if known else GIVEN


def _absent(measures: int) -> Row:
    return Row([float("nan")] * measures, [_LEFT_OUT] * measures, {})


def _rows(evaluation: EvaluationData, system: str) -> dict[str, Row]:
    """Return the row of each query, in the order of the judgments."""
    table = evaluation.kernel_tables[system]
    form = RowForm(evaluation.measures, evaluation.convention)
    measures = range(len(evaluation.measures))
    flags = [table.flags(measure) for measure in measures]
    columns = [table.column(measure) for measure in measures]
    others = {
        name: table.column(place)
        for name, kind, place, _ in form.columns
        if kind != "value" and evaluation.has_rankings
    }
    order = table.as_judged
    return {
        query: Row(
            [column[row] for column in columns],
            [flag[row] for flag in flags],
            {name: column[row] for name, column in others.items()},
        )
        for query, row in zip(
            query_ids(table, order), range(len(table)) if order is None else order, strict=True
        )
    }


def _shared(what: str, one: T | None, other: T | None) -> T | None:
    """Return what at least one side has; what both have must be equal."""
    if one is not None and other is not None and one != other:
        raise MatchError(f"{what} differ", where="join")
    return other if one is None else one
