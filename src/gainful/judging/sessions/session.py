"""Judge the documents of a pool, alone or in a team."""

from __future__ import annotations

from dataclasses import dataclass

from gainful.errors import ParameterError
from gainful.judging.sessions.assignment import Pair, choose, choose_pair, most_comparisons, visible
from gainful.judging.sessions.events import ANSWERS, UNDOS, Kind, new_event
from gainful.judging.sessions.state import PracticeDocument
from gainful.judging.sessions.stored import StoredSession

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.data.corpus import Text
    from gainful.judging.ratings import Ratings
    from gainful.judging.sessions.events import Event
    from gainful.judging.sessions.state import Unit

__all__ = ["Assignment", "Session"]


class RecordedSession(StoredSession):
    """The contents of a session, and what is added to them.

    Parameters
    ----------
    path, pool, queries, documents, scale, guidelines, practice, suggestions, lease, read_only
        As for `Session`.
    """

    def record(
        self,
        kind: Kind | str,
        judge: str,
        query: str = "",
        document: str = "",
        *,
        grade: float | None = None,
        text: str = "",
        seconds: float | None = None,
        client_id: str | None = None,
    ) -> Event:
        """Write an event; it is on the disk when this returns."""
        event = new_event(
            kind,
            judge,
            query,
            document,
            grade=grade,
            scale=self._scale,
            text=text,
            seconds=seconds,
            client_id=client_id,
            guidelines=self._guidelines,
        )
        with self._lock:
            self._check_writable()
            # The event of a repeated request may not be on the disk yet.
            queued = self._journal.last
            known = self._state.events.get(event.client_id)
            if known is None:
                event = self._resolved(event)
                self._state.apply(event)
                self._update_leases(event)
                queued = self._journal.queue(event)
            elif known.request != event.request:
                raise ParameterError(
                    where="client_id", found=repr(event.client_id), expected="a unique id"
                )
        self._commit(queued)
        return known or event

    def event(self, client_id: str) -> Event | None:
        """Return an event by its unique id; None if it is not recorded."""
        with self._lock:
            return self._state.events.get(client_id)

    def label(
        self,
        judge: str,
        query: str,
        document: str,
        grade: float,
        *,
        seconds: float | None = None,
        client_id: str | None = None,
    ) -> Event:
        """Grade a document; a second grade by the same judge replaces the first."""
        return self.record(
            Kind.GRADE, judge, query, document, grade=grade, seconds=seconds, client_id=client_id
        )

    def undo(self, judge: str, *, client_id: str | None = None) -> Event:
        """Take back the last answer or note of a judge that is not undone; its document is next."""
        return self.record(Kind.UNDO, judge, client_id=client_id)

    def undo_decision(self, judge: str, *, client_id: str | None = None) -> Event:
        """Take back the last decision of an adjudicator that is not undone."""
        return self.record(Kind.UNDO_DECISION, judge, client_id=client_id)

    def withdraw(
        self,
        judge: str,
        query: str,
        document: str,
        *,
        of: str | None = None,
        client_id: str | None = None,
    ) -> Event:
        """Take back the current answer for a document; the one before it counts again, if any."""
        return self.record(
            Kind.WITHDRAW, judge, query, document, text=of or "", client_id=client_id
        )

    def reset(self, judge: str, kind: Kind | str, *, of: str | None = None) -> int:
        """Take back all answers of a kind, such as "later" or "cannot judge"."""
        if kind not in (Kind.SKIP, Kind.CANNOT_JUDGE):
            raise ParameterError(
                where="kind", found=repr(kind)[:80], expected=f"{Kind.SKIP} or {Kind.CANNOT_JUDGE}"
            )
        with self._lock:
            answers = [
                events[-1]
                for name in ([of] if of is not None else self._state.judges)
                for events in self._state.answered(name).values()
                if events[-1].kind == kind
            ]
        for answer in answers:
            self.withdraw(judge, answer.query_id, answer.doc_id, of=answer.judge)
        return len(answers)

    def load(self, ratings: Ratings) -> tuple[int, int]:
        """Record labels that were made elsewhere, such as in spreadsheets, by their raters.

        Labels that the session has already are not recorded again.
        """
        with self._lock:
            known = [
                label for label in ratings if (label.query_id, label.doc_id) in self._state.units
            ]
            for label in known:
                self._scale.check(label.grade)
            missing = []
            for label in known:
                unit = self._state.unit(label.query_id, label.doc_id)
                answer = self._state.answer(label.rater.name, unit)
                if answer is None or answer.grade != label.grade:
                    missing.append(label)
        for label in missing:
            self.label(label.rater.name, label.query_id, label.doc_id, label.grade)
        return len(missing), len(ratings) - len(known)

    def adjudicate(
        self,
        judge: str,
        query: str,
        document: str,
        grade: float,
        *,
        client_id: str | None = None,
    ) -> Event:
        """Decide the final grade of a document; the labels of the judges are kept."""
        return self.record(
            Kind.ADJUDICATE, judge, query, document, grade=grade, client_id=client_id
        )

    def _resolved(self, event: Event) -> Event:
        """Return a new event with its number and, for an undo, what it takes back."""
        state = self._state
        event = event._replace(number=len(state.events) + 1)
        if event.kind is Kind.WITHDRAW:
            whose = event.text or event.judge
            answer = state.answer(whose, state.unit(event.query_id, event.doc_id))
            if answer is None:
                raise ParameterError(
                    where="document",
                    found=f"{event.doc_id!r} without an answer of {whose!r}",
                    expected="an answered document",
                )
            return event._replace(doc_id=answer.doc_id, text=answer.client_id)
        if event.kind in UNDOS:
            last = state.last_event(event.judge, decision=event.kind is Kind.UNDO_DECISION)
            if last is None:
                raise ParameterError(
                    where="undo", found=f"no event of {event.judge!r}", expected="an event"
                )
            return event._replace(
                query_id=last.query_id, doc_id=last.doc_id, text=last.client_id, grade=None
            )
        if event.kind is Kind.PRACTICE:
            if (event.query_id, event.doc_id) not in self._practice:
                raise ParameterError(
                    where="document", found=repr(event.doc_id), expected="a practice document"
                )
            return event
        if event.kind is Kind.PREFER:
            one, other = (state.unit(event.query_id, value) for value in (event.doc_id, event.text))
            if one is other:
                raise ParameterError(
                    where="document", found=repr(event.text), expected="two different documents"
                )
            return event
        about_document = event.kind in ANSWERS or event.kind is Kind.ADJUDICATE
        if about_document or (event.doc_id and event.kind is not Kind.QUERY_UNCLEAR):
            state.unit(event.query_id, event.doc_id)
        elif event.query_id not in state.queries or event.doc_id:
            raise ParameterError(
                where="query",
                found=f"{event.query_id!r} and document {event.doc_id!r}",
                expected="a query of the pool, without a document",
            )
        return event

    def _update_leases(self, event: Event) -> None:
        if event.kind in ANSWERS:
            unit = self._state.unit(event.query_id, event.doc_id)
            self._leases.release(event.judge, unit)
        elif event.kind is Kind.UNDO and self._state.events[event.text].kind in ANSWERS:
            unit = self._state.unit(event.query_id, event.doc_id)
            if event.judge not in unit.answers:
                self._leases.take_first(event.judge, unit)


