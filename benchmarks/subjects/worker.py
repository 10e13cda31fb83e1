"""The process of ``compare.Worker``: run a job for each input line, and report its time."""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, TextIO

import process_tree

# Answers have their own descriptor; output of libraries goes to stderr.
_replies: TextIO = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def peak_bytes() -> int:
    """Return the peak resident memory of this process since it started this program."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def serve(
    job: Callable[[], Any],
    answers_of: Callable[[Any], Sequence[float]] = list,
    *,
    tree: bool = False,
    extras_of: Callable[[], dict[str, float]] = dict,
) -> None:
    """Time one call of `job` for each line on standard input, until it ends.

    `answers_of` converts the result of the job to answers, and `extras_of` returns further values;
    neither is timed. With `tree`, processor time and memory include all processes that this one
    has started.
    """
    cpu_seconds = process_tree.cpu_seconds if tree else time.process_time
    for _ in sys.stdin:
        gc.collect()
        cpu = cpu_seconds()
        start = time.perf_counter()
        result = job()
        seconds = time.perf_counter() - start
        cpu = cpu_seconds() - cpu
        peak = process_tree.peak_bytes() if tree else peak_bytes()
        _reply(answers_of(result), seconds, cpu, peak, extras_of())


def serve_statement(statement: str, names: dict[str, object], answer: Sequence[float]) -> None:
    """Time `statement` in a loop long enough for the clock; reply with the time of one pass.

    ``timeit`` compiles the statement into the loop, because calling a function would add a
    noticeable part of a microsecond.
    """
    from timeit import Timer

    timer = Timer(statement, globals=names)
    count, _ = timer.autorange()
    for _ in sys.stdin:
        seconds = min(timer.repeat(repeat=3, number=count)) / count
        _reply(answer, seconds, seconds, peak_bytes(), {})


def _reply(
    answers: Sequence[float],
    seconds: float,
    cpu_seconds: float,
    peak: int,
    extras: dict[str, float],
) -> None:
    json.dump(
        {
            "answers": [float(answer) for answer in answers],
            "seconds": seconds,
            "cpu_seconds": cpu_seconds,
            "peak_bytes": peak,
            "extras": extras,
        },
        _replies,
    )
    _replies.write("\n")
    _replies.flush()
