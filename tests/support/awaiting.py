"""Wait for a condition, for as long as a busy machine may take."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen
from typing import Any, Protocol

__all__ = ["LIMIT", "await_blocked", "await_reader", "await_true"]

#: Seconds after which a condition that is not met is a failure.
LIMIT = 120.0


class Running(Protocol):
    """A process."""

    pid: int

    def poll(self) -> int | None:
        """Return the exit status, or None while it runs."""


def await_true(condition: Callable[[], object], what: str, seconds: float = LIMIT) -> None:
    """Wait until a condition is met; fail after a time that only an error takes."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds:g} s: {what}")
        time.sleep(0.005)


def await_reader(fifo: Path, process: Popen[Any]) -> int:
    """Open a named pipe to write to it, when a process has opened it to read from it."""
    opened: list[int] = []

    def is_open() -> bool:
        assert process.poll() is None, "the process ended before it read the pipe"
        try:
            opened.append(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
        return bool(opened)

    await_true(is_open, f"a reader of {fifo.name}")
    os.set_blocking(opened[0], True)
    return opened[0]


def await_blocked(process: Running) -> None:
    """Wait until all threads of a process sleep in calls; one that lacks a processor does not."""
    if sys.platform != "linux":
        time.sleep(3)
        return
    tasks, looks = Path(f"/proc/{process.pid}/task"), 0

    def is_asleep() -> bool:
        nonlocal looks
        assert process.poll() is None, "the process ended"
        try:
            stats = [stat.read_text() for stat in tasks.glob("*/stat")]
        except OSError:  # A thread ended.
            stats = []
        states = {stat.rpartition(")")[2].split()[0] for stat in stats}
        looks = looks + 1 if states == {"S"} else 0
        time.sleep(0.005)
        return looks == 20

    await_true(is_asleep, "twenty looks at a process that sleeps")
