"""Write files atomically."""

from __future__ import annotations

import os

from gainful.errors import SourceError, SourceNotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, BinaryIO

__all__ = ["compressed", "flush_to_disk", "pieces", "write_error", "write_whole"]

#: Bytes per piece. Python checks for Ctrl-C between pieces; the slowest compression takes a third
#: of a second per piece.
_PIECE = 1 << 18


def write_whole(path: str, chunks: Iterable[bytes]) -> None:
    """Write a file under a temporary name, then rename it.

    After an error or Ctrl-C the old file is unchanged; after a power failure the file is the old or
    the new one. Devices and pipes are written directly.

    Raises
    ------
    SourceError
        If it cannot be written.
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

    Parameters
    ----------
    content : bytes
        The content.
    suffix : {"gz", "bz2", "xz"}
        The compression.
    level : int
        The level of gzip, from 1 (fast) to 9 (small).

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
