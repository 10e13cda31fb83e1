"""Preferences: which of two documents is better."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, log2
from random import Random
from time import time

from gainful.judging.sessions.assignment import Lease

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gainful.data.corpus import Text
    from gainful.judging.sessions.state import State

    #: Documents that a judge considers equally good.
    Equals = list[str]
    #: 1 if the first of two documents is better, -1 if the second is, 0 for a tie.
    Answers = Mapping[tuple[str, str], int]

__all__ = [
    "Pair",
    "QueryLeases",
    "choose_pair",
    "most_comparisons",
    "orders_of",
    "preference_rows",
    "sort_documents",
]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two documents of a query that a judge should compare.

    Attributes
    ----------
    query_id, left_id, right_id : str
        The query and the documents, in random order.
    query, left, right : Text or None
        Their titles and texts, if the session has them.
    expectation : str
        What the judge expects of a good answer to the query.
    compared, most : int
        How many pairs of the query the judge has compared, and how many it takes at most.
    """

    query_id: str
    left_id: str
    right_id: str
    query: Text | None
    left: Text | None
    right: Text | None
    expectation: str
    compared: int
    most: int


def sort_documents(
    documents: Sequence[str], answers: Answers
) -> tuple[list[list[Equals]], tuple[str, str] | None]:
    """Sort documents as far as the answers go, by merging.

    Preferences of a judge are nearly always transitive, so that n documents need about n log2 n
    comparisons instead of n (n - 1) / 2 (B. Carterette, P. N. Bennett, D. M. Chickering, S. T.
    Dumais: Here or there: preference judgments for relevance. ECIR 2008).

    Parameters
    ----------
    documents : sequence of str
        The documents of a query.
    answers : mapping of (str, str) to int
        The answers of a judge, for both orders of each pair.

    Returns
    -------
    list, (str, str) or None
        The sorted parts, each from the best documents to the worst, and the pair that is compared
        next. One part and None if everything is sorted.

    Examples
    --------
    >>> sort_documents("abc", {})
    ([[['a']], [['b']], [['c']]], ('a', 'b'))
    >>> better = {("a", "b"): -1, ("b", "a"): 1, ("b", "c"): 0, ("c", "b"): 0}
    >>> sort_documents("abc", better)
    ([[['b', 'c'], ['a']]], None)
    """
    parts: list[list[Equals]] = [[[document]] for document in documents]
    while len(parts) > 1:
        merged: list[list[Equals]] = []
        unknown: tuple[str, str] | None = None
        for at in range(0, len(parts) - 1, 2):
            found = _merge(parts[at], parts[at + 1], answers)
            if isinstance(found, tuple):
                unknown = unknown or found
                merged += parts[at : at + 2]
            else:
                merged.append(found)
        if unknown is not None:
            return merged + parts[len(parts) - len(parts) % 2 :], unknown
        parts = merged + parts[len(parts) - len(parts) % 2 :]
    return parts, None


def _merge(
    one: list[Equals], other: list[Equals], answers: Answers
) -> list[Equals] | tuple[str, str]:
    """Return two sorted parts as one, or the pair of documents that is needed for it."""
    merged: list[Equals] = []
    first, second = 0, 0
    while first < len(one) and second < len(other):
        pair = (one[first][0], other[second][0])
        answer = answers.get(pair)
        if answer is None:
            return pair
        equals = [*(one[first] if answer >= 0 else ()), *(other[second] if answer <= 0 else ())]
        merged.append(equals)
        first, second = first + (answer >= 0), second + (answer <= 0)
    return merged + one[first:] + other[second:]


class QueryLeases:
    """Which queries are reserved for a judge who compares their documents.

    Parameters
    ----------
    seconds : float
        For how long after the last pair.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ends: dict[str, dict[str, float]] = {}

    def take(self, judge: str, query: str, end: float = inf) -> None:
        """Reserve a query, or extend its lease; `end` shortens it."""
        self._ends.setdefault(query, {})[judge] = min(end, time() + self._seconds)

    def leases_of(self, judge: str) -> list[Lease]:
        """Return the leases of a judge."""
        return [
            Lease(judge, query, "", ends[judge])
            for query, ends in self._ends.items()
            if judge in ends
        ]

    def restore(self, leases: Iterable[Lease]) -> None:
        """Add those leases that are of queries."""
        for judge, query, document, end in leases:
            if not document:
                self.take(judge, query, end)

    def judges_of(self, query: str) -> set[str]:
        """Return the judges that a query is reserved for."""
        now = time()
        return {judge for judge, end in self._ends.get(query, {}).items() if end > now}


def choose_pair(state: State, leases: QueryLeases, judge: str) -> tuple[str, str, str] | None:
    """Return the next query and pair of documents of a judge, and reserve the query.

    A query stays with a judge until its documents are sorted, and goes to as many judges as one of
    its documents should have.

    Parameters
    ----------
    state : State
        The state.
    leases : QueryLeases
        The reservations of all judges.
    judge : str
        The judge.
    """
    for query in _queries_of(state, leases, judge):
        documents = [unit.documents[0] for unit in state.queries[query]]
        _, pair = sort_documents(documents, state.preferences(judge, query))
        if pair is not None:
            leases.take(judge, query)
            swapped = Random(f"{judge} {pair}").random() < 0.5
            return query, pair[swapped], pair[not swapped]
    return None


def _queries_of(state: State, leases: QueryLeases, judge: str) -> Iterator[str]:
    started = [query for query in state.queries if state.preferences(judge, query)]
    yield from (query for query in started if judge not in state.unclear(query))
    for query, units in state.queries.items():
        if query in started or judge in state.unclear(query):
            continue
        others = (state.comparing(query) | leases.judges_of(query)) - {judge}
        if len(others) < max(unit.quota for unit in units):
            yield query


def most_comparisons(count: int) -> int:
    """Return how many comparisons merge sort of some documents needs at most.

    Examples
    --------
    >>> [most_comparisons(count) for count in (1, 2, 3, 4, 10)]
    [0, 1, 3, 5, 25]
    """
    return 0 if count < 2 else count * ceil(log2(count)) - 2 ** ceil(log2(count)) + 1


def orders_of(state: State, query: str) -> tuple[int, int]:
    """Return how many judges have sorted a query by comparing pairs, and how many should."""
    units = state.queries[query]
    if len(units) < 2:
        return 0, 0
    documents = [unit.documents[0] for unit in units]
    pairs = (
        sort_documents(documents, state.preferences(judge, query))[1]
        for judge in state.comparing(query)
    )
    return sum(pair is None for pair in pairs), max(unit.quota for unit in units)


def preference_rows(state: State) -> Iterator[tuple[str, str, str, str, int]]:
    """Yield query, group, subgroup, document and level, as trec_eval's preferences have them.

    A group is a judge. A subgroup is a sorted part of the documents, with higher levels for better
    ones: after all comparisons there is one for each query.
    """
    for query, units in state.queries.items():
        documents = [unit.documents[0] for unit in units]
        same = {unit.documents[0]: unit.documents for unit in units}
        for judge in sorted(state.comparing(query)):
            parts, _ = sort_documents(documents, state.preferences(judge, query))
            sorted_parts = [part for part in parts if sum(map(len, part)) > 1]
            for number, part in enumerate(sorted_parts, start=1):
                for level, equals in enumerate(reversed(part)):
                    for document in equals:
                        for each in same[document]:
                            yield query, judge, str(number), each, level
