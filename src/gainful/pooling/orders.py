"""The order in which the documents of one query are judged, by strategy.

Each function takes the rankings of one query, one list of documents per system, and the grades that
are known. It yields every document of the rankings once, in the order in which it should be judged.
Adaptive strategies look up the grade of each document after they yield it, so their order follows
the judgments: with more of them, the same call continues where the last one ended.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import chain, zip_longest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    Rankings = Sequence[Sequence[str]]
    Grades = Mapping[str, float]
    Order = Callable[[Rankings, Grades], Iterator[str]]

__all__ = ["ADAPTIVE", "ORDERS", "by_depth", "by_max_mean", "by_move_to_front", "by_rank_fusion"]

#: The constant of reciprocal rank fusion.
_CONSTANT = 60


def by_depth(rankings: Rankings, grades: Grades) -> Iterator[str]:
    """Yield the documents by their best rank, then by the order of the systems.

    The documents up to a best rank k are the union of the first k of each run. K. Spärck Jones and
    C. J. van Rijsbergen: Report on the need for and provision of an "ideal" information retrieval
    test collection. University of Cambridge, 1975.

    Examples
    --------
    >>> list(by_depth([["a", "b"], ["c", "a", "d"]], {}))
    ['a', 'c', 'b', 'd']
    """
    by_rank = zip_longest(*rankings)
    documents = dict.fromkeys(chain.from_iterable(by_rank))
    documents.pop(None, None)
    yield from documents


def by_rank_fusion(rankings: Rankings, grades: Grades) -> Iterator[str]:
    """Yield the documents by the sum of 1 / (60 + rank) over the systems, descending.

    Equal sums are in the order of `by_depth`. G. V. Cormack, C. L. A. Clarke, S. Büttcher:
    Reciprocal rank fusion outperforms Condorcet and individual rank learning methods. SIGIR 2009.

    Examples
    --------
    >>> list(by_rank_fusion([["a", "b", "d"], ["c", "b"]], {}))
    ['b', 'a', 'c', 'd']
    """
    sums = dict.fromkeys(by_depth(rankings, grades), 0.0)
    for ranking in rankings:
        for rank, document in enumerate(ranking, start=1):
            sums[document] += 1.0 / (_CONSTANT + rank)
    yield from sorted(sums, key=lambda document: -sums[document])


def by_move_to_front(rankings: Rankings, grades: Grades) -> Iterator[str]:
    """Yield the next document of the system that last found a relevant one.

    All systems start with the same priority. The next document is taken from the first system of
    the highest priority. After a document that is not relevant, the priority of its system is one
    less; a document without a grade changes nothing. G. V. Cormack, C. R. Palmer, C. L. A. Clarke:
    Efficient construction of large test collections. SIGIR 1998.

    Examples
    --------
    >>> rankings = [["a", "b"], ["c", "d", "e"]]
    >>> list(by_move_to_front(rankings, {"a": 0, "c": 1, "d": 1}))
    ['a', 'c', 'd', 'e', 'b']
    """
    priorities = [0] * len(rankings)

    def update(system: int, document: str, grade: float) -> Iterable[int]:
        if grade > 0:
            return ()
        priorities[system] -= 1
        return (system,)

    yield from _follow(rankings, grades, lambda system: priorities[system], update)


def by_max_mean(rankings: Rankings, grades: Grades) -> Iterator[str]:
    """Yield the next document of the system with the highest share of relevant documents.

    The share is the mean of a beta distribution, (relevant + 1) / (judged + 2), over the judged
    documents that a system retrieved. D. E. Losada, J. Parapar, A. Barreiro: Multi-armed bandits
    for adjudicating documents in pooling-based evaluation of information retrieval systems.
    Information Processing and Management 53(5), 2017 (MaxMean).

    Examples
    --------
    >>> rankings = [["a", "b"], ["c", "d", "e"]]
    >>> list(by_max_mean(rankings, {"a": 0, "c": 1, "d": 1}))
    ['a', 'c', 'd', 'e', 'b']
    """
    relevant = [1] * len(rankings)
    judged = [2] * len(rankings)
    retrieved_by: dict[str, list[int]] = {}
    for system, ranking in enumerate(rankings):
        for document in ranking:
            if document in grades:
                retrieved_by.setdefault(document, []).append(system)

    def update(_: int, document: str, grade: float) -> Iterable[int]:
        for system in retrieved_by[document]:
            judged[system] += 1
            relevant[system] += grade > 0
        return retrieved_by[document]

    yield from _follow(rankings, grades, lambda system: relevant[system] / judged[system], update)


def _follow(
    rankings: Rankings,
    grades: Grades,
    priority: Callable[[int], float],
    update: Callable[[int, str, float], Iterable[int]],
) -> Iterator[str]:
    """Yield the next document of the system with the highest priority.

    After a document with a grade, ``update`` returns the systems whose priority changes.
    """
    places = [0] * len(rankings)
    current = [priority(system) for system in range(len(rankings))]
    queue = [(-value, system) for system, value in enumerate(current)]
    heapify(queue)
    seen: set[str] = set()
    while queue:
        value, system = queue[0]
        ranking = rankings[system]
        place = places[system]
        while place < len(ranking) and ranking[place] in seen:
            place += 1
        places[system] = place
        # An entry is outdated if the priority has changed since.
        if place == len(ranking) or -value != current[system]:
            heappop(queue)
            continue
        document = ranking[place]
        seen.add(document)
        yield document
        if document in grades:
            for changed in update(system, document, grades[document]):
                if current[changed] != priority(changed):
                    current[changed] = priority(changed)
                    heappush(queue, (-current[changed], changed))


#: The orders by the name of their strategy.
ORDERS: dict[str, Order] = {
    "depth": by_depth,
    "rrf": by_rank_fusion,
    "mtf": by_move_to_front,
    "maxmean": by_max_mean,
}

#: All strategies.
STRATEGIES = (*ORDERS, "mtc", "sample")

#: The strategies whose order follows the judgments.
ADAPTIVE = frozenset({"mtf", "maxmean", "mtc"})
