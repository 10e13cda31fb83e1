"""The threads of a call, and garbage collection in a process that runs one command."""

from __future__ import annotations

import atexit
import gc
import os
import sys

from gainful.errors import ParameterError, SearchError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from threading import Thread

#: The number for calls that request none, if a command has one.
_of_command: int | None = None


def set_threads_of_command(threads: int | None) -> None:
    """Set the number of threads for calls that request none, until it is set to None.

    Examples
    --------
    >>> set_threads_of_command(3)
    >>> thread_count()
    3
    >>> set_threads_of_command(None)
    """
    global _of_command
    _of_command = threads


def thread_count(threads: int | None = None) -> int:
    """Return the number of threads for a call.

    Examples
    --------
    >>> thread_count(2)
    2
    """
    where = "threads"
    count: object = _of_command if threads is None else threads
    if count is None:
        text = os.environ.get("GAINFUL_THREADS")
        if not text:
            return 1 if _inside_executor() else _cores()
        where = "GAINFUL_THREADS"
        count = int(text) if text.isascii() and text.isdecimal() else text
    if type(count) is not int or count < 1:
        raise ParameterError(where=where, found=repr(count), expected="a whole number of 1 or more")
    # More than any machine has; the kernel starts no more than it needs.
    return min(count, 1 << 16)


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows have no affinity
        return os.cpu_count() or 1


def _inside_executor() -> bool:
    # Do not import these modules: without them there is no executor.
    threading = sys.modules.get("threading")
    if threading is not None and threading.current_thread() is not threading.main_thread():
        return True
    process = sys.modules.get("multiprocessing.process")
    return process is not None and process.parent_process() is not None


def start_thread(thread: Thread) -> None:
    """Start a thread.

    Examples
    --------
    >>> from threading import Thread
    >>> start_thread(Thread(target=print, args=["started"]))
    started
    """
    try:
        thread.start()
    except RuntimeError as error:
        raise SearchError("the operating system has no thread left") from error


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
