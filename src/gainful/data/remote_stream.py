"""A remote file as a Python file, fetched in blocks."""

from __future__ import annotations

import io

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

__all__ = ["remote_stream"]

#: The first and the largest block size in bytes.
_FIRST, _LARGEST = 1 << 16, 1 << 22


def remote_stream(
    length: Callable[[], int], fetch: Callable[[Sequence[tuple[int, int]]], list[bytes]]
) -> io.BufferedReader:
    """Return a binary file over a function that fetches ranges of bytes.

    Parameters
    ----------
    length : callable
        Returns the size in bytes.
    fetch : callable
        Takes pairs of offsets and returns the bytes between them.

    Examples
    --------
    >>> text = b"q1 0 d1 1"
    >>> stream = remote_stream(lambda: 9, lambda ranges: [text[start:end] for start, end in ranges])
    >>> stream.read()
    b'q1 0 d1 1'
    """
    return io.BufferedReader(_Ranges(length(), fetch), _FIRST)


class _Ranges(io.RawIOBase):
    """Read in blocks that grow during sequential reads."""

    def __init__(
        self, length: int, fetch: Callable[[Sequence[tuple[int, int]]], list[bytes]]
    ) -> None:
        self._length, self._fetch = length, fetch
        self._at = self._start = 0
        self._block = b""
        self._size = _FIRST

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._length}[whence]
        self._at = max(base + offset, 0)
        return self._at

    def readinto(self, buffer: Any) -> int:
        if self._at >= self._length:
            return 0
        skipped = self._at - self._start
        if not 0 <= skipped < len(self._block):
            follows = skipped == len(self._block) and skipped > 0
            self._size = min(self._size * 4, _LARGEST) if follows else _FIRST
            (self._block,) = self._fetch([(self._at, min(self._at + self._size, self._length))])
            if not self._block:
                raise EOFError(f"it ends after {self._at} bytes of {self._length}")
            self._start, skipped = self._at, 0
        piece = self._block[skipped : skipped + len(buffer)]
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)
