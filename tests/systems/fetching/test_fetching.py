"""Running all queries in threads and on an event loop, with equal results."""

from __future__ import annotations

import asyncio
import os
import re
import threading

import pytest

import gainful
from gainful.errors import ArgumentError, ParameterError, SearchError
from gainful.systems import Answer
from gainful.systems.fetching import base as agenda_module
from gainful.systems.fetching import in_threads
from searching import DOCUMENTS, SCORES, Scripted, queries
from warm_process import running


@pytest.fixture(params=[False, True], ids=["threads", "loop"])
def asynchronous(request) -> bool:
    return request.param


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch) -> None:
    monkeypatch.setattr(agenda_module, "FIRST_WAIT", 0.01)
    monkeypatch.setattr(agenda_module, "LONGEST_WAIT", 0.02)


def test_every_query_runs_once_and_the_run_is_in_their_order(asynchronous) -> None:
    system = Scripted(lambda query, before: [f"for {query.id}"], asynchronous=asynchronous)
    run = gainful.search(system, queries(50))
    assert set(system.asked.values()) == {1}
    assert run.keys() == list(queries(50))
    assert run["q7"] == [("for q7", None)]
    assert (run.name, run.incomplete, run.failed, system.closed) == ("scripted", False, {}, 1)


def test_scores_arrive_with_all_their_bits(asynchronous) -> None:
    odd = [1e300, 0.1 + 0.2, 5e-324, -1.0]
    answer = Answer(["a", "b", "c", "d"], odd)
    run = gainful.search(Scripted(lambda *_: answer, asynchronous=asynchronous), queries(1))
    assert [score for _, score in run["q0"]] == odd


def test_no_more_calls_than_workers(asynchronous) -> None:
    system = Scripted(lambda *_: 0.02, asynchronous=asynchronous)
    gainful.search(system, queries(18), workers=3)
    assert system.most_at_once == 3


def test_answers_are_truncated_to_k(asynchronous) -> None:
    answer = Answer(DOCUMENTS, SCORES)
    run = gainful.search(Scripted(lambda *_: answer, asynchronous=asynchronous), queries(2), k=2)
    assert run["q0"] == [("d1", 3.0), ("d2", 2.0)]


def test_temporary_failures_are_retried_and_counted(asynchronous) -> None:
    def script(query, before):
        return ConnectionError("reset") if before < 2 and query.id in ("q1", "q2") else DOCUMENTS

    system = Scripted(script, asynchronous=asynchronous)
    run = gainful.search(system, queries(9))
    assert (system.asked["q1"], system.asked["q0"]) == (3, 1)
    assert not run.incomplete
    assert run.account.retried == 2
    assert run.account.retries == {"ConnectionError: reset": 4}


def test_other_failures_are_not_retried(asynchronous) -> None:
    def script(query, before):
        return KeyError("title") if query.id == "q3" else DOCUMENTS

    system = Scripted(script, asynchronous=asynchronous)
    run = gainful.search(system, queries(9))
    assert (system.asked["q3"], run.failed) == (1, {"q3": "KeyError: 'title'"})
    assert (len(run), run.account.answered, run.account.queries) == (8, 8, 9)


def test_the_number_of_retries_is_limited(asynchronous) -> None:
    def script(query, before):
        return TimeoutError("slow") if query.id == "q0" else DOCUMENTS

    system = Scripted(script, asynchronous=asynchronous)
    run = gainful.search(system, queries(3), retries=2)
    assert (system.asked["q0"], run.failed) == (3, {"q0": "TimeoutError: slow"})


def test_the_first_failure_can_end_it(asynchronous) -> None:
    system = Scripted(lambda *_: ValueError("no index"), asynchronous=asynchronous)
    with pytest.raises(SearchError, match="query 'q0': ValueError: no index"):
        gainful.search(system, queries(500), workers=1, on_failure="raise")
    assert system.asked.total() == 1
    assert system.closed == 1


def test_calls_time_out_and_late_answers_are_discarded(asynchronous) -> None:
    def script(query, before):
        return 60.0 if query.id == "q1" and before == 0 else [f"try {before}"]

    system = Scripted(script, asynchronous=asynchronous)
    options = {"timeout": 0.2, "retries": 99}  # short: the slow call takes a minute
    run = gainful.search(system, queries(3), **options)
    # On a busy machine the others may time out, too.
    late = system.asked.total() - 3
    assert run.account.retries == {"TimeoutError: no answer within 0.2 s": late}
    assert run["q1"] in [[(f"try {number}", None)] for number in range(1, late + 1)]


