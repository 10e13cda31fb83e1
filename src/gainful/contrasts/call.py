"""Contrast two conventions on judgments and runs."""

from __future__ import annotations

from typing import NamedTuple

from gainful.byte_order import in_byte_order
from gainful.contrasts.result import Contrast, QueryAccount, Step, SystemAccount
from gainful.conventions import Convention, get
from gainful.conventions.difference import Difference, compare_measures, diff
from gainful.errors import ArgumentError, GainfulError, MeasureError
from gainful.evaluation.call import LoadedInputs
from gainful.keywords import suggest_keywords
from gainful.measures import Measure
from gainful.measures.choosing import choose_measure
from gainful.policies import POLICIES
from gainful.progress import Bar, show_progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from gainful.data.qrels import QrelsLike
    from gainful.data.run import RunLike
    from gainful.evaluation import Evaluation
    from gainful.measures.family import Family
    from gainful.measures.parameters import Value

    Weights = Mapping[str, float] | None

__all__ = ["LAST", "changes", "contrast", "convert_partly"]


#: The policies on queries change after the measure's parameters: they decide which queries count
#: and how values are aggregated, which is clearer when the values are those of B.
LAST = tuple(policy.name for policy in POLICIES if policy.governs == "queries")


def changes(a: Convention, b: Convention, measure: Measure) -> list[Difference]:
    """Return the changes between two conventions for a measure, in order.

    First the policies on documents and their order, in the order of `POLICIES`, then the measure's
    parameters and cutoff, then the policies on queries and their mean.

    Examples
    --------
    >>> from gainful.measures import nDCG
    >>> other = Convention(missing="skip", ties="expected", defaults={"nDCG": {"ideal": "list"}})
    >>> [change.name for change in changes(Convention(), other, nDCG @ 10)]
    ['ties', 'ideal', 'missing']
    """
    policies = [difference for difference in diff(a, b) if difference.family is None]
    return [
        *(policy for policy in policies if policy.name not in LAST),
        *compare_measures(measure.resolve(a), measure.resolve(b)),
        *(policy for policy in policies if policy.name in LAST),
    ]


def list_overridden(a: Convention, b: Convention, measure: Measure) -> list[Difference]:
    """Return the parameters that differ but that the measure sets itself."""
    acting = {
        difference.name for difference in compare_measures(measure.resolve(a), measure.resolve(b))
    }
    bare = Measure(measure.family, {}, None)
    if bare.declaration.at is not None:
        return []
    return [
        measure
        for measure in compare_measures(bare.resolve(a), bare.resolve(b))
        if measure.name not in acting
    ]


def convert_partly(
    a: Convention, measure: Measure, changed: Iterable[Difference]
) -> tuple[Convention, Measure]:
    """Return convention A and the measure after some of the changes.

    Everything that the measure takes from the convention is set on the measure instead.

    Examples
    --------
    >>> from gainful.measures import nDCG
    >>> other = Convention(ties="expected", defaults={"nDCG": {"ideal": "list"}})
    >>> both = changes(Convention(), other, nDCG @ 10)
    >>> convert_partly(Convention(), nDCG @ 10, both[:1])[0].ties
    'expected'
    >>> convert_partly(Convention(), nDCG @ 10, both)[1]
    nDCG(ideal='list')@10
    """
    policies: dict[str, Any] = {**a.to_dict(), "defaults": None, "name": "intermediate"}
    whole = measure.resolve(a)
    parameters: dict[str, object] = {**whole.params}
    cutoff = whole.cutoff
    for change in changed:
        if change.family is None:
            policies[change.name] = change.theirs
        elif change.name == "cutoff":
            cutoff = change.theirs  # type: ignore[assignment]
        else:
            parameters[change.name] = change.theirs
    kept = {name: value for name, value in parameters.items() if value is not None}
    # Unset parameters have their default, which distinguishes exclusive parameters.
    kept_policies = {
        name: value for name, value in kept.items() if value != _default(measure.declaration, name)
    }
    converted = Measure(measure.family, kept_policies, cutoff)
    brought = converted.resolve().params.keys() - kept.keys()
    if brought:
        raise MeasureError(
            f"the parameters imply {', '.join(sorted(brought))}, so they change together",
            where=repr(converted),
        )
    return Convention(**policies), converted