@dataclass(frozen=True, slots=True)
class Assignment:
    """A document that a judge should judge, or judged before.

    Attributes
    ----------
    query_id, doc_id : str
        The query and the document.
    query, document : Text or None
        Their titles and texts, if the session has them.
    kind : Kind or None
        The judge's current answer: a grade, "cannot judge" or "later".
    grade : float or None
        The judge's current grade.
    note : str
        The judge's note about the document.
    expectation : str
        What the judge expects of a good answer to the query.
    remaining : int
        How many documents of the query need further judges.
    suggestion : float or None
        The grade that a model suggests, hidden until the judge has answered.
    """

    query_id: str
    doc_id: str
    query: Text | None
    document: Text | None
    kind: Kind | None
    grade: float | None
    note: str
    expectation: str
    remaining: int
    suggestion: float | None = None


class Session(RecordedSession):
    """Judge the documents of a pool, alone or in a team.

    Every event (a grade, a note, an undo) is written to a file at once, and is on the disk when the
    method returns. All else follows from the events. The methods can be called from several
    threads; a second process can only read the session.

    Parameters
    ----------
    path : path
        The file of the session, on a local disk. It is created if there is a pool.
    pool : path, Pool or iterable of (query, document), optional
        The documents to judge, as `gainful.pool` returns or writes them. New documents are added to
        those of an existing session.
    queries, documents : path, several paths or mapping, optional
        Titles and texts. Documents of a query with identical text are judged once.
    scale : str, optional
        The grades and their names. Default: that of the session, else
        ``"0=irrelevant,1=relevant"``.
    guidelines : str
        The version of the guidelines that judges follow, stored with each event.
    practice : mapping of str to mapping, optional
        Known grades by query and document. Five of them are shown to new judges for practice.
    suggestions : mapping of str to mapping, optional
        Grades that a model suggests, by query and document. A judge sees them after answering.
    lease : float
        For how many seconds a document is reserved for the judge who received it, also over a
        restart.
    read_only : bool
        Whether to only read the session, which another process may be writing.

    Raises
    ------
    SourceError
        If another process writes the file, it is damaged, not a session, or on a network file
        system.
    SourceNotFoundError
        If the file does not exist, and there is no pool.
    ParameterError
        For an invalid scale, or one that lacks a grade that was given.

    Examples
    --------
    >>> from gainful.judging import Session
    >>> pool = [("q1", "r01", 2), ("q1", "r02")]
    >>> with Session("labels.session", pool, scale="0=no,1=partly,2=yes") as session:
    ...     first = session.next("ana")
    ...     _ = session.label("ana", first.query_id, first.doc_id, 2, seconds=8.5)
    ...     _ = session.label("ben", first.query_id, first.doc_id, 0)
    ...     queue = session.disagreements()
    ...     _ = session.adjudicate("eva", first.query_id, first.doc_id, 1)
    ...     session.next("ana").doc_id, queue[0].grades, session.final_grades()
    ('r02', (0.0, 2.0), {'q1': {'r01': 1.0}})
    """

    # --- assignment -----------------------------------------------------------------------------

    def next(self, judge: str) -> Assignment | None:
        """Return the next document of a judge, and reserve it; None if there is nothing to do.

        The same document is returned until the judge answers or the reservation ends.

        Parameters
        ----------
        judge : str
            The name of the judge.
        """
        assignments = self.upcoming(judge, 1)
        return assignments[0] if assignments else None

    def upcoming(self, judge: str, count: int) -> list[Assignment]:
        """Return the next documents of a judge, and reserve them.

        A query stays with a judge where possible. Its documents are in the random order of the
        pool.

        Parameters
        ----------
        judge : str
            The name of the judge.
        count : int
            The maximum number of documents.
        """
        if type(count) is not int or count < 1:
            raise ParameterError(where="count", found=repr(count), expected="1 or more")
        with self._reserving(judge):
            units = choose(self._state, self._leases, judge, count)
            return [self._assignment(judge, unit) for unit in units]

    def back(self, judge: str, query: str = "", document: str = "") -> Assignment | None:
        """Return the document that a judge judged before another one, or last.

        Parameters
        ----------
        judge : str
            The name of the judge.
        query, document : str
            The document on display. Default: one that the judge has not judged yet.

        Returns
        -------
        Assignment or None
            The document with the judge's answer; None at the first one. To change the answer, label
            the document again.
        """
        with self._lock:
            seen = list(self._state.answered(judge))
            if query or document:
                shown = self._state.unit(query, document)
                if shown in seen:
                    seen = seen[: seen.index(shown)]
            return self._assignment(judge, seen[-1]) if seen else None

    def labels(self, judge: str) -> list[Assignment]:
        """Return the documents that a judge has seen, in order, with the judge's own answers."""
        with self._lock:
            return [self._assignment(judge, unit) for unit in self._state.answered(judge)]

    def listing(self, judge: str, query: str) -> list[Assignment]:
        """Return all documents of a query that a judge judged or can judge, and reserve the latter.

        Parameters
        ----------
        judge : str
            The name of the judge.
        query : str
            The query.

        Raises
        ------
        ParameterError
            For an unknown query.
        """
        with self._reserving(judge):
            if query not in self._state.queries:
                raise ParameterError(
                    where="query", found=repr(query)[:80], expected="a query of the pool"
                )
            units = visible(self._state, self._leases, judge, query)
            return [self._assignment(judge, unit) for unit in units]

    def assignment(self, judge: str, query: str, document: str) -> Assignment:
        """Return a document with the judge's own answer, without reserving it.

        Parameters
        ----------
        judge, query, document : str
            The name of the judge, the query and the document.

        Raises
        ------
        ParameterError
            For an unknown document.
        """
        with self._lock:
            return self._assignment(judge, self._state.unit(query, document))

    def _assignment(self, judge: str, unit: Unit) -> Assignment:
        answer = self._state.answer(judge, unit)
        document = answer.doc_id if answer else unit.documents[0]
        return Assignment(
            query_id=unit.query,
            doc_id=document,
            query=self._query_texts.get(unit.query),
            document=self._document_texts.get(document),
            kind=answer.kind if answer else None,
            grade=answer.grade if answer else None,
            note=self._state.note(judge, unit.query, document),
            expectation=self._state.note(judge, unit.query),
            remaining=self._state.remaining[unit.query],
            suggestion=None if answer is None else self.suggestion(answer),
        )

    def suggestion(self, answer: Event) -> float | None:
        """Return the grade that a model suggests for a document that is graded."""
        if answer.kind is not Kind.GRADE:
            return None
        return self._suggestions.get(answer.query_id, {}).get(answer.doc_id)

    # --- practice and pairs ---------------------------------------------------------------------

    def practice(self, judge: str) -> list[PracticeDocument]:
        """Return the practice documents of a judge, with feedback on those that are graded.

        Parameters
        ----------
        judge : str
            The name of the judge. The page shows them in this order; `record` them as ``practice``.
        """
        with self._lock:
            done = self._state.practiced(judge)
            return [
                PracticeDocument(
                    query_id=query,
                    doc_id=document,
                    query=self._query_texts.get(query),
                    document=self._document_texts.get(document),
                    grade=done.get((query, document)),
                    expected=expected if (query, document) in done else None,
                )
                for (query, document), expected in self._practice.items()
            ]

    def next_pair(self, judge: str) -> Pair | None:
        """Return the next two documents that a judge should compare; None if all are sorted.

        The pairs are those that merge sort asks for. Which document is on the left is random. The
        same pair is returned until the judge answers with the event ``prefer``.

        Parameters
        ----------
        judge : str
            The name of the judge.
        """
        with self._reserving(judge):
            pair = choose_pair(self._state, self._query_leases, judge)
            if pair is None:
                return None
            query, left, right = pair
            return Pair(
                query_id=query,
                left_id=left,
                right_id=right,
                query=self._query_texts.get(query),
                left=self._document_texts.get(left),
                right=self._document_texts.get(right),
                expectation=self._state.note(judge, query),
                compared=len(self._state.preferences(judge, query)) // 2,
                most=most_comparisons(len(self._state.queries[query])),
            )