def test_a_system_that_hangs_does_not_keep_the_search_from_ending(asynchronous) -> None:
    system = Scripted(lambda *_: 60.0, asynchronous=asynchronous)
    options = {"timeout": 0.1, "retries": 0}
    run = gainful.search(system, queries(2), quiet=True, **options)
    assert set(run.failed.values()) == {"TimeoutError: no answer within 0.1 s"}


def test_the_number_of_hanging_threads_is_limited(monkeypatch) -> None:
    monkeypatch.setattr(in_threads, "_MOST_ABANDONED", 1)
    answered = threading.Event()

    def script(query, before):
        if query.id == "q0":  # So that it is not for lack of any answer.
            answered.set()
            return DOCUMENTS
        return 60.0 if answered.is_set() else DOCUMENTS

    system = Scripted(script)
    options = {"workers": 2, "timeout": 0.2, "retries": 0}
    run = gainful.search(system, queries(100), **options)
    assert system.asked.total() < 5
    # The other worker may begin a call between the first one that times out and the second.
    assert re.match(r"not sent: [23] calls timed out after 0.2 s", run.failed["q99"])


def test_a_search_without_answers_stops_early(asynchronous) -> None:
    system = Scripted(lambda *_: PermissionError("401"), asynchronous=asynchronous)
    run = gainful.search(system, queries(500), workers=4, quiet=True)
    assert 20 <= system.asked.total() < 30
    assert len(run.failed) == 500
    assert run.failed["q499"].startswith("not sent: the first 2")


def test_batches(asynchronous) -> None:
    system = Scripted(lambda query, _: [query.id], batch=4, asynchronous=asynchronous)
    run = gainful.search(system, queries(10), workers=1)
    assert [len(call) for call in system.calls] == [4, 4, 2]
    assert all(run[query] == [(query, None)] for query in queries(10))
    smaller = Scripted(batch=4, asynchronous=asynchronous)
    gainful.search(smaller, queries(10), workers=1, batch=3)
    assert [len(call) for call in smaller.calls] == [3, 3, 3, 1]
    with pytest.raises(ParameterError, match="batch: found 5, but scripted accepts at most 4"):
        gainful.search(smaller, queries(10), batch=5)


def test_one_failed_query_does_not_affect_its_batch(asynchronous) -> None:
    def script(query, before):
        return ValueError("bad") if query.id == "q2" else [query.id]

    system = Scripted(script, batch=4, asynchronous=asynchronous)
    run = gainful.search(system, queries(8), workers=1)
    assert run.failed == {"q2": "ValueError: bad"}
    assert run["q3"] == [("q3", None)]


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (None, "the system returned NoneType, not a list of answers"),
        ([], "the system returned 0 answers to 1 queries"),
        (["d1"], "the system returned str, not an Answer"),
        ([Answer("d1")], "the documents of an answer are str, not a list"),
        ([Answer({"d1"})], "the documents of an answer are set, not a list"),
        ([Answer(["d"], iter([1.0]))], "the scores of an answer are list_iterator"),
        ([Answer([1])], "document id 1 is not text"),
        ([Answer(["\ud800"])], "document id '\\ud800' has a lone surrogate"),
        ([Answer(["d"], [1.0, 2.0])], "an answer has 1 documents and 2 scores"),
        ([Answer(["d"], [float("nan")])], "score nan is not a finite number"),
        ([Answer(["d"], ["high"])], "score 'high' is not a finite number"),
    ],
)
def test_an_invalid_answer_is_a_failure(answers, message) -> None:
    system = Scripted()
    system.ask = lambda queries, k: answers
    run = gainful.search(system, queries(1), quiet=True)
    assert run.failed["q0"].startswith(message)


def test_a_duplicate_document_counts_once_and_is_reported(asynchronous) -> None:
    answer = Answer(["a", "b", "a"], [3.0, 2.0, 1.0])
    run = gainful.search(Scripted(lambda *_: answer, asynchronous=asynchronous), queries(2))
    assert run["q0"] == [("a", 3.0), ("b", 2.0)]
    assert run.account.repeated == 2


def test_rising_scores_are_dropped_and_reported() -> None:
    def script(query, before):
        return Answer(["near", "far"], [0.1, 0.9] if query.id == "q1" else [0.9, 0.1])

    run = gainful.search(Scripted(script), queries(3))
    assert run["q1"] == [("near", None), ("far", None)]
    assert (run.scored, run.account.unsorted) == (False, 1)


def test_scores_of_only_some_answers_are_ignored() -> None:
    def script(query, before):
        return Answer(["a", "b"], None if query.id == "q1" else [0.9, 0.1])

    assert not gainful.search(Scripted(script), queries(3)).scored


