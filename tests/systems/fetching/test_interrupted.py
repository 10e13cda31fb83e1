"""Ctrl-C ends a search at once, and all received answers are kept."""

from __future__ import annotations

import os
import signal

import pytest

from warm_process import running

PROGRAM = """
import asyncio, sys, time, warnings
import gainful

warnings.simplefilter("ignore")
hang = {hang!r}

def answer(text):
    return ["d1", "d2"]

def search(text, k):
    if text in hang:
        print("hangs", flush=True)
        time.sleep(600)
    return answer(text)

async def search_and_wait(text, k):
    if text in hang:
        print("hangs", flush=True)
        await asyncio.sleep(600)
    return answer(text)

async def search_and_block(text, k):
    return search(text, k)

try:
    run = gainful.search(
        {function},
        {{f"q{{n}}": f"t{{n}}" for n in range(100)}},
        name="interrupted",
        workers=2,
        version="1",
        journal=sys.argv[1],
    )
except KeyboardInterrupt as error:
    print(*error.__notes__)
    sys.exit(77)
print(len(run), run.account.reused)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
@pytest.mark.parametrize("function", ["search", "search_and_wait", "search_and_block"])
def test_an_interrupt_ends_it_while_the_system_hangs(tmp_path, function) -> None:
    journal = tmp_path / "journal"
    with running(PROGRAM.format(hang=["t50"], function=function), journal) as process:
        assert process.output.readline() == "hangs\n"
        process.send_signal(signal.SIGINT)
        out = process.output.read()
        assert process.wait() == 77, out
    answered = out.split()[0]
    assert out == (
        f"{answered} of 100 answers are stored in {journal}. The same call resumes the search.\n"
    )
    assert int(answered) >= 49
    with running(PROGRAM.format(hang=[], function=function), journal) as process:
        assert process.output.read().split() == ["100", answered]
