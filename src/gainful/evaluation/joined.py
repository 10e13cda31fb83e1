"""Select and concatenate the queries of evaluations, and pickle evaluations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from gainful import _kernel
from gainful.errors import ArgumentError, GainfulError, MatchError, ParameterError
from gainful.measures.named_functions import computed_before

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gainful._kernel import State
    from gainful.conventions import Convention
    from gainful.evaluation.chance import Values
    from gainful.evaluation.query_groups import QueryGroups
    from gainful.evaluation.result import Evaluation
    from gainful.evaluation.summary import Selection
    from gainful.measures import Measure

    Bounds = tuple[str, list[float]] | None


@dataclass(frozen=True)
class KnownJudgments:
    """The digest and note of judgments that are no longer in memory."""

    digest: str | None
    note: str | None

    def __reduce__(self) -> tuple[object, ...]:
        return KnownJudgments, (self.digest, self.note)


# # pickling


def reduce_evaluation(evaluation: Evaluation) -> tuple[object, ...]:
    """Return the state of an evaluation for pickle: its rows, without the judgments."""
    known = None
    if evaluation._judgments is not None:
        known = KnownJudgments(evaluation.judgments_digest, evaluation.judgments_note)
    states = {name: table.state() for name, table in evaluation._tables.items()}
    return rebuild_evaluation, (
        type(evaluation),
        states,
        evaluation.measures,
        evaluation.convention,
        evaluation._weights,
        known,
        _bounds(evaluation),
        evaluation.scattered,
        evaluation._integers,
        evaluation._chance,
        evaluation._groups,
        evaluation.selection,
        evaluation.given,
    )


def rebuild_evaluation(
    kind: type[Evaluation],
    states: dict[str, State],
    measures: tuple[Measure, ...],
    convention: Convention,
    weights: dict[str, float] | None,
    judgments: KnownJudgments | None,
    bounds: Bounds,
    scattered: tuple[str, ...],
    integers: bool,
    chance: Values | None,
    groups: QueryGroups | None,
    selection: Selection | None,
    given: dict[str, str] | None,
) -> Evaluation:
    """Rebuild an evaluation from the state that `reduce_evaluation` returned."""
    tables = {
        name: kernel_table([state], measures, convention, bounds, name in scattered, as_given=True)
        for name, state in states.items()
    }
    scope = bounds[0] if bounds else None
    return kind(
        tables,
        measures,
        convention,
        weights,
        judgments,
        bounds=scope,
        integers=integers,
        chance=chance,
        groups=groups,
        selection=selection,
        given=given,
    )


def _bounds(evaluation: Evaluation) -> Bounds:
    if evaluation.bounds_of is None:
        return None
    return evaluation.bounds_of, list(evaluation.scale or ())


def kernel_table(
    states: list[State],
    measures: tuple[Measure, ...],
    convention: Convention,
    bounds: Bounds,
    scattered: bool = False,
    *,
    as_given: bool = False,
) -> _kernel.Evaluated:
    """Combine states into one table, after checking the measures under the convention."""
    specs = [(repr(measure), *measure.spec(convention, computed_before)) for measure in measures]
    return _kernel.evaluated(
        states,
        convention.spec(),
        specs,
        bounds=bounds,
        scattered=scattered,
        as_given=as_given,
    )


# # selection


def select(evaluation: Evaluation, queries: Iterable[str]) -> Evaluation:
    """Return the rows of some queries, whose counts of missing and extra queries are unknown."""
    chosen = {query.encode("utf-8", "surrogateescape") for query in queries}
    tables = {}
    for system, table in evaluation._tables.items():
        ids, values, flags, counts, tag, _ = table.state()
        rows = [index for index, query in enumerate(ids) if query in chosen]
        parts = []
        for cells in (values, flags):
            width = len(cells) // max(len(ids), 1)
            parts.append(b"".join(cells[row * width : (row + 1) * width] for row in rows))
        known = [len(rows), len(rows), *[0] * (len(counts) - 2)]
        state: State = ([ids[row] for row in rows], parts[0], parts[1], known, tag, ([], []))
        tables[system] = kernel_table(
            [state], evaluation.measures, evaluation.convention, _bounds(evaluation), as_given=True
        )
    return type(evaluation)(
        tables,
        evaluation.measures,
        evaluation.convention,
        evaluation._weights,
        bounds=evaluation.bounds_of,
        integers=evaluation._integers,
        groups=evaluation._groups,
        given=evaluation.given,
    )


# # concatenation


def concat(kind: type[Evaluation], evaluations: Iterable[Evaluation]) -> Evaluation:
    """Implement `Evaluation.concat`."""
    if isinstance(evaluations, kind) or not hasattr(evaluations, "__iter__"):
        raise ArgumentError(
            where="concat", found=type(evaluations).__name__, expected="several evaluations"
        )
    parts = list(evaluations)
    for part in parts:
        if not isinstance(part, kind):
            raise ArgumentError(where="concat", found=type(part).__name__, expected="an Evaluation")
    if not parts:
        raise ParameterError(where="concat", found="no evaluation", expected="at least one")
    first = parts[0]
    for part in parts[1:]:
        _check_compatible(first, part)
    shared = _shared_judgments(parts)
    groups = _groups(parts)
    bounds = _bounds(first)
    tables = {}
    for system in first.systems:
        states = [part._tables[system].state() for part in parts]
        if shared:
            states = _count_judged_once(states)
        scattered = any(system in part.scattered for part in parts)
        try:
            tables[system] = kernel_table(
                states, first.measures, first.convention, bounds, scattered
            )
        except MatchError as error:
            raise _overlap(error, system, several=len(first.systems) > 1) from None
    notes = {part.judgments_note for part in parts}
    known = KnownJudgments(
        first.judgments_digest if shared else None, notes.pop() if len(notes) == 1 else None
    )
    return kind(
        tables,
        first.measures,
        first.convention,
        _weights(parts),
        known,
        bounds=bounds[0] if bounds else None,
        integers=all(part._integers for part in parts),
        chance=_chance(parts),
        groups=groups,
        selection=_selection(parts),
        given=first.given,
    )


def _check_compatible(first: Evaluation, other: Evaluation) -> None:
    """Reject evaluations whose rows cannot be combined in one table."""

    def mismatch(what: str, one: object, another: object, expected: str) -> MatchError:
        return MatchError(
            where="concat", found=f"the {what} {one} and {another}", expected=expected
        )

    def listed(values: Sequence[object]) -> str:
        return f"[{', '.join(map(str, values))}]"

    if other.convention != first.convention:
        raise mismatch(
            "conventions", first.convention.label, other.convention.label, "one convention"
        )
    if other.measures != first.measures:
        raise mismatch(
            "measures",
            listed(first.measures),
            listed(other.measures),
            "the same measures in the same order",
        )
    if set(other.systems) != set(first.systems):
        raise mismatch(
            "systems", listed(first.systems), listed(other.systems), "rows of the same systems"
        )
    for what, known, others in (
        ("weights", first._weights, other._weights),
        ("clusters or slices", first._groups, other._groups),
        ("a selection", first.selection, other.selection),
    ):
        if (known is None) != (others is None):
            raise MatchError(
                where="concat",
                found=f"{what} in some parts only",
                expected=f"{what} for all parts, or for none",
            )
    if _bounds(other) != _bounds(first):
        raise MatchError(
            where="concat",
            found="bounds over different labels",
            expected="bounds over the same labels, or none",
            hint="pass the same bounds= and scale= to evaluate for all parts",
        )


def _shared_judgments(parts: Sequence[Evaluation]) -> bool:
    """Return whether all parts were evaluated with the same judgments of all queries.

    This is possible only with ``missing="skip"``, where each part has all judgments but the rows of
    only some queries.
    """
    if len(parts) < 2 or parts[0].convention.missing != "skip":
        return False
    counts = {table.counts[0] for part in parts for table in part._tables.values()}
    if len(counts) > 1:
        return False
    digests = {part.judgments_digest for part in parts}
    return len(digests) == 1 and None not in digests


def _count_judged_once(states: list[State]) -> list[State]:
    """Return states in which only the first counts the judged and the missing queries."""
    judged = states[0][3][0]
    judged_count = sum(len(state[0]) for state in states)
    counted: list[State] = []
    for index, (ids, values, flags, (_, evaluated, _, *rest), tag, unmatched) in enumerate(states):
        in_judgments, missing = (judged, judged - judged_count) if index == 0 else (0, 0)
        # Overlapping queries make `missing` negative; they are rejected later.
        counts = [in_judgments, evaluated, max(missing, 0), *rest]
        counted.append((ids, values, flags, counts, tag, unmatched))
    return counted


def _weights(parts: Sequence[Evaluation]) -> dict[str, float] | None:
    """Return the weight of each query, from the part that has the query."""
    if parts[0]._weights is None:
        return None
    weights: dict[str, float] = {}
    for part in parts:
        weights.update(part._weights or {})
    for part in parts:
        for table in part._tables.values():
            known = part._weights or {}
            weights.update((query, known[query]) for query in table.query_ids() if query in known)
    return weights


def _chance(parts: Sequence[Evaluation]) -> Values | None:
    """Return the chance of the queries of all parts, if all have it."""
    values: Values = {}
    for part in parts:
        if part._chance is None:
            return None
        for measure, by_query in part._chance.items():
            values.setdefault(measure, {}).update(by_query)
    return values


def _groups(parts: Sequence[Evaluation]) -> QueryGroups | None:
    """Return the clusters and slices of the queries of all parts."""
    every = [part._groups for part in parts if part._groups is not None]
    return reduce(lambda one, other: one.joined(other), every) if every else None


def _selection(parts: Sequence[Evaluation]) -> Selection | None:
    """Return what was selected in all parts."""
    every = [part.selection for part in parts if part.selection is not None]
    return reduce(lambda one, other: one.joined(other), every) if every else None


def _overlap(error: GainfulError, system: str, *, several: bool) -> GainfulError:
    return error.replace(
        where=f"concat, system {system}" if several else "concat",
        hint="evaluate each part with the judgments of its own queries only: a judged query that is"
        " missing from the run also has a row, unless the convention has missing=skip",
    )
