"""``gainful judge-llm``: the command, killed and resumed, and batches."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import gainful
from awaiting import await_true
from gainful.cli import main
from http_faults import Asked, FaultsServer, answering, serving
from requirements import need
from stub_llm import DOCS, POOL, QUERIES, completion, document_of, grade_of, grading
from warm_process import GAINFUL, running

need("aiohttp")

PROGRAM = f"from gainful.systems.fetching import base; base.FIRST_WAIT = 0.01; {GAINFUL}"


class Done(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gainful.systems.fetching.base.FIRST_WAIT", 0.01)


@pytest.fixture
def program(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    def call(*words: str | Path) -> Done:
        status = main([os.fspath(word) for word in words])
        return Done(status, *capsys.readouterr())

    return call


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [{"query_id": query, "doc_id": document} for query, document in POOL]
    (tmp_path / "pool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "queries.tsv").write_text("".join(f"{q}\t{t}\n" for q, t in QUERIES.items()))
    docs = [{"_id": document, "text": text} for document, text in DOCS.items()]
    (tmp_path / "docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in docs))
    return tmp_path


def words_of(folder: Path, url: str, *more: str) -> list[str]:
    output = () if "-o" in more else ("-o", str(folder / "labels.jsonl"))
    return [
        *("judge-llm", str(folder / "pool.jsonl"), "--queries", str(folder / "queries.tsv")),
        *("--docs", str(folder / "docs.jsonl"), "--url", url, "--model", "stub"),
        *(*output, *more),
    ]


def answers_in(journal: Path) -> int:
    with closing(sqlite3.connect(journal)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM job").fetchone()
    return int(count)


def test_the_command_writes_labels_and_prints_the_account(
    folder: Path, program: Callable[..., Done]
) -> None:
    with serving(grading()) as server:
        done = program(*words_of(folder, server.url, "--price", "10,100", "--injections", "8"))
        assert done.status == 0
        assert "labels.jsonl: 100 labels." in done.err
        assert "After 20 answers: 100 tokens per prompt and 10 per answer" in done.err
        assert "all 108 requests cost about .2160" in done.err.replace("0.2160", ".2160")
        assert "graded" in done.out
        again = program(*words_of(folder, server.url, "--price", "10,100", "--injections", "8"))
        assert len(server.asked) == 108
    assert again.status == 0
    assert gainful.read_qrels(folder / "labels.jsonl").rows == 100


def test_a_dry_run_needs_no_server_and_no_output(
    folder: Path, program: Callable[..., Done]
) -> None:
    words = words_of(folder, "https://judge.invalid/v1", "--dry-run")
    done = program(*words)
    assert (done.status, done.err) == (0, "")
    assert "tokens of prompts, estimated" in done.out
    assert not (folder / "labels.jsonl").exists()
    assert not (folder / "labels.jsonl.journal").exists()


def test_address_and_model_are_needed_to_send(folder: Path, program: Callable[..., Done]) -> None:
    words = [each for each in words_of(folder, "") if each not in ("--url", "", "--model", "stub")]
    done = program(*words)
    assert done.status == 2
    assert "--url and --model" in done.err
    assert "--dry-run" in done.err
    assert program(*words, "--dry-run").status == 0


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([], "--yes"),
        (["--budget", "1"], "--price"),
        (["--price", "1"], "prices"),
        (["--price", "a,b"], "two numbers"),
        (["--param", "x"], "NAME=VALUE"),
        (["--key-variable", "sk-123456"], "not the key itself"),
        (["-o", "-"], "two files"),
        (["--prompt", "no-such.toml"], "no such prompt"),
        (["-o", "."], "is a directory"),
        (["-o", "no-such-folder/labels.jsonl", "--journal", "kept"], "does not exist"),
        (["-o", "pool.jsonl"], "are the same file"),
        (["--journal", "docs.jsonl"], "are the same file"),
    ],
)
def test_bad_words_end_with_one_message(
    more: list[str],
    message: str,
    folder: Path,
    program: Callable[..., Done],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder)
    before = {path.name for path in folder.iterdir()}
    done = program(*words_of(folder, "https://judge.invalid/v1", *more))
    assert done.status == 2
    assert message in done.err
    assert {path.name for path in folder.iterdir()} - before <= {"labels.jsonl.journal", "kept"}
    assert "sk-123456" not in done.err
    assert "Traceback" not in done.err


def test_documents_without_an_answer_are_an_exit_status(
    folder: Path, program: Callable[..., Done]
) -> None:
    good = grading()

    def behave(asked: Asked, number: int) -> bytes:
        return good(asked, number) if number else answering("no", status=400)

    with serving(behave) as server:
        assert program(*words_of(folder, server.url)).status == 3
        assert gainful.read_qrels(folder / "labels.jsonl").rows == 99
        assert program(*words_of(folder, server.url)).status == 0
        assert len(server.asked) == 101


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX")
def test_killed_twice_it_asks_nothing_again_whose_answer_arrived(
    folder: Path, program: Callable[..., Done]
) -> None:
    good = grading()
    most, killed = 40, threading.Event()

    def behave(asked: Asked, number: int) -> bytes | None:
        if number >= most:
            # So that it is killed before the end.
            killed.wait(120)
        if number % 9 == 4:
            return None
        if number % 9 == 7:
            return answering({"error": "slow down"}, status=429, Retry_After="0")
        return good(asked, number)

    journal = folder / "labels.jsonl.journal"
    with serving(behave) as server:
        words = words_of(folder, server.url, "--workers", "2", "--price", "10,100")
        for life in (1, 2):
            with running(PROGRAM, *words) as process:
                await_true(lambda: len(server.asked) > most, f"{most} answers")  # noqa: B023
                process.send_signal(signal.SIGKILL)
                assert process.wait() == -signal.SIGKILL
            killed.set()
            most, killed = (80 if life == 1 else 1000), threading.Event()
            assert not (folder / "labels.jsonl").exists()
        before, arrived = len(server.asked), answers_in(journal)
        last = program(*words)
        assert last.status == 0, last.err
        sent = len(server.asked) - before
    faults = sum(number % 9 in (4, 7) for number in range(before, before + sent))
    assert sent - faults == 100 - arrived
    rows = [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines()]
    assert {(row["query_id"], row["doc_id"]) for row in rows} == set(POOL)
    assert all(row["grade"] == grade_of(DOCS[row["doc_id"]]) for row in rows)
    assert "0.2000" in last.out


class BatchServer:
    """A server with OpenAI's batch endpoint."""

    def __init__(self) -> None:
        self.files: dict[str, list[dict[str, Any]]] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.polls = 0
        self.hanging = False
        self.failing: set[str] = set()

    def __call__(self, asked: Asked, number: int) -> bytes:
        path = asked.target.split("?")[0].removeprefix("/v1")
        if path == "/chat/completions":
            return grading()(asked, number)
        if path == "/files":
            name = f"file-{len(self.files)}"
            text = asked.body.split(b"application/jsonl\r\n\r\n")[1].split(b"\r\n--")[0]
            self.files[name] = [json.loads(line) for line in text.splitlines()]
            return answering({"id": name})
        if path == "/batches" and asked.method == "POST":
            name = f"batch-{len(self.batches)}"
            self.batches[name] = {"id": name, "status": "in_progress", **asked.json}
            return answering(self.batches[name])
        if path == "/batches":
            return answering({"data": list(self.batches.values())})
        if path.startswith("/batches/"):
            self.polls += 1
            batch = self.batches[path.removeprefix("/batches/")]
            if not self.hanging:
                batch |= {"status": "completed", "output_file_id": f"out-{batch['id']}"}
            return answering(batch)
        assert path.startswith("/files/out-")
        batch = self.batches[path.removeprefix("/files/out-").removesuffix("/content")]
        lines = [self._result(line) for line in self.files[batch["input_file_id"]]]
        return answering("".join(json.dumps(line) + "\n" for line in reversed(lines)))

    def _result(self, line: dict[str, Any]) -> dict[str, Any]:
        text = document_of(line["body"])
        if text in self.failing:
            response = {"status_code": 500, "body": {"error": {"message": "broken"}}}
        else:
            grade = json.dumps({"grade": grade_of(text)})
            response = {"status_code": 200, "body": completion(grade)}
        return {"custom_id": line["custom_id"], "response": response, "error": None}


