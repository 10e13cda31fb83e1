"""Choose the documents that a judge sees next."""

from __future__ import annotations

from math import inf
from time import time
from typing import NamedTuple

from gainful.judging.sessions.events import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gainful.judging.sessions.state import State, Unit

__all__ = ["Lease", "Leases", "choose", "visible"]


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

    Parameters
    ----------
    state : State
        The state.
    leases : Leases
        The reservations of all judges.
    judge : str
        The judge.
    count : int
        The maximum number of units.
    """
    chosen: dict[Unit, None] = {}
    for unit in leases.of_judge(judge):
        if _is_open(state, leases, judge, unit, later=True):
            chosen[unit] = None
        else:
            leases.release(judge, unit)
    candidates = _candidates(state, leases, judge)
    while len(chosen) < count and (found := next(candidates, None)) is not None:
        chosen[found] = None
    chosen = dict.fromkeys(list(chosen)[:count])
    for unit in chosen:
        leases.take(judge, unit)
    return list(chosen)


def visible(state: State, leases: Leases, judge: str, query: str) -> list[Unit]:
    """Return the units of a query that a judge answered or can answer, and reserve the latter.

    Parameters
    ----------
    state, leases, judge
        As for `choose`.
    query : str
        The query.
    """
    found = []
    for unit in state.queries[query]:
        if _is_open(state, leases, judge, unit, later=True):
            leases.take(judge, unit)
            found.append(unit)
        elif state.answer(judge, unit) is not None:
            found.append(unit)
    return found


def _candidates(state: State, leases: Leases, judge: str) -> Iterator[Unit]:
    own = list(dict.fromkeys(unit.query for unit in reversed(state.answered(judge))))
    for query in own:
        yield from _open_units(state, leases, judge, query)
    yield from _in_other_queries(state, leases, judge, frozenset(own))
    skipped = [
        (events[-1].number, unit)
        for unit, events in state.answered(judge).items()
        if events[-1].kind is Kind.SKIP
    ]
    for _, unit in sorted(skipped, key=lambda each: each[0]):
        if _is_open(state, leases, judge, unit, later=True):
            yield unit


def _in_other_queries(
    state: State, leases: Leases, judge: str, own: frozenset[str]
) -> Iterator[Unit]:
    shared = []
    for place, (query, units) in enumerate(state.queries.items()):
        if query in own:
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
