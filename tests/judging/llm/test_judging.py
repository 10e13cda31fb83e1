"""Grading a pool with a language model: a stub server, faults, interruptions."""

from __future__ import annotations

import json
import random
import threading
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.errors import ArgumentError, FormatError, GainfulError, NoAnswerError, ParameterError
from http_faults import Asked, answering, serving
from requirements import need
from stub_llm import DOCS, POOL, QUERIES, completion, document_of, grade_of, grading, judge

need("aiohttp")


@pytest.fixture(autouse=True)
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gainful.systems.fetching.base.FIRST_WAIT", 0.001)


def test_every_document_gets_the_grade_of_the_answer() -> None:
    with serving(grading()) as server:
        found = judge(server)
    assert {(each.query_id, each.doc_id) for each in found.labels} == set(POOL)
    assert all(each.grade == grade_of(DOCS[each.doc_id]) for each in found.labels)
    assert found.account is not None
    assert (found.account.answered, found.account.reused) == (100, 0)
    assert (found.account.prompt_tokens, found.account.output_tokens) == (10_000, 1_000)
    assert found.labels[0].version == "stub-2025-01-01"


def test_requests_have_fixed_text_first_random_order_and_neither_rank_nor_system() -> None:
    with serving(grading()) as server:
        judge(server, workers=1)
    bodies = [each.json for each in server.asked]
    assert len({body["messages"][0]["content"] for body in bodies}) == 1
    assert [document_of(body) for body in bodies] != [DOCS[d] for _, d in POOL]
    assert all(body["temperature"] == 0 for body in bodies)
    assert server.asked[0].target == "/v1/chat/completions"
    assert not any("bm25" in json.dumps(body) or "q1" in json.dumps(body) for body in bodies)


def test_all_faults_that_pass_are_retried_and_no_answer_is_guessed() -> None:
    chance = random.Random(3)
    faults: list[bytes | Iterator[bytes] | None] = [
        answering({"error": {"message": "slow down"}}, status=429, Retry_After="0"),
        answering("oops", status=500),
        answering("", status=503),
        answering(completion('{"grade": 1}'))[:-9],
        answering('{"choices": [{"message": {"content": "{\\"grade\\": 1}'),
        answering({"choices": []}),
        answering({"object": "list"}),
        answering("<html>busy</html>", kind="text/html"),
        answering(completion(None, refusal="I cannot assess this.")),
        answering(completion('{"grade": 1', finish="length")),
        answering(completion("The grade is 2.")),
        answering(completion('{"grade": 7}')),
        answering(completion('{"relevance": 2}')),
        answering(completion("", finish="content_filter")),
        None,
    ]
    good = grading()

    def behave(asked: Asked, number: int) -> Any:
        return chance.choice(faults) if chance.random() < 0.3 else good(asked, number)

    with serving(behave) as server:
        found = judge(server, attempts=20)
    assert len(found.graded) == len(POOL)
    assert all(each.grade == grade_of(DOCS[each.doc_id]) for each in found.labels)
    outcomes = Counter(answer.outcome for each in found.labels for answer in each.answers)
    assert outcomes["grade"] == len(POOL)
    assert set(outcomes) == {"grade", "refusal", "length", "no-grade", "off-scale"}


def test_a_slow_stream_times_out_and_the_document_is_asked_again() -> None:
    good = grading()
    slow = threading.Event()

    def behave(asked: Asked, number: int) -> Any:
        reply = good(asked, number)
        if number:
            return reply

        def drip() -> Iterator[bytes]:
            for byte in reply:
                if slow.wait(0.05):  # short: the pause between two bytes
                    return
                yield bytes([byte])

        return drip()

    with serving(behave) as server:
        found = judge(server, POOL[:3], timeout=0.3)  # short: the first one takes longer
        slow.set()
    assert len(found.graded) == 3
    # The others are repeated, too, if the machine is busy.
    documents = [document_of(request) for request in server.asked]
    assert documents.count(documents[0]) > 1


