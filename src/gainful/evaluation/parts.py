"""Evaluations made of others: selected, concatenated, and restored from rows and pickles."""

from __future__ import annotations

from functools import reduce

from gainful import _kernel
from gainful.data.columns import expand_paths
from gainful.data.inputs import add_location
from gainful.data.paths import as_paths
from gainful.data.table import kernel_rows
from gainful.errors import (
    ArgumentError,
    Code,
    GainfulError,
    MatchError,
    ParameterError,
    SourceError,
    SourceNotFoundError,
)
from gainful.evaluation.arguments import check_weights, judgments_for
from gainful.evaluation.data import KnownJudgments
from gainful.evaluation.partition.call import evaluate_systems
from gainful.evaluation.query_groups import slice_queries
from gainful.evaluation.query_rows import RowForm
from gainful.measures.algebra import computed_before
from gainful.measures.choosing import prepare_measures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeVar

    from gainful._kernel import State
    from gainful.conventions import Convention
    from gainful.data.inputs import ArrowStream
    from gainful.data.paths import Paths
    from gainful.data.qrels import QrelsLike
    from gainful.evaluation.data import ChanceValues, EvaluationData
    from gainful.evaluation.query_groups import QueryGroups
    from gainful.evaluation.summary import Selection
    from gainful.measures import Measure

    Bounds = tuple[str, list[float]] | None

    AnyEvaluation = TypeVar("AnyEvaluation", bound=EvaluationData)

__all__ = ["from_rows", "slice_evaluations"]


# # pickling


def reduce_evaluation(evaluation: EvaluationData) -> tuple[object, ...]:
    """Return the state of an evaluation for pickle: its rows, without the judgments."""
    known = None
    if evaluation.judgments is not None:
        known = KnownJudgments(evaluation.judgments_digest, evaluation.judgments_note)
    states = {name: table.state() for name, table in evaluation.kernel_tables.items()}
    return rebuild_evaluation, (
        type(evaluation),
        states,
        evaluation.measures,
        evaluation.convention,
        evaluation.weights,
        known,
        _bounds(evaluation),
        evaluation.scattered,
        evaluation.integer_ids,
        evaluation.chance_values,
        evaluation.groups,
        evaluation.selection,
        evaluation.given,
    )


def rebuild_evaluation(
    kind: type[AnyEvaluation],
    states: dict[str, State],
    measures: tuple[Measure, ...],
    convention: Convention,
    weights: dict[str, float] | None,
    judgments: KnownJudgments | None,
    bounds: Bounds,
    scattered: tuple[str, ...],
    integers: bool,
    chance: ChanceValues | None,
    groups: QueryGroups | None,
    selection: Selection | None,
    given: dict[str, str] | None,
) -> AnyEvaluation:
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


def _bounds(evaluation: EvaluationData) -> Bounds:
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
    prepared = prepare_measures(measures, convention)
    return _kernel.evaluated(
        states,
        prepared.policies,
        prepared.kernels(computed_before),
        bounds=bounds,
        scattered=scattered,
        as_given=as_given,
    )


# # selection


def select(evaluation: AnyEvaluation, queries: Iterable[str]) -> AnyEvaluation:
    """Return the rows of some queries, whose counts of missing and extra queries are unknown."""
    chosen = {query.encode("utf-8", "surrogateescape") for query in queries}
    tables = {}
    for system, table in evaluation.kernel_tables.items():
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
        evaluation.weights,
        bounds=evaluation.bounds_of,
        integers=evaluation.integer_ids,
        groups=evaluation.groups,
        given=evaluation.given,
    )


def slice_evaluations(evaluation: AnyEvaluation) -> Iterator[tuple[str, str, AnyEvaluation]]:
    """Yield the attribute and the name of each slice, and the evaluation of its queries."""
    if evaluation.groups is None:
        return
    # Under missing=skip, systems may have different queries.
    every = [query for table in evaluation.kernel_tables.values() for query in table.query_ids()]
    queries = list(dict.fromkeys(every))
    for attribute, values in evaluation.groups.slices.items():
        for name, members in slice_queries({attribute: values}, queries).items():
            yield attribute, name, select(evaluation, members)


# # concatenation


def concat(kind: type[AnyEvaluation], evaluations: Iterable[AnyEvaluation]) -> AnyEvaluation:
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
        states = [part.kernel_tables[system].state() for part in parts]
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
        integers=all(part.integer_ids for part in parts),
        chance=_chance(parts),
        groups=groups,
        selection=_selection(parts),
        given=first.given,
    )


def _check_compatible(first: EvaluationData, other: EvaluationData) -> None:
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
        ("weights", first.weights, other.weights),
        ("clusters or slices", first.groups, other.groups),
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


def _shared_judgments(parts: Sequence[EvaluationData]) -> bool:
    """Return whether all parts were evaluated with the same judgments of all queries.

    This is possible only with ``missing="skip"``, where each part has all judgments but the rows of
    only some queries.
    """
    if len(parts) < 2 or parts[0].convention.missing != "skip":
        return False
    counts = {table.counts[0] for part in parts for table in part.kernel_tables.values()}
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


def _weights(parts: Sequence[EvaluationData]) -> dict[str, float] | None:
    """Return the weight of each query, from the part that has the query."""
    if parts[0].weights is None:
        return None
    weights: dict[str, float] = {}
    for part in parts:
        weights.update(part.weights or {})
    for part in parts:
        for table in part.kernel_tables.values():
            known = part.weights or {}
            weights.update((query, known[query]) for query in table.query_ids() if query in known)
    return weights


def _chance(parts: Sequence[EvaluationData]) -> ChanceValues | None:
    """Return the chance of the queries of all parts, if all have it."""
    values: ChanceValues = {}
    for part in parts:
        if part.chance_values is None:
            return None
        for measure, by_query in part.chance_values.items():
            values.setdefault(measure, {}).update(by_query)
    return values


