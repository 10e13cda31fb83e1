"""Write snapshots: to which files, of which runs, with which anchors."""

from __future__ import annotations

import json
from hashlib import sha256
from json import dumps
from math import isfinite
from os import fspath
from typing import NamedTuple

from gainful import __version__
from gainful.conventions import Convention, get
from gainful.data.coercion import as_run, run_name
from gainful.data.paths import as_paths
from gainful.data.remote import shown
from gainful.data.text_files import text_lines
from gainful.errors import (
    ArgumentError,
    ConventionError,
    FormatError,
    GainfulError,
    MeasureError,
    ParameterError,
)
from gainful.evaluation import Evaluation, evaluate
from gainful.evaluation.arguments import judgments_for, settled
from gainful.evaluation.selection import SelectedInputs
from gainful.evaluation.values import column_values
from gainful.gates.snapshot import Look, Snapshot, SnapshotQuery, cut_rankings, depth_needed
from gainful.input_files import InputFiles
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measures
from gainful.measures.notation import parse_measure
from gainful.measures.own import restored
from gainful.measures.parameters import LARGEST
from gainful.parameters.gating import BUDGET
from gainful.progress import Bar, show_progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Unpack

    from gainful.data import Qrels, Run
    from gainful.data.paths import Path
    from gainful.data.qrels import QrelsLike
    from gainful.data.run import RunLike
    from gainful.evaluation.selection import ClassesLike, Pairs
    from gainful.measures import Measure
    from gainful.policies import PolicyKeywords

__all__ = [
    "carry_over_looks",
    "check_averaged",
    "gains_since_anchor",
    "given_values",
    "judgments_digest",
    "make_snapshot",
    "read_snapshot",
    "required_run",
    "values_of",
]


@suggest_keywords
def read_snapshot(path: Path) -> Snapshot:
    """Read a snapshot from a file.

    Parameters
    ----------
    path : path
        A file written by `Snapshot.write`; ``"-"`` is standard input.

    Raises
    ------
    SourceError
        If it cannot be read.
    FormatError
        If it is not a snapshot.
    ConventionError, MeasureError
        If this version of Gainful does not know the convention or a measure, or defines the
        measure differently.

    Examples
    --------
    >>> import gainful
    >>> gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10").write("snapshot.json")
    >>> read_snapshot("snapshot.json")
    <Snapshot bm25: nDCG@10 of 6 queries, 0 looks>
    """
    name, whole = _parsed(fspath(path))
    if not isinstance(whole, dict) or whole.get("schema") != Snapshot.SCHEMA:
        raise FormatError(
            file=name,
            found="a file of another kind",
            expected=f'a snapshot, with "schema": "{Snapshot.SCHEMA}"',
            hint="⟪gate()=QRELS RUN --save FILE⟫ writes one",
        )
    try:
        return _snapshot(whole, name)
    except GainfulError as error:
        raise error.inside(name) from None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise FormatError(
            file=name,
            found=f"a damaged snapshot ({type(error).__name__}: {error})",
            expected="a snapshot as Gainful wrote it",
        ) from error


def _parsed(name: str) -> tuple[str, object]:
    called, rows = text_lines(name)
    text = "\n".join(line for _, line in rows)
    try:
        return called, json.loads(text)
    except (ValueError, RecursionError) as error:
        number = getattr(error, "lineno", 0)
        line_start = rows[number - 1][0] if 0 < number <= len(rows) else None
        raise FormatError(
            file=called, line=line_start, found="text that is not JSON", expected="a snapshot"
        ) from None


