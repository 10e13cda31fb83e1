"""Read a model's answer: a grade in its place, or why it is none."""

from __future__ import annotations

import re
from enum import StrEnum
from math import exp
from typing import Any, NamedTuple

from gainful.data.records import strict_json_prefix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.judging.llm.prompt import Prompt

__all__ = ["Outcome", "Reading", "Usage", "read_answer"]

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


class Usage(NamedTuple):
    """The tokens of an answer, as the server counted them.

    Attributes
    ----------
    prompt, output : int
        The number of tokens of the prompt and of the answer.
    """

    prompt: int
    output: int


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

    Parameters
    ----------
    body : object
        The parsed JSON of a chat completion.
    prompt : Prompt
        The prompt, with the scale.

    Raises
    ------
    ValueError
        If it is not a chat completion.

    Examples
    --------
    >>> from gainful.judging.llm.prompt import load_prompt
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
        parts = [each.get("text", "") for each in content if isinstance(each, dict)]
        return "".join(each for each in parts if isinstance(each, str))
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
    start, at = places[-1].start(1), 0
    written = places[-1][1]
    try:
        for each in tokens:
            at += len(each["token"])
            if at > start:
                break
        if each["token"].strip() != written:
            return None
        weights: dict[int, float] = {}
        for other in each["top_logprobs"]:
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
