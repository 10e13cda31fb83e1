"""Files written whole or not at all."""

from __future__ import annotations

import os

from gainful.errors import SourceError, SourceNotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["unwritten", "write_whole"]


def write_whole(path: str, chunks: Iterable[bytes]) -> None:
    """Write a file beside its place under another name, and move it there when it is complete.

    A full disk or Ctrl-C leaves what was there before. A device or a pipe is written to as it is.

    Raises
    ------
    SourceError
        If it cannot be written.
    """
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            # A device or a pipe is written to; a directory is refused here.
            with open(path, "wb") as stream:
                stream.writelines(chunks)
        else:
            # What a link points to is replaced, not the link.
            _replace(os.path.realpath(path), chunks)
    except OSError as error:
        raise unwritten(path, error) from error


def _replace(target: str, chunks: Iterable[bytes]) -> None:
    folder, name = os.path.split(target)
    beside = os.path.join(folder, f".{name}.{os.getpid()}.part")
    with open(beside, "xb") as stream:
        try:
            stream.writelines(chunks)
            stream.flush()
            if os.path.exists(target):
                os.chmod(beside, os.stat(target).st_mode & 0o7777)
            stream.close()
            os.replace(beside, target)
        except BaseException:
            try:
                # What is still in the buffer does not fit either.
                stream.close()
            except OSError:
                pass
            os.unlink(beside)
            raise


def unwritten(name: str, error: OSError) -> SourceError:
    """Make the error for what could not be written."""
    import errno

    why = (error.strerror or str(error)).lower()
    if isinstance(error, FileNotFoundError):
        return SourceNotFoundError(
            file=name, found="no such folder", expected="a folder that exists"
        )
    if isinstance(error, IsADirectoryError):
        return SourceError(file=name, found="a directory", expected="a file to write")
    if error.errno == errno.ENOSPC:
        return SourceError(
            file=name, found="no space left to write", expected="room for the output"
        )
    return SourceError(
        file=name, found=f"an error while writing ({why})", expected="a place that can be written"
    )
