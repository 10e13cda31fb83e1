"""The call: from judgments, runs and two conventions to a `Contrast`."""

from __future__ import annotations

from gainful.contrasts.accounts import QueryAccount, Step, SystemAccount
from gainful.contrasts.result import Contrast
from gainful.contrasts.steps import changes, idle, midway
from gainful.conventions import Convention, get
from gainful.errors import ArgumentError, GainfulError, MeasureError
from gainful.measures import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gainful.conventions.difference import Difference
    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.evaluation import Evaluation
    from gainful.evaluation.held import Held

    Weights = Mapping[str, float] | None


def contrast(
    qrels: QrelsLike,
    run: RunLike | None = None,
    a: Convention | str | None = None,
    b: Convention | str | None = None,
    measure: Measure | str = "nDCG@10",
    *,
    runs: Mapping[str, RunLike] | None = None,
    weights: Mapping[str, float] | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Contrast:
    """Account for what two conventions make of the same judgments and runs.

    The measure is taken under A, then one policy or parameter after the other is changed to B's,
    and after each change it is taken again, so that the steps add up to the whole difference.

    Parameters
    ----------
    qrels : path, mapping, data frame or Qrels
        The judgments, as `evaluate` takes them.
    run : path, mapping, data frame or Run, optional
        The ranking.
    a, b : Convention or str
        The two conventions, or the names of presets. Both are needed.
    measure : Measure or str
        What to measure.
    runs : mapping of str to run, optional
        Several runs with their names, instead of `run`: then it is also told in which order either
        convention puts the systems.
    weights : mapping of query id to float, optional
        How much each query counts in the means.
    threads : int, optional
        Threads to use; the numbers never depend on it.
    progress : callable, optional
        Called with (bytes done, bytes in all) while files are read.

    Returns
    -------
    Contrast
        The account: steps, means, and the values of every query after each step.

    Raises
    ------
    GainfulError
        If A or B itself refuses the data, naming it, and for whatever cannot be read. A convention
        between A and B that refuses them is stepped over: its change is made with the next one.

    Notes
    -----
    What a policy contributes depends on those changed before it. The order is always the same: the
    policies about documents and their order as `gainful.conventions.POLICIES` lists them, the
    parameters of the measure, then no_relevant, missing, extra, unweighted and rounding, which are
    about queries and their mean.

    Examples
    --------
    >>> import gainful
    >>> qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
    >>> run = {"q1": {"d1": 0.5, "d2": 0.5}}
    >>> told = gainful.contrast(qrels, run, "gainful-1", "trec_eval", "nDCG@10")
    >>> told.a.name, told.b.name, [step.label for step in told.steps if step.matters]
    ('gainful-1', 'trec_eval-9.0.8', ['missing: empty → skip'])
    >>> [round(mean, 4) for mean in told.account().ends]
    [0.3155, 0.6309]
    """
    from gainful.evaluation.held import Held

    if a is None or b is None:
        raise ArgumentError(
            where="contrast",
            found="no convention" if a is None and b is None else "one convention",
            expected="two, a= and b=",
        )
    first, last = get(a), get(b)
    asked = Measure.parse(measure) if isinstance(measure, str) else measure
    held = Held(qrels, run, runs, [asked], [first, last], threads=threads, progress=progress)
    ends = [held.evaluate(each, [asked], weights) for each in (first, last)]
    return _contrast(held, ends, asked, weights)


def _contrast(held: Held, ends: list[Evaluation], measure: Measure, weights: Weights) -> Contrast:
    a, b = ends[0].convention, ends[1].convention
    groups = list(_walk(held, ends, measure, weights))
    states = [ends[0], *(found for _, _, found in groups)]
    accounts = tuple(_account(system, states) for system in ends[0].systems)
    steps = tuple(
        Step(
            changes=tuple(changed),
            refused=refused,
            matters=any(account.moves(at) for account in accounts),
        )
        for at, (changed, refused, _) in enumerate(groups)
    )
    return Contrast(
        a=a,
        b=b,
        measure=measure,
        resolved=(measure.resolve(a), measure.resolve(b)),
        steps=steps,
        accounts=accounts,
        idle=tuple(idle(a, b, measure)),
        weighted=weights is not None,
    )


def _walk(
    held: Held, ends: list[Evaluation], measure: Measure, weights: Weights
) -> list[tuple[list[Difference], str, Evaluation]]:
    """Make the changes; return those made together, why so, and what is measured after them."""
    a, b = ends[0].convention, ends[1].convention
    whole = changes(a, b, measure)
    walked = []
    pending: list[Difference] = []
    refused = ""
    for count, change in enumerate(whole, start=1):
        pending.append(change)
        if count == len(whole):
            found = ends[1]
        else:
            try:
                between, taken = midway(a, measure, whole[:count])
            except MeasureError:
                continue  # Two parameters that belong together.
            try:
                found = held.evaluate(between, [taken], weights)
            except GainfulError as error:
                refused = refused or _why(error)
                continue
            unsaid = _without_number(ends, found)
            if unsaid:
                refused = refused or unsaid
                continue
        walked.append((pending, refused, found))
        pending, refused = [], ""
    return walked


def _why(error: GainfulError) -> str:
    """Return why a convention that nobody asked for refuses the data, without its name."""
    place = [f"query {error.query!r}" if error.query is not None else ""]
    place.append(f"document {error.document!r}" if error.document is not None else "")
    told = ", ".join(part for part in place if part)
    return f"{told}: {error.found}" if told else str(error.found or error)


def _without_number(ends: list[Evaluation], found: Evaluation) -> str:
    """Return what has no number on the way between two numbers; nothing if all has.

    The step to it and the one from it would add up to nothing.
    """
    for system in found.systems:
        means = [each.summary(system=system).value for each in (*ends, found)]
        if not _finite(means[2]) and _finite(means[0]) and _finite(means[1]):
            return f"the mean of {system} is not a number there"
        first, last, between = (each.per_query(system=system) for each in (*ends, found))
        for query, value in first.items():
            if _finite(value) and _finite(last.get(query)) and not _finite(between.get(query)):
                what = "not a number" if query in between else "left out"
                return f"query {query!r} is {what} there"
    return ""


def _finite(value: float | None) -> bool:
    return value is not None and value - value == 0


def _account(system: str, states: list[Evaluation]) -> SystemAccount:
    values = [state.per_query(system=system) for state in states]
    ids = sorted({query for each in values for query in each}, key=_bytes)
    return SystemAccount(
        system=system,
        means=tuple(state.summary(system=system).value for state in states),
        queries=tuple(
            QueryAccount(query_id=query, values=tuple(each.get(query) for each in values))
            for query in ids
        ),
    )


def _bytes(query: str) -> bytes:
    return query.encode("utf-8", "surrogateescape")
