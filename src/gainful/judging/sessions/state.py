"""The tasks of a judging session, and its state after its events."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from gainful._kernel import names_with
from gainful.byte_order import in_byte_order
from gainful.data.column_names import find_column, missing_column
from gainful.data.paths import as_paths
from gainful.data.records import table_rows
from gainful.data.text_files import opened, text_lines
from gainful.errors import ArgumentError, FormatError, ParameterError
from gainful.judging.sessions.events import ANSWERS, DECISIONS, UNDOS, Event, Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from os import PathLike
    from typing import Any, TypeAlias

    from gainful.data.corpus import Text

    #: A file, a `gainful.pooling.Pool`, or pairs of query and document.
    PoolLike: TypeAlias = str | PathLike[str] | Iterable[tuple[str, str]] | Any

__all__ = [
    "PracticeDocument",
    "State",
    "Task",
    "Unit",
    "choose_practice",
    "tasks_of",
]


class Task(NamedTuple):
    """A document to judge.

    Attributes
    ----------
    query_id, doc_id : str
        The query and the document.
    judges : int
        How many people should judge it.
    """

    query_id: str
    doc_id: str
    judges: int = 1


def tasks_of(pool: PoolLike) -> list[Task]:
    """Return the documents of a pool that nobody has judged, in its order.

    Examples
    --------
    >>> tasks_of([("q1", "d1"), ("q1", "d2", 2)])
    [Task(query_id='q1', doc_id='d1', judges=1), Task(query_id='q1', doc_id='d2', judges=2)]
    """
    paths = as_paths(pool)
    if paths is not None:
        tasks = [task for path in paths for task in _of_file(path)]
    elif hasattr(pool, "records"):
        columns = pool.records("documents")
        rows = zip(columns["query_id"], columns["doc_id"], columns["judges"], strict=True)
        tasks = [_task(row) for row in rows]
    elif hasattr(pool, "__iter__"):
        tasks = [_task(row) for row in pool]
    else:
        raise ArgumentError(
            where="a pool", found=type(pool).__name__, expected="a path, a Pool or pairs"
        )
    return [task for task in tasks if task.judges]


def _of_file(path: str) -> Iterator[Task]:
    with opened(path) as (label, stream):
        table = table_rows(stream, label)
        if table is not None:
            yield from _of_table(*table, label)
            return
    name, lines = text_lines(path)
    for number, line in lines:
        words = line.split()
        if len(words) == 4:
            raise _judgments_error(name)
        if len(words) != 2:
            raise FormatError(
                file=name, line=number, found=f"{len(words)} words", expected="query and document"
            )
        yield _task(words, name, number)


def _of_table(
    names: Iterable[str], rows: Iterable[tuple[int, Mapping[str, object]]], file: str
) -> Iterator[Task]:
    present = list(names)
    # The score of a run is no grade.
    grades = set(names_with(present, "grade")).difference(names_with(present, "score"))
    if "judges" not in present and grades:
        raise _judgments_error(file)
    ids = []
    for part, what in (("query_id", "query ids"), ("doc_id", "document ids")):
        column = find_column([name for name in present if name not in ids], part, file)
        if column is None:
            raise missing_column(present, part, what, file)
        ids.append(column)
    for line, row in rows:
        judges = row.get("judges", 1)
        yield _task((*map(row.get, ids), judges), file, line)


def _judgments_error(file: str) -> FormatError:
    return FormatError(
        file=file,
        found="judgments",
        expected="a pool of documents to judge",
        hint="with judgments, pass runs too: their unjudged documents are the pool; to judge the"
        " same documents again, pass a table of query_id and doc_id",
    )


def _task(row: Any, file: str | None = None, line: int | None = None) -> Task:
    if isinstance(row, (str, bytes)) or not hasattr(row, "__len__") or len(row) not in (2, 3):
        raise ArgumentError(
            where="a row of the pool", found=repr(row), expected="query, document and judges"
        )
    query, document = (str("" if value is None else value) for value in row[:2])
    number = str(row[2]) if len(row) == 3 else "1"
    if not query or not document:
        raise FormatError(file=file, line=line, found="an empty id", expected="query and document")
    if not (number.isascii() and number.isdigit()):
        raise ParameterError(
            where="judges", file=file, line=line, found=repr(row[2]), expected="a whole number"
        )
    return Task(query, document, int(number))


@dataclass(frozen=True, slots=True)
class PracticeDocument:
    """A document with a known grade, on which a judge practices.

    Attributes
    ----------
    query_id, doc_id : str
        The query and the document.
    query, document : Text or None
        Their titles and texts, if the session has them.
    grade : float or None
        The first grade of the judge; None before it.
    expected : float or None
        The known grade; None before the judge has graded the document.
    """

    query_id: str
    doc_id: str
    query: Text | None
    document: Text | None
    grade: float | None
    expected: float | None


def choose_practice(
    judged: Mapping[str, Mapping[str, float]], scale: Collection[float], count: int
) -> dict[tuple[str, str], float]:
    """Return the known grades of practice documents, in the order in which they are shown.

    The queries with the most different grades come first, with one document for each grade.

    Examples
    --------
    >>> judged = {"q1": {"a": 0, "b": 0}, "q2": {"c": 2, "d": 0, "e": 2}}
    >>> choose_practice(judged, [0, 1, 2], 3)
    {('q2', 'd'): 0, ('q2', 'c'): 2, ('q1', 'a'): 0}
    """
    known: dict[str, dict[float, str]] = {}
    for query in in_byte_order(judged):
        for document in in_byte_order(judged[query]):
            grade = judged[query][document]
            if grade in scale:
                known.setdefault(query, {}).setdefault(grade, document)
    queries = sorted(known, key=lambda query: -len(known[query]))
    chosen: dict[tuple[str, str], float] = {}
    for query in queries:
        documents = list(known[query].items())
        # The order must not give the grades away.
        Random(query).shuffle(documents)
        for grade, document in documents[: count - len(chosen)]:
            chosen[query, document] = grade
    return chosen


class Unit:
    """The documents of a query with identical text, which are judged once.

    Attributes
    ----------
    query : str
        The query.
    documents : list of str
        The documents, in pool order.
    judges : int
        How many people should judge it.
    place : int
        Its position in the pool.
    answers : dict of str to Event
        The current grade or "cannot judge" of each judge.
    rulings : list of Event
        The events `ADJUDICATE` and `REOPEN` that are not undone.
    """

    __slots__ = ("answers", "documents", "judges", "place", "query", "rulings")

    def __init__(self, query: str, place: int) -> None:
        self.query = query
        self.place = place
        self.documents: list[str] = []
        self.judges = 0
        self.answers: dict[str, Event] = {}
        self.rulings: list[Event] = []

    @property
    def quota(self) -> int:
        """The number of judges that were requested, also by reopening it."""
        return self.judges + sum(event.kind is Kind.REOPEN for event in self.rulings)

    @property
    def needed(self) -> int:
        """How many further judges should judge it."""
        return max(0, self.quota - len(self.answers))

    @property
    def decision(self) -> Event | None:
        """The final grade of an adjudicator."""
        last = self.rulings[-1] if self.rulings else None
        return last if last is not None and last.kind is Kind.ADJUDICATE else None

    @property
    def grades(self) -> list[float]:
        """The current grades of the judges, in ascending order."""
        return sorted(event.grade for event in self.answers.values() if event.grade is not None)


class State:
    """What all events together mean.

    Parameters
    ----------
    tasks : iterable of (query, document, judges, content)
        The pool. Documents of a query with the same content, if it is known, are one unit.
    events : iterable of Event
        The events in order.

    Attributes
    ----------
    units : dict of (str, str) to Unit
        The unit of each query and document.
    queries : dict of str to list of Unit
        The units of each query, in pool order.
    events : dict of str to Event
        All events by client id.
    requested, needed : int
        Number of requested labels, and of those that are missing.
    remaining : dict of str to int
        The number of documents of each query that need further judges.
    """

    def __init__(self, tasks: Iterable[tuple[str, str, int, str]], events: Iterable[Event]) -> None:
        self.units: dict[tuple[str, str], Unit] = {}
        self.queries: dict[str, list[Unit]] = {}
        self.events: dict[str, Event] = {}
        self._add_tasks(tasks)
        self.requested = sum(unit.quota for unit in self.all_units)
        self.needed = self.requested
        self.remaining = {
            query: sum(unit.needed > 0 for unit in units) for query, units in self.queries.items()
        }
        #: The events of a judge that are not undone, by client id.
        self._of_judge: dict[str, dict[str, Event]] = {}
        #: Grades, "cannot judge" and "later" of a judge for a unit that are not undone.
        self._answers: dict[str, dict[Unit, list[Event]]] = {}
        self._notes: dict[tuple[str, str, str], list[Event]] = {}
        self._unclear: dict[str, list[Event]] = {}
        #: The comparisons of a judge for a query that are not undone.
        self._compared: dict[str, dict[str, list[Event]]] = {}
        self._practiced: dict[str, dict[tuple[str, str], float]] = {}
        for event in events:
            self.apply(event)

    def _add_tasks(self, tasks: Iterable[tuple[str, str, int, str]]) -> None:
        same: dict[tuple[str, str], Unit] = {}
        for place, (query, document, judges, content) in enumerate(tasks):
            unit = same.get((query, content)) if content else None
            if unit is None:
                unit = Unit(query, place)
                self.queries.setdefault(query, []).append(unit)
                if content:
                    same[query, content] = unit
            unit.documents.append(document)
            unit.judges = max(unit.judges, judges)
            self.units[query, document] = unit

    # --- events ---------------------------------------------------------------------------------

    def apply(self, event: Event) -> None:
        """Update the state by the next event."""
        self.events[event.client_id] = event
        if event.kind in UNDOS:
            self._undo(self.events[event.text])
            return
        if event.kind is Kind.PRACTICE:
            answers = self._practiced.setdefault(event.judge, {})
            answers.setdefault((event.query_id, event.doc_id), event.grade or 0.0)
            return
        self._of_judge.setdefault(event.judge, {})[event.client_id] = event
        with self._counted(event):
            self._list_of(event).append(event)
            self._update(event)

    def _undo(self, event: Event) -> None:
        del self._of_judge[event.judge][event.client_id]
        with self._counted(event):
            self._list_of(event).remove(event)
            self._update(event)

    @contextmanager
    def _counted(self, event: Event) -> Iterator[None]:
        """Update the counts by what a block changes."""
        unit = self.units.get((event.query_id, event.doc_id))
        before = (0, 0) if unit is None else (unit.quota, unit.needed)
        yield
        if unit is None:
            return
        self.requested += unit.quota - before[0]
        self.needed += unit.needed - before[1]
        self.remaining[unit.query] += (unit.needed > 0) - (before[1] > 0)

    def _list_of(self, event: Event) -> list[Event]:
        """Return the list that an event belongs to."""
        if event.kind in ANSWERS:
            unit = self.units[event.query_id, event.doc_id]
            return self._answers.setdefault(event.judge, {}).setdefault(unit, [])
        if event.kind is Kind.NOTE:
            place = (event.judge, event.query_id, event.doc_id)
            return self._notes.setdefault(place, [])
        if event.kind is Kind.PREFER:
            return self._compared.setdefault(event.query_id, {}).setdefault(event.judge, [])
        if event.doc_id:
            return self.units[event.query_id, event.doc_id].rulings
        return self._unclear.setdefault(event.query_id, [])

    def _update(self, event: Event) -> None:
        if event.kind not in ANSWERS:
            return
        unit = self.units[event.query_id, event.doc_id]
        last = self.answer(event.judge, unit)
        if last is None:
            del self._answers[event.judge][unit]
        if last is None or last.kind is Kind.SKIP:
            unit.answers.pop(event.judge, None)
        else:
            unit.answers[event.judge] = last

    def last_event(self, judge: str, *, decision: bool) -> Event | None:
        """Return the last decision of a judge that is not undone, or the last other event."""
        events = reversed(self._of_judge.get(judge, {}).values())
        return next((event for event in events if (event.kind in DECISIONS) is decision), None)

    # --- questions ------------------------------------------------------------------------------

    def unit(self, query: str, document: str) -> Unit:
        """Return the unit of a document."""
        known = self.units.get((query, document))
        if known is None:
            raise ParameterError(
                where="document",
                found=f"{document!r} of query {query!r}",
                expected="a document of the pool",
            )
        return known

    def answer(self, judge: str, unit: Unit) -> Event | None:
        """Return a judge's current grade, "cannot judge" or "later" of a unit."""
        answer_of_judge = self._answers.get(judge, {}).get(unit)
        return answer_of_judge[-1] if answer_of_judge else None

    def answered(self, judge: str) -> dict[Unit, list[Event]]:
        """Return the events of a judge by unit, in the order in which the judge first saw them."""
        return self._answers.get(judge, {})

    def note(self, judge: str, query: str, document: str = "") -> str:
        """Return a judge's current note about a document, or about a good answer to a query."""
        text = self._notes.get((judge, query, document))
        return text[-1].text if text else ""

    def notes(self, unit: Unit) -> Iterator[str]:
        """Yield the current notes of all judges about the documents of a unit."""
        for judge in unit.answers:
            for document in unit.documents:
                note = self.note(judge, unit.query, document)
                if note:
                    yield note

    def unclear(self, query: str) -> frozenset[str]:
        """Return the judges who do not understand a query."""
        judges: set[str] = set()
        for event in self._unclear.get(query, ()):
            if event.kind is Kind.REOPEN:
                judges.clear()
            else:
                judges.add(event.judge)
        return frozenset(judges)

    def preferences(self, judge: str, query: str) -> dict[tuple[str, str], int]:
        """Return a judge's answers about pairs of documents, for both orders of each pair."""
        rows = {}
        for event in self._compared.get(query, {}).get(judge, ()):
            answer = int(event.grade or 0)
            rows[event.doc_id, event.text] = answer
            rows[event.text, event.doc_id] = -answer
        return rows

    def comparisons(self, judge: str) -> list[Event]:
        """Return the comparisons of a judge that are not undone, query by query."""
        return [event for judges in self._compared.values() for event in judges.get(judge, ())]

    def comparing(self, query: str) -> set[str]:
        """Return the judges who have compared documents of a query."""
        return {judge for judge, events in self._compared.get(query, {}).items() if events}

    def practiced(self, judge: str) -> dict[tuple[str, str], float]:
        """Return the first grades of a judge for practice documents."""
        return self._practiced.get(judge, {})

    def unclear_queries(self, judge: str) -> set[str]:
        """Return the queries that a judge does not understand."""
        return {query for query in self._unclear if judge in self.unclear(query)}

    @property
    def all_units(self) -> Iterator[Unit]:
        """All units, query by query."""
        return (unit for units in self.queries.values() for unit in units)

    @property
    def judges(self) -> list[str]:
        """The names of all who graded or compared documents, in order of appearance."""
        graded = [judge for judge, units in self._answers.items() if units]
        compared = [judge for query in self.queries for judge in sorted(self.comparing(query))]
        return list(dict.fromkeys(graded + compared))