def _snapshot(whole: dict[str, Any], name: str) -> Snapshot:
    convention = _convention(whole["convention"])
    for declared in whole.get("declared") or ():
        restored(declared, {}, None)
    measures = tuple(
        _measure(name, resolved, convention) for name, resolved in whole["measures"].items()
    )
    budget, spending = whole["budget"], whole["spending"]
    if not isinstance(spending, bool):
        raise ValueError(f"spending {spending!r} is neither true nor false")
    looks = tuple(
        Look(
            run=str(look["run"]),
            system=str(look["system"]),
            verdict=str(look["verdict"]),
            alpha=_check_finite(look["alpha"]),
        )
        for look in whole["looks"]
    )
    shared: dict[str, Any] = {
        "convention": convention,
        "measures": measures,
        "judgments": str(whole["judgments"]),
        "selection": whole.get("selection"),
        "file": name,
    }
    anchor = whole["anchor"]
    return Snapshot(
        **_ranked(whole, len(measures)),
        **shared,
        looks=looks,
        budget=None if budget is None else _count(budget, "budget"),
        spending=spending,
        inputs=whole["inputs"],
        anchor=None if anchor is None else Snapshot(**_ranked(anchor, len(measures)), **shared),
    )


def _ranked(saved: dict[str, Any], measures: int) -> dict[str, Any]:
    """Return the fields that a snapshot and its anchor each have."""
    depth = saved["depth"]
    return {
        "system": str(saved["system"]),
        "queries": _queries(saved["queries"], measures),
        "depth": None if depth is None else _count(depth, "depth"),
        "run": str(saved["run"]),
        "version": str(saved["gainful"]),
    }


def _queries(rows: dict[str, Any], measures: int) -> dict[str, SnapshotQuery]:
    queries = {}
    for query, row in rows.items():
        values = tuple(None if value is None else _check_finite(value) for value in row["values"])
        if len(values) != measures or not measures:
            counts = f"{len(values)} values for {measures} measures"
            raise FormatError(query=query, found=counts, expected="one value for each")
        columns: dict[str, Any] = {
            column: None if row.get(column) is None else tuple(map(kind, row[column]))
            for column, kind in (("documents", str), ("scores", float), ("ranks", float))
        }
        lengths = {len(column) for column in columns.values() if column is not None}
        if len(lengths) > 1:
            raise FormatError(
                query=query, found="columns of different lengths", expected="the same length"
            )
        queries[query] = SnapshotQuery(values=values, judgments=str(row["judgments"]), **columns)
    return queries


def _check_finite(value: object) -> float:
    # Python's parser accepts NaN and Infinity, which are not JSON.
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise ValueError(f"{value!r} is not finite")
    return float(value)


def _count(value: object, name: str) -> int:
    if type(value) is not int or not 1 <= value <= LARGEST:
        raise ValueError(f"{name} {value!r:.40} is not a whole number from 1 to {LARGEST}")
    return value


def _convention(saved: dict[str, Any]) -> Convention:
    policies = {name: value for name, value in saved.items() if name != "text"}
    try:
        return Convention(**policies)
    except TypeError as error:
        raise ConventionError(
            found="a convention with policies that this version does not know",
            expected="known policies",
            hint="the snapshot may come from a newer version of Gainful",
        ) from error


def _measure(name: str, resolved: str, convention: Convention) -> Measure:

    measure = parse_measure(name)
    if repr(measure.resolve(convention)) != resolved:
        raise MeasureError(
            where=name,
            found=f"values of {resolved}",
            expected=f"{measure.resolve(convention)!r}, its definition in this version",
            hint="save the snapshot again",
        )
    return measure


#: The digest of judgments where there are none.
_NO_JUDGMENTS = f"sha256:{sha256(b'').hexdigest()}"


class GivenValues(NamedTuple):
    """The values of a system by query, the digests of judgments and of the values."""

    system: str
    measures: tuple[Measure, ...]
    values: dict[str, tuple[float | None, ...]]
    judgments: str
    digest: str


