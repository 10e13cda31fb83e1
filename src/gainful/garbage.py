"""Garbage collection in a process that runs one command."""

from __future__ import annotations

import atexit
import gc

#: A command imports fewer objects than this, so none of them are searched for garbage.
NEW_OBJECTS = 100_000


def collect_rarely() -> None:
    """Search for garbage after many new objects; by default, imports cause dozens of searches.

    At the end of the process nothing is searched: all memory is returned to the system anyway.
    """
    gc.set_threshold(NEW_OBJECTS)
    atexit.register(gc.freeze)


def collect_at_end() -> None:
    """Search for garbage at the end after all, for other people's code.

    Its objects that refer to each other may have open files, which are only complete once closed.
    """
    atexit.unregister(gc.freeze)
