"""Which state of a database's file is searched: answers of another are not mixed with its own."""

from __future__ import annotations

import os
from functools import lru_cache
from hashlib import sha256

from gainful.errors import SourceError, SourceNotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["MEMORY", "database_identity", "file_identity"]

#: In the place of a path: an empty database in no file.
MEMORY = ":memory:"

#: Files up to so many bytes are told apart by their content, larger ones by size and time.
LARGEST = 256 * 2**20

_PIECE = 2**20


def database_identity(path: str, called: str, log: str, engine: str) -> dict[str, Any]:
    """Return what tells a database from others, which is in a file or in memory.

    Parameters
    ----------
    path : str
        Where it is, or `MEMORY`.
    called, log : str
        As for `file_identity`; a path that is called nothing is called itself.
    engine : str
        Whose database it is, for messages.

    Raises
    ------
    SourceError
        If there is no such file, or it cannot be read.
    """
    if path == MEMORY:
        return {"database": MEMORY}
    if not os.path.exists(path):
        raise SourceNotFoundError(
            file=path, found="no such file", expected=f"a database of {engine}"
        )
    return {"database": file_identity(path, called or path, log)}


def file_identity(path: str, called: str, log: str) -> Mapping[str, str]:
    """Return what tells a file from others, and from itself at other times.

    Parameters
    ----------
    path : str
        Where it is.
    called : str
        How a description writes that, which is the same wherever it is called from.
    log : str
        What the name of the file ends in, beside it, that holds what was written last. While there
        is one the database is live: it changes from one moment to the next, and has no state.

    Raises
    ------
    SourceError
        If it cannot be read.
    """
    beside = path + log
    try:
        if os.path.exists(beside) and os.path.getsize(beside):
            return {"file": called, "state": "written to meanwhile"}
        status = os.stat(path)
        if status.st_size > LARGEST:
            state = f"{status.st_size} bytes, changed at {status.st_mtime_ns} ns"
        else:
            state = _digest(os.path.abspath(path), status.st_size, status.st_mtime_ns)
    except OSError as error:
        raise SourceError(
            file=path,
            found=f"a file that cannot be read ({error.strerror or error})",
            expected="a database that can be read",
        ) from error
    return {"file": called, "state": state}


# The points of a sweep are systems of the same file.
@lru_cache(maxsize=16)
def _digest(path: str, size: int, changed: int) -> str:
    digest = sha256()
    with open(path, "rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return f"sha256:{digest.hexdigest()}"