def asked_of(server: FaultsServer, path: str) -> int:
    return sum(each.target == f"/v1{path}" and each.method == "POST" for each in server.asked)


def test_a_batch_has_all_but_the_first_documents(
    folder: Path, program: Callable[..., Done]
) -> None:
    with serving(BatchServer()) as server:
        done = program(*words_of(folder, f"{server.url}/v1", "--batch", "--price", "10,100"))
        assert (done.status, done.err.count("labels.jsonl: 100 labels.")) == (0, 1)
        assert asked_of(server, "/chat/completions") == 20
        assert (asked_of(server, "/files"), asked_of(server, "/batches")) == (1, 1)
        assert b'"url": "/v1/chat/completions"' in server.asked[21].body
        program(*words_of(folder, f"{server.url}/v1", "--batch", "--price", "10,100"))
        assert asked_of(server, "/batches") == 1
    rows = [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines()]
    assert all(row["grade"] == grade_of(DOCS[row["doc_id"]]) for row in rows)
    assert "0.2000" in done.out


def test_failed_lines_of_a_batch_are_reported_and_sent_again(
    folder: Path, program: Callable[..., Done]
) -> None:
    batches = BatchServer()
    batches.failing = {DOCS["d7"]}
    with serving(batches) as server:
        done = program(*words_of(folder, f"{server.url}/v1", "--batch"))
        missing = 100 - gainful.read_qrels(folder / "labels.jsonl").rows
        assert (done.status, 0 < missing <= 5) == (3, True)
        assert "broken" in done.out
        batches.failing = set()
        assert program(*words_of(folder, f"{server.url}/v1", "--batch")).status == 0
        assert (len(batches.batches), len(batches.files["file-1"])) == (2, missing)


