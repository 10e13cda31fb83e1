"""The program as a shell starts it, for tests that need a process."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import IO

COMMAND = (sys.executable, "-m", "gainful")


def gainful(
    *words: str | os.PathLike[str],
    input: bytes = b"",
    stdout: int | IO[bytes] = subprocess.PIPE,
    **environment: str,
) -> subprocess.CompletedProcess[bytes]:
    """Run ``gainful`` with these arguments."""
    return subprocess.run(
        [*COMMAND, *map(os.fspath, words)],
        input=input,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
        timeout=120,
        check=False,
    )
