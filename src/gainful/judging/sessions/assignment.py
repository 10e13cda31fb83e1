"""Choose the documents that a judge sees next."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, log2
from random import Random
from time import time
from typing import NamedTuple

from gainful.judging.sessions.events import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gainful.data.corpus import Text
    from gainful.judging.sessions.state import State, Unit

    #: Documents that a judge considers equally good.
    Equals = list[str]

    #: 1 if the first of two documents is better, -1 if the second is, 0 for a tie.
    Answers = Mapping[tuple[str, str], int]

__all__ = [
    "Lease",
    "Leases",
    "Pair",
    "QueryLeases",
    "choose",
    "choose_pair",
    "most_comparisons",
    "orders_of",
    "preference_rows",
    "visible",
]


class Lease(NamedTuple):
    """A document that is reserved for a judge, or a query if the document is empty.

    Attributes
    ----------
    judge, query_id, doc_id : str
        The judge, the query and the document.
    end : float
        When the reservation ends, in seconds since 1970.
    """

    judge: str
    query_id: str
    doc_id: str
    end: float


class Leases:
    """Which documents are reserved for a judge who is looking at them.

    Parameters
    ----------
    seconds : float
        How long. A judge who grades a document later than that is not refused.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        #: The end of each lease, in seconds since 1970.
        self._of_unit: dict[Unit, dict[str, float]] = {}
        self._of_judge: dict[str, dict[Unit, None]] = {}
        #: When the next lease ends, or a moment before that.
        self._next_end = inf
        #: The number of units with a lease, by query and judge.
        self._of_query: dict[str, dict[str, int]] = {}

    def take(self, judge: str, unit: Unit, end: float = inf) -> None:
        """Reserve a unit, or extend its lease; `end` shortens it."""
        judges = self._of_unit.setdefault(unit, {})
        if judge not in judges:
            self._of_judge.setdefault(judge, {})[unit] = None
            counts = self._of_query.setdefault(unit.query, {})
            counts[judge] = counts.get(judge, 0) + 1
        judges[judge] = min(end, time() + self._seconds)
        self._next_end = min(self._next_end, judges[judge])

    def take_first(self, judge: str, unit: Unit) -> None:
        """Reserve a unit before the others of a judge."""
        self.release(judge, unit)
        self.take(judge, unit)
        self._of_judge[judge] = {unit: None, **self._of_judge[judge]}

    def release(self, judge: str, unit: Unit) -> None:
        """End a lease, if there is one."""
        if self._of_unit.get(unit, {}).pop(judge, None) is None:
            return
        del self._of_judge[judge][unit]
        counts = self._of_query[unit.query]
        counts[judge] -= 1
        if not counts[judge]:
            del counts[judge]

    def move(self, state: State) -> None:
        """Transfer all leases to the units of a new state of the same session."""
        leases = [lease for judge in self._of_judge for lease in self.leases_of(judge)]
        self._of_unit, self._of_judge, self._of_query = {}, {}, {}
        self.restore(state, leases)

    def leases_of(self, judge: str) -> list[Lease]:
        """Return the leases of a judge, in order."""
        return [
            Lease(judge, unit.query, unit.documents[0], self._of_unit[unit][judge])
            for unit in self.of_judge(judge)
        ]

    def restore(self, state: State, leases: Iterable[Lease]) -> None:
        """Add leases of documents that their judges have not answered."""
        for judge, query, document, end in leases:
            unit = state.units.get((query, document))
            if unit is not None and judge not in unit.answers:
                self.take(judge, unit, end)

    def of_judge(self, judge: str) -> list[Unit]:
        """Return the units that are reserved for a judge, in order."""
        self._expire()
        return list(self._of_judge.get(judge, ()))

    def of_others(self, judge: str, unit: Unit) -> int:
        """Return how many other judges a unit is reserved for."""
        return sum(other != judge for other in self._of_unit.get(unit, ()))

    def judges_of(self, query: str) -> set[str]:
        """Return the judges who are looking at documents of a query."""
        return set(self._of_query.get(query, ()))

    def _expire(self) -> None:
        now = time()
        if now < self._next_end:
            return
        ended = [
            (judge, unit)
            for judge, units in self._of_judge.items()
            for unit in units
            if self._of_unit[unit][judge] < now
        ]
        for judge, unit in ended:
            self.release(judge, unit)
        self._next_end = min(
            (end for judges in self._of_unit.values() for end in judges.values()),
            default=inf,
        )


