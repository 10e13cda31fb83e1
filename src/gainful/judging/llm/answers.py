"""Read a model's answer: a grade in its place, or why it is none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from math import exp
from os.path import splitext
from statistics import median_low
from typing import Any, NamedTuple

from gainful.data.records import strict_json_prefix
from gainful.errors import ParameterError
from gainful.judging.llm.items import Usage
from gainful.judging.source import AUDIT, grade_value
from gainful.records import Record, derived, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gainful.judging.llm.items import Call, Item, JudgingRequest, Prompt

__all__ = [
    "PILOT",
    "Estimate",
    "Meter",
    "ModelAnswer",
    "ModelLabel",
    "Outcome",
    "StoredAnswer",
    "audit_file",
    "check_price",
    "combine",
    "read_answer",
]


# Models that reason write their thoughts between these, or only the end of them.
_THOUGHTS_END = re.compile(r".*</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_THOUGHTS_START = re.compile(r"<(?:think|thinking|reasoning)>.*", re.DOTALL | re.IGNORECASE)
_PLACE = re.compile(r'"grade"\s*:\s*"?(-?[0-9]+)')
#: A JSON number.
_NUMBER = re.compile(r"-?\d{1,300}(?:\.\d{1,300})?(?:[eE][+-]?\d{1,3})?", re.ASCII)
#: How an object begins, also one that does not end.
_CUT = re.compile(r'\{\s*"[^"]*"\s*:')
#: How many braces of an answer are tried: each of them can begin an object.
_MOST_BRACES = 1_000


class Outcome(StrEnum):
    """What an answer is.

    Attributes
    ----------
    GRADE
        A grade of the scale, in its place.
    OFF_SCALE
        A number that is not on the scale.
    NO_GRADE
        Anything else, such as text without JSON, or two different grades.
    REFUSAL
        The model or the server's filter refuses to answer.
    LENGTH
        The answer was cut because it reached its maximum length.
    """

    GRADE = "grade"
    OFF_SCALE = "off-scale"
    NO_GRADE = "no-grade"
    REFUSAL = "refusal"
    LENGTH = "length"


class Reading(NamedTuple):
    """An answer as it was understood.

    Attributes
    ----------
    outcome : Outcome
        What it is.
    grade : int or None
        The grade, if it is one.
    expected : float or None
        The mean of the grades weighted by the model's probabilities, where the server returns them.
    criteria : dict of str to int
        The grades of the criteria.
    text : str
        The text of the answer, with the thoughts that the server did not remove.
    finish : str
        The server's finish reason.
    model, fingerprint : str
        The version of the model and of the system, as the server returned them.
    usage : Usage or None
        The tokens; None if the server does not count them.
    """

    outcome: Outcome
    grade: int | None
    expected: float | None
    criteria: dict[str, int]
    text: str
    finish: str
    model: str
    fingerprint: str
    usage: Usage | None


def read_answer(body: Any, prompt: Prompt) -> Reading:
    """Read the response of a server.

    Examples
    --------
    >>> from gainful.judging.llm.items import load_prompt
    >>> message = {"content": 'It is about shoes. {"grade": 2}'}
    >>> body = {"choices": [{"message": message, "finish_reason": "stop"}]}
    >>> read_answer(body, load_prompt("graded")).grade
    2
    """
    try:
        choice = body["choices"][0]
        message = choice["message"]
        text = _text(message.get("content"))
    except (LookupError, TypeError, AttributeError):
        raise ValueError("the answer has no message") from None
    finish = str(choice.get("finish_reason") or "")
    outcome, grade, criteria = _outcome(text, finish, message, prompt)
    return Reading(
        outcome=outcome,
        grade=grade,
        expected=None if grade is None else _expected(text, choice, prompt),
        criteria=criteria,
        text=text or str(message.get("refusal") or ""),
        finish=finish,
        model=str(body.get("model") or ""),
        fingerprint=str(body.get("system_fingerprint") or ""),
        usage=_usage(body.get("usage")),
    )


def _text(content: Any) -> str:
    """Return the content of a message, of which some servers make parts."""
    if isinstance(content, list):
        parts = [part.get("text", "") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _outcome(
    text: str, finish: str, message: Any, prompt: Prompt
) -> tuple[Outcome, int | None, dict[str, int]]:
    if finish == "content_filter" or message.get("refusal"):
        return Outcome.REFUSAL, None, {}
    if finish == "length":
        return Outcome.LENGTH, None, {}
    answer = _THOUGHTS_START.sub("", _THOUGHTS_END.sub("", text))
    objects = _objects(answer)
    if not objects or len({_whole_number(values["grade"]) for values in objects}) > 1:
        return Outcome.NO_GRADE, None, {}
    values = objects[-1]
    grade = _whole_number(values["grade"])
    if grade is None:
        return Outcome.NO_GRADE, None, {}
    if grade not in prompt.grades:
        return Outcome.OFF_SCALE, None, {}
    criteria: dict[str, int] = {}
    for name in prompt.criteria:
        value = _whole_number(values.get(name))
        if value is None:
            return Outcome.NO_GRADE, None, {}
        criteria[name] = value
    if any(value not in prompt.grades for value in criteria.values()):
        return Outcome.OFF_SCALE, None, {}
    return Outcome.GRADE, grade, criteria


def _objects(answer: str) -> list[dict[str, Any]]:
    """Return the JSON objects with a grade in a text; none if one of them was cut."""
    objects: list[dict[str, Any]] = []
    start = answer.find("{")
    for _ in range(_MOST_BRACES):
        if start < 0:
            return objects
        try:
            values, end = strict_json_prefix(answer, start)
        except KeyError:
            # Twice the same key: which one counts depends on the reader.
            return []
        except (ValueError, RecursionError):
            if _CUT.match(answer, start):
                # An object that was cut, or has no valid JSON, may contain another one.
                return []
            end = start + 1
        else:
            if "grade" in values:
                objects.append(values)
        start = answer.find("{", end)
    return []


def _whole_number(value: Any) -> int | None:
    """Return a whole number in any JSON form: 2, 2.0, 2e0, "2".

    Examples
    --------
    >>> [_whole_number(value) for value in (2, 2.0, "2", "2.0", 2.5, "two", True, None)]
    [2, 2, 2, 2, None, None, None, None]
    """
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value.strip()):
            return None
        value = float(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if type(value) is int else None


def _expected(text: str, choice: Any, prompt: Prompt) -> float | None:
    """Return the expected grade from the log-probabilities of the grade's token."""
    places = list(_PLACE.finditer(text))
    logprobs = choice.get("logprobs")
    tokens = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not places or not isinstance(tokens, list):
        return None
    start, place = places[-1].start(1), 0
    written = places[-1][1]
    try:
        for token in tokens:
            place += len(token["token"])
            if place > start:
                break
        if token["token"].strip() != written:
            return None
        weights: dict[int, float] = {}
        for other in token["top_logprobs"]:
            word = other["token"].strip()
            if word.isascii() and word.isdigit() and int(word) in prompt.grades:
                weights[int(word)] = weights.get(int(word), 0.0) + exp(min(0.0, other["logprob"]))
    except (LookupError, TypeError, AttributeError, ValueError, UnboundLocalError):
        return None
    total = sum(weights.values())
    return sum(grade * weight for grade, weight in weights.items()) / total if total else None


