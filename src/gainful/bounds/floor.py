"""Compute the floor: the expected score of a random order."""

from __future__ import annotations

from gainful.errors import ParameterError
from gainful.evaluation.call import evaluate_runs
from gainful.evaluation.chance import expected_values, others
from gainful.records import Record, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Literal

    from gainful.conventions import Convention
    from gainful.data import Qrels, Run
    from gainful.evaluation.chance import Values
    from gainful.measures import Measure

__all__ = ["Floor", "of_corpus", "of_judged", "of_pool"]

#: Documents in random order, over all queries. For a larger corpus a subset with all relevant
#: documents is used. They then rank higher on average, so the result is an upper bound.
LIMIT = 20_000_000

#: Minimum number of other documents next to the judged ones, to fill the ranks up to a cutoff.
_OTHERS = 1_000


class Floor(Record):
    """The expected score of a random order of documents."""

    kind: Literal["corpus", "pool", "judged"] = field(key="of")
    """The documents in random order for each query."""
    documents: int | None = None
    """The size of the corpus."""
    taken: int | None = None
    """The number of these documents that were used; if fewer, the floor is an upper bound."""
    values: dict[str, dict[str, float]] = field(key="")
    """By measure and query, the exact mean over all orders of these documents."""


def of_judged(judged: Qrels, measures: Sequence[Measure], policies: Convention) -> Floor:
    """Return the floor of the judged documents of each query."""
    candidates = ((query, list(own)) for query, own in judged.items())
    return Floor(kind="judged", values=_measure(judged, candidates, measures, policies))


def of_pool(
    judged: Qrels, runs: Iterable[Run], measures: Sequence[Measure], policies: Convention
) -> Floor:
    """Return the floor of all documents that are judged or in one of the runs."""
    all_runs = list(runs)

    def pools() -> Iterable[tuple[str, list[str]]]:
        for query, own in judged.items():
            pool = dict.fromkeys(own)
            for run in all_runs:
                pool.update(dict.fromkeys(document for document, _ in run.get(query) or ()))
            yield query, list(pool)

    return Floor(kind="pool", values=_measure(judged, pools(), measures, policies))


def of_corpus(
    judged: Qrels, documents: int, measures: Sequence[Measure], policies: Convention
) -> Floor:
    """Return the floor of a corpus of the given size.

    Raises
    ------
    ParameterError
        If a query has more judged documents.
    """
    most = max(map(len, judged.values()), default=0)
    if documents < most:
        raise ParameterError(
            where="the corpus",
            found=f"{documents:,} documents, and {most:,} judged for a query",
            expected="at least as many as are judged",
        )
    taken = min(documents, max(most + _OTHERS, LIMIT // max(len(judged), 1)))
    fillers = others(taken)

    def corpora() -> Iterable[tuple[str, list[str]]]:
        for query, own in judged.items():
            yield query, [*own, *fillers[: taken - len(own)]]

    values = _measure(judged, corpora(), measures, policies)
    return Floor(kind="corpus", documents=documents, taken=taken, values=values)


def _measure(
    judged: Qrels,
    candidates: Iterable[tuple[str, list[str]]],
    measures: Sequence[Measure],
    policies: Convention,
) -> Values:
    """Return the expected values of the measures."""
    said = "the floor", "floor='none'"
    return expected_values(judged, candidates, measures, policies, *said, evaluate_runs)
