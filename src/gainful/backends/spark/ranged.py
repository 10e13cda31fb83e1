"""A file elsewhere, as something that is read at any place, for readers that are not the engine."""

from __future__ import annotations

import io

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.data.remote import RemoteFile

__all__ = ["Ranged"]


class Ranged(io.RawIOBase):
    """A remote file of which only what is read is fetched.

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
        """Whether it can be read."""
        return True

    def seekable(self) -> bool:
        """Whether it can be read at any place."""
        return True

    def tell(self) -> int:
        """Return where the next byte is read."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a byte, from the beginning, from here, or from the end."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._length}[whence]
        self._at = start + offset
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        """Return so many bytes, fewer at the end."""
        end = self._length if size is None or size < 0 else min(self._at + size, self._length)
        if end <= self._at:
            return b""
        (found,) = self._file.fetch([(self._at, end)])
        self._at += len(found)
        return found
