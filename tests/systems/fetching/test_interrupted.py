"""Ctrl-C ends a search at once, and all received answers are kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

PROGRAM = """
import asyncio, sys, time
import gainful

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
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(hang=["t50"], function=function), str(journal)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # What a shell starts in the background ignores the signal, and so would this.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "hangs\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (77, "")
    answered = out.split()[0]
    assert out == (
        f"{answered} of 100 answers are stored in {journal}. The same call resumes the search.\n"
    )
    assert int(answered) >= 49
    again = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(hang=[], function=function), str(journal)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert again.stdout.split() == ["100", answered]
