"""Labels by a language model: their rows in files."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from os.path import splitext
from statistics import median_low
from typing import Any

from gainful.judging.evidence import AUDIT
from gainful.judging.llm.answers import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gainful.judging.llm.answers import Reading
    from gainful.judging.llm.calls import Asking, Call, Item

__all__ = ["Kept", "ModelLabel", "audit_file", "combine"]


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer from the journal.

    Attributes
    ----------
    call : Call
        The request.
    reading : Reading
        The answer.
    parameters : mapping
        The parameters that the server accepted.
    at : float
        When it arrived, in seconds since 1970.
    """

    call: Call
    reading: Reading
    parameters: Mapping[str, Any]
    at: float


@dataclass(frozen=True, slots=True)
class ModelLabel:
    """The label of a document by a language model.

    Attributes
    ----------
    query_id, doc_id : str
        The query and the document.
    grade : float or None
        The grade; None without one.
    outcome : Outcome
        `Outcome.GRADE`, or why there is no grade.
    version : str
        The model's version, as the server returned it.
    time : str
        When the last answer arrived, as ISO 8601 in UTC.
    answers : tuple of dict
        All answers: text, outcome, grade, the grades of criteria, finish reason, part of the
        document, vote, attempt, and whatever else the server returned.
    parameters : dict
        The parameters that the server accepted.
    characters : int
        The length of the document.
    cut : bool
        Whether the model did not read all of it.
    injection : str
        The name of the instruction that was injected into the document; empty for a label.
    """

    query_id: str
    doc_id: str
    grade: float | None
    outcome: Outcome
    version: str
    time: str
    answers: tuple[dict[str, Any], ...]
    parameters: dict[str, Any]
    characters: int
    cut: bool
    injection: str = ""


def audit_file(path: str) -> str:
    """Return the name of the file with the answers that are not labels.

    Examples
    --------
    >>> audit_file("labels.jsonl")
    'labels.audit.jsonl'
    """
    return splitext(path)[0] + AUDIT


def combine(
    item: Item, kept: Sequence[Kept], votes: int, *, expected_grade: bool
) -> ModelLabel | None:
    """Return the label of a document from its answers; None if one is missing.

    The grade of a vote is the highest of the document's parts. The grade of the document is the
    lower median of the votes, if more than half of them are grades.
    """
    last: dict[tuple[int, int], Kept] = {}
    for each in sorted(kept, key=lambda each: each.call.attempt):
        last[each.call.vote, each.call.part] = each
    if len(last) < votes * len(item.parts):
        return None
    grades = []
    for vote in range(votes):
        parts = [last[vote, part].reading for part in range(len(item.parts))]
        values = [
            each.expected if expected_grade and each.expected is not None else each.grade
            for each in parts
        ]
        numbers = [value for value in values if value is not None]
        # The highest grade of the parts is unknown if one has none.
        if len(numbers) == len(values):
            grades.append(max(numbers))
    final = median_low(grades) if 2 * len(grades) > votes else None
    missing = [each.reading.outcome for each in last.values() if each.reading.grade is None]
    newest = max(kept, key=lambda each: each.at)
    return ModelLabel(
        query_id=item.query_id,
        doc_id=item.doc_id,
        grade=None if final is None else float(final),
        outcome=Outcome.GRADE if final is not None else missing[0],
        version=newest.reading.model,
        time=_time(newest.at),
        answers=tuple(_answer(each) for each in sorted(kept, key=lambda each: each.call)),
        parameters=dict(newest.parameters),
        characters=item.characters,
        cut=item.cut,
        injection=item.injection,
    )


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _answer(kept: Kept) -> dict[str, Any]:
    reading, call = kept.reading, kept.call
    row: dict[str, Any] = {
        "text": reading.text,
        "outcome": reading.outcome.value,
        "grade": reading.grade,
        "finish": reading.finish,
        "part": call.part,
        "vote": call.vote,
        "attempt": call.attempt,
        "time": _time(kept.at),
    }
    if reading.usage is not None:
        row["tokens"] = list(reading.usage)
    if reading.criteria:
        row["criteria"] = reading.criteria
    if reading.expected is not None:
        row["expected"] = reading.expected
    if reading.fingerprint:
        row["fingerprint"] = reading.fingerprint
    return row


def row_of(label: ModelLabel, asking: Asking) -> dict[str, Any]:
    """Return a label as a line of a file, which is a label by a rater of the kind model."""
    grade = label.grade
    row: dict[str, Any] = {
        "query_id": label.query_id,
        "doc_id": label.doc_id,
        "grade": int(grade) if grade is not None and grade.is_integer() else grade,
        "source": "model",
        "model": asking.model,
        "version": label.version,
        "prompt": asking.prompt.name,
        "prompt_hash": asking.prompt.hash,
        "parameters": label.parameters,
        "time": label.time,
        "characters": label.characters,
        "cut": label.cut,
        "outcome": label.outcome.value,
        "answers": list(label.answers),
    }
    examples = [[each.query_id, each.doc_id] for each in asking.prompt.examples if each.doc_id]
    if examples:
        row["examples"] = examples
    if label.injection:
        row["injection"] = label.injection
        row["demanded"] = asking.prompt.scale[-1]
    return row
