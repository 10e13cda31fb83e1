"""Save and restore the rankings of a snapshot, down to the depth that its values need."""

from __future__ import annotations

from gainful import _kernel
from gainful.data import Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from gainful.conventions import Convention
    from gainful.gates.snapshot import Snapshot, SnapshotQuery
    from gainful.measures import Measure

#: Ideals of nDCG that depend on documents below the cutoff.
_WHOLE_LIST = ("list", "given-order")

__all__ = ["cut_rankings", "depth_needed", "run_of"]


def depth_needed(measures: Iterable[Measure], convention: Convention) -> int | None:
    """Return how many ranks to save for resolved measures; None for whole rankings.

    This is the largest cutoff. Whole rankings are needed if a measure has no cutoff or depends on
    ranks below it: if the ideal is built from the whole list, if policies remove documents so that
    others move up, or if ties are drawn at random.

    Examples
    --------
    >>> from gainful.conventions import get
    >>> from gainful.measures import AP, nDCG
    >>> plain = get("gainful-1")
    >>> depth_needed([nDCG @ 10, nDCG @ 20], plain), depth_needed([nDCG @ 10, AP], plain)
    (20, None)
    """
    removes_documents = convention.unjudged == "condense" or convention.negative == "drop"
    if (
        removes_documents
        or convention.ties.startswith("random")
        or convention.duplicates == "copies"
    ):
        return None
    depth = 0
    for measure in measures:
        needs_all = measure.params.get("judged_only") or measure.params.get("ideal") in _WHOLE_LIST
        if measure.cutoff is None or needs_all:
            return None
        depth = max(depth, measure.cutoff)
    return depth


def cut_rankings(
    run: Run, queries: Iterable[str], depth: int | None, order: str
) -> dict[str, dict[str, Any]]:
    """Return documents, scores and ranks of the queries in the run, down to a depth."""
    rows = run._rows if depth is None else run._rows.head(depth, order)
    found = {}
    for query in queries:
        columns = rows.columns(query)
        if columns is None:
            continue
        documents, scores, ranks = columns
        is_ranked = ranks is not None and scores is not None and order == "rank"
        found[query] = {
            "documents": tuple(documents),
            "scores": None if scores is None else tuple(scores),
            "ranks": tuple(ranks or ()) if is_ranked else None,
        }
    return found


def run_of(snapshot: Snapshot) -> Run:
    """Return the rankings of a snapshot as a run."""
    retrieved = {
        q: query_data
        for q, query_data in snapshot.queries.items()
        if query_data.documents is not None
    }
    if any(query_data.ranks is not None for query_data in retrieved.values()):
        return Run._of(_with_ranks(retrieved), name=snapshot.system)
    rankings: dict[str, list[str] | list[tuple[str, float]]] = {}
    for query, query_data in retrieved.items():
        documents = query_data.documents or ()
        if query_data.scores is None:
            rankings[query] = list(documents)
        else:
            rankings[query] = list(zip(documents, query_data.scores, strict=True))
    rows = _kernel.rows_from_mapping(rankings, "run", duplicates="count")
    return Run._of(rows, name=snapshot.system)


def _with_ranks(retrieved: Mapping[str, SnapshotQuery]) -> _kernel.Rows:
    queries: list[str] = []
    documents: list[str] = []
    scores: list[float] = []
    ranks: list[float] = []
    for query, query_data in retrieved.items():
        queries += [query] * len(query_data.documents or ())
        documents += query_data.documents or ()
        scores += query_data.scores or ()
        ranks += query_data.ranks or ()
    return _kernel.rows_from_columns(queries, documents, scores, ranks, "run", duplicates="count")