def _usage(usage: Any) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    counts = (usage.get("prompt_tokens"), usage.get("completion_tokens", 0))
    if any(type(count) is not int or count < 0 for count in counts):
        return None
    return Usage(*counts)  # type: ignore[arg-type]


#: The number of answers after which the cost is estimated.
PILOT = 20

#: Prices are for this many tokens.
_PER = 1_000_000


class Estimate(Record):
    """What all documents will cost, after the first answers."""

    answers: int = field(json={"minimum": 1})
    """The number of answers that it is based on."""
    requests: int = field(json={"minimum": 1})
    """The number of requests in total, if every answer is a grade."""
    prompt: float
    """Tokens per prompt."""
    output: float
    """Tokens per answer."""
    cost: float | None
    """The cost of all requests; None without prices."""


@dataclass
class Meter:
    """The tokens and the cost of the answers so far.

    Attributes
    ----------
    price : pair of float, or None
        The prices of a million tokens of prompts and of answers.
    budget : float or None
        The maximum cost.
    first_guess : Usage
        The tokens of a request before there is any answer.
    most : Usage, optional
        The tokens of a request with the longest possible answer.
    answers, prompt, output : int
        The number of answers and of their tokens.
    largest : float
        The cost of the most expensive answer.
    """

    price: tuple[float, float] | None
    budget: float | None
    first_guess: Usage
    most: Usage | None = None
    answers: int = 0
    prompt: int = 0
    output: int = 0
    largest: float = 0.0

    def add(self, usage: Usage) -> None:
        """Count an answer."""
        self.answers += 1
        self.prompt += usage.prompt
        self.output += usage.output
        self.largest = max(self.largest, self.cost_of(usage) or 0.0)

    def cost_of(self, usage: Usage) -> float | None:
        """Return the cost of some tokens; None without prices."""
        if self.price is None:
            return None
        return (usage.prompt * self.price[0] + usage.output * self.price[1]) / _PER

    @property
    def cost(self) -> float | None:
        """The cost of all answers so far; None without prices."""
        return self.cost_of(Usage(self.prompt, self.output))

    def affords(self, requests: int) -> bool:
        """Return whether the budget is enough for requests like the most expensive one so far."""
        if self.budget is None or self.price is None:
            return True
        cost = self.largest or self.cost_of(self.first_guess) or 0.0
        return (self.cost or 0.0) + requests * cost <= self.budget

    def stopping(self, out: int) -> str:
        """Return why no other request is sent, given the number of those in progress.

        As long as too few answers are known, requests are sent one by one if the longest answers
        to several could exceed the budget.
        """
        if self.affords(out + 1) and (out == 0 or self._is_safe(out + 1)):
            return ""
        return f"not sent: the next answer could exceed the budget of {self.budget:g}"

    def _is_safe(self, requests: int) -> bool:
        if self.budget is None or self.most is None or self.answers >= PILOT:
            return True
        longest = self.cost_of(self.most) or 0.0
        return (self.cost or 0.0) + requests * longest <= self.budget

    def estimate(self, requests: int) -> Estimate | None:
        """Return what a number of requests costs; None without answers."""
        if not self.answers:
            return None
        cost = self.cost
        return Estimate(
            answers=self.answers,
            requests=requests,
            prompt=self.prompt / self.answers,
            output=self.output / self.answers,
            cost=None if cost is None else cost / self.answers * requests,
        )