def test_an_answer_without_documents_is_an_answer() -> None:
    def script(query, before):
        return [] if query.id == "q1" else Answer(["a"], [1.0])

    run = gainful.search(Scripted(script), queries(3))
    assert (run["q1"], run.scored, run.incomplete) == ([], True, False)
    assert (run.account.empty, run.account.short) == (1, 3)


def test_progress_ends_at_the_end(asynchronous) -> None:
    reports = []
    system = Scripted(
        lambda query, _: ValueError() if query.id == "q5" else 0.01, asynchronous=asynchronous
    )
    gainful.search(system, queries(12), workers=2, progress=lambda *now: reports.append(now))
    assert reports[-1] == (12, 12, 1)
    assert [done for done, _, _ in reports] == sorted(done for done, _, _ in reports)


def test_an_error_of_progress_ends_it(asynchronous) -> None:
    def progress(done, total, failed):
        raise RuntimeError("the screen is gone")

    system = Scripted(lambda *_: 0.05, asynchronous=asynchronous)
    with pytest.raises(RuntimeError, match="the screen is gone"):
        gainful.search(system, queries(1000), progress=progress)
    assert system.asked.total() < 1000


def test_a_system_that_exits_has_not_answered(asynchronous) -> None:
    system = Scripted(
        lambda query, _: SystemExit(0) if query.id == "q3" else DOCUMENTS,
        asynchronous=asynchronous,
    )
    run = gainful.search(system, queries(20))
    assert (run.failed, len(run)) == ({"q3": "SystemExit: 0"}, 19)


@pytest.mark.parametrize("workers", [1, 2, 8])
def test_a_system_that_cancels_tasks_of_its_own_loses_no_query(asynchronous, workers) -> None:
    def script(query, before):
        return asyncio.CancelledError("mine") if query.id in ("q3", "q7") else DOCUMENTS

    system = Scripted(script, asynchronous=asynchronous)
    run = gainful.search(system, queries(20), workers=workers)
    assert run.failed == dict.fromkeys(("q3", "q7"), "CancelledError: mine")
    assert len(run) == 18


@pytest.mark.parametrize("workers", [1, 2, 8])
@pytest.mark.parametrize("whom", ["own", "all"])
def test_a_system_that_cancels_the_tasks_that_ask_it_loses_no_query(workers, whom) -> None:
    async def find(text, k):
        if text == "text 5":
            own = [asyncio.current_task()]
            for task in own if whom == "own" else asyncio.all_tasks():
                task.cancel()
        await asyncio.sleep(0)
        return ["d1"]

    run = gainful.search(find, queries(20), workers=workers)
    assert run.account.answered + len(run.failed) == 20
    assert set(run.failed.values()) == {"CancelledError"}
    assert len(run.failed) < 20


def test_a_task_of_the_system_that_exits_is_one_message(capfd) -> None:
    async def leave():
        raise SystemExit(0)

    async def find(text, k):
        await asyncio.gather(leave())

    with pytest.raises(SearchError, match="SystemExit: 0"):
        gainful.search(find, queries(20))
    assert "pending" not in capfd.readouterr().err


def test_errors_that_happen_together_are_looked_into(asynchronous) -> None:
    def script(query, before):
        if query.id == "q1":
            return ExceptionGroup("tasks", [ConnectionError("gone"), TimeoutError()])
        if query.id == "q2":
            return ExceptionGroup("tasks", [ExceptionGroup("more", [KeyError("x")])])
        return DOCUMENTS

    system = Scripted(script, asynchronous=asynchronous)
    run = gainful.search(system, queries(5), retries=2)
    assert run.failed == {"q1": "ConnectionError: gone", "q2": "KeyError: 'x'"}
    assert (system.asked["q1"], system.asked["q2"]) == (3, 1)


def test_a_very_low_rate(asynchronous) -> None:
    system = Scripted(asynchronous=asynchronous)

    def progress(done, total, failed):
        if done:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        gainful.search(system, queries(3), rate=1e-12, workers=2, progress=progress)
    assert system.asked.total() == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
@pytest.mark.parametrize("word", ["", "async "])
def test_a_process_that_a_call_forks_leaves_the_search_alone(tmp_path, word) -> None:
    code = f"""
import os, sys, warnings
import gainful
os.chdir(sys.argv[1])
warnings.simplefilter("ignore")

{word}def find(text, k):
    child = os.fork()
    if not child:
        raise RuntimeError("in the child")
    os.waitpid(child, 0)
    return ["d1"]

run = gainful.search(find, [f"text {{n}}" for n in range(20)], journal="journal")
print(len(run), run.failed, run.account.queries)
"""
    with running(code, tmp_path) as process:
        assert process.output.read() == "20 {} 20\n"