def given_values(
    evaluation: Evaluation,
    system: object,
    measures: Measure | str | Iterable[Measure | str] | None,
) -> GivenValues:
    """Return the values of a system, by default of the only one."""
    if system is not None and not isinstance(system, str):
        raise ParameterError(
            where="run", found=type(system).__name__, expected="the name of a system"
        )
    table = evaluation.table_of(system)
    name = next(name for name, rows in evaluation.kernel_tables.items() if rows is table)
    chosen = (
        evaluation.measures
        if measures is None
        else tuple(
            evaluation.measures[evaluation.index_of(measure)]
            for measure in choose_measures(measures, evaluation.convention)
        )
    )
    columns = [evaluation.values_by_text_id(measure, name) for measure in chosen]
    values = {
        query: tuple(_drop_nan(column.get(query)) for column in columns)
        for query in table.query_ids()
    }
    content = dumps([list(map(repr, chosen)), values], sort_keys=True).encode()
    return GivenValues(
        name,
        chosen,
        values,
        evaluation.judgments_digest or _NO_JUDGMENTS,
        f"sha256:{sha256(content).hexdigest()}",
    )


def _drop_nan(value: float | None) -> float | None:
    return value if value is not None and value == value else None


def keep_given_anchor(before: Snapshot, made: Snapshot) -> Snapshot:
    """Return a snapshot of values with the anchor of the one that it replaces.

    Values cannot be computed again, so there is an anchor only for the same measures.
    """
    first = before.first
    queries = {query: row for query, row in first.queries.items() if query in made.queries}
    if first.run == made.run or first.measures != made.measures or not queries:
        return made.replace(anchor=None)
    anchor = first.replace(
        convention=made.convention,
        queries=queries,
        judgments=made.judgments,
        selection=made.selection,
        looks=(),
        budget=None,
        spending=False,
        anchor=None,
        file=None,
    )
    return made.replace(anchor=anchor)


def keep_anchor(
    before: Snapshot,
    made: Snapshot,
    measure: Callable[[Run], Mapping[str, tuple[float | None, ...]]],
) -> Snapshot:
    """Return a snapshot with the anchor of the snapshot that it replaces."""
    first = before.first
    common = made.queries.keys() & first.queries.keys()
    # A ranking that was cut reproduces only the values that it was cut for.
    kept = [
        first.depth is None or (first.convention == made.convention and measure in first.resolved)
        for measure in made.resolved
    ]
    if first.run == made.run or not common or not any(kept):
        return made.replace(anchor=None)
    values = measure(first.ranking())
    queries = {
        query: first.queries[query].replace(
            values=tuple(
                value if keep else None for value, keep in zip(values[query], kept, strict=True)
            ),
            judgments=query_values.judgments,
        )
        for query, query_values in made.queries.items()
        if query in common and query in values
    }
    anchor = first.replace(
        convention=made.convention,
        measures=made.measures,
        queries=queries,
        judgments=made.judgments,
        selection=made.selection,
        looks=(),
        budget=None,
        spending=False,
        anchor=None,
        file=None,
    )
    return made.replace(anchor=anchor)


def gains_since_anchor(snapshot: Snapshot, alpha: float = 0.05) -> dict[str, float]:
    """Return the mean difference from the anchor of each measure that is significantly better.

    The anchor then is too low to detect losses from the level of the snapshot.
    """
    import numpy as np

    from gainful.gates.gated_measure import bounds_of
    from gainful.inference.design import Design

    gains: dict[str, float] = {}
    if snapshot.anchor is None:
        return gains
    for measure, resolved in zip(snapshot.measures, snapshot.resolved, strict=True):
        values, before = snapshot.values(resolved), snapshot.anchor.values(resolved)
        differences = [values[query] - before[query] for query in values if query in before]
        changes = measure.direction * np.array(differences)
        if differences and bounds_of(changes, Design(len(differences)), alpha, alpha).low > 0.0:
            gains[repr(measure)] = sum(differences) / len(differences)
    return gains


#: Characters of a query's digest to save: enough to notice a change.
_DIGITS = 12