def test_what_stays_without_a_grade_has_none_and_is_not_among_the_labels(tmp_path: Path) -> None:
    def behave(asked: Asked, number: int) -> bytes:
        grade = grade_of(document_of(asked))
        answer = [
            completion("", finish="length"),
            completion("", refusal="No."),
            completion("Grade: 2"),
            completion('{"grade": 3}'),
        ][grade]
        return answering(answer)

    with serving(behave) as server:
        found = judge(server, POOL[:20], attempts=2)
    assert found.outcomes == {"length": 5, "refusal": 5, "no-grade": 5, "grade": 5}
    assert len(server.asked) == 35
    found.write(tmp_path / "labels.jsonl")
    judgments = gainful.read_qrels(tmp_path / "labels.jsonl")
    assert judgments.to_dict() == {"q0": dict.fromkeys(["d3", "d7", "d11", "d15", "d19"], 3)}
    others = (tmp_path / "labels.audit.jsonl").read_text().splitlines()
    assert len(others) == 15
    assert all(json.loads(line)["grade"] is None for line in others)


def test_the_second_attempt_repeats_the_form_and_allows_a_longer_answer() -> None:
    with serving(answering(completion("hm"))) as server, pytest.raises(GainfulError):
        judge(server, POOL[:1], attempts=2).qrels()
    first, second = (each.json for each in server.asked)
    assert second["max_tokens"] == 2 * first["max_tokens"]
    assert second["messages"][0] == first["messages"][0]
    assert second["messages"][-1]["content"].startswith(first["messages"][-1]["content"])


def test_labels_are_read_as_a_rater_of_the_kind_model(tmp_path: Path) -> None:
    with serving(grading()) as server:
        found = judge(server, POOL[:20])
    found.write(tmp_path / "labels.jsonl")
    row = json.loads((tmp_path / "labels.jsonl").read_text().splitlines()[0])
    assert row["model"] == "stub"
    assert row["version"] == "stub-2025-01-01"
    assert row["prompt_hash"] == gainful.judging.load_prompt("graded").hash
    assert row["answers"][0]["text"] == json.dumps({"grade": row["grade"]})
    assert row["time"].endswith("+00:00")
    (rater,) = gainful.read_ratings({"llm": tmp_path / "labels.jsonl"}).raters
    assert (rater.name, rater.source.kind, rater.source.model) == ("llm", "model", "stub")
    assert rater.source.version == "stub-2025-01-01"


def test_nothing_is_asked_again_with_the_journal(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    with serving(grading()) as server:
        judge(server, POOL[:30], journal=journal)
        asked = len(server.asked)
        again = judge(server, POOL[:30], journal=journal)
        assert len(server.asked) == asked
        assert again.account is not None
        assert again.account.reused == 30
        judge(server, POOL[:32], journal=journal)
        assert len(server.asked) == asked + 2
        judge(server, POOL[:30], journal=journal, prompt="binary", attempts=1)
        assert len(server.asked) == asked + 32
        judge(server, POOL[:30], journal=journal, param={"top_p": 0.5})
        assert len(server.asked) == asked + 62


def test_the_key_is_sent_and_neither_stored_nor_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUB_KEY", "sk-s3cret-1234")

    def behave(asked: Asked, number: int) -> bytes:
        return answering({"error": "bad key sk-s3cret-1234"}, status=401)

    journal = tmp_path / "journal"
    with serving(behave) as server, pytest.raises(NoAnswerError) as caught:
        judge(server, POOL[:30], journal=journal, key_variable="STUB_KEY")
    assert server.asked[0].headers["authorization"] == "Bearer sk-s3cret-1234"
    assert "s3cret" not in str(caught.value)
    assert all(b"s3cret" not in file.read_bytes() for file in tmp_path.iterdir())
    # It stops once it is clear that nothing will be answered.
    assert len(server.asked) <= 28


@pytest.mark.parametrize("form", [str, str.upper, lambda key: b64encode(key.encode()).decode()])
def test_a_key_that_an_answer_repeats_is_masked_in_labels_audit_and_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: Callable[[str], str]
) -> None:
    monkeypatch.setenv("STUB_KEY", "sk-s3cret-1234")

    def behave(asked: Asked, number: int) -> bytes:
        echo = form(asked.headers["authorization"].split()[1])
        grade = grade_of(document_of(asked))
        body = completion(f'{echo} {{"grade": {grade}}}', reasoning_content=echo)
        return answering({**body, "headers": {"Authorization": echo}})

    with serving(behave) as server:
        judged = judge(server, POOL[:3], journal=tmp_path / "journal", key_variable="STUB_KEY")
    judged.write(tmp_path / "labels.jsonl")
    assert len(judged.graded) == 3
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"***" in written
    assert form("sk-s3cret-1234").encode() not in written


