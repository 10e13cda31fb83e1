"""Operating-system calls that fail on purpose, for the files of one folder (Linux).

`preloaded` runs a script whose calls `Faults` makes fail: it compiles ``faulty_io.c`` and loads it
before the C library, so that Python, SQLite, pyarrow and the kernel all call it.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from combinations import ALL

__all__ = ["ALWAYS", "Call", "Faults", "preloaded", "with_errors"]

#: More calls than any test makes.
ALWAYS = 1 << 40


class Call(IntEnum):
    """The kinds of calls, numbered as in ``faulty_io.c``."""

    OPEN = 1
    READ = 2
    WRITE = 3
    SYNC = 4
    RENAME = 5
    TRUNCATE = 6


class Faults:
    """Failing calls in a preloaded process.

    Parameters
    ----------
    folder
        Only calls for files in this folder fail.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = os.fsencode(folder.resolve())
        self._library = ctypes.CDLL(None)
        self._library.faulty_disarm.restype = ctypes.c_long
        self._library.faulty_arm.argtypes = [
            *(ctypes.c_char_p, ctypes.c_int, ctypes.c_long, ctypes.c_long),
            *(ctypes.c_int, ctypes.c_size_t),
        ]
        self.calls = 0

    @contextmanager
    def failing(
        self, call: Call, first: int, error: int = 0, *, times: int = 1, most: int = 0
    ) -> Iterator[None]:
        """Fail `times` calls, beginning with number `first`, in a block.

        Without an `error`, they transfer at most `most` bytes. Afterwards, `calls` is their number.
        """
        self._library.faulty_arm(self.folder, call, first, times, error, most)
        try:
            yield
        finally:
            self.calls = self._library.faulty_disarm()

    def counted(self, call: Call) -> Any:
        """Only count the calls of a block."""
        return self.failing(call, ALWAYS)


_turns: dict[tuple[int, ...], Iterator[int]] = {}


def with_errors(places: Iterable[int], errors: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Yield each place with the next of the errors in turn, with ``ALL=1`` with all."""
    turn = _turns.setdefault(errors, cycle(errors))
    for place in places:
        for error in errors if ALL else (next(turn),):
            yield place, error


def preloaded(script: Path, *arguments: object, library: Path, seconds: float = 300) -> Any:
    """Run a script with failing calls; return the JSON that it prints.

    Parameters
    ----------
    script
        A Python script.
    arguments
        Its arguments.
    library
        Where to compile the library to.
    seconds
        The time limit.
    """
    if not sys.platform.startswith("linux"):
        pytest.skip("calls are replaced with LD_PRELOAD, on Linux only")
    source = Path(__file__).with_name("faulty_io.c")
    compile = ["cc", "-O1", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
    subprocess.run(compile, check=True)
    tests = Path(__file__).parents[1]
    found = [str(tests / folder) for folder in ("data", "faults", "support")]
    done = subprocess.run(
        [sys.executable, str(script), *map(str, arguments)],
        env={**os.environ, "LD_PRELOAD": str(library), "PYTHONPATH": os.pathsep.join(found)},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0, (done.returncode, done.stdout[-2000:], done.stderr[-4000:])
    return json.loads(done.stdout)
