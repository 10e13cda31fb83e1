"""The events of a judging session, and the scale of their grades."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from time import time
from typing import NamedTuple
from uuid import uuid4

from gainful.errors import ParameterError
from gainful.numerals import parse_number

__all__ = ["ANSWERS", "DECISIONS", "UNDOS", "Event", "Kind", "Scale", "check_name", "new_event"]


@dataclass(frozen=True, slots=True)
class Scale:
    """The possible grades, from the lowest to the highest.

    Attributes
    ----------
    names : dict of float to str
        The name of each grade.

    Examples
    --------
    >>> scale = Scale.parse("0=irrelevant,1=related,2=perfect")
    >>> list(scale.names), scale.names[2.0]
    ([0.0, 1.0, 2.0], 'perfect')
    >>> str(scale)
    '0=irrelevant,1=related,2=perfect'
    """

    names: dict[float, str]

    @classmethod
    def parse(cls, text: str) -> Scale:
        """Parse ``GRADE=NAME,GRADE=NAME``; a name may be omitted."""
        names: dict[float, str] = {}
        for part in text.split(","):
            number, _, name = part.partition("=")
            grade = _grade(number, text)
            if grade in names:
                raise _error(text, f"the grade {number.strip()} once")
            names[grade] = name.strip() or number.strip()
        if len(names) < 2:
            raise _error(text, "two or more grades")
        return cls(dict(sorted(names.items())))

    def check(self, grade: object) -> float:
        """Return a grade as a number."""
        if isinstance(grade, bool) or not isinstance(grade, (int, float)) or grade not in self:
            raise ParameterError(where="grade", found=repr(grade), expected=f"one of {self.known}")
        return float(grade)

    @property
    def known(self) -> str:
        """The grades as text."""
        return ", ".join(f"{grade:g}" for grade in self.names)

    def __contains__(self, grade: float) -> bool:
        return grade in self.names

    def __str__(self) -> str:
        return ",".join(f"{grade:.17g}={name}" for grade, name in self.names.items())


def _grade(number: str, text: str) -> float:
    try:
        grade = parse_number(number)
    except ValueError:
        grade = float("nan")
    if not abs(grade) < 2**53:
        raise _error(text, "numbers as grades")
    return grade


def _error(text: str, expected: str) -> ParameterError:
    return ParameterError(
        where="scale",
        found=repr(text),
        expected=expected,
        hint="for example ⟪scale=0=irrelevant,1=related,2=good⟫",
    )


class Kind(StrEnum):
    """What an event does.

    Attributes
    ----------
    GRADE
        A judge grades a document.
    CANNOT_JUDGE
        A judge cannot grade a document, for instance because its text is missing.
    SKIP
        A judge grades a document later.
    NOTE
        A judge writes a note about a document, or what a good answer to a query is.
    QUERY_UNCLEAR
        A judge does not understand a query, and gets no further documents of it.
    UNDO
        A judge takes back the last event that is neither undone nor a decision.
    WITHDRAW
        Takes back the current answer of a judge for a document, such as "later".
    ADJUDICATE
        The final grade of a document.
    REOPEN
        Withdraws the final grade of a document and requests one more judge; without a document,
        withdraws the marks of a query as unclear.
    UNDO_DECISION
        An adjudicator takes back the last `ADJUDICATE` or `REOPEN` that is not undone.
    PRACTICE
        A judge grades a practice document, which is not a label and cannot be undone.
    PREFER
        A judge compares a document with the one whose id is the text: the grade is 1 if the first
        is better, -1 if the second is, and 0 for a tie.
    """

    GRADE = "grade"
    CANNOT_JUDGE = "cannot-judge"
    SKIP = "skip"
    NOTE = "note"
    QUERY_UNCLEAR = "query-unclear"
    UNDO = "undo"
    WITHDRAW = "withdraw"
    ADJUDICATE = "adjudicate"
    REOPEN = "reopen"
    UNDO_DECISION = "undo-decision"
    PRACTICE = "practice"
    PREFER = "prefer"


#: The kinds that answer the question for a grade, also provisionally.
ANSWERS = frozenset({Kind.GRADE, Kind.CANNOT_JUDGE, Kind.SKIP})


#: The kinds of an adjudicator, who may also be a judge: each has an undo of its own.
DECISIONS = frozenset({Kind.ADJUDICATE, Kind.REOPEN})


#: The kinds that take back another event.
UNDOS = frozenset({Kind.UNDO, Kind.WITHDRAW, Kind.UNDO_DECISION})


class Event(NamedTuple):
    """An entry of the journal.

    Attributes
    ----------
    number : int
        Its position in the journal, from 1.
    client_id : str
        The unique id, chosen by the client.
    kind : Kind
        What it does.
    judge : str
        The name of the judge.
    query_id, doc_id : str
        The query and the document; empty if it is not about one.
    grade : float or None
        The grade of `GRADE`, `ADJUDICATE` and `PRACTICE`; the answer of `PREFER`.
    text : str
        The text of a `NOTE`; for an undo and a withdrawal the client id of the event that is taken
        back; for `PREFER` the second document.
    time : float
        When it was recorded, in seconds since 1970.
    seconds : float or None
        How long the judge took.
    guidelines : str
        The version of the guidelines.
    """

    number: int
    client_id: str
    kind: Kind
    judge: str
    query_id: str
    doc_id: str
    grade: float | None
    text: str
    time: float
    seconds: float | None
    guidelines: str

    @property
    def request(self) -> tuple[object, ...]:
        """What the client requested, which is equal if it sends the event again."""
        document = () if self.kind in UNDOS else (self.query_id, self.doc_id, self.text)
        return (self.kind, self.judge, self.grade, self.seconds, *document)


def check_name(where: str, name: object) -> str:
    """Return a name or id of 1 to 200 characters."""
    if not isinstance(name, str) or not 0 < len(name) <= 200 or not name.isprintable():
        raise ParameterError(
            where=where, found=repr(name)[:80], expected="1 to 200 printable characters"
        )
    return name


def new_event(
    kind: Kind | str,
    judge: str,
    query: str,
    document: str,
    *,
    grade: float | None,
    scale: Scale,
    text: str,
    seconds: float | None,
    client_id: str | None,
    guidelines: str,
) -> Event:
    """Return an event without a number, after checking what does not depend on the state."""
    try:
        kind = Kind(kind)
    except ValueError:
        known = ", ".join(kind.value for kind in Kind)
        raise ParameterError(
            where="kind", found=repr(kind)[:80], expected=f"one of {known}"
        ) from None
    for where, value in (("query", query), ("document", document)):
        if not isinstance(value, str):
            raise ParameterError(where=where, found=repr(value)[:80], expected="an id as text")
    if kind in (Kind.GRADE, Kind.ADJUDICATE, Kind.PRACTICE):
        grade = scale.check(grade)
    elif kind is Kind.PREFER:
        grade = _check_preference(grade)
    elif grade is not None:
        raise ParameterError(where="grade", found=f"a grade of {kind.value}", expected="none")
    if kind not in (Kind.NOTE, Kind.PREFER, Kind.WITHDRAW) and text:
        raise ParameterError(where="text", found=f"a text of {kind.value}", expected="none")
    return Event(
        number=0,
        client_id=check_name("client_id", uuid4().hex if client_id is None else client_id),
        kind=kind,
        judge=check_name("judge", judge),
        query_id=query,
        doc_id=document,
        grade=grade,
        text=_check_text(text),
        time=time(),
        seconds=_check_seconds(seconds),
        guidelines=guidelines,
    )


def _check_preference(answer: object) -> float:
    if isinstance(answer, bool) or answer not in (-1, 0, 1):
        raise ParameterError(where="grade", found=repr(answer)[:80], expected="-1, 0 or 1")
    return float(answer)


def _check_text(text: object) -> str:
    if not isinstance(text, str) or len(text) > 100_000:
        raise ParameterError(
            where="text", found=repr(text)[:80], expected="at most 100,000 characters"
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ParameterError(
            where="text", found="half of a surrogate pair", expected="valid Unicode"
        ) from None
    return text


def _check_seconds(seconds: object) -> float | None:
    if seconds is None:
        return None
    try:
        number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
        if number and isfinite(seconds) and seconds >= 0:  # type: ignore[arg-type, operator]
            return float(seconds)  # type: ignore[arg-type]
    except OverflowError:
        pass
    raise ParameterError(
        where="seconds", found=repr(seconds)[:80], expected="a number of 0 or more"
    )