@pytest.mark.parametrize(
    "options",
    [
        {"url": "ftp://x/v1"},
        {"url": "http://user:pw@localhost/v1"},
        {"url": "http://localhost/v1?key=1"},
        {"url": "localhost:8000"},
        {"key_variable": "sk-1234"},
        {"key_variable": "NO_SUCH_VARIABLE_HERE"},
        {"model": ""},
        {"votes": 0},
        {"attempts": 0},
        {"long": "tail"},
        {"budget": 1.0},
        {"price": (1.0,)},
        {"price": (1.0, -1.0)},
        {"param": {"messages": []}},
        {"param": {"x": float("nan")}},
        {"injections": 101},
        {"injections": -1},
        {"tokens_per_minute": 0},
        {"timeout": 0},
        {"prompt": "no-such-prompt"},
    ],
)
def test_invalid_arguments_are_refused_before_anything_is_sent(options: dict[str, Any]) -> None:
    with serving(grading()) as server, pytest.raises(GainfulError):
        judge(server, **options)
    assert server.asked == []


@pytest.mark.parametrize("pool", [[], [("q9", "d1")]])
def test_a_pool_without_documents_or_texts_is_refused(pool: list[tuple[str, str]]) -> None:
    with serving(grading()) as server, pytest.raises(FormatError):
        judge(server, pool)


def test_documents_without_a_text_are_reported_and_not_sent() -> None:
    with serving(grading()) as server:
        found = judge(server, [("q1", "d1"), ("q1", "missing")])
    assert found.plan.without_text == (("q1", "missing"),)
    assert len(server.asked) == 1


def test_another_host_gets_nothing_without_consent() -> None:
    with pytest.raises(ParameterError, match="would be sent to https://judge.invalid/v1"):
        gainful.judge_llm(POOL, QUERIES, DOCS, url="https://judge.invalid/v1", model="m")
    seen = []

    def refuse(plan: gainful.judging.JudgingPlan, server: str) -> bool:
        seen.append((plan.documents, server))
        return False

    with pytest.raises(ParameterError):
        gainful.judge_llm(
            POOL, QUERIES, DOCS, url="https://judge.invalid/v1", model="m", confirm=refuse
        )
    assert seen == [(100, "https://judge.invalid/v1")]


def test_a_dry_run_counts_and_sends_nothing() -> None:
    with serving(grading()) as server:
        found = judge(server, votes=3, dry_run=True, injections=10)
    assert server.asked == []
    assert (found.plan.documents, found.plan.injections, found.plan.requests) == (100, 10, 330)
    assert found.plan.prompt_tokens > 330 * 200
    assert found.account is None
    assert found.plan.most_cost is None


def test_a_dry_run_needs_neither_address_nor_model_and_bounds_the_cost() -> None:
    found = gainful.judge_llm(POOL, QUERIES, DOCS, dry_run=True, price=(2, 10))
    plan = found.plan
    assert plan.most_cost == (2 * plan.prompt_tokens + 10 * plan.most_output_tokens) / 1e6
    assert str(found).startswith("prompt graded")
    assert "cost of one attempt, at most" in str(found)


def test_requests_need_an_address_and_a_model() -> None:
    with pytest.raises(ArgumentError, match="needs url= and model="):
        gainful.judge_llm(POOL, QUERIES, DOCS, url="http://localhost:8000/v1")
