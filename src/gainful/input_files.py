"""Input files: their digests, which a result keeps, and a check that no output replaces them."""

from __future__ import annotations

import os
from stat import S_ISREG

from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    #: A path, and its SHA-256 digest as hexadecimal digits; None if it is unknown.
    Digest: TypeAlias = dict[str, str | None]

__all__ = ["InputFiles", "check_output", "digest_file", "is_same_file"]


class InputFiles:
    """Files before they are read, and their digests afterwards.

    Parameters
    ----------
    paths : iterable of paths
        The files; a folder is all its files. Addresses must not have credentials.
    """

    __slots__ = ("_states",)

    def __init__(self, paths: Iterable[str | os.PathLike[str]]) -> None:
        self._states = {file: _state(file) for path in paths for file in _files_in(os.fspath(path))}

    @property
    def paths(self) -> list[str]:
        """The files."""
        return list(self._states)

    def digests(self) -> list[Digest]:
        """Return the path and the SHA-256 digest of each file.

        The digest is None for what cannot be read again: the standard input, pipes, addresses, and
        files that changed since this object was made.
        """
        return [
            {"path": file, "sha256": None if state is None else _digest_unchanged(file, state)}
            for file, state in self._states.items()
        ]


def digest_file(path: str) -> str:
    """Return the SHA-256 digest of a file as hexadecimal digits.

    Examples
    --------
    >>> len(digest_file("qrels.txt"))
    64
    """
    from hashlib import file_digest

    with open(path, "rb") as file:
        return file_digest(file, "sha256").hexdigest()


def check_output(path: str, inputs: Iterable[str]) -> None:
    """Check that a file to write is none of those that were read."""
    for file in inputs:
        if is_same_file(path, file):
            raise ParameterError(f"{path} is an input, which would be replaced")


def is_same_file(path: str, other: str) -> bool:
    """Return whether two paths lead to the same file, which is not a device or pipe."""
    try:
        return os.path.samefile(path, other) and os.path.isfile(path)
    except OSError:
        return False


def _state(path: str) -> tuple[int, ...] | None:
    """Return what changes with the content of a file; None for other paths."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    if path == "-" or not S_ISREG(status.st_mode):
        return None
    return status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino


def _digest_unchanged(path: str, state: tuple[int, ...]) -> str | None:
    try:
        digest = digest_file(path)
    except OSError:
        return None
    return digest if _state(path) == state else None


def _files_in(path: str) -> Iterator[str]:
    if not os.path.isdir(path):
        yield path
        return
    for folder, folders, files in os.walk(path):
        folders.sort()
        yield from (os.path.join(folder, file) for file in sorted(files))
