"""Compare the rankings of an original run and its rerun."""

from __future__ import annotations

from bisect import bisect

from gainful.inference.rank_correlation import rbo_ext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gainful.data import Run

__all__ = ["kendall_tau_union", "mean_overlap", "mean_tau", "ranked"]

#: Ranks below this have less than a billionth of the weight in rank-biased overlap.
_WEIGHT = 1e-9


def ranked(run: Run, queries: Iterable[str], depth: int) -> dict[str, list[str]]:
    """Return the documents of each query in rank order, down to a depth."""
    return {
        query: [document for document, _ in (run.get(query) or [])[:depth]] for query in queries
    }


def kendall_tau_union(original: Sequence[str], rerun: Sequence[str]) -> float | None:
    """Return Kendall's tau of two rankings with different documents.

    The documents of both rankings are numbered, first those of the original in its order, then the
    others in the order of the rerun. Tau is computed between the numbers at each rank, down to the
    end of the shorter ranking.

    Parameters
    ----------
    original, rerun : sequence of str
        The documents, best first.

    Returns
    -------
    float or None
        From -1 to 1; None for fewer than two ranks.

    Notes
    -----
    T. Breuer, N. Ferro, N. Fuhr, M. Maistro, T. Sakai, P. Schaer, I. Soboroff: How to measure the
    reproducibility of system-oriented IR experiments. SIGIR 2020. repro_eval numbers the documents
    in the order of their ids, so its value depends on the names of documents.

    Examples
    --------
    >>> kendall_tau_union(["a", "b", "c"], ["a", "b", "d"])
    1.0
    >>> round(kendall_tau_union(["a", "b", "c"], ["b", "a", "d"]), 4)
    0.3333
    """
    length = min(len(original), len(rerun))
    if length < 2:
        return None
    numbers = {document: at for at, document in enumerate(dict.fromkeys((*original, *rerun)))}
    # The original's numbers ascend: pairs in opposite order are those that descend in the rerun.
    seen: list[int] = []
    opposite = 0
    for document in rerun[:length]:
        place = bisect(seen, numbers[document])
        opposite += len(seen) - place
        seen.insert(place, numbers[document])
    return 1.0 - 4.0 * opposite / (length * (length - 1))


def mean_tau(
    original: dict[str, list[str]], rerun: dict[str, list[str]]
) -> tuple[float | None, dict[str, float]]:
    """Return the mean of Kendall's tau (union) over queries, and the value of each query."""
    values = {}
    for query, documents in original.items():
        tau = kendall_tau_union(documents, rerun[query])
        if tau is not None:
            values[query] = tau
    return _mean(values), values


def mean_overlap(
    original: dict[str, list[str]], rerun: dict[str, list[str]], persistence: float
) -> tuple[float | None, dict[str, float]]:
    """Return the mean rank-biased overlap over queries, and the value of each query."""
    depth, weight = 0, 1.0
    while weight > _WEIGHT and depth < 1000:
        depth, weight = depth + 1, weight * persistence
    values = {
        query: rbo_ext(documents[:depth], rerun[query][:depth], persistence)
        for query, documents in original.items()
        if documents and rerun[query]
    }
    return _mean(values), values


def _mean(values: dict[str, float]) -> float | None:
    return sum(values.values()) / len(values) if values else None
