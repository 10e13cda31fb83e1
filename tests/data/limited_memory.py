"""Programs with limited memory, which end if they allocate the wrong length of a bad file."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import NamedTuple

import pytest

#: AddressSanitizer, which `make sanitize-boundary` loads, needs terabytes of addresses.
SANITIZED = "asan" in os.environ.get("LD_PRELOAD", "")
#: As `ulimit -v 8000000`; -1 is no limit.
ADDRESSES = -1 if SANITIZED else 8_000_000 * 1024

_LIMITED = """\
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({most}, {most}))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
"""
# The memory of this program alone; getrusage() never reports less than the parent's.
_PEAK = """
with open("/proc/self/status") as status:
    peak = next(line.split()[1] for line in status if line.startswith("VmHWM"))
print("peak", int(peak) // 1024, file=sys.stderr)
"""


#: Reads each file of a folder as a run and as judgments, and prints how it went.
READ_ALL = """
import pathlib
import gainful
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    for read in (lambda: gainful.evaluate({"q1": {"d1": 1}}, path, "AP", threads=2),
                 lambda: gainful.read_qrels(path)):
        try:
            read()
            print(path.name, "read")
        except gainful.errors.GainfulError as error:
            print(path.name, len(str(error).splitlines()), error)
"""


class Done(NamedTuple):
    """The exit status, outputs and peak memory in MiB of a program; 0 under AddressSanitizer."""

    status: int
    out: str
    error: str
    peak: int


def run_limited(code: str, *arguments: object, seconds: float = 120) -> Done:
    """Run a Python program with 8 GB of address space, or skip the test if that is impossible."""
    pytest.importorskip("resource", reason="no limit on memory here (ulimit -v)")
    if not sys.platform.startswith("linux"):
        pytest.skip("memory is limited by ulimit -v on Linux only")
    program = _LIMITED.format(most=ADDRESSES) + code + _PEAK
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    *message, last = done.stderr.splitlines() or [""]
    peak = int(last.removeprefix("peak ")) if last.startswith("peak ") else 0
    error = "\n".join(message if peak else [*message, last])
    return Done(done.returncode, done.stdout, error, 0 if SANITIZED else peak)
