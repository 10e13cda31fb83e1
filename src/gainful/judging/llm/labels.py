"""Labels by a language model, which are also the rows of files."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from os.path import splitext
from statistics import median_low
from typing import Any

from gainful.judging.cells import grade_value
from gainful.judging.llm.answers import Outcome
from gainful.judging.source import AUDIT
from gainful.records import Record, derived, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gainful.judging.llm.answers import Reading
    from gainful.judging.llm.calls import Asking, Call, Item

__all__ = ["Kept", "ModelAnswer", "ModelLabel", "audit_file", "combine"]

_COUNT = {"minimum": 0}
_OUTCOMES = {"enum": [outcome.value for outcome in Outcome]}


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


class ModelAnswer(Record):
    """An answer of the model."""

    text: str
    """The raw answer."""
    outcome: str = field(json=_OUTCOMES)
    """``grade``, or why there is no grade."""
    grade: int | None
    """The grade; None without one."""
    finish: str
    """The server's finish reason."""
    part: int = field(json=_COUNT)
    """The number of the part of the document, from 0."""
    vote: int = field(json=_COUNT)
    """The number of the vote, from 0."""
    attempt: int = field(json=_COUNT)
    """How often the same was asked before without a grade."""
    time: str
    """When it arrived, as ISO 8601 in UTC."""
    tokens: tuple[int, int] | None = field(optional=True)
    """The tokens of the prompt and of the answer; None if the server does not count them."""
    criteria: dict[str, int] | None = field(optional=True)
    """The grades of the criteria; None without any."""
    expected: float | None = field(optional=True)
    """The mean of the grades weighted by the model's probabilities; None if unknown."""
    fingerprint: str | None = field(optional=True)
    """The version of the server's system; None if unknown."""


class ModelLabel(Record):
    """The label of a document by a language model: also a line of the file of labels."""

    query_id: str
    """The query."""
    doc_id: str
    """The document."""
    grade: float | None
    """The grade; None without one."""
    source: str = derived(lambda _: "model", json={"const": "model"})
    """The kind of the rater."""
    model: str
    """The requested model."""
    version: str
    """The model's version, as the server returned it."""
    prompt: str
    """The name of the prompt."""
    prompt_hash: str
    """The first 16 hexadecimal digits of the SHA-256 of the prompt."""
    parameters: dict[str, Any]
    """The parameters that the server accepted."""
    time: str
    """When the last answer arrived, as ISO 8601 in UTC."""
    characters: int = field(json=_COUNT)
    """The length of the document."""
    cut: bool
    """Whether the model did not read all of it."""
    outcome: str = field(json=_OUTCOMES)
    """``grade``, or why there is no grade: ``off-scale`` for a number that is not on the scale,
    ``refusal``, ``length`` for an answer that reached its maximum length, or ``no-grade``."""
    answers: tuple[ModelAnswer, ...]
    """All answers."""
    examples: tuple[tuple[str, str], ...] | None = field(optional=True)
    """Query and document of each example in the prompt; None without any."""
    injection: str | None = field(optional=True)
    """The name of the instruction that was injected into the document; None for a label."""
    demanded: int | None = field(optional=True)
    """The grade that the injected instruction demands; None for a label."""

    def to_dict(self) -> dict[str, Any]:
        """Return the label as plain values for JSON; whole grades are integers, as in judgments."""
        grade = None if self.grade is None else grade_value(self.grade)
        return {**super().to_dict(), "grade": grade}


def audit_file(path: str) -> str:
    """Return the name of the file with the answers that are not labels.

    Examples
    --------
    >>> audit_file("labels.jsonl")
    'labels.audit.jsonl'
    """
    return splitext(path)[0] + AUDIT


def combine(
    asking: Asking, item: Item, kept: Sequence[Kept], votes: int, *, expected_grade: bool
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
    examples = [(each.query_id, each.doc_id) for each in asking.prompt.examples if each.doc_id]
    return ModelLabel(
        query_id=item.query_id,
        doc_id=item.doc_id,
        grade=None if final is None else float(final),
        model=asking.model,
        version=newest.reading.model,
        prompt=asking.prompt.name,
        prompt_hash=asking.prompt.hash,
        time=_time(newest.at),
        answers=tuple(_answer(each) for each in sorted(kept, key=lambda each: each.call)),
        parameters=dict(newest.parameters),
        characters=item.characters,
        cut=item.cut,
        outcome=(Outcome.GRADE if final is not None else missing[0]).value,
        examples=tuple(examples) or None,
        injection=item.injection or None,
        demanded=asking.prompt.scale[-1] if item.injection else None,
    )


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _answer(kept: Kept) -> ModelAnswer:
    reading, call = kept.reading, kept.call
    return ModelAnswer(
        text=reading.text,
        outcome=reading.outcome.value,
        grade=reading.grade,
        finish=reading.finish,
        part=call.part,
        vote=call.vote,
        attempt=call.attempt,
        time=_time(kept.at),
        tokens=reading.usage,
        criteria=reading.criteria or None,
        expected=reading.expected,
        fingerprint=reading.fingerprint or None,
    )
