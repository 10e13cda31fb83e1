"""From judgments and a run to the `Snapshot` that is kept of it."""

from __future__ import annotations

from dataclasses import replace

from gainful import __version__
from gainful.conventions import Convention, get
from gainful.data.coercion import as_run, run_name
from gainful.errors import ArgumentError, MeasureError, ParameterError
from gainful.evaluation import Evaluation, evaluate
from gainful.evaluation.columns import column_values
from gainful.evaluation.judgments import judgments_for
from gainful.gates.rankings import depth_needed, kept
from gainful.gates.snapshot import Snapshot, SnapshotQuery
from gainful.measures.choosing import choose_measures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gainful.data import Qrels
    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.measures import Measure

__all__ = ["carried_over", "comparable", "judgments_digest", "make_snapshot", "values_of"]

#: How much of a query's digest is kept: enough to notice a change.
_DIGITS = 12


def make_snapshot(
    qrels: QrelsLike,
    run: RunLike,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    convention: Convention | str = "gainful-1",
    name: str | None = None,
    budget: int | None = None,
    after: Snapshot | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Snapshot:
    """Evaluate a run and keep what later runs are checked against.

    Parameters
    ----------
    qrels, run, measures, convention, threads, progress
        As `gainful.evaluate` has them. Measures whose mean is geometric are refused.
        Default: nDCG@10, or what the convention is verified for.
    name : str, optional
        What to call the run; without it its own name.
    budget : int, optional
        How many runs are going to be checked against it: `gate` then tests each at alpha / budget.
        Without it looks are counted, and nothing is corrected for them.
    after : Snapshot, optional
        The snapshot that this one replaces. Where they share a query, its looks are carried over,
        and its budget unless another is given: the queries have been looked at.

    Returns
    -------
    Snapshot
        Values and rankings a query, the latter as deep as it takes to make the values again.

    Raises
    ------
    GainfulError
        For whatever cannot be read, matched or measured.
    MeasureError
        For a measure that is no mean of what queries have, such as GMAP.
    ParameterError
        For a budget below 1.

    Examples
    --------
    >>> import gainful
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1, "c": 2}}
    >>> run = {"q1": ["a", "b"], "q2": ["b", "c", "a"]}
    >>> snapshot = gainful.make_snapshot(qrels, run, "nDCG@2", budget=20)
    >>> snapshot.queries["q2"].documents, snapshot.queries["q1"].values
    (('b', 'c'), (1.0,))
    """
    if budget is not None and (type(budget) is not int or budget < 1):
        raise ParameterError(
            where="budget", found=repr(budget), expected="a whole number of 1 or more"
        )
    if after is not None and not isinstance(after, Snapshot):
        raise ArgumentError(
            where="make_snapshot", found=f"{type(after).__name__} as after", expected="a Snapshot"
        )
    policies = get(convention)
    chosen = comparable(choose_measures(measures, policies))
    judged = judgments_for(chosen, qrels, duplicates=policies.duplicates)
    ranked = as_run(run, duplicates="count")
    called = name or run_name(ranked) or "run"
    options = {"convention": policies, "threads": threads, "progress": progress}
    evaluation = evaluate(judged, runs={called: ranked}, measures=chosen, **options)  # type: ignore[arg-type]
    values = values_of(evaluation)

    def kept_to(depth: int | None) -> Snapshot:
        rankings = kept(ranked, values, depth, policies.order)
        return Snapshot(
            system=called,
            convention=policies,
            measures=chosen,
            queries={
                query: SnapshotQuery(own, judgments_digest(judged, query), *rankings.get(query, ()))
                for query, own in values.items()
            },
            depth=depth,
            judgments=judged.digest,
            run=ranked.digest,
            version=__version__,
            budget=budget,
        )

    depth = depth_needed(evaluation.resolved, policies)
    snapshot = kept_to(depth)
    if depth is not None:
        again = evaluate(judged, snapshot.ranking(), chosen, **options)  # type: ignore[arg-type]
        if values_of(again) != values:
            # A measure that sees beyond its cutoff, or ties drawn by what lies beyond it.
            snapshot = kept_to(None)
    return snapshot if after is None else carried_over(after, snapshot)


def carried_over(before: Snapshot, snapshot: Snapshot) -> Snapshot:
    """Return a snapshot with the looks of the one that it replaces, where they share a query."""
    if not before.queries.keys() & snapshot.queries.keys():
        return snapshot
    budget = before.budget if snapshot.budget is None else snapshot.budget
    return replace(snapshot, looks=before.looks, budget=budget)


def comparable(measures: Iterable[Measure]) -> tuple[Measure, ...]:
    """Return measures of which differences can be averaged over queries; refuse others by name."""
    chosen = tuple(measures)
    if not chosen:
        raise ParameterError(where="measures", found="no measure", expected="at least one")
    for measure in chosen:
        if measure.aggregate == "geometric":
            raise MeasureError(
                where=repr(measure),
                found="a geometric mean over queries",
                expected="a measure whose values are averaged as they are",
                hint="AP or bpref is the measure that it is the mean of",
            )
    return chosen


def values_of(evaluation: Evaluation) -> dict[str, tuple[float | None, ...]]:
    """Return the values of the only system by query: None where left out, and for NaN."""
    (system,) = evaluation.systems
    _, queries, *columns = column_values(evaluation, system, None)
    found = {}
    for query, *values in zip(queries, *columns[: len(evaluation.measures)], strict=True):
        found[str(query)] = tuple(
            value if isinstance(value, float) and value == value else None for value in values
        )
    return found


def judgments_digest(judged: Qrels, query: str) -> str:
    """Return the digest of one query's judgments, shortened."""
    whole = judged.select([query]).digest
    return whole.removeprefix("sha256:")[:_DIGITS]
