"""Measure the time and the peak memory of a process.

The wall time is measured by the parent, from just before it starts the process. The peak resident
memory is reported by the operating system (``wait4``). On Linux it includes the time before
``exec``: a child that is forked from a large parent is charged for the parent's memory. Therefore
a launcher starts the child by ``posix_spawn``: a new Python without ``site``, which takes about
9 MB. No process is reported below these 9 MB. The start of the launcher is not part of the time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

LAUNCHER = """
import json, os, sys, time
arguments, environment, out, error = json.load(sys.stdin)
flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
actions = [
    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
    (os.POSIX_SPAWN_OPEN, 1, out, flags, 0o600),
    (os.POSIX_SPAWN_OPEN, 2, error, flags, 0o600),
]
start = time.perf_counter()
process = os.posix_spawn(arguments[0], arguments, environment, file_actions=actions)
_, status, usage = os.wait4(process, 0)
seconds = time.perf_counter() - start
json.dump([os.waitstatus_to_exitcode(status), seconds, usage.ru_utime + usage.ru_stime,
           usage.ru_maxrss], sys.stdout)
"""

# Peak memory is reported in bytes on macOS, in units of 1,024 bytes elsewhere.
PEAK_UNIT = 1 if sys.platform == "darwin" else 1024


class ProcessError(RuntimeError):
    """A timed process failed."""


@dataclass(frozen=True)
class Finished:
    """One finished process: wall and processor time in seconds, peak memory in 10^6 bytes."""

    seconds: float
    cpu_seconds: float
    peak_mb: float
    output: str


def environment() -> dict[str, str]:
    """Return the environment of every child: that of this process without Python's settings.

    For example, if a makefile disables byte code, every start would compile again.
    """
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def run(arguments: Sequence[str | Path], env: Mapping[str, str] | None = None) -> Finished:
    """Run a command to its end. The program is named by its path.

    Raises
    ------
    ProcessError
        If its exit status is not 0.
    """
    with tempfile.TemporaryDirectory() as folder:
        out, error = Path(folder, "out"), Path(folder, "error")
        words = [str(argument) for argument in arguments]
        order = json.dumps([words, dict(env or environment()), str(out), str(error)])
        launched = subprocess.run(
            [sys.executable, "-I", "-S", "-c", LAUNCHER],
            input=order,
            capture_output=True,
            text=True,
            check=False,
        )
        if launched.returncode != 0:
            raise ProcessError(f"cannot start {words[0]}: {launched.stderr.strip()}")
        code, seconds, cpu_seconds, peak = json.loads(launched.stdout)
        if code != 0:
            stderr_text = error.read_text(encoding="utf-8", errors="replace").strip()
            raise ProcessError(f"`{' '.join(words)}` ended with {code}: {stderr_text[-2000:]}")
        output = out.read_text(encoding="utf-8", errors="replace")
    return Finished(seconds, cpu_seconds, peak * PEAK_UNIT / 1e6, output)
