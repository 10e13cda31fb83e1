"""How many threads a call may use."""

from __future__ import annotations

import os
import sys

from gainful.errors import ParameterError


def thread_count(threads: int | None = None) -> int:
    """Return the number of threads for a call.

    Parameters
    ----------
    threads : int, optional
        What the caller asked for. Without it, the environment variable ``GAINFUL_THREADS``
        decides, then: one inside an executor's worker (a thread that is not the main one, or a
        child process), all the processor's cores elsewhere.

    Raises
    ------
    ParameterError
        If either is not a whole number of 1 or more.

    Examples
    --------
    >>> thread_count(2)
    2
    """
    where = "threads"
    found: object = threads
    if found is None:
        text = os.environ.get("GAINFUL_THREADS")
        if not text:
            return 1 if _inside_executor() else _cores()
        where = "GAINFUL_THREADS"
        found = int(text) if text.isdecimal() else text
    if type(found) is not int or found < 1:
        raise ParameterError(where=where, found=repr(found), expected="a whole number of 1 or more")
    # More than any machine has: the engine starts no more than there is work for.
    return min(found, 1 << 16)


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows have no affinity to ask for
        return os.cpu_count() or 1


def _inside_executor() -> bool:
    # Neither module is imported for the question: where nobody did, there is no executor.
    threading = sys.modules.get("threading")
    if threading is not None and threading.current_thread() is not threading.main_thread():
        return True
    process = sys.modules.get("multiprocessing.process")
    return process is not None and process.parent_process() is not None
