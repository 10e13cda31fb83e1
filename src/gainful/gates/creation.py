"""Make a snapshot from judgments and a run."""

from __future__ import annotations

from gainful import __version__
from gainful.conventions import Convention, get
from gainful.data.addresses import shown
from gainful.data.coercion import as_run, run_name
from gainful.data.paths import as_paths
from gainful.errors import ArgumentError, MeasureError, ParameterError
from gainful.evaluation import Evaluation, evaluate
from gainful.evaluation.columns import column_values
from gainful.evaluation.judgments import judgments_for
from gainful.evaluation.selection import select_inputs
from gainful.gates.anchors import keep_anchor
from gainful.gates.given import given_values, keep_given_anchor
from gainful.gates.rankings import cut_rankings, depth_needed
from gainful.gates.snapshot import Snapshot, SnapshotQuery
from gainful.input_files import InputFiles
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measures
from gainful.parameters.gating import BUDGET
from gainful.progress import Bar, show_progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Unpack

    from gainful.data import Qrels, Run
    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.evaluation.classes import ClassesLike
    from gainful.evaluation.selection import Pairs
    from gainful.measures import Measure
    from gainful.policies import PolicyKeywords

__all__ = [
    "carry_over_looks",
    "check_averaged",
    "judgments_digest",
    "make_snapshot",
    "required_run",
    "values_of",
]

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
    chosen = check_averaged(choose_measures(measures, rules))
    judged = judgments_for(chosen, qrels, duplicates=rules.duplicates)
    ranked = as_run(required_run(run), duplicates="count")
    system = name or run_name(ranked) or "run"
    if exclude is not None or same is not None:
        selection = {"exclude": exclude, "same": same}
        judged, runs, _ = select_inputs(judged, {system: ranked}, rules, **selection)
        ranked = runs[system]
    options: dict[str, Any] = {"convention": rules, "threads": threads, "progress": progress}

    def measured(ranking: Run) -> Evaluation:
        found: Evaluation = evaluate(judged, runs={system: ranking}, measures=chosen, **options)
        return found

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
    return keep_anchor(after, snapshot, lambda ranking: values_of(measured(ranking)))


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
    given = given_values(evaluation, system, measures)
    check_averaged(given.measures)
    query_digest = given.judgments.removeprefix("sha256:")[:_DIGITS]
    snapshot = Snapshot(
        system=name or given.system,
        convention=evaluation.convention,
        measures=given.measures,
        queries={
            query: SnapshotQuery(values=row, judgments=query_digest)
            for query, row in given.values.items()
        },
        depth=None,
        judgments=given.judgments,
        run=given.digest,
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
    found = {}
    for query, *values in zip(queries, *columns[: len(evaluation.measures)], strict=True):
        found[str(query)] = tuple(
            value if isinstance(value, float) and value == value else None for value in values
        )
    return found


def judgments_digest(judged: Qrels, query: str) -> str:
    """Return the shortened digest of one query's judgments."""
    whole = judged.select([query]).digest
    return whole.removeprefix("sha256:")[:_DIGITS]
