"""What a process and all that it started have used: Spark works in a JVM and in Python workers.

On Linux alone, from ``/proc``; elsewhere there is nothing to read.
"""

from __future__ import annotations

import os
from pathlib import Path

PROC = Path("/proc")


def members() -> list[Path]:
    """Return the folders in ``/proc`` of this process and of its descendants."""
    parents = {}
    for folder in PROC.glob("[0-9]*"):
        fields = _fields(folder)
        if fields:
            parents[int(folder.name)] = int(fields[1])
    found = [os.getpid()]
    for parent in found:  # Grows while it is walked.
        found += [child for child, above in parents.items() if above == parent]
    return [PROC / str(number) for number in found]


def peak_bytes() -> int:
    """Return the sum of the highest resident memory of each process that is alive."""
    total = 0
    for folder in members():
        try:
            for line in (folder / "status").read_text(encoding="ascii").splitlines():
                if line.startswith("VmHWM:"):
                    total += int(line.split()[1]) * 1024
        except OSError:
            continue  # It has ended.
    return total


def resident_bytes() -> int:
    """Return the resident memory of this process now."""
    pages = int((PROC / "self" / "statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def cpu_seconds() -> float:
    """Return the processor time of all, and of what each has started and waited for."""
    ticks = 0
    for folder in members():
        fields = _fields(folder)
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _fields(folder: Path) -> list[str]:
    """Return what ``stat`` says after the name of the program, which may have spaces in it."""
    try:
        return (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return []