def check_price(
    price: Sequence[float] | None, budget: float | None
) -> tuple[tuple[float, float] | None, float | None]:
    """Check prices and a budget."""
    if price is not None:
        numbers = tuple(price) if isinstance(price, (tuple, list)) else ()
        if len(numbers) != 2 or not all(_is_amount(number) for number in numbers):
            raise ParameterError(
                where="price",
                found=repr(price),
                expected="the prices of a million prompt tokens and a million output tokens",
            )
        price = (float(numbers[0]), float(numbers[1]))
    if budget is not None:
        if not _is_amount(budget):
            raise ParameterError(where="budget", found=repr(budget), expected="a number from 0")
        if price is None:
            raise ParameterError(
                "a budget needs prices", where="budget", hint="add ⟪price⟫, such as 0.15,0.60"
            )
    return price, budget


def _is_amount(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e12


_OUTCOMES = {"enum": [outcome.value for outcome in Outcome]}


@dataclass(frozen=True, slots=True)
class StoredAnswer:
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
    grade: int | None = field(json={"type": ["integer", "null"]})
    """The grade; None without one."""
    finish: str
    """The server's finish reason."""
    part: int
    """The number of the part of the document, from 0."""
    vote: int
    """The number of the vote, from 0."""
    attempt: int
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
    grade: float | None = field(export=grade_value)
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
    characters: int
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
    demanded: int | None = field(optional=True, json={"type": "integer"})
    """The grade that the injected instruction demands; None for a label."""


def audit_file(path: str) -> str:
    """Return the name of the file with the answers that are not labels.

    Examples
    --------
    >>> audit_file("labels.jsonl")
    'labels.audit.jsonl'
    """
    return splitext(path)[0] + AUDIT


def combine(
    asking: JudgingRequest,
    item: Item,
    kept: Sequence[StoredAnswer],
    votes: int,
    *,
    expected_grade: bool,
) -> ModelLabel | None:
    """Return the label of a document from its answers; None if one is missing.

    The grade of a vote is the highest of the document's parts. The grade of the document is the
    lower median of the votes, if more than half of them are grades.
    """
    last: dict[tuple[int, int], StoredAnswer] = {}
    for answer in sorted(kept, key=lambda known: known.call.attempt):
        last[answer.call.vote, answer.call.part] = answer
    if len(last) < votes * len(item.parts):
        return None
    grades = []
    for vote in range(votes):
        parts = [last[vote, part].reading for part in range(len(item.parts))]
        values = [
            part.expected if expected_grade and part.expected is not None else part.grade
            for part in parts
        ]
        numbers = [value for value in values if value is not None]
        # The highest grade of the parts is unknown if one has none.
        if len(numbers) == len(values):
            grades.append(max(numbers))
    final = median_low(grades) if 2 * len(grades) > votes else None
    missing = [answer.reading.outcome for answer in last.values() if answer.reading.grade is None]
    newest = max(kept, key=lambda answer: answer.at)
    examples = [
        (example.query_id, example.doc_id) for example in asking.prompt.examples if example.doc_id
    ]
    return ModelLabel(
        query_id=item.query_id,
        doc_id=item.doc_id,
        grade=None if final is None else float(final),
        model=asking.model,
        version=newest.reading.model,
        prompt=asking.prompt.name,
        prompt_hash=asking.prompt.hash,
        time=_time(newest.at),
        answers=tuple(_answer(answer) for answer in sorted(kept, key=lambda answer: answer.call)),
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


def _answer(kept: StoredAnswer) -> ModelAnswer:
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
