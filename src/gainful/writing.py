"""Files that are written atomically."""

from __future__ import annotations

import os

from gainful.errors import SourceError, SourceNotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

__all__ = ["compressed", "pieces", "unwritten", "write_whole"]

#: Python looks for Ctrl-C between two pieces. The slowest compression takes a third of a second for
#: a piece.
_PIECE = 1 << 18


def write_whole(path: str, chunks: Iterable[bytes]) -> None:
    """Write a file under a temporary name, and move it to its place when it is complete.

    A full disk or Ctrl-C leaves what was there before. A device or a pipe is written to directly.

    Raises
    ------
    SourceError
        If it cannot be written.
    """
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            # A device or a pipe is written to; a directory is refused here.
            with open(path, "wb", buffering=0) as stream:
                for piece in pieces(chunks):
                    # A pipe may take a part of it.
                    left = memoryview(piece)
                    while left:
                        left = left[stream.write(left) :]
        else:
            # What a link points to is replaced, not the link.
            _replace(os.path.realpath(path), chunks)
    except OSError as error:
        raise unwritten(path, error) from error


def _replace(target: str, chunks: Iterable[bytes]) -> None:
    # A name of its own for each writer, and one that fits wherever the target's does.
    temporary = os.path.join(os.path.dirname(target), f".gainful-{os.urandom(6).hex()}")
    try:
        with open(temporary, "xb") as stream:
            stream.writelines(pieces(chunks))
        if os.path.exists(target):
            os.chmod(temporary, os.stat(target).st_mode & 0o7777)
        os.replace(temporary, target)
    except BaseException:
        try:
            os.unlink(temporary)
        except OSError:
            pass  # It was not made, or its folder is gone.
        raise


def pieces(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Cut chunks into pieces, between which Ctrl-C is noticed.

    Examples
    --------
    >>> [len(piece) for piece in pieces([b"ab", bytes(300_000)])]
    [2, 262144, 37856]
    """
    for chunk in chunks:
        if len(chunk) <= _PIECE:
            yield chunk
        else:
            yield from (chunk[at : at + _PIECE] for at in range(0, len(chunk), _PIECE))


def compressed(content: bytes, suffix: str, *, level: int = 9) -> Iterator[bytes]:
    """Yield content in pieces, compressed as a suffix says.

    Parameters
    ----------
    content : bytes
        What to compress.
    suffix : {"gz", "bz2", "xz"}
        How.
    level : int
        Of gzip, from 1 (fast) to 9 (small).

    Examples
    --------
    >>> import gzip
    >>> gzip.decompress(b"".join(compressed(b"lentil soup", "gz")))
    b'lentil soup'
    """
    if suffix == "gz":
        yield from _gzipped(content, level)
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


def _gzipped(content: bytes, level: int) -> Iterator[bytes]:
    import zlib

    # The header has no time and no system, so that the same content gives the same bytes.
    yield bytes((0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2 if level == 9 else 0, 255))
    compressor, checksum = zlib.compressobj(level, wbits=-15), 0
    for piece in pieces([content]):
        checksum = zlib.crc32(piece, checksum)
        yield compressor.compress(piece)
    yield compressor.flush()
    yield checksum.to_bytes(4, "little") + (len(content) & 0xFFFFFFFF).to_bytes(4, "little")


def unwritten(name: str, error: OSError) -> SourceError:
    """Make the error for what could not be written."""
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
