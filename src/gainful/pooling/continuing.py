"""Continue the pool of a session with the next documents of an adaptive strategy."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

from gainful.formats.table import Note
from gainful.pooling.call import pool
from gainful.records.tables import table_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gainful.conventions import Convention
    from gainful.data import Run
    from gainful.formats.table import Table
    from gainful.judging import Session
    from gainful.measures import Measure
    from gainful.unjudged import Contest

__all__ = ["ADVICE", "Effect", "continue_pool", "effect_of_labels"]


#: Why a test should not decide when to stop.
ADVICE = (
    "Do not stop because a difference has become significant: each further look at the p-value is"
    " another chance of a false positive. Fix the number of documents beforehand, or stop when no"
    " label of an unjudged document can reverse the order."
)


@dataclass(frozen=True, slots=True)
class Effect:
    """The order of systems by the labels of a session, and whether further labels could reverse it.

    Attributes
    ----------
    measure : str
        The measure.
    contests : tuple of Contest
        Each system vs. the next by mean.
    priority : dict of (str, str) to float
        How much the final grade of a document with different grades can change a difference between
        two systems, by query and document: the argument of `Session.disagreements`.
    settling : tuple of (int or None)
        For each contest, a number of further labels that could settle it: 0 if none can reverse it,
        None if all labels together do not. Empty if they were not counted.
    """

    measure: str
    contests: tuple[Contest, ...]
    priority: dict[tuple[str, str], float]
    settling: tuple[int | None, ...] = ()

    @property
    def is_settled(self) -> bool:
        """Whether no label can reverse the order of two systems."""
        return all(contest.verdict == "settled" for contest in self.contests)

    @property
    def sentence(self) -> str:
        """What further labels could settle, as text."""
        if self.is_settled:
            return "No label of an unjudged document can reverse the order of these systems."
        parts = []
        for contest, count in zip_longest(self.contests, self.settling):
            pair = f"{contest.system} vs. {contest.baseline}"
            if count:
                parts.append(f"{count:,} more label{'s' * (count != 1)} could settle {pair}.")
            elif contest.verdict != "settled":
                parts.append(f"{pair}: {contest.verdict_text}.")
        return " ".join(parts)

    def tables(self) -> list[Table]:
        """Return one row per pair of systems: whether further labels could reverse the order."""
        labels = {"difference": f"difference in {self.measure}", "range": "over all labels"}
        notes = [Note("settling", self.sentence), Note("stopping", ADVICE)]
        title = "Effect on the systems"
        return [table_of(self.contests, "effect", title=title, notes=notes, labels=labels)]


def effect_of_labels(
    session: Session,
    runs: Mapping[str, Run],
    *,
    judged: Mapping[str, Mapping[str, float]] | None = None,
    measure: Measure | str | None = None,
    convention: Convention | str = "gainful-1",
    settling: bool = False,
) -> Effect | None:
    """Return what the labels of a session mean for systems; None without labels.

    Queries without a label count too: all their documents are unjudged.

    Parameters
    ----------
    session : Session
        The session.
    runs : mapping of str to Run
        The systems, two or more.
    judged : mapping of str to mapping, optional
        Judgments that exist already, by query and document.
    measure, convention : optional
        As for `gainful.find_unjudged`.
    settling : bool
        Whether to count the labels that could settle each order, which takes longer.
    """
    from gainful.unjudged import find_unjudged
    from gainful.unjudged.differences import count_settling

    grades = session.final_grades()
    known: dict[str, dict[str, float]] = {
        query: {**(judged or {}).get(query, {}), **grades.get(query, {})}
        # In a query that nobody has begun to judge, all documents are open.
        for query in dict.fromkeys([*(judged or {}), *session.queries])
    }
    if not any(known.values()) or len(runs) < 2:
        return None
    unjudged = find_unjudged(known, runs, measure, convention=convention, scale=session.scale)
    disputed = {
        (disagreement.query_id, disagreement.doc_id) for disagreement in session.disagreements()
    }
    priority: dict[tuple[str, str], float] = {}
    if disputed:
        undisputed = {
            query: {name: grade for name, grade in grades.items() if (query, name) not in disputed}
            for query, grades in known.items()
        }
        # Without their grades these documents are unjudged, which have a value.
        without = find_unjudged(
            undisputed, runs, measure, convention=convention, scale=session.scale
        )
        priority = {
            (document.query, document.document): document.value
            for document in without.documents
            if (document.query, document.document) in disputed
        }
    evaluation = unjudged.evaluation
    counts = tuple(
        0
        if contest.verdict == "settled"
        else count_settling(
            *(known, runs, contest.system, contest.baseline),
            *(evaluation.measures[0], evaluation.convention),
            scale=session.scale,
        )
        for contest in unjudged.contests
        if settling
    )
    return Effect(repr(evaluation.measures[0]), unjudged.contests, priority, counts)


#: The least number of documents that are added at once.
_BATCH = 20


def continue_pool(
    session: Session,
    runs: Mapping[str, Run],
    strategy: str,
    *,
    budget: int | None = None,
    depth: int | None = None,
    judged: Mapping[str, Mapping[str, float]] | None = None,
    measure: str = "nDCG@10",
    seed: int = 0,
) -> int:
    """Add the next documents to a session, chosen by the labels so far; return their number.

    Nothing is added if the budget is spent, or if no label can reverse the order of the systems.

    Parameters
    ----------
    session : Session
        The session.
    runs : mapping of str to Run
        The systems.
    strategy, depth, measure, seed
        As for `gainful.pool`; at most one document of each query is added at once.
    budget : int, optional
        The maximum number of documents of the session. Default: no limit.
    judged : mapping of str to mapping, optional
        Judgments that exist already, by query and document.

    Examples
    --------
    >>> from gainful.judging import Session
    >>> runs = {"old": {"q1": ["a", "b", "c"]}, "new": {"q1": ["c", "b", "a"]}}
    >>> with Session("next.session", []) as session:
    ...     first = continue_pool(session, runs, "mtf", budget=2, measure="P@1")
    ...     document = session.next("ana")
    ...     _ = session.label("ana", document.query_id, document.doc_id, 0)
    ...     second = continue_pool(session, runs, "mtf", budget=2, measure="P@1")
    >>> first, second
    (2, 0)
    """
    effect = effect_of_labels(session, runs, judged=judged, measure=measure)
    if effect is not None and effect.is_settled:
        return 0
    grades = session.final_grades()
    known = {
        query: {**(judged or {}).get(query, {}), **grades.get(query, {})}
        for query in dict.fromkeys([*(judged or {}), *grades])
    }
    before = session.requested
    queries = {query for run in runs.values() for query in run}
    size = max(_BATCH, len(queries))
    if budget is not None:
        size = min(size, budget - before)
    if size < 1:
        return 0
    # What others are judging has no grade yet, so it is chosen again.
    chosen = pool(
        runs,
        strategy,
        depth=depth,
        budget=size + session.needed,
        judged=known or None,
        measure=measure,
        scale=session.scale,
        seed=seed,
    )
    session.add(chosen)
    return session.requested - before