def _groups(parts: Sequence[EvaluationData]) -> QueryGroups | None:
    """Return the clusters and slices of the queries of all parts."""
    every = [part.groups for part in parts if part.groups is not None]
    return reduce(lambda one, other: one.joined(other), every) if every else None


def _selection(parts: Sequence[EvaluationData]) -> Selection | None:
    """Return what was selected in all parts."""
    every = [part.selection for part in parts if part.selection is not None]
    return reduce(lambda one, other: one.joined(other), every) if every else None


def _overlap(error: GainfulError, system: str, *, several: bool) -> GainfulError:
    return error.replace(
        where=f"concat, system {system}" if several else "concat",
        hint="evaluate each part with the judgments of its own queries only: a judged query that is"
        " missing from the run also has a row, unless the convention has missing=skip",
    )


def from_rows(
    kind: type[AnyEvaluation],
    rows: Paths | ArrowStream | Iterable[ArrowStream],
    measures: Measure | str | Iterable[Measure | str] | None,
    *,
    convention: Convention | str,
    weights: Mapping[str, float] | None,
    bounds: bool | str,
    scale: Iterable[float] | None,
    qrels: QrelsLike | None,
) -> AnyEvaluation:
    """Implement `Evaluation.from_rows`."""
    form = RowForm(measures, convention, bounds, scale)
    judgments = None
    if qrels is not None:
        judgments = judgments_for(form.measures, qrels, duplicates=form.convention.duplicates)
    try:
        tables = dict(
            _kernel.evaluated_rows(
                _streams(rows),
                form.made_by,
                form.columns,
                form.convention.spec(),
                form.kernels,
                bounds=form.bounds,
            )
        )
    except GainfulError as error:
        raise _row_error(error, add_location) from None
    if not tables:
        raise MatchError(where="rows", found="no rows")
    if judgments is not None:
        tables = {
            system: _add_missing_queries(form, table, kernel_rows(judgments))
            for system, table in tables.items()
        }
    for system, table in tables.items():
        judged, _, missing, extra = table.counts[:4]
        if judged == missing:
            raise MatchError(
                where="rows" if len(tables) == 1 else f"rows of {system}",
                found=f"no query in common: {judged} in the judgments, {extra} in the run",
                hint="check that both are of the same collection and use the same ids",
            )
    query_weights = None if weights is None else check_weights(weights)
    scope = form.bounds[0] if form.bounds else None
    return kind(tables, form.measures, form.convention, query_weights, judgments, bounds=scope)


def _add_missing_queries(
    form: RowForm, table: _kernel.Evaluated, judgments: _kernel.Rows
) -> _kernel.Evaluated:
    """Add the judged queries that have no row to a table."""
    known = set(table.query_ids())
    judged = judgments.query_ids()
    absent = [query for query in judged if query not in known]
    if len(known) + len(absent) > len(judged):
        raise MatchError(
            where="rows",
            query=min(known.difference(judged)),
            found="rows of a query without judgments",
            expected="the judgments of these rows",
        )
    if not absent:
        return table
    ids, values, flags, (_, evaluated, _, *rest), tag, (_, extra) = table.state()
    if form.convention.missing == "skip":
        counts = [len(judged), evaluated, len(absent), *rest]
        missing = [query.encode(errors="surrogateescape") for query in sorted(absent)[:100]]
        return form.table([(ids, values, flags, counts, tag, (missing, extra))])
    added = evaluate_systems(form, judgments.select(absent), {"": None})[""]
    return form.table([table.state(), added.state()])


def _streams(rows: object) -> Iterator[object]:
    """Yield the Arrow streams of objects one after the other."""
    paths = as_paths(rows)
    if paths is not None:
        for path in expand_paths(paths, "run"):
            yield _read_parquet(path)
    elif hasattr(rows, "__arrow_c_stream__"):
        yield rows
    elif hasattr(rows, "__iter__") and not isinstance(rows, (bytes, dict)):
        for part in rows:
            if not hasattr(part, "__arrow_c_stream__"):
                raise _no_stream(part)
            yield part
    else:
        raise _no_stream(rows)


def _read_parquet(path: str) -> object:
    """Return the rows of a Parquet file, read in parts."""
    try:
        from pyarrow import ArrowException, RecordBatchReader
        from pyarrow.parquet import ParquetFile
    except ModuleNotFoundError:
        raise ArgumentError(
            found="paths without pyarrow",
            expected="pyarrow",
            hint="pip install pyarrow, or pass a data frame",
        ) from None
    remote = getattr(path, "open", None)
    try:
        file = ParquetFile(path if remote is None else remote())
        return RecordBatchReader.from_batches(file.schema_arrow, file.iter_batches())
    except GainfulError:
        raise
    except FileNotFoundError:
        raise SourceNotFoundError(where=path, found="no such file") from None
    except (OSError, ArrowException) as error:
        raise SourceError(where=path, found=f"cannot read the file as Parquet ({error})") from None


def _no_stream(obj: object) -> ArgumentError:
    return ArgumentError(
        found=type(obj).__name__,
        expected="a data frame or another object with an Arrow stream, several of them, or a path",
    )


def _row_error(error: GainfulError, add_location: object) -> GainfulError:
    if isinstance(error, MatchError) and error.query is not None:
        split = error.code == Code.QUERY_SPLIT
        return error.replace(
            where="rows",
            found=error.found if split else "its ranking is in two parts",
            expected=None,
            hint="ids of two types are shuffled differently"
            if split
            else "check that no part was added twice, and that parts share no queries",
        )
    return add_location(error, "rows")  # type: ignore[operator, no-any-return]
