"""What the pages request: documents and events of a judge, progress and people of an owner."""

from __future__ import annotations

import io
import os
from itertools import zip_longest
from tempfile import TemporaryDirectory
from threading import Lock

from gainful.errors import GainfulError, ParameterError
from gainful.judging import assess_judgments
from gainful.judging.sessions.events import DECISIONS, Kind
from gainful.judging_page.documents import (
    Mode,
    describe_assignment,
    describe_pair,
    describe_practice,
)
from gainful.packages import load_package
from gainful.pooling.call import ADVICE, effect_of_labels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from gainful.judging import Assignment, Event, JudgmentQuality
    from gainful.judging_page.documents import Site
    from gainful.judging_page.server import Access
    from gainful.pooling.call import Effect

__all__ = ["JudgeRequests", "OwnerRequests"]

#: How many documents a page gets in advance, which it can show while it is offline.
AHEAD = 5

#: What a judge may record; the rest is for owners.
_KINDS = frozenset(Kind) - DECISIONS - {Kind.UNDO_DECISION}

#: The most events that one request may contain.
_MOST_EVENTS = 1_000


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
        if not isinstance(sent, list) or len(sent) > _MOST_EVENTS:
            raise ParameterError(
                where="events",
                found=type(sent).__name__,
                expected=f"at most {_MOST_EVENTS:,} events",
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


#: Resamples of the intervals on the live page; the exported labels can be assessed with more.
_RESAMPLES = 999

#: The files that an owner can download, with their names.
FILES = {
    "qrels": "qrels.txt",
    "csv": "labels.csv",
    "jsonl": "labels.jsonl",
    "prefs": "judged.prefs",
    "backup": "backup.session",
}

#: How many disagreements are shown at once.
_MOST_DISAGREEMENTS = 20


class OwnerRequests:
    """Answer the requests of owners with the session.

    Parameters
    ----------
    site : Site
        The session, and what the page shows of it.
    access : Access
        Who may use the page.
    address : str
        The address of the page.
    """

    def __init__(self, site: Site, access: Access, address: str) -> None:
        self._site = site
        self._session = site.session
        self._access = access
        self._address = address
        self._lock = Lock()
        #: The number of events of `_found`, and whether it counts labels that settle an order.
        self._seen = (-1, False)
        self._found: tuple[dict[str, Any], Effect | None] = ({}, None)

    def requests(self) -> Iterator[tuple[str, str, Callable[[str, dict[str, Any]], Any]]]:
        """Yield name, method and function of each request."""
        yield "overview", "GET", self.overview
        yield "disagreements", "GET", self.disagreements
        yield "adjudicate", "POST", self.adjudicate
        yield "people", "GET", self.people
        yield "link", "POST", self.link
        yield "revoke", "POST", self.revoke
        yield "reset-all", "POST", self.reset_all

    def overview(self, owner: str, values: dict[str, Any]) -> dict[str, Any]:
        """Return the progress, the agreement, and what the labels mean for the systems."""
        described, _ = self._results(settling=True)
        return {
            "progress": self._session.progress().to_dict(),
            "grades": [grades.to_dict() for grades in self._session.grades_of_judges()],
            **described,
        }

    def reset_all(self, owner: str, values: dict[str, Any]) -> dict[str, Any]:
        """Take back all answers "later" or "cannot judge" of all judges."""
        return {"count": self._session.reset(owner, str(values.get("kind")))}

    def file(self, form: str) -> tuple[str, bytes]:
        """Return name and content of an exported file, or of a backup of the session."""
        if form not in FILES:
            raise ParameterError(where="file", found=repr(form)[:80], expected=", ".join(FILES))
        with TemporaryDirectory() as folder:
            path = os.path.join(folder, FILES[form])
            if form == "backup":
                self._session.back_up(path)
            else:
                self._session.export(path, form, judged=dict(self._site.judged) or None)
            with open(path, "rb") as stream:
                return FILES[form], stream.read()

    def _results(self, *, settling: bool = False) -> tuple[dict[str, Any], Effect | None]:
        """Return agreement and effect, computed again only after new events.

        Only the overview counts the labels that could settle an order, which takes longest.
        """
        with self._lock:
            count = self._session.event_count
            if self._seen not in ((count, True), (count, settling)):
                effect, why = None, ""
                try:
                    effect = effect_of_labels(
                        self._session,
                        self._site.runs,
                        judged=self._site.judged,
                        measure=self._site.measure,
                        settling=settling,
                    )
                except GainfulError as error:
                    why = str(error)
                agreement = self._agreement()
                described = {
                    "agreement": agreement and _describe_agreement(agreement),
                    "effect": effect and _describe_effect(effect),
                    "why_no_effect": why,
                }
                self._found, self._seen = (described, effect), (count, settling)
            return self._found

    def _agreement(self) -> JudgmentQuality | None:
        try:
            return assess_judgments(self._session.ratings(), resamples=_RESAMPLES)
        except GainfulError:
            return None  # There are no labels yet.

    # --- adjudication ---------------------------------------------------------------------------

    def disagreements(self, owner: str, values: dict[str, Any]) -> dict[str, Any]:
        """Return the documents to decide, or those that are, without the names of their judges."""
        if values.get("decided"):
            decisions = self._session.decisions()
        else:
            _, effect = self._results()
            decisions = self._session.disagreements(effect.priority if effect is not None else None)
        shown = []
        for disagreement in decisions[:_MOST_DISAGREEMENTS]:
            assignment = self._session.assignment(owner, disagreement.query_id, disagreement.doc_id)
            own_assignment = describe_assignment(assignment, self._site.display)
            # The owner may be one of the judges.
            own_assignment |= {"kind": None, "grade": None, "note": "", "suggestion": None}
            own_assignment |= {
                "grades": list(disagreement.grades),
                "notes": list(disagreement.notes),
            }
            shown.append({**own_assignment, "decision": disagreement.decision})
        return {"count": len(decisions), "documents": shown}

    def adjudicate(self, owner: str, values: dict[str, Any]) -> dict[str, Any]:
        """Record the final grade of a document, request one more judge, or undo that."""
        kind = values.get("kind")
        if kind not in (Kind.ADJUDICATE, Kind.REOPEN, Kind.UNDO_DECISION):
            raise ParameterError(where="kind", found=repr(kind)[:80], expected="a decision")
        if not isinstance(values.get("client_id"), str):
            raise ParameterError(where="client_id", found="none", expected="a unique id")
        self._session.record(
            kind,
            owner,
            values.get("query_id", ""),
            values.get("doc_id", ""),
            grade=values.get("grade"),
            client_id=values["client_id"],
        )
        return self.disagreements(owner, values)

    # --- people ---------------------------------------------------------------------------------

    def people(self, owner: str, values: dict[str, Any]) -> dict[str, Any]:
        """Return the people with their roles and number of browsers."""
        return {
            "people": [
                {"name": name, "role": role, "browsers": browsers}
                for name, (role, browsers) in self._access.people().items()
            ]
        }

    def link(self, owner: str, values: dict[str, Any]) -> dict[str, Any]:
        """Return a new address of a person, and its QR code as lines of 0 and 1."""
        address = f"{self._address}#{self._access.issue(str(values.get('name')))}"
        code = load_package("segno", where="QR codes", extra="judge").make(address, micro=False)
        stream = io.StringIO()
        code.save(stream, kind="txt", border=2)
        return {"address": address, "code": stream.getvalue().split()}

    def revoke(self, owner: str, values: dict[str, Any]) -> dict[str, Any]:
        """Sign a person out of all browsers."""
        name = str(values.get("name"))
        if name == owner:
            raise ParameterError("you cannot sign yourself out here", where="name")
        self._access.revoke(name)
        return self.people(owner, {})


def _describe_agreement(found: JudgmentQuality) -> dict[str, Any]:
    alpha = found.alpha
    return {
        "alpha": alpha and alpha.to_dict(),
        "documents": alpha.documents if alpha is not None else 0,
        "raters": [{**rater.to_dict(), "name": rater.name} for rater in found.raters],
        "pairs": [pair.to_dict() for pair in found.pairs],
    }


def _describe_effect(effect: Effect) -> dict[str, Any]:
    return {
        "measure": effect.measure,
        "sentence": effect.sentence,
        "advice": ADVICE,
        "contests": [
            {**contest.to_dict(), "text": contest.verdict_text, "settling": count}
            for contest, count in zip_longest(effect.contests, effect.settling)
        ],
    }
