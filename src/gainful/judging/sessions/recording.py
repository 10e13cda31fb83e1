"""Record what judges and adjudicators do in a session."""

from __future__ import annotations

from gainful.errors import ParameterError
from gainful.judging.sessions.events import ANSWERS, UNDOS, Kind, new_event
from gainful.judging.sessions.stored import StoredSession

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.judging.ratings import Ratings
    from gainful.judging.sessions.events import Event

__all__ = ["RecordedSession"]


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
        """Write an event; it is on the disk when this returns.

        Parameters
        ----------
        kind : Kind or str
            What happens.
        judge : str
            The name of the judge.
        query, document : str
            What it is about. Not for an undo; no document for an unclear query; optional for a note
            and to reopen a query.
        grade : float, optional
            The grade, for ``grade``, ``adjudicate`` and ``practice``; for ``prefer`` 1 if the first
            document is better, -1 if the second is, and 0 for a tie.
        text : str
            The text of a note; for ``prefer`` the second document; for ``withdraw`` the judge
            whose answer is taken back, by default the same one.
        seconds : float, optional
            How long the judge took.
        client_id : str, optional
            A unique id. An event that is sent again with the same id is not recorded again, so that
            a client that gets no answer can repeat it.

        Returns
        -------
        Event
            The event, or the one that was recorded before.

        Raises
        ------
        ParameterError
            For an unknown document, a grade that the scale lacks, an id of another event, or an
            undo of nothing.
        SourceError
            If it cannot be written.
        """
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
        """Grade a document; a second grade by the same judge replaces the first.

        Parameters
        ----------
        judge, query, document, grade, seconds, client_id
            As for `record`.
        """
        return self.record(
            Kind.GRADE, judge, query, document, grade=grade, seconds=seconds, client_id=client_id
        )

    def undo(self, judge: str, *, client_id: str | None = None) -> Event:
        """Take back the last answer or note of a judge that is not undone; its document is next.

        Parameters
        ----------
        judge, client_id
            As for `record`.

        Raises
        ------
        ParameterError
            If there is nothing to undo.
        """
        return self.record(Kind.UNDO, judge, client_id=client_id)

    def undo_decision(self, judge: str, *, client_id: str | None = None) -> Event:
        """Take back the last decision of an adjudicator that is not undone.

        Parameters
        ----------
        judge, client_id
            As for `record`.

        Raises
        ------
        ParameterError
            If there is nothing to undo.
        """
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
        """Take back the current answer for a document; the one before it counts again, if any.

        Parameters
        ----------
        judge, query, document, client_id
            As for `record`.
        of : str, optional
            The judge who answered. Default: `judge`.

        Raises
        ------
        ParameterError
            If that judge has no answer for the document.
        """
        return self.record(
            Kind.WITHDRAW, judge, query, document, text=of or "", client_id=client_id
        )

    def reset(self, judge: str, kind: Kind | str, *, of: str | None = None) -> int:
        """Take back all answers of a kind, such as "later" or "cannot judge".

        Parameters
        ----------
        judge : str
            Who does it.
        kind : {"skip", "cannot-judge"}
            The answers.
        of : str, optional
            The judge who answered. Default: all judges.

        Returns
        -------
        int
            The number of answers.

        Raises
        ------
        ParameterError
            For another kind.
        """
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

        Parameters
        ----------
        ratings : Ratings
            The labels, from `gainful.read_ratings`.

        Returns
        -------
        (int, int)
            The number of labels that were recorded, and of those whose document the session lacks.

        Raises
        ------
        ParameterError
            For a grade that the scale lacks. Nothing is recorded then.
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
        """Decide the final grade of a document; the labels of the judges are kept.

        Parameters
        ----------
        judge, query, document, grade, client_id
            As for `record`.
        """
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
            one, other = (state.unit(event.query_id, each) for each in (event.doc_id, event.text))
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
