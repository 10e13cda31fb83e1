"""From a system that is at hand to its run: each query asked once, in order."""

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

__all__ = ["asked", "check_k", "complete_run", "queries_of"]


def asked(
    system: TermWeights,
    queries: QueriesLike,
    k: int,
    progress: Callable[[int, int], object] | None = None,
) -> Run:
    """Return the run of a system that neither fails nor has to be waited for."""
    check_k(k)
    ranking: dict[str, dict[str, float]] = {}
    told = queries_of(queries)
    for at, query in enumerate(told):
        (answer,) = system.ask([query], k)
        ranking[query.id] = dict(zip(answer.documents, answer.scores or (), strict=True))
        if progress is not None and at % 16 == 0:
            progress(at, len(told))
    return Run(ranking, name=system.name)


def queries_of(queries: QueriesLike) -> Queries:
    """Return queries, whatever they are held in.

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
    """Refuse what is no number of documents.

    Raises
    ------
    ParameterError
        For anything but a whole number of 1 or more.
    """
    if type(k) is not int or k < 1:
        raise ParameterError(where="k", found=repr(k), expected="a whole number of 1 or more")


def complete_run(run: RunLike) -> Run:
    """Return a run, whatever it is held in.

    Raises
    ------
    SearchError
        If queries of it failed when it was searched.
    """
    found = as_run(run)
    # Whoever takes its rows is refused those of a run that lacks answers.
    _ = found._rows
    return found
