"""Detect files that change while they are read."""

from __future__ import annotations

import os
from contextlib import contextmanager
from stat import S_ISREG

from gainful.errors import GainfulError, SourceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO, Any, TypeAlias

    State: TypeAlias = tuple[int, int, int, int]

__all__ = ["file_state", "unchanged"]


@contextmanager
def unchanged(file: IO[Any], name: str) -> Iterator[None]:
    """Raise an error if an open file on disk changes within the block.

    Parameters
    ----------
    file : file
        A newly opened file. Only regular files are checked.
    name : str
        The name of the file in messages.

    Raises
    ------
    SourceError
        At the end of the block, if size or modification time differ. It replaces other errors of
        Gainful, which the change may have caused.

    Examples
    --------
    >>> with open("qrels.txt", "rb") as file, unchanged(file, "qrels.txt"):
    ...     lines = file.readlines()
    """
    before = file_state(file)
    try:
        yield
    except GainfulError:
        _check(before, file, name)
        raise
    _check(before, file, name)


def _check(before: State | None, file: IO[Any], name: str) -> None:
    if before is not None and file_state(file) != before:
        raise SourceError(
            "the file changed while it was read",
            file=name,
            hint="run it again when the file is complete",
        ) from None


def file_state(file: IO[Any]) -> State | None:
    """Return size, modification time in ns, device and inode of a regular file.

    Parameters
    ----------
    file : file
        An open file. Returns None if it is not a regular file, or is closed.

    Examples
    --------
    >>> with open("qrels.txt", "rb") as file:
    ...     file_state(file) == file_state(file)
    True
    """
    try:
        found = os.fstat(file.fileno())
    except (OSError, ValueError, AttributeError):
        return None
    if not S_ISREG(found.st_mode):
        return None
    return found.st_size, found.st_mtime_ns, found.st_dev, found.st_ino
