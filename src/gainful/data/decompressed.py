"""Files that may be compressed, for readers other than the kernel."""

from __future__ import annotations

import io
import os
import sys
import zlib
from contextlib import contextmanager, nullcontext

from gainful import _kernel
from gainful.data.paths import check_path
from gainful.data.unchanged import file_state, unchanged
from gainful.errors import Code, FormatError, SourceError, SourceNotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from typing import IO, Any, TypeAlias

    Stream: TypeAlias = IO[bytes]

__all__ = ["beginning", "damage_errors", "decompressed", "limit_size", "opened"]

#: The first bytes of gzip, bzip2, xz and zstandard, of which pzstd writes an index first.
_MAGIC = (
    *(b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd"),
    *(bytes((first,)) + b"\x2a\x4d\x18" for first in range(0x50, 0x60)),
)

#: The buffer size in bytes.
_PIECE = 1 << 18

#: The most bytes of a line that does not come from a file: devices and pipes may have no end.
_LONGEST_LINE = 256 << 20


@contextmanager
def opened(path: str) -> Iterator[tuple[str, Stream]]:
    r"""Open a file, decompressing it if needed.

    Parameters
    ----------
    path : str
        The file; ``"-"`` is the standard input.

    Yields
    ------
    name : str
        The file's name in messages.
    stream : binary file
        The decompressed content.

    Raises
    ------
    SourceError, FormatError
        For a file that cannot be opened or read, that changes while it is read, or that
        decompresses to more than ``GAINFUL_MAX_RATIO`` and ``GAINFUL_MAX_SIZE`` allow.

    Examples
    --------
    >>> with opened("qrels.txt") as (name, lines):
    ...     print(name, next(iter(lines)))
    qrels.txt b'q1 0 r01 3\n'
    """
    check_path(path)
    piped = path == "-"
    name = "standard input" if piped else path
    try:
        remote = getattr(path, "open", None)
        raw: Any = (
            sys.stdin.buffer if piped else remote() if remote else open(path, "rb")  # noqa: SIM115
        )
        original = raw
        if not hasattr(raw, "peek"):
            # A program may have replaced the standard input by an unbuffered one.
            raw = io.BufferedReader(raw)
        try:
            with unchanged(raw, name):
                magic, whole = beginning(raw)
                with decompressed(whole, magic, name) as stream:
                    yield name, stream
        finally:
            if not piped:
                raw.close()
            elif raw is not original:
                raw.detach()
    except FileNotFoundError:
        raise SourceNotFoundError(file=name, found="no such file") from None
    except IsADirectoryError:
        raise SourceError("is a directory, not a file", file=name) from None
    except SourceError:
        raise
    except damage_errors() as error:
        raise SourceError(f"cannot read the file ({error})", file=name) from error


def beginning(raw: Any) -> tuple[bytes, Any]:
    """Return the first six bytes of a buffered stream, and a stream that has them still.

    A pipe may deliver fewer bytes than that at a time.
    """
    first = raw.peek(6)[:6]
    if len(first) < 6 and (first := raw.read(6)):
        if raw.seekable():
            raw.seek(-len(first), os.SEEK_CUR)
        else:
            pieces, rest = [first], raw
            raw = io.BufferedReader(
                # A buffer has room for the first bytes.
                _Pieces(lambda size: pieces.pop() if pieces else rest.read1(size)),
                _PIECE,
            )
    return first, raw


def decompressed(raw: IO[bytes], magic: bytes, label: str) -> AbstractContextManager[Stream]:
    """Decompress a stream if its first bytes show a supported compression.

    Raises
    ------
    SourceError
        On reading, for data that are damaged or that expand beyond the limits.
    FormatError
        On reading, for a line of 256 MiB that does not come from a file.
    """
    if magic.startswith(_MAGIC):
        return io.BufferedReader(_Pieces(_kernel.Decompressed(raw, label).read), _PIECE)
    # The caller closes it: the standard input stays open.
    return nullcontext(raw if file_state(raw) else _limit_lines(raw, label))


def _limit_lines(stream: Any, label: str) -> io.BufferedReader:
    """Return the bytes of a buffered stream, up to a line that is too long."""
    length = 0

    def read(size: int) -> bytes:
        nonlocal length
        piece: bytes = stream.read1(size)
        end = piece.rfind(b"\n")
        length = length + len(piece) if end < 0 else len(piece) - end - 1
        if length > _LONGEST_LINE:
            raise FormatError(
                f"a line is longer than {_LONGEST_LINE >> 20} MiB",
                file=label,
                code=Code.LONG_LINE,
                hint="is this the right source? Lines of a file may be longer",
            )
        return piece

    return io.BufferedReader(_Pieces(read), _PIECE)


def limit_size(stream: IO[bytes], compressed: int, label: str) -> io.BufferedReader:
    """Return the bytes of an archive's member, with limits on its size.

    Parameters
    ----------
    stream : binary file
        The decompressed member.
    compressed : int
        Its compressed size in bytes.
    label : str
        Its name in messages.
    """
    expanded = 0

    def read(size: int) -> bytes:
        nonlocal expanded
        piece = stream.read(size)
        expanded += len(piece)
        _kernel.check_size(label, expanded, compressed)
        return piece

    return io.BufferedReader(_Pieces(read), _PIECE)


class _Pieces(io.RawIOBase):
    """A binary file whose bytes a function returns, piece by piece."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


def damage_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions for damaged data; a function, to import lazily."""
    from zipfile import BadZipFile

    errors: list[type[Exception]] = [OSError, EOFError, zlib.error, BadZipFile]
    try:
        from lzma import LZMAError
    except ImportError:  # a Python built without it
        pass
    else:
        errors.append(LZMAError)
    return tuple(errors)
