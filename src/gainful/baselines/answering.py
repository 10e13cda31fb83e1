"""Run queries on local systems, and check the arguments of baselines."""

from __future__ import annotations

from gainful.data import Run
from gainful.data.coercion import as_run
from gainful.errors import ParameterError
from gainful.systems.queries import Queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gainful.data.inputs import RunLike
    from gainful.systems.lexical.term_weights import TermWeights
    from gainful.systems.queries.collection import QueriesLike

__all__ = ["check_k", "complete_run", "read_queries", "run_queries"]


def run_queries(
    system: TermWeights,
    queries: QueriesLike,
    k: int,
    progress: Callable[[int, int], object] | None = None,
) -> Run:
    """Return the run of a local system for some queries."""
    check_k(k)
    ranking: dict[str, dict[str, float]] = {}
    all_queries = read_queries(queries)
    for at, query in enumerate(all_queries):
        (answer,) = system.ask([query], k)
        ranking[query.id] = dict(zip(answer.documents, answer.scores or (), strict=True))
        if progress is not None and at % 16 == 0:
            progress(at, len(all_queries))
    return Run(ranking, name=system.name)


def read_queries(queries: QueriesLike) -> Queries:
    """Return queries from any supported source.

    Raises
    ------
    ParameterError
        If there are none.
    """
    found = Queries.of(queries)
    if not len(found):
        raise ParameterError(where="queries", found="none", expected="at least one")
    return found


def check_k(k: object) -> None:
    """Check a number of documents.

    Raises
    ------
    ParameterError
        If it is not an integer of 1 or more.
    """
    if type(k) is not int or k < 1:
        raise ParameterError(where="k", found=repr(k), expected="an integer of 1 or more")


def complete_run(run: RunLike) -> Run:
    """Return a run from any supported source.

    Raises
    ------
    SearchError
        If some of its queries failed in a search.
    """
    found = as_run(run)
    # Reading the rows raises the error of failed queries.
    _ = found._rows
    return found
