"""Resources of a process and its descendants: Spark uses a JVM and Python workers.

Only available on Linux, which has ``/proc``.
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
    for parent in found:  # The list grows during the loop.
        found += [child for child, above in parents.items() if above == parent]
    return [PROC / str(number) for number in found]


def peak_bytes() -> int:
    """Return the sum of the peak resident memory of all running processes."""
    total = 0
    for folder in members():
        try:
            for line in (folder / "status").read_text(encoding="ascii").splitlines():
                if line.startswith("VmHWM:"):
                    total += int(line.split()[1]) * 1024
        except OSError:
            continue  # The process has ended.
    return total


def resident_bytes() -> int:
    """Return the current resident memory of this process."""
    pages = int((PROC / "self" / "statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def cpu_seconds() -> float:
    """Return the processor time of all processes, including children that ended."""
    ticks = 0
    for folder in members():
        fields = _fields(folder)
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _fields(folder: Path) -> list[str]:
    """Return the fields of ``stat`` after the program's name, which may contain spaces."""
    try:
        return (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return []
