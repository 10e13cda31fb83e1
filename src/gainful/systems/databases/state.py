"""The state of a database file, so that answers of different states are not mixed."""

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

#: The path of an empty database in memory.
MEMORY = ":memory:"

#: Files up to this size are identified by content, larger ones by size and time.
LARGEST = 256 * 2**20

_PIECE = 2**20


def database_identity(path: str, called: str, log: str) -> dict[str, Any]:
    """Return the identity of a database in a file or in memory.

    Parameters
    ----------
    path : str
        The path, or `MEMORY`.
    called, log : str
        As for `file_identity`; `called` defaults to the path.

    Raises
    ------
    SourceError
        If the file does not exist or cannot be read.
    """
    if path == MEMORY:
        return {"database": MEMORY}
    if not os.path.exists(path):
        raise SourceNotFoundError(file=path, found="no such file")
    return {"database": file_identity(path, called or path, log)}


def file_identity(path: str, called: str, log: str) -> Mapping[str, str]:
    """Return the identity and state of a file.

    Parameters
    ----------
    path : str
        The path.
    called : str
        The path as written in the description, which does not depend on the working directory.
    log : str
        The suffix of the write-ahead log. If such a file exists, the database is being written and
        has no fixed state.

    Raises
    ------
    SourceError
        If the file cannot be read.
    """
    log_path = path + log
    try:
        if os.path.exists(log_path) and os.path.getsize(log_path):
            return {"file": called, "state": "written to meanwhile"}
        status = os.stat(path)
        if status.st_size > LARGEST:
            state = f"{status.st_size} bytes, changed at {status.st_mtime_ns} ns"
        else:
            state = _digest(os.path.abspath(path), status.st_size, status.st_mtime_ns)
    except OSError as error:
        raise SourceError(f"cannot read the file ({error.strerror or error})", file=path) from error
    return {"file": called, "state": state}


# All points of a sweep use the same file, so cache its digest.
@lru_cache(maxsize=16)
def _digest(path: str, size: int, changed: int) -> str:
    digest = sha256()
    with open(path, "rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return f"sha256:{digest.hexdigest()}"