def choose(state: State, leases: Leases, judge: str, count: int) -> list[Unit]:
    """Return the next units of a judge, and reserve them.

    First come those that are reserved already; then the rest of the judge's queries, the latest
    first; then queries that nobody else judges; then those of others, the largest remainder first;
    and at last what the judge wanted to judge later.
    """
    chosen: dict[Unit, None] = {}
    for unit in leases.of_judge(judge):
        if _is_open(state, leases, judge, unit, later=True):
            chosen[unit] = None
        else:
            leases.release(judge, unit)
    candidates = _candidates(state, leases, judge)
    while len(chosen) < count and (candidate := next(candidates, None)) is not None:
        chosen[candidate] = None
    chosen = dict.fromkeys(list(chosen)[:count])
    for unit in chosen:
        leases.take(judge, unit)
    return list(chosen)


def visible(state: State, leases: Leases, judge: str, query: str) -> list[Unit]:
    """Return the units of a query that a judge answered or can answer, and reserve the latter."""
    cells = []
    for unit in state.queries[query]:
        if _is_open(state, leases, judge, unit, later=True):
            leases.take(judge, unit)
            cells.append(unit)
        elif state.answer(judge, unit) is not None:
            cells.append(unit)
    return cells


def _candidates(state: State, leases: Leases, judge: str) -> Iterator[Unit]:
    queries = list(dict.fromkeys(unit.query for unit in reversed(state.answered(judge))))
    for query in queries:
        yield from _open_units(state, leases, judge, query)
    yield from _in_other_queries(state, leases, judge, frozenset(queries))
    skipped = [
        (events[-1].number, unit)
        for unit, events in state.answered(judge).items()
        if events[-1].kind is Kind.SKIP
    ]
    for _, unit in sorted(skipped, key=lambda entry: entry[0]):
        if _is_open(state, leases, judge, unit, later=True):
            yield unit


def _in_other_queries(
    state: State, leases: Leases, judge: str, known: frozenset[str]
) -> Iterator[Unit]:
    shared = []
    for place, (query, units) in enumerate(state.queries.items()):
        if query in known:
            continue
        others = leases.judges_of(query).union(*(unit.answers for unit in units)) - {judge}
        if not others:
            yield from _open_units(state, leases, judge, query)
        else:
            remainder = sum(unit.needed for unit in units)
            if remainder:
                shared.append((len(others), -remainder, place, query))
    for *_, query in sorted(shared):
        yield from _open_units(state, leases, judge, query)


def _open_units(state: State, leases: Leases, judge: str, query: str) -> Iterator[Unit]:
    if judge not in state.unclear(query):
        for unit in state.queries[query]:
            if _is_open(state, leases, judge, unit, later=False):
                yield unit


def _is_open(state: State, leases: Leases, judge: str, unit: Unit, *, later: bool) -> bool:
    """Return whether a judge should judge a unit now, or `later` if it was skipped."""
    if judge in unit.answers or unit.needed <= leases.of_others(judge, unit):
        return False
    if judge in state.unclear(unit.query):
        return False
    return later or state.answer(judge, unit) is None


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
        for index in range(0, len(parts) - 1, 2):
            ordered = _merge(parts[index], parts[index + 1], answers)
            if isinstance(ordered, tuple):
                unknown = unknown or ordered
                merged += parts[index : index + 2]
            else:
                merged.append(ordered)
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
                        for row in same[document]:
                            yield query, judge, str(number), row, level
