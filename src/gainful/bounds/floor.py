"""The floor: what a random order scores on average."""

from __future__ import annotations

from dataclasses import dataclass, field

from gainful.errors import ConventionError, MeasureError, ParameterError
from gainful.evaluation import evaluate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from gainful.conventions import Convention
    from gainful.data import Qrels, Run
    from gainful.measures import Measure

__all__ = ["Floor", "of_corpus", "of_judged", "of_pool"]

#: Documents of all queries together that are put into one order each. Of a larger corpus fewer are
#: taken, among which the relevant ones stand higher on average: the floor is then at most this.
LIMIT = 20_000_000

#: Documents that are held at once.
_CHUNK = 1_000_000

#: Beside the judged documents there are at least so many others, so that cutoffs are reached.
_OTHERS = 1_000


@dataclass
class Floor:
    """What a random order of documents scores on average.

    Attributes
    ----------
    kind : {"corpus", "pool", "judged"}
        Which documents are put in order for each query.
    documents : int or None
        How many the corpus has.
    taken : int or None
        How many of these were put in order: fewer, where the corpus is too large for all.
    values : dict of str to dict of str to float
        By measure and query, the exact mean over all orders.
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
    held = list(runs)

    def pools() -> Iterable[tuple[str, list[str]]]:
        for query, own in judged.items():
            pool = dict.fromkeys(own)
            for run in held:
                pool.update(dict.fromkeys(document for document, _ in run.get(query) or ()))
            yield query, list(pool)

    floor = Floor("pool")
    _measure(floor, judged, pools(), measures, policies)
    return floor


def of_corpus(
    judged: Qrels, documents: int, measures: Sequence[Measure], policies: Convention
) -> Floor:
    """Return the floor of as many documents as a corpus has.

    Raises
    ------
    ParameterError
        If more documents are judged for a query.
    """
    most = max(map(len, judged.values()), default=0)
    if documents < most:
        raise ParameterError(
            where="the corpus",
            found=f"{documents:,} documents, and {most:,} judged for a query",
            expected="a corpus that holds what is judged",
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
    """Fill in the values: documents of equal scores, in the mean over all their orders."""
    floor.values = {repr(measure): {} for measure in measures}
    random = policies.replace(ties="expected", order="score")
    chunk: dict[str, dict[str, float]] = {}
    held = 0
    for query, documents in candidates:
        chunk[query] = dict.fromkeys(documents, 0.0)
        held += len(documents)
        if held >= _CHUNK:
            _take(floor, judged, chunk, measures, random)
            chunk, held = {}, 0
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
        found = evaluate(judged.select(chunk), chunk, measures, convention=random)
    except (MeasureError, ConventionError) as error:
        raise error.replace(
            where="the floor",
            expected="measures of which the mean over all orders is defined",
            hint="⟪floor='none'⟫ leaves it out",
        ) from error
    for measure in measures:
        floor.values[repr(measure)].update(found._values(measure))
