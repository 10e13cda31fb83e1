"""A remote file as a seekable Python file, for readers other than the kernel."""

from __future__ import annotations

import io

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.data.remote import RemoteFile

__all__ = ["Ranged"]


class Ranged(io.RawIOBase):
    """A remote file that fetches only the bytes that are read.

    Parameters
    ----------
    file : RemoteFile
        The file.
    """

    def __init__(self, file: RemoteFile) -> None:
        super().__init__()
        self._file = file
        self._length = file.length()
        self._at = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the position of the next byte."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to a byte, relative to the beginning, the position or the end."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._length}[whence]
        self._at = start + offset
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        """Return up to `size` bytes."""
        end = self._length if size is None or size < 0 else min(self._at + size, self._length)
        if end <= self._at:
            return b""
        (found,) = self._file.fetch([(self._at, end)])
        self._at += len(found)
        return found
