"""A search killed at any moment can be resumed: no lost answers, no repeated queries."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from awaiting import await_true
from warm_process import running

posix = pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX")

WORKERS = 4

#: The system keeps a line for everything that it is asked, in a file that is its own.
PROGRAM = """
import asyncio, os, random, sys, time, warnings
import gainful
from gainful.systems.fetching import base

base.FIRST_WAIT = 0.01
warnings.simplefilter("ignore")
folder, count, workers, kind = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
asked = os.open(folder + "/asked", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
faults, left = float(sys.argv[5]), float(sys.argv[6])

def answer(text):
    global left
    left -= 1
    if left < 0:
        time.sleep(600)
    os.write(asked, (text + "\\n").encode())
    if random.random() < faults:
        raise ConnectionError("lost")
    return [(f"{text}-{rank}", 1 / rank) for rank in range(1, 11)]

def search(text, k):
    time.sleep(random.random() * 0.001)
    return answer(text)

async def search_and_wait(text, k):
    await asyncio.sleep(random.random() * 0.001)
    return answer(text)

run = gainful.search(
    search if kind == "threads" else search_and_wait,
    {f"q{n}": f"t{n}" for n in range(count)},
    name="killed",
    workers=workers,
    journal=folder + "/journal",
    keep_answers=True,
)
run.write(folder + "/run.trec")
print(run.account.sessions, run.account.retried, sum(run.account.retries.values()))
"""


def killed(folder: Path, count: int, kills: int, kind: str, faults: float = 0.0) -> list[int]:
    """Search, kill it at random moments, and let it end; return what it printed at last."""
    words = (folder, count, WORKERS, kind, faults)
    lines = folder / "asked"

    def calls() -> int:
        return lines.read_bytes().count(b"\n") if lines.exists() else 0

    for _ in range(kills):
        moment = random.randint(1, count // kills // 2)
        # A few calls later it only waits to be killed, however late that is.
        most, moment = moment + count // kills // 3, moment + calls()
        with running(PROGRAM, *words, most) as process:
            await_true(lambda: calls() >= moment, f"{moment} calls")  # noqa: B023
            time.sleep(random.random() * 0.003)  # short: any moment of a call
            process.send_signal(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL, process.output.read()
    with running(PROGRAM, *words, "inf") as process:
        printed = process.output.read()
        assert process.wait() == 0, printed

    asked = Counter(lines.read_text().split())
    assert set(asked) == {f"t{n}" for n in range(count)}
    found = (folder / "run.trec").read_text().splitlines()
    expected = {f"q{n} t{n}-{rank}" for n in range(count) for rank in range(1, 11)}
    assert {" ".join(line.split()[0:3:2]) for line in found} == expected
    assert len(found) == count * 10
    counts = [int(word) for word in printed.split()]
    if not faults:
        # Asked twice was only what was under way when it was killed.
        assert asked.total() - count <= kills * WORKERS
        assert max(asked.values()) <= 1 + kills
    return counts


@posix
@pytest.mark.parametrize("kind", ["threads", "loop"])
def test_killed_three_times(tmp_path, kind) -> None:
    sessions, _, _ = killed(tmp_path, count=400, kills=3, kind=kind)
    assert sessions == 4


@posix
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["threads", "loop"])
def test_killed_fifty_times_in_ten_thousand_queries(tmp_path, kind) -> None:
    sessions, _, _ = killed(tmp_path, count=10_000, kills=50, kind=kind)
    assert sessions == 51


@posix
@pytest.mark.parametrize("kind", ["threads", "loop"])
def test_one_call_in_twenty_fails_at_random_and_it_is_killed_too(tmp_path, kind) -> None:
    _, retried, retries = killed(tmp_path, count=400, kills=2, kind=kind, faults=0.05)
    assert 0 < retried <= retries
    # Each fault was kept, but for those of calls that were under way when it was killed.
    asked = Counter((tmp_path / "asked").read_text().split())
    assert asked.total() - 400 - 2 * WORKERS <= retries <= asked.total() - 400


def test_one_call_in_twenty_fails_and_the_run_is_whole() -> None:
    import gainful
    from gainful.systems.fetching import base

    random_faults = random.Random(7)
    asked: Counter[str] = Counter()
    failed: Counter[str] = Counter()

    def search(text: str, k: int) -> list[str]:
        asked[text] += 1
        if random_faults.random() < 0.05:
            failed[text] += 1
            raise (ConnectionError, TimeoutError)[len(failed) % 2]("now and then")
        return [text]

    before = base.FIRST_WAIT
    base.FIRST_WAIT = 0.01
    try:
        run = gainful.search(search, {f"q{n}": f"t{n}" for n in range(1000)}, workers=1)
    finally:
        base.FIRST_WAIT = before
    assert not run.incomplete
    assert len(run) == 1000
    assert run.account.retried == len(failed)
    assert sum(run.account.retries.values()) == failed.total() == asked.total() - 1000
    assert set(run.account.retries) == {
        "ConnectionError: now and then",
        "TimeoutError: now and then",
    }
