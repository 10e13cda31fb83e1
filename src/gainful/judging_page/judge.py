"""What a judge's page requests: documents, and events to record."""

from __future__ import annotations

from threading import Lock

from gainful.errors import ParameterError
from gainful.judging.sessions.assignment import DECISIONS, Kind
from gainful.judging_page.documents import (
    describe_assignment,
    describe_pair,
    describe_practice,
)
from gainful.judging_page.site import Mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from gainful.judging import Assignment, Event
    from gainful.judging_page.site import Site

__all__ = ["JudgeRequests"]

#: How many documents a page gets in advance, which it can show while it is offline.
AHEAD = 5

#: What a judge may record; the rest is for owners.
_KINDS = frozenset(Kind) - DECISIONS - {Kind.UNDO_DECISION}

#: The most events that one request may contain.
_MOST = 1_000


class JudgeRequests:
    """Answer the requests of judges with the session.

    Parameters
    ----------
    site : Site
        The session, and what the page shows of it.
    """

    def __init__(self, site: Site) -> None:
        self._site = site
        self._session = site.session
        self._adding = Lock()

    def requests(self) -> Iterator[tuple[str, str, Callable[[str, dict[str, Any]], Any]]]:
        """Yield name, method and function of each request."""
        yield "settings", "GET", self.settings
        yield "next", "GET", self.next
        yield "back", "GET", self.back
        yield "labels", "GET", self.labels
        yield "listing", "GET", self.listing
        yield "practice", "GET", self.practice
        yield "events", "POST", self.events
        yield "reset", "POST", self.reset

    def settings(self, judge: str, values: dict[str, Any]) -> dict[str, Any]:
        """Return what does not change while a page is open."""
        return {
            "judge": judge,
            "session": self._session.identity,
            "title": self._site.title,
            "scale": [
                {"grade": grade, "name": name} for grade, name in self._session.scale.items()
            ],
            "guidelines": self._site.guidelines_html,
            "mode": self._site.mode,
            "practice": bool(self._session.needed and self._session.practice(judge)),
        }

    def next(self, judge: str, values: dict[str, Any]) -> dict[str, Any]:
        """Return the next documents or pair, and the progress."""
        display = self._site.display
        pair, upcoming = None, []
        if self._site.mode is Mode.PAIRS:
            pair = self._session.next_pair(judge)
        else:
            upcoming = self._upcoming(judge)
        return {
            "next": [describe_assignment(assignment, display) for assignment in upcoming],
            "pair": pair and describe_pair(pair, display),
            "progress": {
                "requested": self._session.requested,
                "needed": self._session.needed,
                "own": self._session.judge_progress(judge).to_dict(),
            },
        }

    def _upcoming(self, judge: str) -> list[Assignment]:
        assignments = self._session.upcoming(judge, AHEAD)
        if assignments or self._site.add_documents is None:
            return assignments
        with self._adding:
            # Another request may have added some in the meantime.
            assignments = self._session.upcoming(judge, AHEAD)
            if not assignments and self._site.add_documents():
                assignments = self._session.upcoming(judge, AHEAD)
        return assignments

    def back(self, judge: str, values: dict[str, Any]) -> dict[str, Any]:
        """Return the document before another one."""
        previous = self._session.back(judge, values.get("query", ""), values.get("document", ""))
        return {"document": previous and describe_assignment(previous, self._site.display)}

    def labels(self, judge: str, values: dict[str, Any]) -> dict[str, Any]:
        """Return all answers of the judge, without texts."""
        labels = []
        for label in self._session.labels(judge):
            described = describe_assignment(label, self._site.display)
            document = described.pop("document") or {}
            labels.append({**described, "title": document.get("title") or label.doc_id})
        return {"labels": labels}

    def listing(self, judge: str, values: dict[str, Any]) -> dict[str, Any]:
        """Return all documents of a query that the judge judged or can judge."""
        rows = self._session.listing(judge, values.get("query", ""))
        return {"documents": [describe_assignment(row, self._site.display) for row in rows]}

    def practice(self, judge: str, values: dict[str, Any]) -> dict[str, Any]:
        """Return the practice documents, with feedback on those that are graded."""
        items = self._session.practice(judge)
        return {"documents": [describe_practice(item, self._site.display) for item in items]}

    def reset(self, judge: str, values: dict[str, Any]) -> dict[str, Any]:
        """Take back all answers "later" or "cannot judge" of the judge."""
        return {"count": self._session.reset(judge, str(values.get("kind")), of=judge)}

    def events(self, judge: str, values: dict[str, Any]) -> dict[str, Any]:
        """Record events in order, each of which is accepted or refused, and return what is next."""
        sent = values.get("events")
        if not isinstance(sent, list) or len(sent) > _MOST:
            raise ParameterError(
                where="events", found=type(sent).__name__, expected=f"at most {_MOST:,} events"
            )
        return {"events": [self._record(judge, event) for event in sent], **self.next(judge, {})}

    def _record(self, judge: str, given: Any) -> dict[str, Any]:
        values = given if isinstance(given, dict) else {}
        client_id = values.get("client_id")
        try:
            # Without an id of its own, a repeated event would be recorded twice.
            if not isinstance(client_id, str):
                raise ParameterError(where="client_id", found="none", expected="a unique id")
            kind = values.get("kind")
            if not isinstance(kind, str) or kind not in _KINDS:
                raise ParameterError(
                    where="kind", found=repr(kind)[:80], expected="an answer of a judge"
                )
            event = self._session.record(
                kind,
                judge,
                values.get("query_id", ""),
                values.get("doc_id", ""),
                grade=values.get("grade"),
                # A judge takes back only answers of their own.
                text="" if kind == Kind.WITHDRAW else values.get("text", ""),
                seconds=values.get("seconds"),
                client_id=client_id,
            )
        except ParameterError as error:
            return {"client_id": client_id, "error": str(error)}
        return {"client_id": client_id, **self._describe(event)}

    def _describe(self, event: Event) -> dict[str, Any]:
        undone = self._session.event(event.text) if event.kind is Kind.UNDO else None
        return {
            "kind": event.kind,
            "query_id": event.query_id,
            "doc_id": event.doc_id,
            "grade": event.grade,
            "undone": undone and undone.kind,
            "suggestion": self._session.suggestion(event),
        }