@show_progress(Bar)
@suggest_keywords
def make_snapshot(
    qrels: QrelsLike | Evaluation,
    run: RunLike | None = None,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    convention: Convention | str = "gainful-1",
    name: str | None = None,
    budget: int | None = None,
    spending: bool = False,
    after: Snapshot | None = None,
    new_anchor: bool = False,
    exclude: Pairs | None = None,
    same: ClassesLike | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    **policies: Unpack[PolicyKeywords],
) -> Snapshot:
    """Evaluate a run and save its values and rankings, to check later runs against.

    Parameters
    ----------
    qrels, run, measures, convention, threads, progress
        As for `gainful.evaluate`. Measures with a geometric mean are rejected.
        Default: nDCG@10, or the measures that the convention is verified for. Or an `Evaluation`,
        such as `Evaluation.from_values` returns, and the name of one of its systems; the snapshot
        then has no rankings.
    name : str, optional
        The name of the run. Default: its own.
    budget : int, optional
        How many runs will be checked against the snapshot: `gate` tests each at alpha / budget.
        Default: looks are counted but not corrected for.
    spending : bool
        Whether `gate` spends alpha over any number of runs: look i is tested at 6 alpha / (pi i)^2.
    after : Snapshot, optional
        The snapshot that this one replaces. If they share a query, its looks are carried over,
        because these queries were used before, and its budget or spending unless one is given. The
        first of these snapshots is kept as the anchor, which `gate` also checks runs against.
    new_anchor : bool
        Whether to drop the anchor of `after`. This accepts all losses since it was saved.
    exclude, same
        Documents to leave out, and the classes of documents, as for `evaluate`.
    **policies
        Policies that differ from those of the convention, as for `evaluate`.

    Returns
    -------
    Snapshot
        The values and rankings of each query, the latter deep enough to reproduce the values.

    Raises
    ------
    GainfulError
        For anything that cannot be read, matched or evaluated.
    MeasureError
        For a measure that is not a mean of query values, such as GMAP.
    ParameterError
        For a budget below 1, or a budget and spending.

    Examples
    --------
    >>> import gainful
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1, "c": 2}}
    >>> run = {"q1": ["a", "b"], "q2": ["b", "c", "a"]}
    >>> snapshot = gainful.make_snapshot(qrels, run, "nDCG@2", budget=20)
    >>> snapshot.queries["q2"].documents, snapshot.queries["q1"].values
    (('b', 'c'), (1.0,))
    """
    BUDGET.check(budget)
    if budget is not None and spending:
        raise ParameterError(
            where="spending", found="a budget and spending", expected="only one of them"
        )
    if after is not None and not isinstance(after, Snapshot):
        raise ArgumentError(
            where="make_snapshot", found=f"{type(after).__name__} as after", expected="a Snapshot"
        )
    if isinstance(qrels, Evaluation):
        for option, value in {"exclude": exclude, "same": same, **policies}.items():
            if value is not None:
                raise ArgumentError(f"⟪{option}⟫ requires judgments and a run, not an evaluation")
        return _snapshot_of_values(
            qrels, run, measures, name, after, new_anchor, budget=budget, spending=spending
        )
    files = InputFiles(shown(path) for obj in (qrels, run) for path in as_paths(obj) or ())
    rules = get(convention, **policies)
    requested = choose_measures(measures, rules)
    judged = judgments_for(requested, qrels, duplicates=rules.duplicates)
    chosen = check_averaged(settled(requested, judged, rules))
    ranked = as_run(required_run(run), duplicates="count")
    system = name or run_name(ranked) or "run"
    selected = digests = None
    if exclude is not None or same is not None:
        selected = SelectedInputs(judged, rules, exclude=exclude, same=same)
        judged, ranked = selected.judgments, selected.select(system, ranked)
        digests = selected.summarize().digests
    options: dict[str, Any] = {"convention": rules, "threads": threads, "progress": progress}

    def measured(ranking: Run) -> Evaluation:
        result: Evaluation = evaluate(judged, runs={system: ranking}, measures=chosen, **options)
        return result

    evaluation = measured(ranked)
    values = values_of(evaluation)
    inputs = files.digests()

    def snapshot_to(depth: int | None) -> Snapshot:
        rankings = cut_rankings(ranked, values, depth, rules.order)
        return Snapshot(
            system=system,
            convention=rules,
            measures=chosen,
            queries={
                query: SnapshotQuery(
                    values=row,
                    judgments=judgments_digest(judged, query),
                    **rankings.get(query, {}),
                )
                for query, row in values.items()
            },
            depth=depth,
            judgments=judged.digest,
            run=ranked.digest,
            version=__version__,
            budget=budget,
            spending=spending,
            inputs=inputs,
            selection=digests,
        )

    depth = depth_needed(evaluation.resolved, rules)
    snapshot = snapshot_to(depth)
    if depth is not None and values_of(measured(snapshot.ranking())) != values:
        # A measure, or the order of ties, depends on documents below the cutoff.
        snapshot = snapshot_to(None)
    if after is None:
        return snapshot
    snapshot = carry_over_looks(after, snapshot)
    if new_anchor:
        return snapshot

    def measured_now(ranking: Run) -> dict[str, tuple[float | None, ...]]:
        # The anchor may be from before anything was selected.
        return values_of(measured(selected.select(system, ranking) if selected else ranking))

    return keep_anchor(after, snapshot, measured_now)


