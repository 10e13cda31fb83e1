"""The next query of a search: order, delays, rate and the limit of retries."""

from __future__ import annotations

from math import inf

import pytest

from gainful.errors import SearchError
from gainful.systems.fetching import base as agenda_module
from gainful.systems.fetching.base import JobQueue
from gainful.systems.fetching.journal import Job


@pytest.fixture(autouse=True)
def _longest_waits(monkeypatch) -> None:
    """Waits are random up to a bound; here each is as long as its bound."""
    monkeypatch.setattr(agenda_module, "uniform", lambda low, high: high)


def agenda_of(count: int, **settings) -> JobQueue:
    options = {"batch": 1, "retries": 4, **settings}
    agenda = JobQueue(**options)
    agenda.add([Job(f"q{n}", "text") for n in range(count)])
    return agenda


def ids(tasks) -> list[str]:
    return [task.job.id for task in tasks]


def test_queries_are_in_order_and_in_batches() -> None:
    agenda = agenda_of(5, batch=2)
    assert [ids(agenda.take(0.0)) for _ in range(3)] == [["q0", "q1"], ["q2", "q3"], ["q4"]]
    assert agenda.take(0.0) == inf  # They are being asked.
    agenda.settled(5)
    assert agenda.take(0.0) == []
    assert agenda.finished == 5


def test_waits_double_up_to_a_bound_until_the_retries_are_used_up() -> None:
    agenda = agenda_of(1, retries=9)
    now, waits = 0.0, []
    while True:
        tasks = agenda.take(now)
        if agenda.failed(tasks, ConnectionError(), now):
            break
        wait = agenda.take(now)
        waits.append(wait)
        now += wait
    assert waits == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]
    assert agenda.take(now) == []
    assert (agenda.finished, agenda.refused) == (1, 1)


def test_other_queries_run_while_one_waits() -> None:
    agenda = agenda_of(3)
    first = agenda.take(0.0)
    assert agenda.failed(first, TimeoutError(), 0.0) == []
    assert ids(agenda.take(0.0)) == ["q1"]
    assert ids(agenda.take(0.6)) == ["q0"]  # Its wait is over, and it comes before new ones.
    assert ids(agenda.take(0.6)) == ["q2"]


def test_pending_queries_are_not_repeated() -> None:
    agenda = agenda_of(1)
    assert ids(agenda.failed(agenda.take(0.0), ValueError("no such field"), 0.0)) == ["q0"]
    assert agenda.take(0.0) == []


def test_a_requested_delay_applies_to_all_queries() -> None:
    agenda = agenda_of(2)
    busy = SearchError("status 429", transient=True, wait=7.0)
    agenda.failed(agenda.take(0.0), busy, 0.0)
    assert agenda.take(1.0) == 6.0  # The other query was never asked, and waits, too.
    assert ids(agenda.take(7.0)) == ["q1"]
    assert agenda.take(7.0) == 0.5  # The first has its own wait beyond.


def test_a_requested_delay_of_an_hour_is_a_failure() -> None:
    agenda = agenda_of(2)
    busy = SearchError("status 429", transient=True, wait=3600.0)
    assert ids(agenda.failed(agenda.take(0.0), busy, 0.0)) == ["q0"]
    assert ids(agenda.take(0.0)) == ["q1"]


def test_a_rate_is_never_exceeded_and_never_caught_up() -> None:
    agenda = agenda_of(9, rate=4.0)
    assert ids(agenda.take(0.0)) == ["q0"]
    assert agenda.take(0.0) == 0.25
    assert ids(agenda.take(0.25)) == ["q1"]
    # After a long silence there is no burst.
    assert ids(agenda.take(10.0)) == ["q2"]
    assert agenda.take(10.0) == 0.25


def test_a_rate_counts_queries_not_calls() -> None:
    agenda = agenda_of(9, rate=4.0, batch=3)
    assert len(agenda.take(0.0)) == 3
    assert agenda.take(0.0) == 0.75


def test_queries_of_a_failed_batch_are_retried_one_by_one() -> None:
    agenda = agenda_of(3, batch=3)
    assert agenda.failed(agenda.take(0.0), ValueError("one of them"), 0.0) == []
    for query in ("q0", "q1", "q2"):
        tasks = agenda.take(0.0)
        assert (ids(tasks), tasks[0].tries) == ([query], 1)
        agenda.settled(1)
    assert agenda.take(0.0) == []


def test_a_batch_whose_retries_are_used_up_is_asked_one_by_one_too() -> None:
    agenda = agenda_of(2, batch=2, retries=1)
    agenda.failed(agenda.take(0.0), TimeoutError(), 0.0)
    agenda.failed(agenda.take(1.0), TimeoutError(), 1.0)
    assert ids(agenda.take(1.0)) == ["q0"]


def test_a_search_without_answers_stops_early() -> None:
    agenda = agenda_of(100, patience=3)
    for _ in range(3):
        agenda.failed(agenda.take(0.0), ValueError(), 0.0)
    assert agenda.take(0.0) == []
    assert agenda.hopeless == "not sent: the first 3 queries all failed"
    assert len(agenda.unsent()) == 97


def test_a_reason_to_stop_waits_for_the_queries_in_progress() -> None:
    left = 2
    agenda = agenda_of(9, stopping=lambda out: "" if out < left else "enough")
    agenda.take(0.0)
    agenda.take(0.0)
    assert (agenda.take(0.0), agenda.hopeless) == (inf, "")
    agenda.settled(1)
    assert ids(agenda.take(0.0)) == ["q2"]
    left = 0
    agenda.settled(1)
    assert agenda.take(0.0) == inf
    agenda.settled(1)
    assert (agenda.take(0.0), agenda.hopeless) == ([], "enough")


def test_a_search_with_one_answer_continues() -> None:
    agenda = agenda_of(100, patience=3)
    agenda.take(0.0)
    agenda.settled(1)
    for _ in range(99):
        agenda.failed(agenda.take(0.0), ValueError(), 0.0)
    assert (agenda.finished, agenda.refused, agenda.hopeless) == (100, 99, "")
