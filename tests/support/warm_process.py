"""Programs in processes that begin at once, forked from one that has imported the package."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import IO, Any

__all__ = ["GAINFUL", "WarmProcess", "running"]

#: The program ``gainful``.
GAINFUL = "import runpy; runpy.run_module('gainful', run_name='__main__')"
_IMPORTED = ("gainful.cli.program", "gainful.data.convert", "gainful.judging", "gainful.systems")


@cache
def _context() -> Any:
    context = get_context("forkserver")
    context.set_forkserver_preload([*_IMPORTED, "aiohttp", "sqlite3"])
    return context


def _run(code: str, words: list[str], output: Connection) -> None:
    os.dup2(output.fileno(), 1)
    os.dup2(output.fileno(), 2)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["-c", *words]
    try:
        exec(code, {"__name__": "__main__"})
    finally:
        if "coverage" in sys.modules:
            # These processes end without it, and a measured one writes its coverage then.
            atexit._run_exitfuncs()


class WarmProcess:
    """A program of Python with its arguments; what it writes to both streams is `output`."""

    def __init__(self, code: str, *words: object) -> None:
        reading, writing = os.pipe()
        self.output: IO[str] = os.fdopen(reading)
        with Connection(writing, readable=False) as connection:
            self._process = _context().Process(
                target=_run, args=(code, list(map(str, words)), connection)
            )
            self._process.start()
        self.pid: int = self._process.pid

    def poll(self) -> int | None:
        """Return the exit status, or None while it runs."""
        status: int | None = self._process.exitcode
        return status

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended, which the server of forks notices first."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def wait(self) -> int:
        """Return the exit status, that of a shell's ``$?`` or the negative number of a signal."""
        self._process.join(120)
        status = self.poll()
        assert status is not None, "the process does not end"
        return status


@contextmanager
def running(code: str, *words: object) -> Iterator[WarmProcess]:
    """Run a program, which is killed if it does not end before the block."""
    process = WarmProcess(code, *words)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.output.close()