def test_a_running_event_loop() -> None:
    async def notebook() -> gainful.Run:
        return gainful.search(Scripted(asynchronous=True), queries(5))

    assert len(asyncio.run(notebook())) == 5


def test_a_system_whose_end_fails_loses_no_answer(asynchronous) -> None:
    system = Scripted(asynchronous=asynchronous)

    def close():
        raise OSError("already gone")

    system.close = close
    assert len(gainful.search(system, queries(5))) == 5


def test_no_thread_is_left(asynchronous) -> None:
    before = set(threading.enumerate())  # Those that hang in calls of other tests are.
    gainful.search(Scripted(asynchronous=asynchronous), queries(20))
    assert set(threading.enumerate()) <= before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 0}, "k: found 0, expected a whole number of 1 or more"),
        ({"k": 2.0}, "k: found 2.0"),
        ({"workers": 0}, "workers: found 0"),
        ({"retries": -1}, "retries: found -1, expected a whole number of 0 or more"),
        ({"timeout": 0}, "timeout: found 0, expected a number above 0"),
        ({"timeout": float("inf")}, "timeout: found inf"),
        ({"rate": -1.0}, "rate: found -1.0"),
        ({"rate": "5"}, "rate: found '5', expected a number above 0"),
        ({"k": 10**30}, r"k: found 1000.*, expected a whole number of 1 or more, below 2\^63"),
        ({"name": "\ud800"}, "name: found .*lone surrogates"),
        ({"on_failure": "ignore"}, "on_failure: found 'ignore', expected 'mark' or 'raise'"),
    ],
)
def test_invalid_arguments_are_errors(arguments, message) -> None:
    system = Scripted()
    with pytest.raises(ParameterError, match=message):
        gainful.search(system, queries(1), **arguments)
    assert not system.asked


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": 3}, "name: found 3, expected a text"),
        ({"journal": 3}, "journal: found 3, expected a path"),
    ],
)
def test_arguments_of_another_type(arguments, message) -> None:
    with pytest.raises(ArgumentError, match=message):
        gainful.search(Scripted(), queries(1), **arguments)


CIRCLE: list[object] = []
CIRCLE.append(CIRCLE)


@pytest.mark.parametrize("identity", [{1: 2, "a": 3}, {"a": CIRCLE}])
def test_an_identity_that_cannot_be_written_down(identity) -> None:
    with pytest.raises(ArgumentError, match="the identity is not valid JSON"):
        gainful.search(Scripted(identity=identity), queries(1))


def test_no_queries_are_an_error() -> None:
    with pytest.raises(ParameterError, match="queries: no queries"):
        gainful.search(Scripted(), {})


def test_runs_are_compared_as_a_list(small_files) -> None:
    runs = [
        gainful.search(lambda text, k: ["r01", "r02"], "queries.jsonl", name="one"),
        gainful.search(lambda text, k: ["r05"], "queries.jsonl", name="two"),
    ]
    assert gainful.compare("qrels.txt", runs).systems == ("one", "two")
    both = gainful.evaluate("qrels.txt", runs=[*runs, "bm25.run"], measures="nDCG@10")
    assert both.systems == ("one", "two", "bm25")
    found = gainful.headroom("qrels.txt", runs, documents=20)
    assert found.place(system="two").mean == both.mean("nDCG@10", "two")
    for several in ([runs[0], runs[0]], [runs[0], 3], 3):
        with pytest.raises(gainful.errors.GainfulError, match="runs: "):
            gainful.evaluate("qrels.txt", runs=several)


def test_all_workers_query_slow_systems() -> None:
    meeting = threading.Barrier(8)

    def together(text: str, k: int) -> list[str]:
        # Nobody leaves before eight are there.
        meeting.wait(120)
        return [text]

    run = gainful.search(together, {f"q{n}": f"text {n}" for n in range(16)}, k=1, workers=8)
    assert run.account.answered == 16


def test_a_search_logs(caplog: pytest.LogCaptureFixture) -> None:
    tries = iter([True, False])

    def flaky(text: str, k: int) -> list[str]:
        if next(tries):
            raise SearchError("status 503", transient=True)
        return ["d1"]

    with caplog.at_level("DEBUG", logger="gainful"):
        gainful.search(flaky, {"q1": "tea"}, workers=1)
    lines = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert [level for level, _ in lines] == ["INFO", "WARNING", "DEBUG", "INFO"]
    assert lines[0][1] == "flaky: 1 queries to send, 0 in the journal"
    assert lines[1][1].startswith("q1 is retried after ")
    assert lines[1][1].endswith("status 503")
    assert lines[3][1] == "flaky: finished, 0 queries failed"
