"""Write files atomically, and let one process at a time change a file."""

from __future__ import annotations

import os
import sys

from gainful.errors import SourceError, SourceNotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager
    from typing import Any, BinaryIO

__all__ = ["compressed", "flush_to_disk", "locked", "pieces", "write_error", "write_whole"]

#: Bytes per piece. Python checks for Ctrl-C between pieces; the slowest compression takes a third
#: of a second per piece.
_PIECE = 1 << 18


def write_whole(path: str, chunks: Iterable[bytes]) -> None:
    """Write a file under a temporary name, then rename it.

    After an error or Ctrl-C the old file is unchanged; after a power failure the file is the old or
    the new one. Devices and pipes are written directly.
    """
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            # A device or pipe; opening a directory fails here.
            with open(path, "wb", buffering=0) as stream:
                for piece in pieces(chunks):
                    # A pipe may accept only a part.
                    left = memoryview(piece)
                    while left:
                        left = left[stream.write(left) :]
        else:
            # Replace the target of a link, not the link.
            _replace(os.path.realpath(path), chunks)
    except OSError as error:
        raise write_error(path, error) from error


def _replace(target: str, chunks: Iterable[bytes]) -> None:
    # A unique name per writer, not longer than allowed.
    temporary = os.path.join(os.path.dirname(target), f".gainful-{os.urandom(6).hex()}")
    try:
        with open(temporary, "xb") as stream:
            stream.writelines(pieces(chunks))
            flush_to_disk(stream)
        if os.path.exists(target):
            os.chmod(temporary, os.stat(target).st_mode & 0o7777)
        os.replace(temporary, target)
    except BaseException:
        try:
            os.unlink(temporary)
        except OSError:
            pass  # It was not created, or its folder is gone.
        raise


def flush_to_disk(file: BinaryIO) -> None:
    """Wait until the content is on the disk, so that a power failure cannot lose it."""
    import errno

    file.flush()
    try:
        os.fsync(file.fileno())
    except OSError as error:
        # Some network file systems cannot.
        if error.errno not in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
            raise


def pieces(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Split chunks into pieces, so that Ctrl-C is noticed.

    Examples
    --------
    >>> [len(piece) for piece in pieces([b"ab", bytes(300_000)])]
    [2, 262144, 37856]
    """
    for chunk in chunks:
        if len(chunk) <= _PIECE:
            yield chunk
        else:
            yield from (chunk[index : index + _PIECE] for index in range(0, len(chunk), _PIECE))


def compressed(content: bytes, suffix: str, *, level: int = 9) -> Iterator[bytes]:
    """Compress content, and yield it in pieces.

    Examples
    --------
    >>> import gzip
    >>> gzip.decompress(b"".join(compressed(b"lentil soup", "gz")))
    b'lentil soup'
    """
    if suffix == "gz":
        yield from _gzip(content, level)
        return
    compressor: Any
    if suffix == "bz2":
        import bz2

        compressor = bz2.BZ2Compressor()
    else:
        import lzma

        compressor = lzma.LZMACompressor()
    for piece in pieces([content]):
        yield compressor.compress(piece)
    yield compressor.flush()


def _gzip(content: bytes, level: int) -> Iterator[bytes]:
    import zlib

    # Without time and system in the header, equal content gives equal bytes.
    yield bytes((0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2 if level == 9 else 0, 255))
    compressor, checksum = zlib.compressobj(level, wbits=-15), 0
    for piece in pieces([content]):
        checksum = zlib.crc32(piece, checksum)
        yield compressor.compress(piece)
    yield compressor.flush()
    yield checksum.to_bytes(4, "little") + (len(content) & 0xFFFFFFFF).to_bytes(4, "little")


def write_error(name: str, error: OSError) -> SourceError:
    """Convert an exception while writing to an error of Gainful."""
    import errno

    why = (error.strerror or str(error)).lower()
    if isinstance(error, FileNotFoundError):
        return SourceNotFoundError(file=name, found="the output folder does not exist")
    if isinstance(error, IsADirectoryError):
        return SourceError(file=name, found="is a directory, not a file")
    if error.errno == errno.EROFS:
        return SourceError(file=name, found="the file system is read-only")
    if error.errno == errno.ENOSPC:
        return SourceError(file=name, found="no space left on the device")
    return SourceError(file=name, found=f"cannot write the file ({why})")


def locked(path: str, *, wait: bool = True) -> AbstractContextManager[None]:
    """Lock a file during a block; wait for other processes and threads.

    The lock is a separate file, ``.NAME.lock`` in the same folder, because the file itself is
    replaced when it is written. The operating system releases the lock of a process that ends, so
    a remaining lock file does not block others.

    Examples
    --------
    >>> import os
    >>> with locked("snapshot.json"):
    ...     print(os.path.exists(".snapshot.json.lock"))
    True
    >>> os.path.exists(".snapshot.json.lock")
    False
    """
    # Most of what writes files locks none.
    from contextlib import contextmanager

    return contextmanager(_hold)(path, wait)


def _hold(path: str, wait: bool) -> Iterator[None]:
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

    def _lock(handle: int, wait: bool) -> None:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))

    def _release(handle: int, lock: str) -> None:
        try:
            # Remove it while it is locked, so that no other process can lock it.
            os.unlink(lock)
        except OSError:
            pass
        finally:
            os.close(handle)
