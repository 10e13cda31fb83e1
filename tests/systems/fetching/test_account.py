"""The account of a search: counts, reasons and response times, without secrets."""

from __future__ import annotations

import json
import pickle

import pytest

import gainful
from gainful.errors import FormatError, SearchError
from gainful.systems.fetching.account import Latency
from gainful.systems.fetching.base import pause, reason, worth_retrying
from searching import Scripted, queries


def test_percentiles_of_response_times() -> None:
    times = [float(number) for number in range(1, 101)]
    found = Latency.of(times[::-1])
    assert found == Latency(mean=50.5, p50=50.0, p90=90.0, p95=95.0, p99=99.0, max=100.0)
    assert Latency.of([2.0]) == Latency(mean=2.0, p50=2.0, p90=2.0, p95=2.0, p99=2.0, max=2.0)
    assert Latency.of(times[:10]).p99 == 10.0
    assert Latency.of([]) is None


def test_each_answer_has_the_time_of_its_call() -> None:
    def script(query, before):
        return 0.2 if query.id == "q5" else ["d"]

    account = gainful.search(Scripted(script), queries(20)).account
    assert account.latency.max >= 0.2
    assert account.latency.p50 <= account.latency.p90 <= account.latency.max
    assert account.seconds >= 0.2


def test_the_account_is_read_from_the_journal(tmp_path) -> None:
    journal = tmp_path / "journal"
    first = gainful.search(Scripted(), queries(20), journal=journal).account
    again = gainful.search(Scripted(), queries(20), journal=journal).account
    assert (again.latency, again.seconds) == (first.latency, first.seconds)
    assert (again.reused, again.sessions, again.started) == (20, 2, first.started)


def test_the_account_consists_of_plain_values() -> None:
    def script(query, before):
        return ValueError("no") if query.id == "q1" else ["d"]

    account = gainful.search(Scripted(script), queries(3)).account
    message = json.loads(json.dumps(account.to_dict()))
    assert (message["queries"], message["failed"]) == (3, {"q1": "ValueError: no"})
    assert set(message["latency"]) == {"mean", "p50", "p90", "p95", "p99", "max"}
    assert pickle.loads(pickle.dumps(account)) == account


def test_the_run_keeps_the_account() -> None:
    run = gainful.search(Scripted(), queries(3))
    for derived in (
        run.top(1),
        run.select(["q0"]),
        gainful.Run(run, name="another"),
        pickle.loads(pickle.dumps(run)),
        run.rename(queries={"q0": "zero"}),
    ):
        assert derived.account == run.account


@pytest.mark.parametrize(
    ("error", "worth", "seconds"),
    [
        (ConnectionResetError(), True, 0.0),
        (TimeoutError(), True, 0.0),
        (SearchError("busy", transient=True), True, 0.0),
        (SearchError("busy", transient=True, wait=2.5), True, 2.5),
        (SearchError("busy", transient=True, wait=-1.0), True, 0.0),
        (SearchError("busy", transient=True, wait=121.0), False, 0.0),
        (SearchError("wrong", wait=2.5), False, 0.0),
        (OSError(), False, 0.0),
        (ValueError(), False, 0.0),
    ],
)
def test_temporary_failures_are_retried(error, worth, seconds) -> None:
    assert (worth_retrying(error), pause(error)) == (worth, seconds)


@pytest.mark.parametrize(
    "output",
    [
        "https://ann:hunter22@host/x",
        "GET /search?q=a&api_key=hunter22&size=3",
        "{'Authorization': 'Bearer hunter22'}",
        "Authorization: ApiKey hunter22",
        '{"password": "hunter22"}',
        "access_token=hunter22",
        "X-Api-Key: hunter22",
        "connection to postgresql://u:hunter22@h/db failed",
        "password=hunter22 host=h",
    ],
)
def test_apparent_secrets_are_masked(output) -> None:
    message = reason(RuntimeError(output))
    assert "hunter22" not in message
    assert "…" in message


def test_secrets_from_the_environment_are_masked(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "s3cr3t-value")
    monkeypatch.setenv("SHOP_COLOUR", "turquoise")
    system = Scripted(lambda *_: RuntimeError("refused s3cr3t-value, turquoise"))
    run = gainful.search(system, queries(2), journal=tmp_path / "journal", quiet=True)
    assert set(run.failed.values()) == {"RuntimeError: refused …, turquoise"}
    assert b"s3cr3t" not in (tmp_path / "journal").read_bytes()


def test_a_reason_is_one_line_of_bounded_length() -> None:
    message = reason(ValueError("first\n\x1b[31msecond\t" + "x" * 999))
    assert message.startswith("ValueError: first [31msecond xxx")
    assert len(message) == 300


def test_queries_with_one_failure_have_equal_reasons() -> None:
    def script(query, before):
        return FormatError(where="an answer", query=query.id, found="a score that rises")

    run = gainful.search(Scripted(script), queries(3), quiet=True)
    assert set(run.failed.values()) == {"an answer: a score that rises"}
    assert reason(SearchError("no index", query="q1")) == "no index"
    assert reason(SearchError(query="q1", document="d", found="x")) == "document 'd': x"


def test_an_error_that_cannot_be_shown() -> None:
    class OddError(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert reason(OddError()) == "OddError"
    assert reason(ValueError()) == "ValueError"