def test_damaged_results_of_a_batch_are_missing(folder: Path, program: Callable[..., Done]) -> None:
    batches = BatchServer()
    damaged = ["[" * 100_000, "9" * 5_000, "[]", "null", '{"response": "text"}', '{"custom_id"']

    def reply(asked: Asked, number: int) -> bytes:
        path = asked.target.removeprefix("/v1")
        if path.startswith("/files/out-"):
            return answering("\n".join(damaged))
        reply_of_server = batches(asked, number)
        for batch in batches.batches.values():
            batch["request_counts"] = ["completed"]
        return reply_of_server

    with serving(reply) as server:
        done = program(*words_of(folder, f"{server.url}/v1", "--batch"))
    assert done.status == 3
    assert "the batch has no result" in done.out


@pytest.mark.parametrize("answer", [[], {}, {"id": None}, None])
def test_answers_that_no_batch_endpoint_gives_are_errors(
    answer: object, folder: Path, program: Callable[..., Done]
) -> None:
    batches = BatchServer()

    def reply(asked: Asked, number: int) -> bytes:
        if asked.target.removeprefix("/v1") == "/files":
            return answering(answer)
        return batches(asked, number)

    with serving(reply) as server:
        done = program(*words_of(folder, f"{server.url}/v1", "--batch"))
    assert done.status == 2
    assert "the batch endpoint: found" in done.err


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX")
def test_a_batch_goes_on_after_its_process_was_killed(
    folder: Path, program: Callable[..., Done]
) -> None:
    batches = BatchServer()
    batches.hanging = True
    with serving(batches) as server:
        words = words_of(folder, f"{server.url}/v1", "--batch")
        for polls in (1, 2):
            with running(PROGRAM, *words) as process:
                await_true(lambda: batches.polls >= polls, "a poll")  # noqa: B023
                process.send_signal(signal.SIGKILL)
                assert process.wait() == -signal.SIGKILL
        batches.hanging = False
        last = program(*words)
        assert last.status == 0, last.err
        assert asked_of(server, "/chat/completions") == 20
        assert asked_of(server, "/batches") == 1
    assert gainful.read_qrels(folder / "labels.jsonl").rows == 100


@pytest.mark.parametrize(("ungraded", "status"), [(10, 0), (15, 3)])
def test_many_documents_without_a_grade_are_a_failure(
    ungraded: int, status: int, folder: Path, program: Callable[..., Done]
) -> None:
    vague = {DOCS[f"d{number}"] for number in range(ungraded // 5)}  # Five documents per text.

    def reply(asked: Asked, number: int) -> bytes:
        text = document_of(json.loads(asked.body))
        return answering(completion("Not sure." if text in vague else '{"grade": 1}'))

    with serving(reply) as server:
        done = program(*words_of(folder, f"{server.url}/v1", "--attempts", "1"))
    assert done.status == status
    assert f"{ungraded} of 100 documents ({ungraded}%) have no grade" in " ".join(done.out.split())
