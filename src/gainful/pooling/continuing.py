"""Continue the pool of a session with the next documents of an adaptive strategy."""

from __future__ import annotations

from gainful.pooling.call import pool
from gainful.pooling.effects import effect_of_labels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gainful.data import Run
    from gainful.judging import Session

__all__ = ["continue_pool"]

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
