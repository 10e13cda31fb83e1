"""Sampling errors of ratios, from samples that are drawn again.

Linearization and the jackknife see only documents that were drawn, and no error at all in a sample
without a relevant document: from 6 to 12 documents per query, .4 to .9 of the error of AP and R.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from math import ceil, sqrt
from random import Random

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gainful.data import Run
    from gainful.sampled.documents import Documents
    from gainful.sampled.plans import Plan

    #: Two samples of a query.
    Pair = tuple[Documents, Documents]
    #: Documents with grades, and with best ranks.
    Graded = list[tuple[str, float]]
    Ranked = list[tuple[str, int]]

__all__ = ["ratio_error", "redraw"]

#: The number of pairs of samples, over all queries.
_PAIRS = 500
#: The weight of the grades of all queries, in drawn documents of a stratum. Chosen by simulation.
_PRIOR = 1.0


def redraw(documents: Mapping[str, Documents]) -> dict[str, list[Pair]]:
    """Return pairs of samples of each query, each pair from a population of its own.

    In a population, a document that was not drawn has the grade of a random drawn document of its
    stratum or, with the weight `_PRIOR`, of a random document of all queries at similar ranks.
    """
    random, grades = Random(0), _Grades(documents.values())
    count = ceil(_PAIRS / len(documents))
    pairs = {}
    for query, original in documents.items():
        strata = list(_strata(original))
        pairs[query] = [_draw_pair(strata, grades, original, random) for _ in range(count)]
    return pairs


def ratio_error(plan: Plan, run: Run, pairs: Mapping[str, Sequence[Pair]]) -> float | None:
    """Return the standard error of a mean of ratios over samples of the same queries."""
    values = []
    for query, samples in pairs.items():
        ranking = (run.get(query) or ())[: plan.cutoff]
        ranks = {document: rank for rank, (document, _) in enumerate(ranking, start=1)}
        values += [(one.value(plan, ranks), other.value(plan, ranks)) for one, other in samples]
    known = [value for pair in values for value in pair if value is not None]
    if not known:
        return None
    # A query that counts in one sample only moves the mean by its distance from it.
    mean = sum(known) / len(known)
    squares = sum(
        ((mean if one is None else one) - (mean if other is None else other)) ** 2
        for one, other in values
    )
    # Both sums are over all pairs: the variance of n queries, and n.
    repeats = len(values) / len(pairs)
    return sqrt(squares / 2 / repeats) / (len(known) / 2 / repeats)


class _Grades:
    """The estimated number of documents of each grade in all queries, by best rank."""

    def __init__(self, queries: Iterable[Documents]) -> None:
        self._groups: dict[int, dict[float, float]] = defaultdict(lambda: defaultdict(float))
        for query in queries:
            for size, units in query.strata:
                for document, grade in units:
                    group = query.frame.get(document, 1).bit_length()
                    self._groups[group][grade or 0.0] += size / len(units)

    def draw(self, rank: int, random: Random) -> float:
        """Return the grade of a random document at a similar rank."""
        group = min(self._groups, key=lambda group: abs(group - rank.bit_length()))
        grades = self._groups[group]
        return random.choices(list(grades), list(grades.values()))[0]


def _strata(original: Documents) -> Iterator[tuple[Graded, Ranked]]:
    """Yield the drawn documents of each stratum, and the others.

    Strata are consecutive in the best ranks, so that the others follow from the sizes.
    """
    frame = original.frame
    drawn = {document for _, units in original.strata for document, _ in units}
    others = iter(
        sorted((rank, document) for document, rank in frame.items() if document not in drawn)
    )
    ranked = [
        (sorted(frame.get(document, 1) for document, _ in units), size, units)
        for size, units in original.strata
    ]
    for ranks, size, units in sorted(ranked, key=lambda stratum: stratum[0]):
        # Without a file of ranks, the documents of systems that are not evaluated are unknown.
        rest = [next(others, (ranks[-1], "")) for _ in range(size - len(units))]
        yield (
            [(document, grade or 0.0) for document, grade in units],
            [(document, rank) for rank, document in rest],
        )


def _draw_pair(
    strata: Sequence[tuple[Graded, Ranked]], grades: _Grades, original: Documents, random: Random
) -> Pair:
    populations = [
        (
            [
                *units,
                *(
                    (document, _draw_grade(units, rank, grades, random))
                    for document, rank in others
                ),
            ],
            len(units),
        )
        for units, others in strata
    ]

    def sample() -> Documents:
        drawn = [(len(every), tuple(random.sample(every, n))) for every, n in populations]
        return replace(original, strata=tuple(drawn))

    return sample(), sample()


def _draw_grade(units: Graded, rank: int, grades: _Grades, random: Random) -> float:
    if random.random() * (len(units) + _PRIOR) < len(units):
        return random.choice(units)[1]
    return grades.draw(rank, random)
