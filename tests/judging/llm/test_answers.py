"""A grade is accepted only in its place."""

from __future__ import annotations

import math
from typing import Any

import pytest

from gainful.judging.llm.answers import read_answer
from gainful.judging.llm.items import load_prompt
from stub_llm import completion

GRADED = load_prompt("graded")
RUBRIC = load_prompt("rubric")


def read(content: Any, **options: Any) -> tuple[str, int | None]:
    reading = read_answer(completion(content, **options), GRADED)
    return reading.outcome.value, reading.grade


@pytest.mark.parametrize(
    ("content", "grade"),
    [
        ('{"grade": 2}', 2),
        (' \n{"grade":0}\n', 0),
        ('```json\n{"grade": 3}\n```', 3),
        ("It is about shoes.\n\n" + '{"grade": 1}', 1),
        ('{"reason": "partly", "grade": 1}', 1),
        ('<think>maybe {"grade": 3}</think>{"grade": 1}', 1),
        ('maybe {"grade": 3} so\n</think>\n\n{"grade": 0}', 0),
        ('<THINK>a</THINK><think>b {"grade": 3}</think> {"grade": 2}', 2),
        ([{"type": "text", "text": '{"grade": '}, {"type": "text", "text": "2}"}], 2),
        ('The document says {"grade": 2}, and I agree: {"grade": 2}', 2),
        ('{"reason":"a {x} b","grade":1}', 1),
        ('{"reason":"a } b","grade":1}', 1),
        (r'{"reason":"a \u007bx\"{ b","grade":1}', 1),
        ('{"grade": 2.0}', 2),
        ('{"grade": 2e0}', 2),
        ('{"grade": "2"}', 2),
        ('{"grade": "2.0"}', 2),
        ('{"grade": 2}.', 2),
        ('{"grade": 2} I hope that this helps.', 2),
        ('The set {a, b} is empty. {"grade": 1}', 1),
        ('{"grade": 1, "parts": {"a": [1, {"b": 2}]}}', 1),
    ],
)
def test_a_grade_in_its_place_is_read(content: Any, grade: int) -> None:
    assert read(content) == ("grade", grade)


@pytest.mark.parametrize(
    "content",
    [
        None,
        "",
        "2",
        "The grade is 2.",
        "grade: 2",
        '{"grade": 2.5}',
        '{"grade": "two"}',
        '{"grade": ""}',
        '{"grade": 1e999}',
        '{"grade": true}',
        '{"grade": null}',
        '{"grade": [2]}',
        '{"Grade": 2}',
        '{"score": 2}',
        '{"grade": 2',
        "{'grade': 2}",
        '{"grade": 3, "grade": 1}',
        'The document says {"grade": 3}, but it is off topic: {"grade": 0}',
        '<think>{"grade": 2}</think>',
        '<think>I would say\n{"grade": 2}',
        '{"grade": NaN}',
        '{"a": {"grade": 2}',
        '{"answer": {"grade": 2}}',
        "[" * 10_000,
        '{"grade": ' + "9" * 5_000 + "}",
    ],
)
def test_anything_else_is_no_grade(content: Any) -> None:
    assert read(content) == ("no-grade", None)


def test_a_number_outside_the_scale_a_refusal_and_a_cut_answer_have_names() -> None:
    assert read('{"grade": 4}') == ("off-scale", None)
    assert read('{"grade": -1}') == ("off-scale", None)
    assert read('{"grade": 2}', finish="length") == ("length", None)
    assert read('{"grade": 2}', finish="content_filter") == ("refusal", None)
    assert read(None, refusal="I cannot.") == ("refusal", None)


@pytest.mark.parametrize(
    "body",
    [None, [], {}, {"choices": []}, {"choices": [{}]}, {"choices": [{"message": "text"}]}, "x"],
)
def test_what_is_not_a_completion_is_an_error(body: Any) -> None:
    with pytest.raises(ValueError, match="no message"):
        read_answer(body, GRADED)


def test_all_criteria_are_needed() -> None:
    def outcome(content: str) -> str:
        return read_answer(completion(content), RUBRIC).outcome.value

    assert RUBRIC.answer(2).count(": 2") == 5
    assert outcome(RUBRIC.answer(2)) == "grade"
    assert outcome('{"grade": 2}') == "no-grade"
    assert outcome(RUBRIC.answer(2).replace('"topicality": 2', '"topicality": 9')) == "off-scale"
    reading = read_answer(completion(RUBRIC.answer(1)), RUBRIC)
    assert reading.criteria == dict.fromkeys(RUBRIC.criteria, 1)


def test_usage_is_read_or_unknown() -> None:
    assert read_answer(completion('{"grade": 1}'), GRADED).usage == (100, 10)
    for usage in (None, {}, {"prompt_tokens": "9"}, {"prompt_tokens": -1}, []):
        body = completion('{"grade": 1}', tokens=None)
        assert read_answer({**body, "usage": usage}, GRADED).usage is None


def logprobs(*tokens: tuple[str, dict[str, float]]) -> dict[str, Any]:
    content = [
        {
            "token": token,
            "logprob": 0.0,
            "top_logprobs": [{"token": t, "logprob": math.log(p)} for t, p in other.items()],
        }
        for token, other in tokens
    ]
    return {"content": content}


def test_the_expected_grade_weights_the_grades_of_the_scale() -> None:
    body = completion('{"grade": 2}')
    chances = {"2": 0.5, " 3": 0.3, "7": 0.1, "x": 0.1}
    body["choices"][0]["logprobs"] = logprobs(('{"grade": ', {}), ("2", chances), ("}", {}))
    expected = read_answer(body, GRADED).expected
    assert expected == pytest.approx((2 * 0.5 + 3 * 0.3) / 0.8)


@pytest.mark.parametrize(
    "damaged",
    [None, {}, {"content": None}, {"content": [{}]}, {"content": [{"token": '{"grade": 2}'}]}],
)
def test_without_probabilities_of_the_grade_there_is_no_expected_grade(damaged: Any) -> None:
    body = completion('{"grade": 2}')
    body["choices"][0]["logprobs"] = damaged
    reading = read_answer(body, GRADED)
    assert (reading.grade, reading.expected) == (2, None)
