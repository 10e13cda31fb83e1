"""Compute the floor: the expected score of a random order."""

from __future__ import annotations

from dataclasses import dataclass, field

from gainful.errors import ConventionError, MeasureError, ParameterError
from gainful.evaluation.call import evaluate_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from gainful.conventions import Convention
    from gainful.data import Qrels, Run
    from gainful.measures import Measure

__all__ = ["Floor", "of_corpus", "of_judged", "of_pool"]

#: Documents in random order, over all queries. For a larger corpus a subset with all relevant
#: documents is used. They then rank higher on average, so the result is an upper bound.
LIMIT = 20_000_000

#: Documents in memory at once.
_CHUNK = 1_000_000

#: Minimum number of other documents next to the judged ones, to fill the ranks up to a cutoff.
_OTHERS = 1_000


@dataclass
class Floor:
    """The expected score of a random order of documents.

    Attributes
    ----------
    kind : {"corpus", "pool", "judged"}
        The documents in random order for each query.
    documents : int or None
        The size of the corpus.
    taken : int or None
        How many of them were used; fewer if the corpus is too large.
    values : dict of str to dict of str to float
        By measure and query, the exact mean over all orders of these documents.
    """

    kind: str
    documents: int | None = None
    taken: int | None = None
    values: dict[str, dict[str, float]] = field(default_factory=dict)


def of_judged(judged: Qrels, measures: Sequence[Measure], policies: Convention) -> Floor:
    """Return the floor of the judged documents of each query."""
    floor = Floor("judged")
    _measure(
        floor, judged, ((query, list(own)) for query, own in judged.items()), measures, policies
    )
    return floor


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

    floor = Floor("pool")
    _measure(floor, judged, pools(), measures, policies)
    return floor


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
    others = [f"\x1f{number}" for number in range(taken)]

    def corpora() -> Iterable[tuple[str, list[str]]]:
        for query, own in judged.items():
            yield query, [*own, *others[: taken - len(own)]]

    floor = Floor("corpus", documents, taken)
    _measure(floor, judged, corpora(), measures, policies)
    return floor


def _measure(
    floor: Floor,
    judged: Qrels,
    candidates: Iterable[tuple[str, list[str]]],
    measures: Sequence[Measure],
    policies: Convention,
) -> None:
    """Compute the values: all documents get equal scores, and ties are averaged."""
    floor.values = {repr(measure): {} for measure in measures}
    random = policies.replace(ties="expected", order="score")
    chunk: dict[str, dict[str, float]] = {}
    size = 0
    for query, documents in candidates:
        chunk[query] = dict.fromkeys(documents, 0.0)
        size += len(documents)
        if size >= _CHUNK:
            _take(floor, judged, chunk, measures, random)
            chunk, size = {}, 0
    if chunk:
        _take(floor, judged, chunk, measures, random)


def _take(
    floor: Floor,
    judged: Qrels,
    chunk: Mapping[str, Any],
    measures: Sequence[Measure],
    random: Convention,
) -> None:
    try:
        found = evaluate_runs(judged.select(chunk), {"random": chunk}, measures, random)
    except (MeasureError, ConventionError) as error:
        raise error.replace(
            where="the floor",
            expected="measures with an expected value over all orders",
            hint="⟪floor='none'⟫ omits the floor",
        ) from error
    for measure in measures:
        floor.values[repr(measure)].update(found._values(measure))