def required_run(run: RunLike | None) -> RunLike:
    """Return a run, which judgments need."""
    if run is None:
        raise ArgumentError(
            where="run", found="no run", expected="a run, or an evaluation in place of judgments"
        )
    return run


def _snapshot_of_values(
    evaluation: Evaluation,
    system: object,
    measures: Measure | str | Iterable[Measure | str] | None,
    name: str | None,
    after: Snapshot | None,
    new_anchor: bool,
    *,
    budget: int | None,
    spending: bool,
) -> Snapshot:
    """Return a snapshot of the values of a system, without its rankings."""
    precomputed = given_values(evaluation, system, measures)
    check_averaged(precomputed.measures)
    query_digest = precomputed.judgments.removeprefix("sha256:")[:_DIGITS]
    snapshot = Snapshot(
        system=name or precomputed.system,
        convention=evaluation.convention,
        measures=precomputed.measures,
        queries={
            query: SnapshotQuery(values=row, judgments=query_digest)
            for query, row in precomputed.values.items()
        },
        depth=None,
        judgments=precomputed.judgments,
        run=precomputed.digest,
        version=__version__,
        budget=budget,
        spending=spending,
    )
    if after is None:
        return snapshot
    snapshot = carry_over_looks(after, snapshot)
    return snapshot if new_anchor else keep_given_anchor(after, snapshot)


def carry_over_looks(before: Snapshot, snapshot: Snapshot) -> Snapshot:
    """Add the looks of the snapshot that this one replaces, if they share a query."""
    if not before.queries.keys() & snapshot.queries.keys():
        return snapshot
    snapshot = snapshot.replace(looks=before.looks)
    if snapshot.budget is not None or snapshot.spending:
        return snapshot
    return snapshot.replace(budget=before.budget, spending=before.spending)


def check_averaged(measures: Iterable[Measure]) -> tuple[Measure, ...]:
    """Return the measures; reject those whose differences cannot be averaged over queries."""
    chosen = tuple(measures)
    if not chosen:
        raise ParameterError(where="measures", found="no measure", expected="at least one")
    for measure in chosen:
        if measure.aggregate == "geometric":
            raise MeasureError(
                where=repr(measure),
                found="a geometric mean over queries",
                expected="a measure with an arithmetic mean",
                hint="GMAP is the geometric mean of AP, and GMbpref of bpref",
            )
    return chosen


def values_of(evaluation: Evaluation) -> dict[str, tuple[float | None, ...]]:
    """Return the values of the only system by query; None if left out or NaN."""
    (system,) = evaluation.systems
    _, queries, *columns = column_values(evaluation, system, None)
    listed = {}
    for query, *values in zip(queries, *columns[: len(evaluation.measures)], strict=True):
        listed[str(query)] = tuple(
            value if isinstance(value, float) and value == value else None for value in values
        )
    return listed


def judgments_digest(judged: Qrels, query: str) -> str:
    """Return the shortened digest of one query's judgments."""
    whole = judged.select([query]).digest
    return whole.removeprefix("sha256:")[:_DIGITS]