def _default(family: Family, name: str) -> Value | None:
    parameter = family.parameter(name)
    return None if parameter is None else parameter.default


@show_progress(Bar)
@suggest_keywords
def contrast(
    qrels: QrelsLike,
    run: RunLike | None = None,
    a: Convention | str | None = None,
    b: Convention | str | None = None,
    measure: Measure | str | None = None,
    *,
    runs: Mapping[str, RunLike] | None = None,
    weights: Mapping[str, float] | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Contrast:
    """Attribute the difference between two conventions to single policies.

    Starting from A, one policy or parameter after the other is changed to that of B, and the
    measure is computed after each change, so that the steps add up to the whole difference.

    Parameters
    ----------
    qrels : path, mapping, data frame or Qrels
        The judgments, as for `evaluate`.
    run : path, mapping, data frame or Run, optional
        The ranking.
    a, b : Convention or str
        The two conventions, or the names of presets. Both are required.
    measure : Measure or str, optional
        The measure. Default: nDCG@10, or one that both conventions are verified for.
    runs : mapping of str to run, optional
        Several runs by name, instead of `run`; the result then compares the orders of the systems.
    weights : mapping of query id to float, optional
        The weight of each query in the means.
    threads : int, optional
        Number of threads; it does not affect the numbers.
    progress : callable, optional
        Called with (bytes done, total bytes) while files are read.

    Returns
    -------
    Contrast
        The steps, the means, and the values of every query after each step.

    Raises
    ------
    GainfulError
        If A or B rejects the data (the message names it), or an input cannot be read. If an
        intermediate convention rejects the data, its change is combined with the next one.

    Notes
    -----
    The effect of a policy depends on earlier changes. The order is fixed: the policies on documents
    and their order, as in `gainful.conventions.POLICIES`, the parameters of the measure, then
    no_relevant, missing, extra, unweighted and rounding, which concern queries and their mean.

    Examples
    --------
    >>> import gainful
    >>> qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
    >>> run = {"q1": {"d1": 0.5, "d2": 0.5}}
    >>> contrast = gainful.contrast(qrels, run, "gainful-1", "trec_eval", "nDCG@10")
    >>> contrast.a.name, contrast.b.name, [step.label for step in contrast.steps if step.matters]
    ('gainful-1', 'trec_eval-9.0.8', ['missing: empty → skip'])
    >>> [round(mean, 4) for mean in contrast.account().ends]
    [0.3155, 0.6309]
    """
    if a is None or b is None:
        raise ArgumentError("two conventions are required: a= and b=", where="contrast")
    first, last = get(a), get(b)
    chosen = choose_measure(measure, first, last)
    loaded = LoadedInputs(
        qrels, run, runs, [chosen], [first, last], threads=threads, progress=progress
    )
    state = _State.of(loaded.evaluate(first, [chosen], weights))
    ends = state, _State.of(loaded.evaluate(last, [chosen], weights), state)
    applied = _apply_steps(loaded, (first, last), ends, chosen, weights)
    states = [state, *(change.state for change in applied)]
    ranks = _ranks(states[0].means), _ranks(states[-1].means)
    accounts = {system: _build_account(system, states, ranks) for system in state.values}
    steps = tuple(
        Step(
            changes=tuple(change.changes),
            reason=change.reason or None,
            matters=not states[index].same(states[index + 1])
            and any(account.changes_at(index) for account in accounts.values()),
        )
        for index, change in enumerate(applied)
    )
    return Contrast(
        a=first,
        b=last,
        measure=chosen,
        resolved={"a": chosen.resolve(first), "b": chosen.resolve(last)},
        steps=steps,
        accounts=accounts,
        overridden=tuple(list_overridden(first, last, chosen)),
        weighted=weights is not None,
    )


class _State(NamedTuple):
    """The state after a step: the mean of each system, and the values by query.

    Unchanged values are shared with earlier states. Most steps change none, so a million queries
    take little memory.
    """

    means: dict[str, float]
    values: dict[str, dict[str, float]]

    @classmethod
    def of(cls, found: Evaluation, *earlier: _State) -> _State:
        means, values = {}, {}
        for system in found.systems:
            means[system] = found.summary(system=system).value
            scores = found.values_by_text_id(None, system)
            same = (change.values[system] for change in earlier if change.values[system] == scores)
            values[system] = next(same, scores)
        return cls(means, values)

    def same(self, other: _State) -> bool:
        """Return whether two states are equal; NaN counts as a change."""
        return self.means == other.means and all(
            self.values[system] is other.values[system] for system in self.values
        )


class _AppliedStep(NamedTuple):
    """Changes made together, the reason, and the state after them."""

    changes: list[Difference]
    reason: str
    state: _State


def _apply_steps(
    loaded: LoadedInputs,
    conventions: tuple[Convention, Convention],
    ends: tuple[_State, _State],
    measure: Measure,
    weights: Weights,
) -> list[_AppliedStep]:
    whole = changes(*conventions, measure)
    applied: list[_AppliedStep] = []
    pending: list[Difference] = []
    reason = ""
    before = ends[0]
    for count, change in enumerate(whole, start=1):
        pending.append(change)
        if count == len(whole):
            state = ends[1]
        else:
            try:
                between, taken = convert_partly(conventions[0], measure, whole[:count])
            except MeasureError:
                continue  # Two parameters that belong together.
            try:
                evaluations = loaded.evaluate(between, [taken], weights)
            except GainfulError as error:
                reason = reason or _describe_rejection(error)
                continue
            state = _State.of(evaluations, before, ends[1])
            undefined = _undefined_value(ends, state)
            if undefined:
                reason = reason or undefined
                continue
        applied.append(_AppliedStep(pending, reason, state))
        pending, reason, before = [], "", state
    return applied


def _describe_rejection(error: GainfulError) -> str:
    """Return why an intermediate convention rejects the data, without its name."""
    place = [f"query {error.query!r}" if error.query is not None else ""]
    place.append(f"document {error.document!r}" if error.document is not None else "")
    place_text = ", ".join(part for part in place if part)
    why = error.found or error.problem
    return f"{place_text}: {why}" if place_text else why


def _undefined_value(ends: tuple[_State, _State], state: _State) -> str:
    """Return which value is defined at both ends but not in this state, or "".

    The steps to and from an undefined value would not add up.
    """
    for system, scores in state.values.items():
        if not _finite(state.means[system]) and all(_finite(end.means[system]) for end in ends):
            return f"the mean of {system} is not a number"
        first, last = (end.values[system] for end in ends)
        if scores is first or scores is last:
            continue
        for query, value in first.items():
            if not _finite(scores.get(query)) and _finite(value) and _finite(last.get(query)):
                what = "not a number" if query in scores else "left out"
                return f"query {query!r} is {what}"
    return ""


def _finite(value: float | None) -> bool:
    return value is not None and value - value == 0


def _ranks(means: dict[str, float]) -> dict[str, int | None]:
    """Return the ranks by mean. Equal means share a rank; undefined means have none."""
    return {
        system: 1 + sum(other > mean for other in means.values()) if mean == mean else None
        for system, mean in means.items()
    }


def _build_account(
    system: str, states: list[_State], ranks: tuple[dict[str, int | None], ...]
) -> SystemAccount:
    values = [state.values[system] for state in states]
    distinct = {id(value): value for value in values}
    ids: Iterable[str] = values[0]
    if any(value.keys() != values[0].keys() for value in distinct.values()):
        ids = in_byte_order({query for value in distinct.values() for query in value})
    columns = {place: list(map(value.get, ids)) for place, value in distinct.items()}
    rows = zip(*(columns[id(value)] for value in values), strict=True)
    return SystemAccount(
        system=system,
        rank_a=ranks[0][system],
        rank_b=ranks[1][system],
        means=tuple(state.means[system] for state in states),
        queries=tuple(
            QueryAccount(query_id=query, values=row) for query, row in zip(ids, rows, strict=True)
        ),
    )
