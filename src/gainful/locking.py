"""File locks, so that only one process at a time changes a file."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager

from gainful.writing import write_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["locked"]


@contextmanager
def locked(path: str, *, wait: bool = True) -> Iterator[None]:
    """Lock a file during a block; wait for other processes and threads.

    The lock is a separate file, ``.NAME.lock`` in the same folder, because the file itself is
    replaced when it is written. The operating system releases the lock of a process that ends, so
    a remaining lock file does not block others.

    Parameters
    ----------
    path : str
        The file, which may be missing. Links are followed.
    wait : bool
        Whether to wait for the lock.

    Raises
    ------
    BlockingIOError
        If the file is locked already, and `wait` is false.
    SourceError
        If the folder cannot be written, or its file system has no locks.

    Examples
    --------
    >>> import os
    >>> with locked("snapshot.json"):
    ...     print(os.path.exists(".snapshot.json.lock"))
    True
    >>> os.path.exists(".snapshot.json.lock")
    False
    """
    folder, name = os.path.split(os.path.realpath(path))
    lock = os.path.join(folder, f".{name}.lock")
    try:
        handle = _acquire(lock, wait)
    except BlockingIOError:
        raise
    except OSError as error:
        raise write_error(path, error) from error
    try:
        yield
    finally:
        _release(handle, lock)


def _acquire(lock: str, wait: bool) -> int:
    while True:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock(handle, wait)
            if _is_file_of(handle, lock):
                return handle
        except BaseException:
            os.close(handle)
            raise
        # The previous process has removed the file, and others may have created a new one.
        os.close(handle)


def _is_file_of(handle: int, lock: str) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(lock))
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt
    from time import sleep

    def _lock(handle: int, wait: bool) -> None:
        # LK_LOCK gives up after ten seconds and cannot be interrupted.
        while True:
            try:
                msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            except PermissionError:
                if not wait:
                    raise BlockingIOError from None
                sleep(0.02)
            else:
                return

    def _release(handle: int, lock: str) -> None:
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
        os.close(handle)
        try:
            os.unlink(lock)
        except OSError:
            # Another process has opened the file, which cannot be removed on Windows; it will
            # remove it.
            pass

else:
    import fcntl

    def _lock(handle: int, wait: bool) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))

    def _release(handle: int, lock: str) -> None:
        try:
            # Remove it while it is locked, so that no other process can lock it.
            os.unlink(lock)
        except OSError:
            pass
        finally:
            os.close(handle)
