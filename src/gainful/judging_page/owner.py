"""What an owner's page requests: progress, agreement, disagreements, people."""

from __future__ import annotations

import io
import os
from itertools import zip_longest
from tempfile import TemporaryDirectory
from threading import Lock

from gainful.errors import GainfulError, ParameterError
from gainful.extras import load_package
from gainful.judging import Kind, assess_judgments
from gainful.judging_page.documents import describe_assignment
from gainful.pooling.continuing import ADVICE, effect_of_labels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from gainful.judging import JudgmentQuality
    from gainful.judging_page.access import Access
    from gainful.judging_page.site import Site
    from gainful.pooling.continuing import Effect

__all__ = ["OwnerRequests"]

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
_MOST = 20


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
        """Return name and content of an exported file, or of a backup of the session.

        Raises
        ------
        ParameterError
            For an unknown format.
        """
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
        for disagreement in decisions[:_MOST]:
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
