"""The bytes of a file that may be compressed, for readers that are not the engine's."""

from __future__ import annotations

import io
from contextlib import contextmanager, nullcontext

from gainful import _engine
from gainful.data.paths import check_path
from gainful.errors import SourceError, SourceNotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager
    from typing import IO, Any, TypeAlias

    Stream: TypeAlias = Iterable[bytes]

__all__ = ["damage", "decompressed", "opened"]


@contextmanager
def opened(path: str) -> Iterator[tuple[str, Stream]]:
    r"""Open a file for its lines, whatever it is compressed by.

    Parameters
    ----------
    path : str
        The file; ``"-"`` is the standard input.

    Yields
    ------
    name : str
        What the file is called in messages.
    stream : iterable of bytes
        Its lines.

    Raises
    ------
    SourceError, FormatError
        For what cannot be opened or read, be it in the course of reading.

    Examples
    --------
    >>> with opened("qrels.txt") as (name, lines):
    ...     print(name, next(iter(lines)))
    qrels.txt b'q1 0 r01 3\n'
    """
    import sys

    check_path(path)
    piped = path == "-"
    name = "standard input" if piped else path
    try:
        remote = getattr(path, "open", None)
        raw: IO[bytes] = (
            sys.stdin.buffer if piped else remote() if remote else open(path, "rb")  # noqa: SIM115
        )
        try:
            with decompressed(raw, raw.peek(6)[:6]) as stream:  # type: ignore[attr-defined]
                yield name, stream
        finally:
            if not piped:
                raw.close()
    except FileNotFoundError:
        raise SourceNotFoundError(
            file=name, found="no such file", expected="a file that exists"
        ) from None
    except IsADirectoryError:
        raise SourceError(file=name, found="a directory", expected="a file") from None
    except SourceError:
        raise
    except damage() as error:
        raise SourceError(
            file=name, found=f"what cannot be read ({error})", expected="a whole file"
        ) from error


def decompressed(raw: IO[bytes], magic: bytes) -> AbstractContextManager[Stream]:
    """Return the lines of a stream that begins with some bytes, decompressed if they say so."""
    if magic.startswith(b"\x1f\x8b"):
        import gzip

        return gzip.GzipFile(fileobj=raw)
    if magic.startswith(b"BZh"):
        import bz2

        return bz2.BZ2File(raw)
    if magic.startswith(b"\xfd7zXZ"):
        import lzma

        return lzma.LZMAFile(raw)
    if magic.startswith(b"\x28\xb5\x2f\xfd"):
        return io.BufferedReader(_Zstandard(raw))
    # Closed by whoever opened it: the standard input stays open.
    return nullcontext(raw)


class _Zstandard(io.RawIOBase):
    """A stream that the engine decompresses."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._reader = _engine.ZstandardReader(raw)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = self._reader.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)


def damage() -> tuple[type[Exception], ...]:
    """Return what reading raises, looked up only when something was raised."""
    import zlib
    from zipfile import BadZipFile

    errors: list[type[Exception]] = [OSError, EOFError, zlib.error, BadZipFile]
    try:
        from lzma import LZMAError
    except ImportError:  # a Python built without it
        pass
    else:
        errors.append(LZMAError)
    return tuple(errors)
